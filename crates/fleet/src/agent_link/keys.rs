//! What an agent needs for a try that it has and what no journal may hold, and what it tells before the result.

use std::collections::HashSet;

use axum::body::{Body, to_bytes};
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::{IntoResponse as _, Response};
use axum::{Extension, Json};
use base::app::App;
use base::fault::{Fault, Outcome};
use entity::room_agent;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body::Body as _;
use parking_lot::Mutex;
use wire::Key;
use wire::copy::{MAX_PAPER, Paper};

use super::{known, refused};
use crate::steps::{Book, Steps};

const NOT_YOURS: &str = "this agent is not executing this task";
const NOT_A_PAPER: &str = "it does not say what a phone or its copy holds, or says more than anybody can have";

/// The tries that are being told about: one at a time each, so that an agent holds no more memory here than it has tries.
#[derive(Debug, Default)]
pub struct Papers(Mutex<HashSet<Key>>);

impl Papers {
    /// The turn of a try, until the value is dropped; none while another request has it.
    fn turn(&self, key: Key) -> Option<Turn<'_>> {
        self.0.lock().insert(key).then(|| Turn { all: self, key })
    }
}

struct Turn<'a> {
    all: &'a Papers,
    key: Key,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.all.0.lock().remove(&self.key);
    }
}

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

/// `PUT /agent/v1/tasks/phone/{task}/{attempt}/paper`: what a phone or its copy holds. The sender, the try and the size are
/// checked before the body is read.
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
    let key = Key::phone(task, attempt);
    let Some(steps) = listener(&app, &agent, key).await? else {
        return Ok(refused(StatusCode::NOT_FOUND, NOT_YOURS));
    };
    let Some(_turn) = app.part::<Papers>().turn(key) else {
        let soon = [(header::RETRY_AFTER, HeaderValue::from_static("1"))];
        let why = refused(StatusCode::TOO_MANY_REQUESTS, "another request is telling this; try again in a second");
        return Ok((soon, why).into_response());
    };
    let too_large = || refused(StatusCode::PAYLOAD_TOO_LARGE, "it is larger than 4 MB");
    if body.size_hint().lower() > MAX_PAPER as u64 {
        return Ok(too_large());
    }
    let Ok(bytes) = to_bytes(body, MAX_PAPER).await else { return Ok(too_large()) };
    let paper = serde_json::from_slice::<Paper>(&bytes).ok().filter(Paper::says_something);
    let Some(paper) = paper else { return Ok(refused(StatusCode::BAD_REQUEST, NOT_A_PAPER)) };
    // It may have ended meanwhile.
    let is_taken = steps.paper(&app, &agent, key, paper).await?;
    Ok(if is_taken { StatusCode::NO_CONTENT.into_response() } else { refused(StatusCode::NOT_FOUND, NOT_YOURS) })
}

/// The steps that wait for what the agent has to tell of a try; none if nobody does.
async fn listener(app: &App, agent: &room_agent::Model, key: Key) -> Outcome<Option<&'static dyn Steps>> {
    for Book(steps) in app.parts::<Book>() {
        if steps.listens(app, agent, key).await? {
            return Ok(Some(*steps));
        }
    }
    Ok(None)
}

fn invalid() -> Response {
    refused(StatusCode::BAD_REQUEST, "invalid task or attempt")
}
