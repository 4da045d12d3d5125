//! Permission groups: named sets of menu entries that operators are put in.

mod api;
mod export;
mod rights_tree;
mod service;
mod store;

use entity::{GroupId, permission_group};
use sea_orm::ConnectionTrait;
use utoipa_axum::routes;

pub use export::Groups;

use crate::access::catalog::perm;
use crate::fault::{Fault, Outcome};
use crate::http::{DomainRouter, Need};

/// The access table of the group calls.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::GROUP_LIST, routes!(api::group_list))
        .act(perm::GROUP_EXPORT, routes!(api::group_export))
        .view(Need::Session, routes!(api::group_list_all))
        .view(perm::GROUP_LIST, routes!(api::permission_list))
        .act(perm::GROUP_CREATE, routes!(api::group_create))
        .act(perm::GROUP_UPDATE, routes!(api::group_update))
        .act(perm::GROUP_DELETE, routes!(api::group_delete))
        .act(perm::GROUP_CREATE, routes!(api::group_copy))
        .view(perm::GROUP_LIST, routes!(api::group_compare))
        .view(perm::GROUP_LIST, routes!(api::group_rights_get))
        .view(perm::GROUP_LIST, routes!(api::group_member_list))
}

/// The group, or "not found".
///
/// # Errors
/// When there is none.
pub async fn find(db: &impl ConnectionTrait, id: GroupId) -> Outcome<permission_group::Model> {
    store::find(db, id).await?.ok_or_else(|| Fault::not_found(service::NOT_FOUND))
}
