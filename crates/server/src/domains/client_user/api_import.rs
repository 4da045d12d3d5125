//! The calls that take customers out of a spreadsheet.

use axum::extract::Multipart;
use axum::response::Response;
use utoipa::ToSchema;

use super::import::preview::{self, ImportPreview};
use super::import::start;
use crate::export::{FormatQuery, TaskStarted};
use crate::fault::Fault;
use crate::http::body::PathId;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Params, Reply, reply, upload};

/// Bytes that a file may have.
const FILE_LIMIT: u64 = 32 << 20;
/// And the body around it.
pub const BODY_LIMIT: usize = (32 << 20) + (64 << 10);

/// A file that is to be imported.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes the body")]
pub struct ImportUpload {
    /// XLSX, or CSV in UTF-8 or GBK; 32 MB at most.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// Reads a spreadsheet of customers and names every row that can not be taken; nothing is written yet.
#[utoipa::path(post, path = "/api/user/v1/client-users/import", tag = "clientUser",
    request_body(content = ImportUpload, content_type = "multipart/form-data"),
    responses((status = 200, body = Reply<ImportPreview>)))]
pub async fn client_user_import_preview(
    ctx: OpCtx,
    parts: Result<Multipart, axum::extract::multipart::MultipartRejection>,
) -> ApiResult<ImportPreview> {
    let file = upload::receive(parts.map_err(upload::no_multipart)?, FILE_LIMIT).await?;
    reply(preview::preview(&ctx, file).await?)
}

/// Begins to import the good rows of a file that was previewed; a background task does it.
#[utoipa::path(post, path = "/api/user/v1/client-users/import/{importId}/run", tag = "clientUser",
    params(("importId" = String, Path, description = "The preview's id")), responses((status = 200, body = Reply<TaskStarted>)))]
pub async fn client_user_import_run(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<TaskStarted> {
    reply(start::start(&ctx, id).await?)
}

/// The table to fill in for an import.
#[utoipa::path(get, path = "/api/user/v1/client-users/import/template", tag = "clientUser", params(FormatQuery),
    responses((status = 200, description = "The file", content(
        (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (String = "text/csv")))))]
pub async fn client_user_import_template(ctx: OpCtx, Params(file): Params<FormatQuery>) -> Result<Response, Fault> {
    start::template(&ctx, file.format).await
}
