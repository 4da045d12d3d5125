//! Operators as a list and as a file.

use axum::response::Response;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Valid};
use base::list::{AskedFile, Column, Direction, List, Order, PageOf, Reader, column, created_at};
use base::reference::Reference;
use db::{list::list_page, search};
use entity::operator::{AccountType, Column as By, Entity};
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};

use super::store::{OperatorFilter, SEARCHED, TABLE, group_names};
use super::view::{ENABLED, OperatorView};
use crate::screens::perm;

/// Operators, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Operators;

impl List for Operators {
    type Filter = OperatorFilter;
    type Row = OperatorView;
    type Sort = By;
    const NAME: Text = text("用户列表", "Operators");
    const KIND: &'static str = "operator.export";
    const NEED: Need = perm::OPERATOR_EXPORT;

    fn columns() -> Vec<Column<OperatorView, By>> {
        vec![
            column("id", text("ID", "ID"), 8).sorted_by(By::Id).number(|row: &OperatorView| Some(row.id.0)),
            column("username", text("用户名", "Username"), 20).sorted_by(By::Username).text(|row| &row.username),
            column("enabled", text("状态", "Status"), 10).label(|row| ENABLED[usize::from(row.enabled)]),
            column("group", text("权限组", "Permission group"), 20)
                .text(|row| row.group.as_ref().map_or("", Reference::name)),
            column("accountType", text("账号类型", "Account type"), 12).label(|row| row.account_type.label()),
            column("email", text("邮箱", "Email"), 24).sorted_by(By::Email).text(|row| &row.email),
            column("phone", text("手机号", "Phone"), 14).text(|row| &row.phone),
            column("secondFactor", text("两步验证", "Two-step verification"), 12).flag(|row| row.second_factor),
            column("mustChangePassword", text("须修改密码", "Must change password"), 12)
                .flag(|row| row.must_change_password),
            column("lastSignInAt", text("最近登录", "Last sign-in"), 20)
                .sorted_by(By::LastSignInAt)
                .time(|row| row.last_sign_in_at),
            column("lastSignInIp", text("登录 IP", "Last sign-in IP"), 16).text(|row| &row.last_sign_in_ip),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
            created_at().sorted_by(By::CreatedAt).time(|row| Some(row.created_at)),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &OperatorFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<OperatorView>> {
        let (db, OperatorFilter { key_word, group_id, enabled, account_type }) = (from.db(), filter);
        let select = Entity::find()
            .apply_if(key_word.as_deref().filter(|text| !text.is_empty()), |select, text| {
                select.filter(search::scan(db.get_database_backend(), TABLE, &SEARCHED, text))
            })
            .apply_if(*group_id, |select, id| select.filter(By::GroupId.eq(id)))
            .apply_if(*enabled, |select, enabled| select.filter(By::IsEnabled.eq(enabled)))
            .apply_if(*account_type, |select, name| select.filter(By::AccountType.eq(AccountType::from(name))));
        let found = list_page(db, order.apply(select, Direction::Desc), page).await?;
        let names = group_names(db, found.list.iter().filter_map(|row| row.group_id)).await?;
        Ok(found.map(|row| {
            let name = row.group_id.and_then(|group| names.get(&group)).cloned();
            OperatorView::new(row, name)
        }))
    }
}

/// The requested page.
type OperatorPage = PageOf<Operators>;

/// Lists operators, newest first.
#[utoipa::path(post, path = "/api/user/v1/designjet/user/list", tag = "operator", request_body = OperatorPage,
    responses((status = 200, body = Reply<Page<OperatorView>>)))]
pub async fn operator_list(ctx: OpCtx, Valid(asked): Valid<OperatorPage>) -> ApiResult<Page<OperatorView>> {
    asked.answer(&ctx).await
}

/// Exports operators as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/user/v1/operators/file", tag = "operator", params(AskedFile<Operators>),
    responses(TableFile))]
pub async fn operator_export(ctx: OpCtx, asked: AskedFile<Operators>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
