//! Operators: the people who sign in to this console, their sessions and sign-ins.

mod api;
mod export;
mod input;
mod me;
mod service;
mod sessions;
mod store;
pub mod view;

use utoipa_axum::routes;

pub use export::Operators;

use crate::access::catalog::perm;
use crate::http::{DomainRouter, Need};

/// The access table of the operator calls.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::OPERATOR_LIST, routes!(api::operator_list))
        .act(perm::OPERATOR_EXPORT, routes!(api::operator_export))
        .view(perm::OPERATOR_GET, routes!(api::operator_get))
        .act(perm::OPERATOR_CREATE, routes!(api::operator_create))
        .act(perm::OPERATOR_UPDATE, routes!(api::operator_update))
        .act(perm::OPERATOR_UPDATE, routes!(api::operator_enable))
        .act(perm::OPERATOR_UPDATE, routes!(api::operator_disable))
        .act(perm::OPERATOR_DELETE, routes!(api::operator_delete))
        .act(perm::OPERATOR_RESET_PASSWORD, routes!(api::operator_reset_password))
        .act(perm::OPERATOR_SIGN_OUT, routes!(api::operator_sign_out))
        .view(perm::OPERATOR_GET, routes!(api::operator_session_list))
        .act(perm::OPERATOR_SIGN_OUT, routes!(api::operator_session_end))
        .view(Need::Session, routes!(api::sign_in_list))
        .view(Need::Session, routes!(me::own_profile_get))
        .act(Need::Session, routes!(me::own_profile_update))
        .view(Need::Session, routes!(me::own_session_list))
        .act(Need::Session, routes!(me::own_session_end))
}
