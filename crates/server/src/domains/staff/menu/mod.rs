//! The menu tree: what an operator's client draws, and what administrators arrange.

mod api;
mod service;
pub mod store;
pub mod tree;

use utoipa_axum::routes;

use crate::http::{DomainRouter, Need};

/// The access table of the menu calls.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new().view_both(Need::AnySession, routes!(api::menu_tree))
}
