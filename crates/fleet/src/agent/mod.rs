//! Room agents: the single-use tokens with which they join, and which agents are connected.

pub mod connections;
pub mod join;
mod list;
pub mod outdated;
mod refused;
mod service;

use utoipa_axum::routes;

pub use join::{Enrolled, JoinRefusal, authenticate, enrol, is_revoked, out};
pub use list::{JoinTokens, RoomAgents};
pub use refused::{Joins, tell_refused};
pub use service::{JoinTokenView, RoomAgentView, issue_token};

use base::http::DomainRouter;

use crate::screens::perm;

/// The access table of room agents.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::ROOM_AGENT_LIST, routes!(list::room_agent_list))
        .view(perm::ROOM_AGENT_LIST, routes!(list::join_token_list))
        .act(perm::ROOM_AGENT_EXPORT, routes!(list::room_agent_export))
        .act(perm::ROOM_AGENT_EXPORT, routes!(list::join_token_export))
        .act(perm::ROOM_AGENT_INVITE, routes!(service::join_token_create))
        .step_up()
        .act(perm::ROOM_AGENT_REVOKE, routes!(service::join_token_revoke))
        .act(perm::ROOM_AGENT_REVOKE, routes!(service::room_agent_revoke))
}
