//! `POST /agent/v1/enrol`.

use axum::extract::rejection::JsonRejection;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use http::StatusCode;
use wire::{EnrolReply, EnrolRequest};

use super::{refused, words};
use crate::app::App;
use crate::domains::fleet;
use crate::fault::Fault;
use crate::http::meta::Meta;

/// Lets an agent join with a token that is good once.
pub async fn enrol(
    Extension(app): Extension<App>,
    Extension(meta): Extension<Meta>,
    body: Result<Json<EnrolRequest>, JsonRejection>,
) -> Result<Response, Fault> {
    let Ok(Json(EnrolRequest { token, name, version })) = body else {
        return Ok(refused(StatusCode::BAD_REQUEST, "token, name and version are wanted, as JSON"));
    };
    let name = name.trim();
    if name.is_empty() {
        return Ok(refused(StatusCode::BAD_REQUEST, "the agent's name is empty"));
    }
    Ok(match fleet::enrol(&app, &token, name, &version, &meta.ip.to_string()).await? {
        Ok(joined) => {
            let reply = EnrolReply { agent: joined.agent.0, room: joined.room.0, credential: joined.credential };
            Json(reply).into_response()
        }
        Err(refusal) => refused(StatusCode::FORBIDDEN, words(refusal)),
    })
}
