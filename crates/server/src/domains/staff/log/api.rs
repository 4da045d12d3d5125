//! The calls about the operation log.

use axum::response::Response;
use kernel::page::Page;
use kernel::rules::Check;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::export;
use super::service::{self, ChainCheck, OperationLogDetail, OperationLogView};
use super::store::OperationLogFilter;
use super::words::{self, Word};
use crate::export::TableFile;
use crate::fault::Fault;
use crate::http::body::PathId;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, PageInput, Params, Reply, Valid, Validate, reply};
use crate::sheet::Format;

/// A page of the log that is asked for.
#[derive(Debug, Deserialize, ToSchema)]
pub struct OperationLogPageInput {
    /// Which lines.
    #[serde(flatten)]
    pub filter: OperationLogFilter,
    /// Which page.
    #[serde(flatten)]
    pub page: PageInput,
}

impl Validate for OperationLogPageInput {
    fn check(&self, check: &mut Check) {
        self.filter.check(check);
    }
}

/// An export of the log that is asked for.
#[derive(Debug, Deserialize, ToSchema)]
pub struct OperationLogExportInput {
    /// Which lines.
    #[serde(flatten)]
    pub filter: OperationLogFilter,
    /// As what kind of file.
    #[serde(default)]
    pub format: Format,
}

impl Validate for OperationLogExportInput {
    fn check(&self, check: &mut Check) {
        self.filter.check(check);
    }
}

/// The words of the log, to filter by.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationLogWords {
    /// Every act.
    pub actions: Vec<Word>,
    /// Every kind of object.
    pub object_kinds: Vec<Word>,
}

/// Lists what was done, newest first.
#[utoipa::path(post, path = "/api/user/v1/operation/log/list", tag = "operationLog", request_body = OperationLogPageInput,
    responses((status = 200, body = Reply<Page<OperationLogView>>)))]
pub async fn operation_log_list(
    ctx: OpCtx,
    Valid(input): Valid<OperationLogPageInput>,
) -> ApiResult<Page<OperationLogView>> {
    reply(service::page(&ctx, &input.filter, input.page.get()?).await?)
}

/// Exports what was done. JSON with status 1 says that there is nothing to export; with many lines a task is started
/// and answered as JSON.
#[utoipa::path(post, path = "/api/user/v1/operation/log/export", tag = "operationLog", request_body = OperationLogExportInput,
    responses(TableFile))]
pub async fn operation_log_export(ctx: OpCtx, Valid(input): Valid<OperationLogExportInput>) -> Result<Response, Fault> {
    export::export(&ctx, input.filter, input.format).await
}

/// Describes one line, with the object before and after.
#[utoipa::path(get, path = "/api/user/v1/operation/log/{id}", tag = "operationLog",
    params(("id" = i64, Path, description = "The line's number")), responses((status = 200, body = Reply<OperationLogDetail>)))]
pub async fn operation_log_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationLogDetail> {
    reply(service::get(&ctx, id).await?)
}

/// Every act and every kind of object that the log knows, in the caller's language.
#[utoipa::path(get, path = "/api/user/v1/operation/log/words", tag = "operationLog",
    responses((status = 200, body = Reply<OperationLogWords>)))]
pub async fn operation_log_words(ctx: OpCtx) -> ApiResult<OperationLogWords> {
    reply(OperationLogWords {
        actions: words::all_actions(&ctx.app.acts, ctx.lang()),
        object_kinds: words::all_kinds(ctx.lang()),
    })
}

/// Says whether the log is whole: nothing changed, removed or put in between.
#[utoipa::path(get, path = "/api/user/v1/operation/log/verify", tag = "operationLog", responses((status = 200, body = Reply<ChainCheck>)))]
pub async fn operation_log_verify(ctx: OpCtx) -> ApiResult<ChainCheck> {
    reply(service::verify(&ctx).await?)
}

/// Lists what the asking operator did, newest first.
#[utoipa::path(get, path = "/api/user/v1/me/acts", tag = "me", params(PageInput),
    responses((status = 200, body = Reply<Page<OperationLogView>>)))]
pub async fn own_act_list(ctx: OpCtx, Params(page): Params<PageInput>) -> ApiResult<Page<OperationLogView>> {
    reply(service::own_acts(&ctx, page.get()?).await?)
}
