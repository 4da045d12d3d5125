//! The operators in a group, as a list and as a file.

use axum::response::Response;
use base::export::{FormatQuery, TableFile, export};
use base::fault::Outcome;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, PageInput, Params, Reply, Validate, reply};
use base::list::{Column, Direction, List, Order, Query, Reader, Sort, column};
use db::list::list_page;
use entity::operator::{Column as By, Entity};
use entity::{GroupId, OperatorId};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::screens::perm;
use crate::staff::operator::view::{AccountTypeName, ENABLED};

/// The members of a group.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MembersOf {
    group: GroupId,
}

impl Validate for MembersOf {
    fn check(&self, _: &mut Check) {}
}

/// An operator as a member of a group.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    pub id: OperatorId,
    pub username: String,
    pub account_type: AccountTypeName,
    pub enabled: bool,
    pub last_sign_in_at: Option<UtcTime>,
}

/// The operators in a group, oldest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Members;

impl List for Members {
    type Filter = MembersOf;
    type Row = MemberView;
    type Sort = By;
    const NAME: Text = text("组内操作员", "Operators in a group");
    const KIND: &'static str = "group.exportMembers";
    const NEED: Need = perm::GROUP_EXPORT;

    fn columns() -> Vec<Column<MemberView, By>> {
        vec![
            column("username", text("用户名", "Username"), 20)
                .sorted_by(By::Username)
                .text(|row: &MemberView| &row.username),
            column("enabled", text("状态", "Status"), 10).label(|row| ENABLED[usize::from(row.enabled)]),
            column("accountType", text("账号类型", "Account type"), 12).label(|row| row.account_type.label()),
            column("lastSignInAt", text("最近登录", "Last sign-in"), 20)
                .sorted_by(By::LastSignInAt)
                .time(|row| row.last_sign_in_at),
        ]
    }

    async fn page(from: &Reader, filter: &MembersOf, order: Order<By>, page: PageQuery) -> Outcome<Page<MemberView>> {
        let select = Entity::find().filter(By::GroupId.eq(filter.group));
        let found = list_page(from.db(), order.apply(select, Direction::Asc), page).await?;
        Ok(found.map(|row| MemberView {
            id: row.id,
            username: row.username,
            account_type: row.account_type.into(),
            enabled: row.is_enabled,
            last_sign_in_at: row.last_sign_in_at,
        }))
    }
}

async fn query(ctx: &OpCtx, id: i64, sort: Sort<Members>) -> Outcome<Query<Members>> {
    let group = super::find(ctx.read(), GroupId(id)).await?.id;
    Ok(Query { filter: MembersOf { group }, sort })
}

/// Lists the operators in a group, oldest first by default.
#[utoipa::path(get, path = "/api/user/v1/groups/{id}/members", tag = "group",
    params(("id" = i64, Path, description = "The group's id"), Sort<Members>, PageInput),
    responses((status = 200, body = Reply<Page<MemberView>>)))]
pub async fn group_member_list(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(sort): Params<Sort<Members>>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<MemberView>> {
    reply(query(&ctx, id, sort).await?.page(&Reader::of(&ctx), page.get()?).await?)
}

/// Exports the operators in a group as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/user/v1/groups/{id}/members/file", tag = "group",
    params(("id" = i64, Path, description = "The group's id"), FormatQuery, Sort<Members>), responses(TableFile))]
pub async fn group_member_export(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(sort): Params<Sort<Members>>,
    Params(file): Params<FormatQuery>,
) -> Outcome<Response> {
    export(&ctx, query(&ctx, id, sort).await?, file.format).await
}
