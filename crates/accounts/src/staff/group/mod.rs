//! Permission groups: named sets of menu entries to which operators are assigned.

mod api;
mod list;
mod members;
mod rights_tree;
mod service;
mod store;

use entity::{GroupId, permission_group};
use sea_orm::ConnectionTrait;
use utoipa_axum::routes;

pub use list::Groups;
pub use members::Members;
pub use store::GroupView;

use base::fault::{OrMissing as _, Outcome};
use base::http::{DomainRouter, Need};

use crate::screens::perm;

/// The access table of the group endpoints.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::GROUP_LIST, routes!(list::group_list))
        .act(perm::GROUP_EXPORT, routes!(list::group_export))
        .view(Need::Session, routes!(api::group_list_all))
        .view(perm::GROUP_LIST, routes!(api::permission_list))
        .act(perm::GROUP_CREATE, routes!(api::group_create))
        .act(perm::GROUP_UPDATE, routes!(api::group_update))
        .act(perm::GROUP_DELETE, routes!(api::group_delete))
        .act(perm::GROUP_CREATE, routes!(api::group_copy))
        .step_up()
        .view(perm::GROUP_LIST, routes!(api::group_compare))
        .view(perm::GROUP_LIST, routes!(api::group_rights_get))
        .view(perm::GROUP_LIST, routes!(members::group_member_list))
        .act(perm::GROUP_EXPORT, routes!(members::group_member_export))
}

/// The group, or "not found".
///
/// # Errors
/// When there is none.
pub async fn find(db: &impl ConnectionTrait, id: GroupId) -> Outcome<permission_group::Model> {
    store::find(db, id).await?.or_missing(service::NOT_FOUND)
}
