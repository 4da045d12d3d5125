//! Registrations, sign-ins and sign-outs of customers, as a list and as a file.

use std::convert::Infallible;

use axum::response::Response;
use base::access::catalog::title_of;
use base::export::{TableFile, step_size};
use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, PageInput, Reply, Valid, Validate};
use base::list::{Asked, AskedFile, Column, List, Order, Query, Reader, Sort, column};
use base::sheet::{self, Steps};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use serde::Deserialize;
use utoipa::ToSchema;

use super::records::{self, ClientUserRecordView, RecordFilter};
use crate::screens::{SCREENS, perm};

/// Registrations, sign-ins and sign-outs of customers, newest first.
#[derive(Clone, Copy, Debug)]
pub struct Records;

impl List for Records {
    type Filter = RecordFilter;
    type Row = ClientUserRecordView;
    type Sort = Infallible;
    const NAME: Text = title_of(SCREENS, "clientUserRecords");
    const KIND: &'static str = "clientUser.exportRecords";
    const NEED: Need = perm::CLIENT_USER_RECORD_EXPORT;

    fn columns() -> Vec<Column<ClientUserRecordView, Infallible>> {
        vec![
            column("at", text("时间", "Time"), 20).time(|row: &ClientUserRecordView| Some(row.at)),
            column("kind", text("类型", "Type"), 10).label(|row| row.kind.label()),
            column("user", text("客户端用户", "User"), 16).text(|row| row.user.name()),
            column("phone", text("手机号", "Phone"), 14).text(|row| &row.phone),
            column("ip", text("IP 地址", "IP address"), 16).text(|row| &row.ip),
            column("deviceName", text("设备名称", "Device"), 20).text(|row| &row.device_name),
            column("clientType", text("客户端", "Client"), 10).label(|row| row.client_type.label()),
            column("clientVersion", text("客户端版本", "Client version"), 12).text(|row| &row.client_version),
            column("loginMethod", text("登录方式", "Login method"), 12).label(|row| row.login_method.label()),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &RecordFilter,
        _: Order<Infallible>,
        page: PageQuery,
    ) -> Outcome<Page<ClientUserRecordView>> {
        Ok(records::list(from.db(), filter, page).await?)
    }

    async fn total(from: &Reader, query: &Query<Self>) -> Outcome<u64> {
        Ok(records::total(from.db(), &query.filter).await?)
    }

    async fn rows(from: Reader, query: Query<Self>) -> Outcome<Steps<ClientUserRecordView>> {
        Ok(sheet::steps(move |before: Option<i64>| {
            let (from, filter) = (from.clone(), query.filter.clone());
            async move { records::step(from.db(), &filter, before, step_size(before.as_ref())).await }
        }))
    }
}

/// Lists registrations, sign-ins and sign-outs of customers, newest first.
#[utoipa::path(get, path = "/api/user/v1/client-users/records", tag = "clientUser", params(Asked<Records>),
    responses((status = 200, body = Reply<Page<ClientUserRecordView>>)))]
pub async fn client_user_records(ctx: OpCtx, asked: Asked<Records>) -> ApiResult<Page<ClientUserRecordView>> {
    asked.answer(&ctx).await
}

/// Exports records as a file, newest first; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/user/v1/client-users/records/file", tag = "clientUser", params(AskedFile<Records>),
    responses(TableFile))]
pub async fn client_user_record_export(ctx: OpCtx, asked: AskedFile<Records>) -> Outcome<Response> {
    asked.answer(&ctx).await
}

/// The requested page of one customer's records.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LoginRecordPageInput {
    /// The customer's id.
    #[serde(deserialize_with = "kernel::coded::number")]
    pub id: i64,
    /// Which page.
    #[serde(flatten)]
    pub page: PageInput,
}

impl Validate for LoginRecordPageInput {
    fn check(&self, _: &mut Check) {}
}

/// Lists registrations, sign-ins and sign-outs of one customer, newest first: the list of all records with `userId`, which
/// gives them as a file too. The path is the specification's.
#[utoipa::path(post, path = "/api/user/v5/user/selectUserLoginRecord", tag = "clientUser", request_body = LoginRecordPageInput,
    responses((status = 200, body = Reply<Page<ClientUserRecordView>>)))]
pub async fn client_user_login_records(
    ctx: OpCtx,
    Valid(input): Valid<LoginRecordPageInput>,
) -> ApiResult<Page<ClientUserRecordView>> {
    let filter = RecordFilter { user_id: Some(input.id), ..RecordFilter::default() };
    Asked { query: Query::<Records> { filter, sort: Sort::default() }, page: input.page.get()? }.answer(&ctx).await
}
