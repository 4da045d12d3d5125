//! The menu tree: what an operator's client shows, and what administrators arrange.

mod api;
mod assign;
mod export;
mod service;
pub mod store;
pub mod tree;
mod view;

use utoipa_axum::routes;

pub use export::Menus;
pub use view::MenuView;

use base::http::{DomainRouter, Need};

use crate::screens::perm;

/// The access table of the menu endpoints.
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
        .step_up()
}
