//! The console's side of the agents: joining, the connection, and files (`docs/agent-protocol.md`).
//!
//! These endpoints are not part of the operators' API: an agent has a credential of its own, which is bound to one
//! room, and whatever it reports about a card of another room is refused.

mod convert;
mod enrol;
mod file;
mod keys;
mod outdated;
mod socket;
mod talk;

use std::future::ready;

use axum::extract::DefaultBodyLimit;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use base::app::{App, Own};
use base::domain::Domain;
use base::fault::Outcome;
use base::http::DomainRouter;
use entity::room_agent;
use futures::FutureExt as _;
use http::{HeaderMap, StatusCode, header};
use kernel::text::text;
use serde_json::json;

use crate::agent;
use crate::agent::JoinRefusal;
use crate::agent::connections::Connections;
use crate::agent::outdated::Outdated;
use keys::Papers;

/// Bytes of an enrolment request.
const JOINING: usize = 16 * 1024;

/// What this domain registers: no endpoints for operators.
pub const DOMAIN: Domain = Domain {
    links: router,
    parts: |_| {
        let own = Own::default().with(Connections::default()).with(Outdated::default()).with(Papers::default());
        ready(Ok(own)).boxed()
    },
    acts: &[("room_agent_enrol", text("机房代理接入", "Room agent joins"))],
    ..Domain::new("agent link", DomainRouter::new)
};

/// The endpoints for agents.
fn router() -> Router {
    Router::new()
        .route("/agent/v1/enrol", post(enrol::enrol).layer(DefaultBodyLimit::max(JOINING)))
        .route("/agent/v1/connect", get(socket::connect))
        .route("/agent/v1/files/{id}", get(file::get_file))
        .route("/agent/v1/tasks/{task}/{attempt}/file", put(file::put_file))
        .route("/agent/v1/tasks/phone/{task}/{attempt}/keys", get(keys::get_keys))
        .route("/agent/v1/tasks/phone/{task}/{attempt}/paper", put(keys::put_paper))
}

/// A refusal, readable by programs and by the person at the terminal.
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

/// The agent identified by `Authorization: Bearer ...`.
///
/// # Errors
/// When the read fails. `Ok(Err(_))` is the refusal to answer.
async fn known(app: &App, headers: &HeaderMap) -> Outcome<Result<room_agent::Model, Response>> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let found = match bearer {
        Some(credential) => agent::authenticate(app, credential).await?,
        None => Err(JoinRefusal::Unknown),
    };
    Ok(found.map_err(|refusal| {
        metrics::counter!("skyrack_agent_refused_total").increment(1);
        refused(StatusCode::UNAUTHORIZED, words(refusal))
    }))
}
