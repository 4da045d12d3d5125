//! Permission groups as a list and as a file.

use axum::response::Response;
use base::access::catalog::title_of;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Valid};
use base::list::{AskedFile, Column, Direction, KeyWord, List, Order, PageOf, Reader, column, created_at, updated_at};
use db::{list::list_page, search};
use entity::permission_group::{Column as By, Entity};
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use sea_orm::{EntityTrait as _, QueryFilter as _, QueryTrait as _};

use super::store::{GroupView, views};
use crate::screens::{SCREENS, perm};

/// Permission groups, oldest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Groups;

impl List for Groups {
    type Filter = KeyWord;
    type Row = GroupView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "groups");
    const KIND: &'static str = "group.export";
    const NEED: Need = perm::GROUP_EXPORT;

    fn columns() -> Vec<Column<GroupView, By>> {
        vec![
            column("id", text("ID", "ID"), 8).number(|row: &GroupView| Some(row.id.0)),
            column("groupName", text("组名称", "Group name"), 30).sorted_by(By::Name).text(|row| &row.group_name),
            column("builtin", text("内置", "Built-in"), 8).flag(|row| row.builtin),
            column("operatorCount", text("操作员数", "Operators"), 10).number(|row| Some(row.operator_count)),
            column("codeCount", text("权限数", "Permissions"), 10).number(|row| Some(row.code_count)),
            created_at().sorted_by(By::CreatedAt).time(|row| Some(row.created_at)),
            updated_at().sorted_by(By::UpdatedAt).time(|row| Some(row.updated_at)),
        ]
    }

    async fn page(from: &Reader, filter: &KeyWord, order: Order<By>, page: PageQuery) -> Outcome<Page<GroupView>> {
        let db = from.db();
        let select = Entity::find().apply_if(filter.text(), |select, text| {
            select.filter(search::scan(db.get_database_backend(), "permission_group", &["name"], text))
        });
        let Page { list, total, .. } = list_page(db, order.apply(select, Direction::Asc), page).await?;
        Ok(Page::new(page, total, views(db, list).await?))
    }
}

/// The requested page.
type GroupPage = PageOf<Groups>;

/// Lists groups, oldest first.
#[utoipa::path(post, path = "/api/user/v1/designjet/permissions/group/list", tag = "group",
    request_body = GroupPage, responses((status = 200, body = Reply<Page<GroupView>>)))]
pub async fn group_list(ctx: OpCtx, Valid(asked): Valid<GroupPage>) -> ApiResult<Page<GroupView>> {
    asked.answer(&ctx).await
}

/// Exports groups as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/user/v1/groups/file", tag = "group", params(AskedFile<Groups>), responses(TableFile))]
pub async fn group_export(ctx: OpCtx, asked: AskedFile<Groups>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
