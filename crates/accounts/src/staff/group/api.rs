//! The permission group endpoints.

use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Nothing, Params, Reply, Valid, done, reply};
use entity::GroupId;
use serde::Deserialize;
use utoipa::IntoParams;

use super::rights_tree::{self, GroupComparison, GroupRights, PermissionView};
use super::service::{self, GroupIdsInput, GroupNameInput, GroupUpdateInput};
use super::store::GroupView;

/// Lists all groups, to choose one from.
#[utoipa::path(get, path = "/api/user/v1/designjet/permissions/group/all", tag = "group",
    responses((status = 200, body = Reply<Vec<GroupView>>)))]
pub async fn group_list_all(ctx: OpCtx) -> ApiResult<Vec<GroupView>> {
    reply(service::all(&ctx).await?)
}

/// Lists every permission code with its name and page.
#[utoipa::path(get, path = "/api/user/v1/designjet/permissions/all", tag = "group",
    responses((status = 200, body = Reply<Vec<PermissionView>>)))]
pub async fn permission_list(ctx: OpCtx) -> ApiResult<Vec<PermissionView>> {
    reply(rights_tree::permissions(&ctx).await?)
}

/// Creates an empty group.
#[utoipa::path(post, path = "/api/user/v1/designjet/permissions/group", tag = "group", request_body = GroupNameInput,
    responses((status = 200, body = Reply<GroupView>)))]
pub async fn group_create(ctx: OpCtx, Valid(input): Valid<GroupNameInput>) -> ApiResult<GroupView> {
    reply(service::create(&ctx, input).await?)
}

/// Renames a group.
#[utoipa::path(put, path = "/api/user/v1/designjet/permissions/group", tag = "group", request_body = GroupUpdateInput,
    responses((status = 200, body = Reply<GroupView>)))]
pub async fn group_update(ctx: OpCtx, Valid(input): Valid<GroupUpdateInput>) -> ApiResult<GroupView> {
    reply(service::update(&ctx, input).await?)
}

/// Deletes groups without operators, all of them or none.
#[utoipa::path(delete, path = "/api/user/v1/designjet/permissions/group", tag = "group", request_body = GroupIdsInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn group_delete(ctx: OpCtx, Valid(input): Valid<GroupIdsInput>) -> ApiResult<()> {
    service::delete(&ctx, input).await?;
    done()
}

/// Copies a group with its permissions.
#[utoipa::path(post, path = "/api/user/v1/groups/{id}/copy", tag = "group", request_body = GroupNameInput,
    params(("id" = i64, Path, description = "The group to copy")), responses((status = 200, body = Reply<GroupView>)))]
pub async fn group_copy(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<GroupNameInput>,
) -> ApiResult<GroupView> {
    reply(service::copy(&ctx, GroupId(id), input).await?)
}

/// Two groups.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GroupPair {
    /// One group.
    #[param(value_type = i64)]
    pub left: GroupId,
    /// The other.
    #[param(value_type = i64)]
    pub right: GroupId,
}

/// Compares the permissions of two groups.
#[utoipa::path(get, path = "/api/user/v1/groups/compare", tag = "group", params(GroupPair),
    responses((status = 200, body = Reply<GroupComparison>)))]
pub async fn group_compare(ctx: OpCtx, Params(pair): Params<GroupPair>) -> ApiResult<GroupComparison> {
    reply(rights_tree::compare(&ctx, pair.left, pair.right).await?)
}

/// Returns a group with the whole tree: which permissions it has, and which the caller may grant.
#[utoipa::path(get, path = "/api/user/v1/groups/{id}/rights", tag = "group",
    params(("id" = i64, Path, description = "The group's id")), responses((status = 200, body = Reply<GroupRights>)))]
pub async fn group_rights_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<GroupRights> {
    reply(rights_tree::rights(&ctx, GroupId(id)).await?)
}
