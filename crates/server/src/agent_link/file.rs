//! Files on their way: what cards are given, and a picture or a log that a card gave.

use axum::Extension;
use axum::body::Body;
use axum::body::Bytes;
use axum::extract::Path;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::response::{IntoResponse as _, Response};
use entity::OperationFileId;
use http::{HeaderMap, StatusCode};
use wire::Key;

use super::{known, refused};
use crate::app::App;
use crate::domains::operation;
use crate::fault::Fault;
use crate::http::file::attachment;

/// `GET /agent/v1/files/{id}`: a file that a task of the agent's room installs or pushes.
pub async fn get_file(
    Extension(app): Extension<App>,
    path: Result<Path<i64>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let agent = match known(&app, &headers).await? {
        Ok(agent) => agent,
        Err(refusal) => return Ok(refusal),
    };
    let Ok(Path(id)) = path else { return Ok(refused(StatusCode::BAD_REQUEST, "this is no id of a file")) };
    Ok(match operation::file_for(&app, agent.room_id, OperationFileId(id)).await? {
        Some(object) => {
            attachment("file", "application/octet-stream", Some(object.size), Body::from_stream(object.stream))
        }
        None => refused(StatusCode::NOT_FOUND, "no task of this room wants this file"),
    })
}

/// `PUT /agent/v1/tasks/{task}/{attempt}/file`: keeps a file of a task that the agent has in hand.
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
