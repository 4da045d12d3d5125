//! Customers: the home list, their records, and their requests to close an account.
//!
//! What it is not: what they bought (`billing`) and the phones they rent (`fleet`).

mod api;
mod bulk;
mod service;
mod store;

use utoipa_axum::routes;

pub use bulk::{NewClientUser, insert_many};

use crate::access::catalog::perm;
use crate::http::DomainRouter;

/// The access table of this domain.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::CLIENT_USER_LIST, routes!(api::client_user_page))
        .view(perm::CLIENT_USER_GET, routes!(api::client_user_get))
        .act(perm::CLIENT_USER_CREATE, routes!(api::client_user_create))
        .act(perm::CLIENT_USER_UPDATE, routes!(api::client_user_update))
        .act(perm::CLIENT_USER_DISABLE, routes!(api::client_user_set_status))
}

/// The document that searches find a customer by; a restore makes them anew.
#[must_use]
pub fn search_document(row: &entity::client_user::Model) -> String {
    store::document(row)
}
