//! Operators: the people who sign in to this console, their sessions and sign-ins.

mod api;
mod input;
mod list;
mod me;
mod search;
mod service;
mod sessions;
mod sign_in_list;
mod store;
pub mod view;

use utoipa_axum::routes;

pub use list::Operators;
pub use search::find;
pub use sign_in_list::SignIns;

use base::http::{DomainRouter, Need};

use crate::screens::perm;

/// The access table of the operator endpoints.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::OPERATOR_LIST, routes!(list::operator_list))
        .act(perm::OPERATOR_EXPORT, routes!(list::operator_export))
        .view(perm::OPERATOR_GET, routes!(api::operator_get))
        .act(perm::OPERATOR_CREATE, routes!(api::operator_create))
        .step_up()
        .act(perm::OPERATOR_UPDATE, routes!(api::operator_update))
        .step_up()
        .act(perm::OPERATOR_UPDATE, routes!(api::operator_enable))
        .step_up()
        .act(perm::OPERATOR_UPDATE, routes!(api::operator_disable))
        .act(perm::OPERATOR_DELETE, routes!(api::operator_delete))
        .step_up()
        .act(perm::OPERATOR_RESET_PASSWORD, routes!(api::operator_reset_password))
        .step_up()
        .act(perm::OPERATOR_SIGN_OUT, routes!(api::operator_sign_out))
        .view(perm::OPERATOR_GET, routes!(api::operator_session_list))
        .act(perm::OPERATOR_SIGN_OUT, routes!(api::operator_session_end))
        .view(Need::Session, routes!(sign_in_list::sign_in_list))
        .act(perm::OPERATOR_EXPORT, routes!(sign_in_list::sign_in_export))
        .view(Need::Session, routes!(me::own_profile_get))
        .act(Need::Session, routes!(me::own_profile_update))
        .view(Need::Session, routes!(me::own_session_list))
        .act(Need::Session, routes!(me::own_session_end))
}
