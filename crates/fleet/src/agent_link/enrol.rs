//! `POST /agent/v1/enrol`.

use axum::extract::{FromRequest as _, Request};
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use base::app::App;
use base::fault::Fault;
use base::http::meta::Meta;
use http::StatusCode;
use kernel::rules::{Check, line, max_chars, single_line};
use wire::{EnrolReply, EnrolRequest};

use super::{refused, words};
use crate::agent;
use crate::agent::Joins;

/// Enrols an agent with a single-use token. The request of an address that was refused too often is not even read.
pub async fn enrol(
    Extension(app): Extension<App>,
    Extension(meta): Extension<Meta>,
    request: Request,
) -> Result<Response, Fault> {
    if app.part::<Joins>().is_over(meta.ip, app.clock.now()) {
        return Ok(refused(StatusCode::TOO_MANY_REQUESTS, "too many joins were refused; try again in a minute"));
    }
    let Ok(Json(EnrolRequest { token, name, version })) = Json::from_request(request, &()).await else {
        return Ok(refused(StatusCode::BAD_REQUEST, "token, name and version are required, as JSON"));
    };
    let name = name.trim();
    let mut check = Check::new();
    check.field("name", line(name, 64));
    check.field("version", single_line(&version).and_then(|()| max_chars(&version, 32)));
    check.finish()?;
    Ok(match agent::enrol(&app, &token, name, &version, meta.ip).await? {
        Ok(joined) => {
            let reply = EnrolReply { agent: joined.agent.0, room: joined.room.0, credential: joined.credential };
            Json(reply).into_response()
        }
        Err(refusal) => refused(StatusCode::FORBIDDEN, words(refusal)),
    })
}
