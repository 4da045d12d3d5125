//! The background task endpoints.

use axum::body::Body;
use axum::response::Response;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Reply, file, reply};
use base::list::{Asked, AskedFile, Reader};
use kernel::page::Page;

use super::list::Tasks;
use super::service;
use super::view::TaskView;

/// Lists tasks, newest first.
#[utoipa::path(get, path = "/api/task/v1/tasks", tag = "task", params(Asked<Tasks>),
    responses((status = 200, body = Reply<Page<TaskView>>)))]
pub async fn task_list(ctx: OpCtx, asked: Asked<Tasks>) -> ApiResult<Page<TaskView>> {
    let found = asked.query.page(&Reader::of(&ctx), asked.page).await?;
    reply(found.map(|task| task.seen_by(&ctx)))
}

/// Exports tasks as a file; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/task/v1/tasks/file", tag = "task", params(AskedFile<Tasks>), responses(TableFile))]
pub async fn task_export(ctx: OpCtx, asked: AskedFile<Tasks>) -> Outcome<Response> {
    asked.answer(&ctx).await
}

/// Returns a task to its creator, or to anybody who may see all tasks.
#[utoipa::path(get, path = "/api/task/v1/tasks/{id}", tag = "task", params(("id" = String, Path, description = "The task's id")),
    responses((status = 200, body = Reply<TaskView>)))]
pub async fn task_get(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<TaskView> {
    reply(TaskView::of(service::get(&ctx, id).await?, ctx.lang()).seen_by(&ctx))
}

/// Cancels a task: at once if it is queued, at its next checkpoint if it runs.
#[utoipa::path(post, path = "/api/task/v1/tasks/{id}/cancel", tag = "task",
    params(("id" = String, Path, description = "The task's id")), responses((status = 200, body = Reply<TaskView>)))]
pub async fn task_cancel(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<TaskView> {
    reply(TaskView::of(service::cancel(&ctx, id).await?, ctx.lang()).seen_by(&ctx))
}

/// Retries a failed or cancelled task from its last checkpoint.
#[utoipa::path(post, path = "/api/task/v1/tasks/{id}/retry", tag = "task",
    params(("id" = String, Path, description = "The task's id")), responses((status = 200, body = Reply<TaskView>)))]
pub async fn task_retry(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<TaskView> {
    reply(TaskView::of(service::retry(&ctx, id).await?, ctx.lang()).seen_by(&ctx))
}

/// Returns the file of a task to its creator, or to anybody who may see all tasks, with the permission for its content.
#[utoipa::path(get, path = "/api/task/v1/tasks/{id}/file", tag = "task",
    params(("id" = String, Path, description = "The task's id")),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream")))]
pub async fn task_file(ctx: OpCtx, PathId(id): PathId<String>) -> Outcome<Response> {
    let (name, object) = service::file(&ctx, id).await?;
    Ok(file::attachment(&name, file::content_type(&name), Some(object.size), Body::from_stream(object.stream)))
}
