//! File transfer: files for cards, and screenshots and logs from cards.

use std::borrow::Cow;

use axum::Extension;
use axum::body::Body;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::{IntoResponse as _, Response};
use base::app::App;
use base::fault::Fault;
use base::http::file::{attachment, content_type};
use entity::OperationFileId;
use http::{HeaderMap, StatusCode};
use http_body::Body as _;
use kernel::lang::Lang;
use wire::Key;

use super::{known, refused};
use crate::image::profile;
use crate::operation::{self, FileRefusal};

/// `GET /agent/v1/files/{id}`: a file that a task of the agent's room installs or pushes, or that says what a clean card
/// looks like.
pub async fn get_file(
    Extension(app): Extension<App>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let agent = match known(&app, &headers).await? {
        Ok(agent) => agent,
        Err(refusal) => return Ok(refusal),
    };
    let invalid = || refused(StatusCode::BAD_REQUEST, "invalid file id");
    let Ok(Path(id)) = path else { return Ok(invalid()) };
    let found = match (profile::id_of(&id), id.parse()) {
        (Some(id), _) => profile::file_for(&app, &agent, id).await?,
        (None, Ok(id)) => operation::file_for(&app, agent.room_id, OperationFileId(id)).await?,
        (None, Err(_)) => return Ok(invalid()),
    };
    Ok(match found {
        Some(object) => attachment("file", content_type("file"), Some(object.size), Body::from_stream(object.stream)),
        None => refused(StatusCode::NOT_FOUND, "no running task of this room needs this file"),
    })
}

/// `PUT /agent/v1/tasks/{task}/{attempt}/file`: stores a file of a task that the agent is executing. The sender, the
/// task and the size limit are checked before the body is read.
pub async fn put_file(
    Extension(app): Extension<App>,
    path: Result<Path<(i64, u32)>, PathRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Fault> {
    let agent = match known(&app, &headers).await? {
        Ok(agent) => agent,
        Err(refusal) => return Ok(refusal),
    };
    let Ok(Path((task, attempt))) = path else {
        return Ok(refused(StatusCode::BAD_REQUEST, "invalid task or attempt"));
    };
    let announced = body.size_hint().exact();
    let taken =
        operation::store_file(&app, &agent, Key::operation(task, attempt), announced, body.into_data_stream()).await?;
    Ok(match taken {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(refusal) => refused(status(&refusal), &words(&refusal)),
    })
}

const fn status(refusal: &FileRefusal) -> StatusCode {
    match refusal {
        FileRefusal::NotYours => StatusCode::NOT_FOUND,
        FileRefusal::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        FileRefusal::TooOften | FileRefusal::DayIsFull => StatusCode::TOO_MANY_REQUESTS,
        FileRefusal::BrokeOff => StatusCode::BAD_REQUEST,
        FileRefusal::NoPicture(_) | FileRefusal::NoProfile(_) | FileRefusal::OtherImage => {
            StatusCode::UNSUPPORTED_MEDIA_TYPE
        }
    }
}

fn words(refusal: &FileRefusal) -> Cow<'static, str> {
    Cow::Borrowed(match refusal {
        FileRefusal::NotYours => "this agent is not executing this task",
        FileRefusal::TooLarge => "the file is larger than 32 MB, or than it was announced",
        FileRefusal::TooOften => "a file was uploaded three times for this attempt of the task",
        FileRefusal::DayIsFull => {
            "this agent has used its daily upload quota (agent_files_per_day, agent_bytes_per_day)"
        }
        FileRefusal::BrokeOff => "the file transfer was interrupted",
        FileRefusal::NoPicture(why) => {
            return Cow::Owned(format!("the screenshot is not kept: {}", why.message(Lang::En)));
        }
        FileRefusal::NoProfile(why) => {
            return Cow::Owned(format!("the profile of a clean card is not kept: {}", why.message(Lang::En)));
        }
        FileRefusal::OtherImage => "the profile is not about the image that the console knows of this card",
    })
}
