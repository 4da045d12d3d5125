//! The operation log: who did what, when, from where, with what before and after.
//!
//! It is only read here. Lines are written by the transaction that they describe (`http::ops`,
//! `db::journal`).

mod api;
mod export;
mod service;
mod store;
mod words;

pub use export::LogLines;
use utoipa_axum::routes;

use crate::access::catalog::perm;
use crate::http::{DomainRouter, Need};

/// The access table of the calls about the log.
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
