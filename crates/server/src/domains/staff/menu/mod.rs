//! The menu tree: what an operator's client draws, and what administrators arrange.

mod allot;
mod api;
mod export;
mod service;
pub mod store;
pub mod tree;
mod view;

use utoipa_axum::routes;

pub use export::Menus;

use crate::access::catalog::perm;
use crate::http::{DomainRouter, Need};

/// The access table of the menu calls.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view_both(Need::AnySession, routes!(api::menu_tree))
        .view_both(perm::MENU_LIST, routes!(api::menu_list))
        .act(perm::MENU_EXPORT, routes!(api::menu_export))
        .view_both(perm::MENU_LIST, routes!(api::menu_list_below))
        .view_both(perm::MENU_LIST, routes!(api::menu_get))
        .act_both(perm::MENU_CREATE, routes!(api::menu_create))
        .act_both(perm::MENU_UPDATE, routes!(api::menu_update))
        .act_both(perm::MENU_UPDATE, routes!(api::menu_set_visible))
        .act_both(perm::MENU_DELETE, routes!(api::menu_delete))
        .act_both(perm::GROUP_ALLOT, routes!(api::menu_allot))
}
