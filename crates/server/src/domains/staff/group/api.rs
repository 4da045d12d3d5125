//! The calls about permission groups.

use axum::response::Response;
use entity::GroupId;
use kernel::page::Page;
use kernel::rules::Check;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::export::Groups;
use super::rights_tree::{self, GroupComparison, GroupRights, PermissionView};
use super::service::{self, GroupIdsInput, GroupNameInput, GroupUpdateInput};
use super::store::{self, GroupBy, GroupFilter, GroupView, MemberView};
use crate::export::{FormatQuery, TableFile, export};
use crate::fault::Outcome;
use crate::http::body::PathId;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Nothing, PageInput, Params, Reply, Sort, Valid, Validate, done, reply};

/// A page of groups that is asked for.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GroupPageInput {
    /// Which of them.
    #[serde(flatten)]
    pub filter: GroupFilter,
    /// In which order.
    #[serde(flatten)]
    pub sort: Sort<GroupBy>,
    /// Which page.
    #[serde(flatten)]
    pub page: PageInput,
}

impl Validate for GroupPageInput {
    fn check(&self, check: &mut Check) {
        self.filter.check(check);
    }
}

/// Lists groups, oldest first.
#[utoipa::path(post, path = "/api/user/v1/designjet/permissions/group/list", tag = "group", request_body = GroupPageInput,
    responses((status = 200, body = Reply<Page<GroupView>>)))]
pub async fn group_list(ctx: OpCtx, Valid(input): Valid<GroupPageInput>) -> ApiResult<Page<GroupView>> {
    reply(store::page(ctx.read(), &input.filter, input.sort, input.page.get()?).await?)
}

/// Groups as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/user/v1/groups/file", tag = "group",
    params(FormatQuery, GroupFilter, Sort<GroupBy>), responses(TableFile))]
pub async fn group_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<GroupFilter>,
    Params(sort): Params<Sort<GroupBy>>,
) -> Outcome<Response> {
    export(&ctx, Groups { filter, sort }, file.format).await
}

/// All groups, to choose one from.
#[utoipa::path(get, path = "/api/user/v1/designjet/permissions/group/all", tag = "group",
    responses((status = 200, body = Reply<Vec<GroupView>>)))]
pub async fn group_list_all(ctx: OpCtx) -> ApiResult<Vec<GroupView>> {
    reply(service::all(&ctx).await?)
}

/// Every permission code with its name and screen.
#[utoipa::path(get, path = "/api/user/v1/designjet/permissions/all", tag = "group",
    responses((status = 200, body = Reply<Vec<PermissionView>>)))]
pub async fn permission_list(ctx: OpCtx) -> ApiResult<Vec<PermissionView>> {
    reply(rights_tree::permissions(&ctx).await?)
}

/// Makes a group that holds nothing yet.
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

/// Makes a group that holds what another one holds.
#[utoipa::path(post, path = "/api/user/v1/groups/{id}/copy", tag = "group", request_body = GroupNameInput,
    params(("id" = i64, Path, description = "The group to copy")), responses((status = 200, body = Reply<GroupView>)))]
pub async fn group_copy(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<GroupNameInput>,
) -> ApiResult<GroupView> {
    reply(service::copy(&ctx, GroupId(id), input).await?)
}

/// Names two groups.
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

/// Compares what two groups hold.
#[utoipa::path(get, path = "/api/user/v1/groups/compare", tag = "group", params(GroupPair),
    responses((status = 200, body = Reply<GroupComparison>)))]
pub async fn group_compare(ctx: OpCtx, Params(pair): Params<GroupPair>) -> ApiResult<GroupComparison> {
    reply(rights_tree::compare(&ctx, pair.left, pair.right).await?)
}

/// A group with the whole tree: what it holds, and what the caller may grant.
#[utoipa::path(get, path = "/api/user/v1/groups/{id}/rights", tag = "group",
    params(("id" = i64, Path, description = "The group's id")), responses((status = 200, body = Reply<GroupRights>)))]
pub async fn group_rights_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<GroupRights> {
    reply(rights_tree::rights(&ctx, GroupId(id)).await?)
}

/// Lists the operators in a group.
#[utoipa::path(get, path = "/api/user/v1/groups/{id}/members", tag = "group",
    params(("id" = i64, Path, description = "The group's id"), PageInput), responses((status = 200, body = Reply<Page<MemberView>>)))]
pub async fn group_member_list(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<MemberView>> {
    super::find(ctx.read(), GroupId(id)).await?;
    reply(store::members(ctx.read(), GroupId(id), page.get()?).await?)
}
