//! The operation log: who did what, when, from where, with the object before and after.
//!
//! It is only read here. Entries are written by the transaction that they describe (`http::ops`, `db::journal`).

mod api;
mod export;
mod service;
mod store;

use base::http::{DomainRouter, Need};
use base::perm;
pub use export::LogLines;
pub use service::in_words as chain_fault;
use utoipa_axum::routes;

/// The access table of the log endpoints.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view_both(perm::OPERATION_LOG_LIST, routes!(api::operation_log_list))
        .act_both(perm::OPERATION_LOG_EXPORT, routes!(api::operation_log_export))
        .view(perm::OPERATION_LOG_LIST, routes!(api::operation_log_get))
        .view(perm::OPERATION_LOG_LIST, routes!(api::operation_log_words))
        .view(perm::OPERATION_LOG_LIST, routes!(api::operation_log_verify))
        .view(Need::Session, routes!(api::own_act_list))
}
