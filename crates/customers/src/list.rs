//! Customers as a list and as a file.

use axum::response::Response;
use base::export::{TableFile, step_size};
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Valid};
use base::list::{AskedFile, Column, List, Order, PageOf, Query, Reader, column};
use base::reference::Reference;
use base::sheet::{self, Steps};
use entity::ClientUserId;
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};

use super::api::{ClientUserView, views};
use super::store::{self, ClientUserFilter, UserSort};
use crate::screens::perm;

/// Customers, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Users;

impl List for Users {
    type Filter = ClientUserFilter;
    type Row = ClientUserView;
    type Sort = UserSort;
    const NAME: Text = text("用户信息", "Client users");
    const KIND: &'static str = "clientUser.export";
    const NEED: Need = perm::CLIENT_USER_EXPORT;
    const SORTED_FILE: bool = false;

    fn columns() -> Vec<Column<ClientUserView, UserSort>> {
        vec![
            column("id", text("ID", "ID"), 10).sorted_by(UserSort::Id).number(|row: &ClientUserView| Some(row.id.0)),
            column("name", text("姓名", "Name"), 16).sorted_by(UserSort::Name).text(|row| &row.name),
            column("phone", text("手机号", "Phone"), 14).text(|row| &row.phone),
            column("email", text("邮箱", "Email"), 24).text(|row| &row.email),
            column("identCode", text("识别码", "Identification code"), 14).text(|row| &row.ident_code),
            column("loginMethod", text("登录方式", "Login method"), 12).label(|row| row.login_method.label()),
            column("deviceName", text("设备名称", "Device"), 20).text(|row| &row.device_name),
            column("registerIp", text("注册 IP", "Registration IP"), 16).text(|row| &row.register_ip),
            column("clientType", text("客户端", "Client"), 10).label(|row| row.client_type.label()),
            column("clientVersion", text("客户端版本", "Client version"), 12).text(|row| &row.client_version),
            column("status", text("状态", "Status"), 10).label(|row| row.status.label()),
            column("starCoins", text("星币", "Star coins"), 10).number(|row| Some(row.star_coins)),
            column("phoneCount", text("云手机", "Phones"), 8).number(|row| Some(row.phone_count.into())),
            column("registeredAt", text("注册时间", "Registered at"), 20).time(|row| Some(row.registered_at)),
            column("lastLoginAt", text("最近登录", "Last sign-in"), 20)
                .sorted_by(UserSort::LastLoginAt)
                .time(|row| row.last_login_at),
            column("app", text("来源应用", "Application"), 20)
                .text(|row| row.app.as_ref().map(Reference::name).unwrap_or_default()),
            column("remark", text("备注", "Remark"), 30).text(|row| &row.remark),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &ClientUserFilter,
        order: Order<UserSort>,
        page: PageQuery,
    ) -> Outcome<Page<ClientUserView>> {
        let Page { list, total, .. } = store::list(&from.app.db, filter, order, page).await?;
        Ok(Page::new(page, total, views(from.lookups(), list).await?))
    }

    async fn total(from: &Reader, query: &Query<Self>) -> Outcome<u64> {
        Ok(store::total(&from.app.db, &query.filter).await?)
    }

    async fn rows(from: Reader, query: Query<Self>) -> Outcome<Steps<ClientUserView>> {
        Ok(sheet::steps(move |before: Option<ClientUserId>| {
            let (from, filter) = (from.clone(), query.filter.clone());
            async move {
                let (rows, next) = store::step(from.db(), &filter, before, step_size(before.as_ref())).await?;
                Ok((views(from.lookups(), rows).await?, next))
            }
        }))
    }
}

/// The requested page.
type UserPage = PageOf<Users>;

/// Lists customers, newest first.
#[utoipa::path(post, path = "/api/user/v5/user/getPageUserInfo", tag = "clientUser", request_body = UserPage,
    responses((status = 200, body = Reply<Page<ClientUserView>>)))]
pub async fn client_user_page(ctx: OpCtx, Valid(asked): Valid<UserPage>) -> ApiResult<Page<ClientUserView>> {
    asked.answer(&ctx).await
}

/// Exports customers as a file, newest first; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/user/v1/designjet/client_info/excel", tag = "clientUser", params(AskedFile<Users>),
    responses(TableFile))]
pub async fn client_user_export(ctx: OpCtx, asked: AskedFile<Users>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
