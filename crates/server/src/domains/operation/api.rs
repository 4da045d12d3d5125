//! Looking at operations.

use std::collections::HashMap;

use axum::body::Body;
use axum::response::Response;
use db::list::list_page;
use entity::operation::{self, OperationKind};
use entity::operation_task::{self as task, TaskStep};
use entity::{OperationId, OperationTaskId};
use http::HeaderMap;
use kernel::page::Page;
use kernel::text::{Text, text};
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::act::Act;
use super::export::Tasks;
use super::view::{CardTaskView, OperationDetail, OperationTaskView, OperationView, ReasonGroup};
use super::{TOPIC, store};
use crate::agent_link::codes;
use crate::export::Listing as _;
use crate::fault::{Fault, Outcome};
use crate::http::body::PathId;
use crate::http::file::attachment;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, PageInput, Params, Reply, events, reply};

pub const NOT_FOUND: Text = text("没有这个批量操作", "There is no such operation");
const NO_FILE: Text = text("该任务没有文件", "This task has no file");

/// Which tasks are meant.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OperationTaskFilter {
    /// In this state.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub state: Option<TaskStep>,
    /// That ended for this reason.
    #[serde(default)]
    #[param(max_length = 64)]
    pub code: Option<String>,
    /// At the card whose address begins so.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
}

/// Which of a card's tasks are meant.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CardTaskFilter {
    /// Of operations of this kind.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub kind: Option<OperationKind>,
}

/// The operation, or that there is none.
pub async fn named(ctx: &OpCtx, id: OperationId) -> Outcome<operation::Model> {
    store::find(ctx.read(), id).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))
}

/// Describes an operation, with the reasons of what did not succeed.
#[utoipa::path(get, path = "/api/operation/v1/operations/{id}", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn operation_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationDetail> {
    let row = named(&ctx, OperationId(id)).await?;
    let groups: Vec<(TaskStep, String, i64)> = task::Entity::find()
        .select_only()
        .columns([task::Column::State, task::Column::Code])
        .column_as(task::Column::Id.count(), "n")
        .filter(task::Column::OperationId.eq(row.id))
        // What waits, runs or succeeded has no reason, and may be a million.
        .filter(task::Column::State.is_in(TaskStep::ALL.iter().copied().filter(|step| step.has_reason())))
        .filter(task::Column::Code.ne(""))
        .group_by(task::Column::State)
        .group_by(task::Column::Code)
        .into_tuple()
        .all(ctx.read())
        .await?;
    let mut reasons: Vec<ReasonGroup> = groups
        .into_iter()
        .map(|(state, code, count)| ReasonGroup { state, words: codes::words(&code, ctx.lang()), code, count })
        .collect();
    reasons.sort_by_key(|group| std::cmp::Reverse(group.count));
    reply(OperationDetail { operation: OperationView::of(row, ctx.lang()), reasons })
}

/// Lists the tasks of an operation, card by card.
#[utoipa::path(get, path = "/api/operation/v1/operations/{id}/tasks", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id"), OperationTaskFilter, PageInput),
    responses((status = 200, body = Reply<Page<OperationTaskView>>)))]
pub async fn operation_tasks(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(filter): Params<OperationTaskFilter>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<OperationTaskView>> {
    let row = named(&ctx, OperationId(id)).await?;
    let tasks = Tasks::of(row.id, filter);
    tasks.check()?;
    let found = tasks.page(ctx.read(), &row, page.get()?).await?;
    reply(found.map(|row| OperationTaskView::of(row, ctx.lang())))
}

/// Lists what operations did at one card, newest first.
#[utoipa::path(get, path = "/api/operation/v1/cards/{id}/tasks", tag = "operation",
    params(("id" = i64, Path, description = "The card's id"), CardTaskFilter, PageInput),
    responses((status = 200, body = Reply<Page<CardTaskView>>)))]
pub async fn operation_card_tasks(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(filter): Params<CardTaskFilter>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<CardTaskView>> {
    let mut select = task::Entity::find().filter(task::Column::CardId.eq(id));
    if let Some(kind) = filter.kind {
        let of_kind = operation::Entity::find()
            .select_only()
            .column(operation::Column::Id)
            .filter(operation::Column::Kind.eq(kind));
        select = select.filter(task::Column::OperationId.in_subquery(of_kind.into_query()));
    }
    let found = list_page(ctx.read(), select.order_by_desc(task::Column::Id), page.get()?).await?;
    let ids = found.list.iter().map(|row| row.operation_id);
    let operations = operation::Entity::find().filter(operation::Column::Id.is_in(ids)).all(ctx.read()).await?;
    let operations: HashMap<OperationId, operation::Model> = operations.into_iter().map(|row| (row.id, row)).collect();
    let missing = || Fault::Internal(anyhow::anyhow!("a task without its operation"));
    let list = found
        .list
        .into_iter()
        .map(|row| {
            let operation = operations.get(&row.operation_id).cloned().ok_or_else(missing)?;
            Ok(CardTaskView::of(row, operation, ctx.lang()))
        })
        .collect::<Outcome<Vec<_>>>()?;
    reply(Page { list, total: found.total, page_num: found.page_num, page_size: found.page_size })
}

/// The picture or the log that a card gave to a task.
#[utoipa::path(get, path = "/api/operation/v1/tasks/{id}/file", tag = "operation",
    params(("id" = i64, Path, description = "The task's id")),
    responses((status = 200, description = "The screen, the log or the file", content(
        (Vec<u8> = "image/png"),
        (String = "text/plain"),
        (Vec<u8> = "application/octet-stream")))))]
pub async fn operation_task_file(ctx: OpCtx, PathId(id): PathId<i64>) -> Result<Response, Fault> {
    let found = task::Entity::find_by_id(OperationTaskId(id)).one(ctx.read()).await?;
    let row = found.filter(|row| !row.file_key.is_empty()).ok_or_else(|| Fault::not_found(NO_FILE))?;
    let key = row.file_key.parse().map_err(|error| Fault::Internal(anyhow::anyhow!("{error}")))?;
    let object = match ctx.app.objects.get(&key).await {
        Ok(object) => object,
        Err(courier::ObjectError::NotFound(_)) => return Err(Fault::not_found(NO_FILE)),
        Err(error) => return Err(Fault::Unavailable(error.into())),
    };
    let operation = store::find(ctx.read(), row.operation_id).await?;
    let act = operation.and_then(|operation| serde_json::from_str::<Act>(&operation.act).ok());
    let address = row.address.replace(':', "_");
    let (name, content) = if let Some(Act::Pull { path }) = &act {
        let name = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or("file");
        // Whatever it is, a browser is not to open it.
        (format!("{address}_{name}"), "application/octet-stream")
    } else if act == Some(Act::Screenshot) {
        (format!("{address}.png"), "image/png")
    } else {
        (format!("{address}.log"), "text/plain; charset=utf-8")
    };
    Ok(attachment(&name, content, Some(object.size), Body::from_stream(object.stream)))
}

/// Tells live that operations have moved on: events `operation` with an id.
#[utoipa::path(get, path = "/api/operation/v1/events", tag = "operation",
    params(("Last-Event-ID" = Option<String>, Header, description = "The last event that was seen")),
    responses((status = 200, body = String, content_type = "text/event-stream")))]
pub async fn operation_events(ctx: OpCtx, headers: HeaderMap) -> Response {
    events::stream(ctx, TOPIC, &headers)
}
