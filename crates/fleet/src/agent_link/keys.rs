//! What an agent needs for a try that it has and what no journal may hold, and what it tells before the result.

use axum::body::{Body, to_bytes};
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use base::app::App;
use base::fault::Fault;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body::Body as _;
use wire::Key;
use wire::copy::{MAX_PAPER, Paper};

use super::{known, refused};
use crate::steps::Book;

const NOT_YOURS: &str = "this agent is not executing this task";

/// `GET /agent/v1/tasks/phone/{task}/{attempt}/keys`: the keys for a try that works with a repository, while the agent has
/// it.
pub async fn get_keys(
    Extension(app): Extension<App>,
    path: Result<Path<(i64, u32)>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let agent = match known(&app, &headers).await? {
        Ok(agent) => agent,
        Err(refusal) => return Ok(refusal),
    };
    let Ok(Path((task, attempt))) = path else { return Ok(invalid()) };
    for Book(steps) in app.parts::<Book>() {
        if let Some(keys) = steps.keys(&app, &agent, Key::phone(task, attempt)).await? {
            let no_store = (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            return Ok(([no_store], Json(keys)).into_response());
        }
    }
    Ok(refused(StatusCode::NOT_FOUND, NOT_YOURS))
}

/// `PUT /agent/v1/tasks/phone/{task}/{attempt}/paper`: what a phone or its copy holds. The sender and the size are checked
/// before the body is read.
pub async fn put_paper(
    Extension(app): Extension<App>,
    path: Result<Path<(i64, u32)>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Fault> {
    let agent = match known(&app, &headers).await? {
        Ok(agent) => agent,
        Err(refusal) => return Ok(refusal),
    };
    let Ok(Path((task, attempt))) = path else { return Ok(invalid()) };
    let too_large = || refused(StatusCode::PAYLOAD_TOO_LARGE, "it is larger than 4 MB");
    if body.size_hint().lower() > MAX_PAPER as u64 {
        return Ok(too_large());
    }
    let Ok(bytes) = to_bytes(body, MAX_PAPER).await else { return Ok(too_large()) };
    let Ok(paper) = serde_json::from_slice::<Paper>(&bytes) else {
        return Ok(refused(StatusCode::BAD_REQUEST, "it does not say what a phone or its copy holds"));
    };
    for Book(steps) in app.parts::<Book>() {
        if steps.paper(&app, &agent, Key::phone(task, attempt), paper.clone()).await? {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
    }
    Ok(refused(StatusCode::NOT_FOUND, NOT_YOURS))
}

fn invalid() -> Response {
    refused(StatusCode::BAD_REQUEST, "invalid task or attempt")
}
