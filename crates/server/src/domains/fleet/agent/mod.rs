//! Room agents: the tokens that let one join, once, and who is connected.

pub mod join;
mod list;
mod service;

use utoipa_axum::routes;

pub use join::{Enrolled, JoinRefusal, authenticate, enrol, is_revoked};
pub use list::{JoinTokens, RoomAgents};
pub use service::issue_token;

use crate::access::catalog::perm;
use crate::http::DomainRouter;

/// The access table of room agents.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::ROOM_AGENT_LIST, routes!(list::room_agent_list))
        .view(perm::ROOM_AGENT_LIST, routes!(list::join_token_list))
        .act(perm::ROOM_AGENT_EXPORT, routes!(list::room_agent_export))
        .act(perm::ROOM_AGENT_EXPORT, routes!(list::join_token_export))
        .act(perm::ROOM_AGENT_INVITE, routes!(service::join_token_create))
        .act(perm::ROOM_AGENT_REVOKE, routes!(service::join_token_revoke))
        .act(perm::ROOM_AGENT_REVOKE, routes!(service::room_agent_revoke))
}
