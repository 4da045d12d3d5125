//! The calls about background tasks.

use axum::body::Body;
use axum::response::Response;
use http::HeaderMap;
use kernel::lang::Lang;
use kernel::page::Page;
use kernel::time::UtcTime;
use queue::TaskState;
use queue::task::Model;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::export::Tasks;
use super::store::{TaskBy, TaskFilter};
use super::{TOPIC, service};
use crate::export::{FormatQuery, TableFile, export};
use crate::fault::Outcome;
use crate::http::body::PathId;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, PageInput, Params, Reply, Sort, events, file, reply};

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum StateName {
    Queued,
    Running,
    Succeeded,
    Failed,
    Cancelled,
}

impl From<TaskState> for StateName {
    fn from(state: TaskState) -> Self {
        match state {
            TaskState::Queued => Self::Queued,
            TaskState::Running => Self::Running,
            TaskState::Succeeded => Self::Succeeded,
            TaskState::Failed => Self::Failed,
            TaskState::Cancelled => Self::Cancelled,
        }
    }
}

impl From<StateName> for TaskState {
    fn from(name: StateName) -> Self {
        match name {
            StateName::Queued => Self::Queued,
            StateName::Running => Self::Running,
            StateName::Succeeded => Self::Succeeded,
            StateName::Failed => Self::Failed,
            StateName::Cancelled => Self::Cancelled,
        }
    }
}

/// How far a task is.
#[derive(Debug, Serialize, ToSchema)]
pub struct Progress {
    /// Steps that are done.
    pub done: i64,
    /// Steps in all; 0 while that is not known.
    pub total: i64,
}

/// A file that a task has made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultView {
    pub file_name: String,
    /// Bytes.
    pub size: i64,
}

/// A background task.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    pub id: String,
    /// Which job it is, such as `clientUser.import`.
    pub kind: String,
    /// What it is, in the caller's language.
    pub title: String,
    pub state: StateName,
    pub progress: Progress,
    /// What it says for itself, or why it failed, in the caller's language.
    pub message: Option<String>,
    /// Null for the system.
    pub created_by: Option<String>,
    pub created_at: UtcTime,
    pub started_at: Option<UtcTime>,
    pub finished_at: Option<UtcTime>,
    pub result: Option<ResultView>,
    pub can_cancel: bool,
    pub can_retry: bool,
}

impl TaskView {
    fn of(row: Model, lang: Lang) -> Self {
        Self {
            title: row.title().get(lang).to_owned(),
            message: row.message().map(|words| words.get(lang).to_owned()),
            result: row.result().map(|file| ResultView { file_name: file.name, size: file.size }),
            state: row.state.into(),
            can_cancel: row.state.can_cancel() && !row.cancel_requested,
            can_retry: row.state.can_retry(),
            progress: Progress { done: row.done, total: row.total.unwrap_or(0) },
            created_by: Some(row.created_by_name).filter(|name| !name.is_empty()),
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
            id: row.id.0,
            kind: row.kind,
        }
    }
}

/// Lists tasks, newest first.
#[utoipa::path(get, path = "/api/task/v1/tasks", tag = "task", params(TaskFilter, Sort<TaskBy>, PageInput),
    responses((status = 200, body = Reply<Page<TaskView>>)))]
pub async fn task_list(
    ctx: OpCtx,
    Params(filter): Params<TaskFilter>,
    Params(sort): Params<Sort<TaskBy>>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<TaskView>> {
    let page = service::list(&ctx, &filter, sort, page.get()?).await?;
    reply(page.map(|row| TaskView::of(row, ctx.lang())))
}

/// Tasks as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/task/v1/tasks/file", tag = "task",
    params(FormatQuery, TaskFilter, Sort<TaskBy>), responses(TableFile))]
pub async fn task_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<TaskFilter>,
    Params(sort): Params<Sort<TaskBy>>,
) -> Outcome<Response> {
    export(&ctx, Tasks { filter, sort }, file.format).await
}

/// Describes a task, to who asked for it or may see all.
#[utoipa::path(get, path = "/api/task/v1/tasks/{id}", tag = "task", params(("id" = String, Path, description = "The task's id")),
    responses((status = 200, body = Reply<TaskView>)))]
pub async fn task_get(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<TaskView> {
    reply(TaskView::of(service::get(&ctx, id).await?, ctx.lang()))
}

/// Cancels a task: at once while it is queued, at its next checkpoint while it runs.
#[utoipa::path(post, path = "/api/task/v1/tasks/{id}/cancel", tag = "task",
    params(("id" = String, Path, description = "The task's id")), responses((status = 200, body = Reply<TaskView>)))]
pub async fn task_cancel(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<TaskView> {
    reply(TaskView::of(service::cancel(&ctx, id).await?, ctx.lang()))
}

/// Queues a failed or cancelled task again; it goes on from where it was.
#[utoipa::path(post, path = "/api/task/v1/tasks/{id}/retry", tag = "task",
    params(("id" = String, Path, description = "The task's id")), responses((status = 200, body = Reply<TaskView>)))]
pub async fn task_retry(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<TaskView> {
    reply(TaskView::of(service::retry(&ctx, id).await?, ctx.lang()))
}

/// Answers the file that a task has made, to who asked for the task or may see all.
#[utoipa::path(get, path = "/api/task/v1/tasks/{id}/file", tag = "task",
    params(("id" = String, Path, description = "The task's id")),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream")))]
pub async fn task_file(ctx: OpCtx, PathId(id): PathId<String>) -> Outcome<Response> {
    let (name, object) = service::file(&ctx, id).await?;
    Ok(file::attachment(&name, file::content_type(&name), Some(object.size), Body::from_stream(object.stream)))
}

/// Tells live what becomes of tasks: events `task` with `{id, kind, state, done, total}`, and `reset`
/// when some may have been missed. One hears of one's own tasks, and of all with `task:list`.
#[utoipa::path(get, path = "/api/task/v1/events", tag = "task",
    params(("Last-Event-ID" = Option<String>, Header, description = "The last event that was seen")),
    responses((status = 200, body = String, content_type = "text/event-stream")))]
pub async fn task_events(ctx: OpCtx, headers: HeaderMap) -> Response {
    events::stream(ctx, TOPIC, &headers)
}
