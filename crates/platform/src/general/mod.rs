//! What belongs to no domain: the dashboard, information about this installation and whether its data is intact, errors
//! reported by browsers, the global search, and public settings.

mod about;
mod api;
mod client_error_list;
mod client_errors;
mod dashboard;
mod integrity;
mod live;
mod search;
mod switches;

use base::domain::{Domain, Loop, Table};
use base::http::{DomainRouter, Need};
use base::list;
use futures::FutureExt as _;
use kernel::text::text;
use utoipa_axum::routes;

pub use about::{is_demo, mark_as_demo};
use client_error_list::ClientErrors;
pub use integrity::check as check_integrity;
use integrity::{CheckIntegrity, check_at_start};
pub(crate) use live::tell_dashboards;
use live::tell_of_changes;

use crate::screens::SCREENS;
use crate::screens::perm;

/// What this domain registers.
pub const DOMAIN: Domain = Domain {
    screens: &[SCREENS],
    jobs: |jobs| jobs.every("general.checkIntegrity", "30 2 * * *", &CheckIntegrity {}),
    loops: &[Loop::Anywhere(|app| tell_of_changes(app).boxed()), Loop::Anywhere(|app| check_at_start(app).boxed())],
    events: &[live::TOPIC],
    lists: &[list::entry::<ClientErrors>()],
    kinds: &[("clientError", text("浏览器错误", "Browser error"))],
    tables: &[
        Table::kept("client_error", "id"),
        // Results about this machine's files say nothing about others.
        Table::left_out("integrity_check"),
    ],
    ..Domain::new("general", router)
};

/// The access table of this domain.
fn router() -> DomainRouter {
    let errors = list::Calls {
        path: "/api/general/v1/client-errors",
        tag: "general",
        name: "client_error",
        what: "errors that browsers reported",
        see: perm::ERROR_LOG_LIST,
    };
    errors
        .routes::<ClientErrors>()
        .view(Need::Session, routes!(api::about))
        .view(perm::DASHBOARD_VIEW, routes!(api::dashboard))
        .view(perm::DASHBOARD_VIEW, routes!(api::attention_list))
        .view(Need::Nothing, routes!(api::switch_get))
        // Each source asks for its own permission.
        .view(Need::Session, routes!(api::quick_search))
        // A report is not an operation of the operator: it gets no operation log entry.
        .view(Need::Session, routes!(api::client_error_report))
        .act(perm::ERROR_LOG_CLEAR, routes!(api::client_error_clear))
}
