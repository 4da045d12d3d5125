//! The operation log endpoints.

use axum::response::Response;
use base::access::words::Word;
use base::export::TableFile;
use base::fault::Fault;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, PageInput, Params, Reply, Valid, Validate, reply};
use base::sheet::Format;
use kernel::page::Page;
use kernel::rules::Check;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::export;
use super::service::{self, ChainCheck, OperationLogDetail, OperationLogView};
use super::store::OperationLogFilter;

/// The requested page of the log.
#[derive(Debug, Deserialize, ToSchema)]
pub struct OperationLogPageInput {
    /// Which entries.
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

/// The requested export of the log.
#[derive(Debug, Deserialize, ToSchema)]
pub struct OperationLogExportInput {
    /// Which entries.
    #[serde(flatten)]
    pub filter: OperationLogFilter,
    /// The file format.
    #[serde(default)]
    pub format: Format,
}

impl Validate for OperationLogExportInput {
    fn check(&self, check: &mut Check) {
        self.filter.check(check);
    }
}

/// The values to filter the log by.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationLogWords {
    /// Every operation.
    pub actions: Vec<Word>,
    /// Every kind of object.
    pub object_kinds: Vec<Word>,
}

/// Lists operation log entries, newest first.
#[utoipa::path(post, path = "/api/user/v1/operation/log/list", tag = "operationLog", request_body = OperationLogPageInput,
    responses((status = 200, body = Reply<Page<OperationLogView>>)))]
pub async fn operation_log_list(
    ctx: OpCtx,
    Valid(input): Valid<OperationLogPageInput>,
) -> ApiResult<Page<OperationLogView>> {
    reply(service::page(&ctx, &input.filter, input.page.get()?).await?)
}

/// Exports the operation log. JSON with status 1 means that there is nothing to export; with many entries a background
/// task is started and returned as JSON.
#[utoipa::path(post, path = "/api/user/v1/operation/log/export", tag = "operationLog", request_body = OperationLogExportInput,
    responses(TableFile))]
pub async fn operation_log_export(ctx: OpCtx, Valid(input): Valid<OperationLogExportInput>) -> Result<Response, Fault> {
    export::export(&ctx, input.filter, input.format).await
}

/// Returns one entry, with the object before and after.
#[utoipa::path(get, path = "/api/user/v1/operation/log/{id}", tag = "operationLog",
    params(("id" = i64, Path, description = "The line's number")), responses((status = 200, body = Reply<OperationLogDetail>)))]
pub async fn operation_log_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationLogDetail> {
    reply(service::get(&ctx, id).await?)
}

/// Lists every operation and every kind of object that the log knows, in the caller's language.
#[utoipa::path(get, path = "/api/user/v1/operation/log/words", tag = "operationLog",
    responses((status = 200, body = Reply<OperationLogWords>)))]
pub async fn operation_log_words(ctx: OpCtx) -> ApiResult<OperationLogWords> {
    reply(OperationLogWords {
        actions: ctx.app.words.actions(ctx.lang()),
        object_kinds: ctx.app.words.kinds(ctx.lang()),
    })
}

/// Verifies the log: nothing modified, removed or inserted.
#[utoipa::path(get, path = "/api/user/v1/operation/log/verify", tag = "operationLog", responses((status = 200, body = Reply<ChainCheck>)))]
pub async fn operation_log_verify(ctx: OpCtx) -> ApiResult<ChainCheck> {
    reply(service::verify(&ctx).await?)
}

/// Lists the caller's own operations, newest first: the operation log as far as everybody may read it. There is no file of
/// it but the log's, with `operatorId`, for those who may export that.
#[utoipa::path(get, path = "/api/user/v1/me/acts", tag = "me", params(PageInput),
    responses((status = 200, body = Reply<Page<OperationLogView>>)))]
pub async fn own_act_list(ctx: OpCtx, Params(page): Params<PageInput>) -> ApiResult<Page<OperationLogView>> {
    reply(service::own_acts(&ctx, page.get()?).await?)
}
