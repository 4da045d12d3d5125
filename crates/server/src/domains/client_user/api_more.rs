//! The calls about customers' records, their requests to close an account, and files of either.

use axum::response::Response;
use entity::LogoutRequestId;
use kernel::page::Page;
use kernel::rules::Check;
use serde::Deserialize;
use utoipa::ToSchema;

use super::closing::{
    self, LogoutRequestBy, LogoutRequestFilter, LogoutRequestKey, LogoutRequestPageInput, LogoutRequestView,
};
use super::export::{LogoutRequests, Records, Users};
use super::records::{self, ClientUserRecordView, RecordFilter};
use super::store::ClientUserFilter;
use crate::export::{FormatQuery, TableFile, export};
use crate::fault::Outcome;
use crate::http::body::PathId;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, PageInput, Params, Reply, Sort, Valid, Validate, reply};

/// Customers as a file, newest first; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(
    get,
    path = "/api/user/v1/designjet/client_info/excel",
    tag = "clientUser",
    params(FormatQuery, ClientUserFilter),
    responses(TableFile)
)]
pub async fn client_user_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<ClientUserFilter>,
) -> Outcome<Response> {
    export(&ctx, Users(filter), file.format).await
}

/// Lists what customers did, newest first.
#[utoipa::path(get, path = "/api/user/v1/client-users/records", tag = "clientUser", params(RecordFilter, PageInput),
    responses((status = 200, body = Reply<Page<ClientUserRecordView>>)))]
pub async fn client_user_records(
    ctx: OpCtx,
    Params(filter): Params<RecordFilter>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<ClientUserRecordView>> {
    reply(records::page(&ctx, &filter, page.get()?).await?)
}

/// Records as a file, newest first; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(
    get,
    path = "/api/user/v1/client-users/records/file",
    tag = "clientUser",
    params(FormatQuery, RecordFilter),
    responses(TableFile)
)]
pub async fn client_user_record_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<RecordFilter>,
) -> Outcome<Response> {
    export(&ctx, Records(filter), file.format).await
}

/// A page of one customer's records that is asked for.
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

/// Lists what one customer did, newest first.
#[utoipa::path(post, path = "/api/user/v5/user/selectUserLoginRecord", tag = "clientUser", request_body = LoginRecordPageInput,
    responses((status = 200, body = Reply<Page<ClientUserRecordView>>)))]
pub async fn client_user_login_records(
    ctx: OpCtx,
    Valid(input): Valid<LoginRecordPageInput>,
) -> ApiResult<Page<ClientUserRecordView>> {
    let filter = RecordFilter { user_id: Some(input.id), ..RecordFilter::default() };
    reply(records::page(&ctx, &filter, input.page.get()?).await?)
}

/// Lists requests to close an account, newest first.
#[utoipa::path(post, path = "/api/user/logout/qryPageLogoutUser", tag = "clientUser", request_body = LogoutRequestPageInput,
    responses((status = 200, body = Reply<Page<LogoutRequestView>>)))]
pub async fn logout_request_list(
    ctx: OpCtx,
    Valid(input): Valid<LogoutRequestPageInput>,
) -> ApiResult<Page<LogoutRequestView>> {
    reply(closing::list(ctx.read(), &input.filter, input.sort, input.page.get()?).await?)
}

/// Requests to close an account as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/user/v1/client-users/logout-requests/file", tag = "clientUser",
    params(FormatQuery, LogoutRequestFilter, Sort<LogoutRequestBy>), responses(TableFile))]
pub async fn logout_request_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<LogoutRequestFilter>,
    Params(sort): Params<Sort<LogoutRequestBy>>,
) -> Outcome<Response> {
    export(&ctx, LogoutRequests { filter, sort }, file.format).await
}

/// Withdraws a request to close an account: the account lives on.
#[utoipa::path(post, path = "/api/user/logout/cancelLogoutUser", tag = "clientUser", request_body = LogoutRequestKey,
    responses((status = 200, body = Reply<LogoutRequestView>)))]
pub async fn logout_request_cancel(ctx: OpCtx, Valid(key): Valid<LogoutRequestKey>) -> ApiResult<LogoutRequestView> {
    reply(closing::cancel(&ctx, key.id).await?)
}

/// Closes the account for good.
#[utoipa::path(post, path = "/api/user/v1/client-users/logout-requests/{id}/complete", tag = "clientUser",
    params(("id" = i64, Path, description = "The request's id")), responses((status = 200, body = Reply<LogoutRequestView>)))]
pub async fn logout_request_complete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<LogoutRequestView> {
    reply(closing::complete(&ctx, LogoutRequestId(id)).await?)
}
