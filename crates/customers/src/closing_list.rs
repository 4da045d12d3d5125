//! Requests to close an account as a list and as a file.

use std::collections::HashMap;

use axum::response::Response;
use base::access::catalog::title_of;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, Reply, Valid, Validate};
use base::list::{AskedFile, Column, Direction, List, Order, PageOf, Reader, column, file_column};
use base::reference::Reference;
use db::{list::list_page, search};
use entity::client_user;
use entity::logout_request::{Column as By, Entity, LogoutStatus as Status, Model};
use entity::{ClientUserId, LogoutRequestId};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::store::{SEARCHED, TABLE};
use crate::screens::{SCREENS, perm};

/// A filter for requests.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct LogoutRequestFilter {
    /// Part of the customer's name, phone, email or identification code.
    #[serde(default)]
    #[schema(max_length = 64)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// The state of the request.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub status: Option<Status>,
}

impl Validate for LogoutRequestFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// A request with its customer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogoutRequestView {
    pub id: LogoutRequestId,
    pub user: Reference,
    pub phone: String,
    pub requested_at: UtcTime,
    pub status: Status,
    pub re_registered: bool,
    pub re_registered_at: Option<UtcTime>,
    pub handled_at: Option<UtcTime>,
    pub handled_by: String,
    /// As the customer said; empty if nobody said.
    pub reason: String,
}

impl LogoutRequestView {
    pub(super) fn of(row: Model, name: Option<String>, phone: String) -> Self {
        let Model {
            id,
            user_id,
            requested_at,
            status,
            handled_at,
            handled_by,
            re_registered,
            re_registered_at,
            reason,
        } = row;
        let user = Reference { id: user_id.0, name };
        Self { id, user, phone, requested_at, status, re_registered, re_registered_at, handled_at, handled_by, reason }
    }
}

/// Requests to close an account, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct LogoutRequests;

impl List for LogoutRequests {
    type Filter = LogoutRequestFilter;
    type Row = LogoutRequestView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "clientUserLoggedOut");
    const KIND: &'static str = "clientUser.exportLogoutRequests";
    const NEED: Need = perm::CLIENT_USER_LOGOUT_EXPORT;

    fn columns() -> Vec<Column<LogoutRequestView, By>> {
        vec![
            file_column(text("客户端用户 ID", "User ID"), 10).number(|row: &LogoutRequestView| Some(row.user.id)),
            column("user", text("客户端用户", "User"), 16).text(|row| row.user.name()),
            column("phone", text("手机号", "Phone"), 14).text(|row| &row.phone),
            column("requestedAt", text("申请时间", "Requested at"), 20)
                .sorted_by(By::RequestedAt)
                .time(|row| Some(row.requested_at)),
            column("reason", text("注销原因", "Reason"), 30).text(|row| &row.reason),
            column("status", text("状态", "Status"), 12).sorted_by(By::Status).label(|row| row.status.label()),
            column("reRegistered", text("重新注册", "Re-registered"), 10).flag(|row| row.re_registered),
            column("reRegisteredAt", text("重新注册时间", "Re-registered at"), 20).time(|row| row.re_registered_at),
            column("handledAt", text("处理时间", "Handled at"), 20).sorted_by(By::HandledAt).time(|row| row.handled_at),
            column("handledBy", text("处理人", "Handled by"), 16).text(|row| &row.handled_by),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &LogoutRequestFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<LogoutRequestView>> {
        let (db, LogoutRequestFilter { key_word, status }) = (from.db(), filter);
        let select = Entity::find().apply_if(*status, |select, status| select.filter(By::Status.eq(status))).apply_if(
            key_word.as_deref(),
            |select, text| {
                let users = client_user::Entity::find().select_only().column(client_user::Column::Id);
                let users = users.filter(search::contains(db.get_database_backend(), TABLE, &SEARCHED, text));
                select.filter(By::UserId.in_subquery(users.into_query()))
            },
        );
        let page = list_page(db, order.apply(select, Direction::Desc), page).await?;
        let ids: Vec<ClientUserId> = page.list.iter().map(|row| row.user_id).collect();
        let users = client_user::Entity::find().filter(client_user::Column::Id.is_in(ids)).all(db).await?;
        let users: HashMap<ClientUserId, (String, String)> =
            users.into_iter().map(|user| (user.id, (user.name, user.phone))).collect();
        Ok(page.map(|row| {
            let (name, phone) = users.get(&row.user_id).cloned().unzip();
            LogoutRequestView::of(row, name, phone.unwrap_or_default())
        }))
    }
}

/// The requested page.
type LogoutRequestPage = PageOf<LogoutRequests>;

/// Lists requests to close an account, newest first.
#[utoipa::path(post, path = "/api/user/logout/qryPageLogoutUser", tag = "clientUser",
    request_body = LogoutRequestPage, responses((status = 200, body = Reply<Page<LogoutRequestView>>)))]
pub async fn logout_request_list(
    ctx: OpCtx,
    Valid(asked): Valid<LogoutRequestPage>,
) -> ApiResult<Page<LogoutRequestView>> {
    asked.answer(&ctx).await
}

/// Exports requests to close an account as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/user/v1/client-users/logout-requests/file", tag = "clientUser",
    params(AskedFile<LogoutRequests>), responses(TableFile))]
pub async fn logout_request_export(ctx: OpCtx, asked: AskedFile<LogoutRequests>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
