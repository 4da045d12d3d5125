//! What belongs to no domain: the dashboard, what this installation is, errors that browsers report,
//! the search that jumps anywhere, and settings that anybody may read.

mod about;
mod api;
mod client_errors;
mod dashboard;
mod live;
mod search;
mod switches;

use utoipa_axum::routes;

use crate::access::catalog::perm;
use crate::http::{DomainRouter, Need};

pub use about::{is_demo, mark_as_demo};
pub use live::tell_of_changes;

/// The access table of this domain.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(Need::Session, routes!(api::about))
        .view(perm::DASHBOARD_VIEW, routes!(api::dashboard))
        .view(perm::DASHBOARD_VIEW, routes!(api::general_events))
        .view(Need::Nothing, routes!(api::switch_get))
        .view(perm::CLIENT_USER_LIST, routes!(api::quick_search))
        // A report is no act of the operator: it gets no line in the operation log.
        .view(Need::Session, routes!(api::client_error_report))
        .view(perm::ERROR_LOG_LIST, routes!(api::client_error_list))
        .act(perm::ERROR_LOG_CLEAR, routes!(api::client_error_clear))
}
