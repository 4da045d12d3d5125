//! `PUT /agent/v1/tasks/{task}/{attempt}/file`: a picture or a log that a card gave, before its result.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::Path;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode};
use wire::Key;

use super::{known, refused};
use crate::app::App;
use crate::domains::operation;
use crate::fault::Fault;

/// Keeps a file of a task that the agent has in hand.
pub async fn put_file(
    Extension(app): Extension<App>,
    path: Result<Path<(i64, u32)>, PathRejection>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Fault> {
    let agent = match known(&app, &headers).await? {
        Ok(agent) => agent,
        Err(refusal) => return Ok(refusal),
    };
    let (Ok(Path((task, attempt))), Ok(bytes)) = (path, body) else {
        return Ok(refused(StatusCode::BAD_REQUEST, "no task, or too large a file"));
    };
    Ok(if operation::store_file(&app, agent.room_id, Key { task, attempt }, bytes).await? {
        StatusCode::NO_CONTENT.into_response()
    } else {
        refused(StatusCode::NOT_FOUND, "this task is none of this agent's")
    })
}
