//! Customers: the home list, their records, and their requests to close an account.
//!
//! What it is not: what they bought (`billing`) and the phones they rent (`fleet`).

mod api;
mod api_import;
mod api_more;
mod bulk;
mod closing;
mod export;
mod import;
mod lookup;
mod names;
mod records;
mod service;
mod store;

use axum::extract::DefaultBodyLimit;
use utoipa_axum::router::UtoipaMethodRouterExt as _;
use utoipa_axum::routes;

pub use bulk::{NewClientUser, insert_many};
pub use export::{LogoutRequests, Records, Users};
pub use import::{ImportClientUsers, PruneImports};
pub use lookup::{ClientUserCounts, counts, find_some, is_quick_to_find};
pub use records::{NewRecord, insert_records};

use crate::access::catalog::perm;
use crate::http::DomainRouter;

/// The access table of this domain.
#[must_use]
pub fn router() -> DomainRouter {
    let preview = routes!(api_import::client_user_import_preview).layer(DefaultBodyLimit::max(api_import::BODY_LIMIT));
    DomainRouter::new()
        .view(perm::CLIENT_USER_LIST, routes!(api::client_user_page))
        .view(perm::CLIENT_USER_GET, routes!(api::client_user_get))
        .act(perm::CLIENT_USER_CREATE, routes!(api::client_user_create))
        .act(perm::CLIENT_USER_UPDATE, routes!(api::client_user_update))
        .act(perm::CLIENT_USER_DISABLE, routes!(api::client_user_set_status))
        .act(perm::CLIENT_USER_IMPORT, preview)
        .act(perm::CLIENT_USER_IMPORT, routes!(api_import::client_user_import_run))
        .view(perm::CLIENT_USER_IMPORT, routes!(api_import::client_user_import_template))
        .act(perm::CLIENT_USER_EXPORT, routes!(api_more::client_user_export))
        .view(perm::CLIENT_USER_RECORD_LIST, routes!(api_more::client_user_records))
        .act(perm::CLIENT_USER_RECORD_EXPORT, routes!(api_more::client_user_record_export))
        .view(perm::CLIENT_USER_RECORD_LIST, routes!(api_more::client_user_login_records))
        .view(perm::CLIENT_USER_LOGOUT_LIST, routes!(api_more::logout_request_list))
        .act(perm::CLIENT_USER_LOGOUT_EXPORT, routes!(api_more::logout_request_export))
        .act(perm::CLIENT_USER_LOGOUT_CANCEL, routes!(api_more::logout_request_cancel))
        .act(perm::CLIENT_USER_LOGOUT_COMPLETE, routes!(api_more::logout_request_complete))
}

/// The document that searches find a customer by; a restore makes them anew.
#[must_use]
pub fn search_document(row: &entity::client_user::Model) -> String {
    store::document(row)
}
