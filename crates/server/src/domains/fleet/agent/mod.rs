//! Room agents: the tokens that let one join, once, and who is connected.

pub mod join;
mod list;

use utoipa_axum::routes;

pub use join::{Enrolled, JoinRefusal, authenticate, enrol, is_revoked};
pub use list::issue_token;

use crate::access::catalog::perm;
use crate::http::DomainRouter;

/// The access table of room agents.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::ROOM_AGENT_LIST, routes!(list::room_agent_list))
        .view(perm::ROOM_AGENT_LIST, routes!(list::join_token_list))
        .act(perm::ROOM_AGENT_INVITE, routes!(list::join_token_create))
        .act(perm::ROOM_AGENT_REVOKE, routes!(list::join_token_revoke))
        .act(perm::ROOM_AGENT_REVOKE, routes!(list::room_agent_revoke))
}
