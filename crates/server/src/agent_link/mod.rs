//! The console's side of the agents: joining, the connection, and files (`docs/agent-protocol.md`).
//!
//! These calls are no part of the operators' API: who calls is known by a credential of its own, which is bound to one
//! room, and whatever it says about a card of another room is refused.

pub mod codes;
mod convert;
mod enrol;
mod file;
mod lines;
mod socket;
mod talk;

pub use lines::{CardStream, FromCard, Lines};

use axum::extract::DefaultBodyLimit;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use entity::room_agent;
use http::{HeaderMap, StatusCode, header};
use serde_json::json;

use crate::app::App;
use crate::domains::fleet::{self, JoinRefusal};
use crate::fault::Outcome;

/// Bytes of a file that a card gave.
const FILE: usize = 32 << 20;
/// Bytes of a joining request.
const JOINING: usize = 16 * 1024;

/// The calls of agents.
pub fn router() -> Router {
    Router::new()
        .route("/agent/v1/enrol", post(enrol::enrol).layer(DefaultBodyLimit::max(JOINING)))
        .route("/agent/v1/connect", get(socket::connect))
        .route("/agent/v1/files/{id}", get(file::get_file))
        .route("/agent/v1/tasks/{task}/{attempt}/file", put(file::put_file).layer(DefaultBodyLimit::max(FILE)))
}

/// A refusal that a program and the person at its terminal understand.
fn refused(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({ "status": 4003, "msg": why, "data": null, "success": false }))).into_response()
}

const fn words(refusal: JoinRefusal) -> &'static str {
    match refusal {
        JoinRefusal::Unknown => "the token or credential is unknown / 接入令牌或凭据无效",
        JoinRefusal::Used => "the join token was used before; issue another one / 接入令牌已被使用，请重新签发",
        JoinRefusal::Expired => "the join token has expired; issue another one / 接入令牌已过期，请重新签发",
        JoinRefusal::Revoked => "the token or credential was revoked / 接入令牌或凭据已被吊销",
    }
}

/// The agent behind `Authorization: Bearer ...`.
///
/// # Errors
/// When the read fails. `Ok(Err(_))` is the refusal to answer.
async fn known(app: &App, headers: &HeaderMap) -> Outcome<Result<room_agent::Model, Response>> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let found = match bearer {
        Some(credential) => fleet::authenticate(app, credential).await?,
        None => Err(JoinRefusal::Unknown),
    };
    Ok(found.map_err(|refusal| {
        metrics::counter!("skyrack_agent_refused_total").increment(1);
        refused(StatusCode::UNAUTHORIZED, words(refusal))
    }))
}
