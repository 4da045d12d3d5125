//! Reading operations.

use std::collections::{BTreeMap, HashMap};

use axum::body::Body;
use axum::response::Response;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::file::{attachment, content_type};
use base::http::ops::OpCtx;
use base::http::{ApiResult, PageInput, Params, Reply, reply};
use db::list::list_page;
use entity::operation::{self, OperationKind, Target};
use entity::operation_task::{self as task, TaskEffect, TaskStep};
use entity::{OperationId, OperationTaskId};
use kernel::page::Page;
use kernel::text::{Text, text};
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _,
};
use serde::Deserialize;
use utoipa::IntoParams;

use super::act::Act;
use super::retry::RETRIED;
use super::view::{CardTaskView, OperationDetail, OperationView, ReasonGroup};
use super::{retry, rights, store, targets};
use crate::card::look::{self, Look};

pub const NOT_FOUND: Text = text("没有这个批量操作", "Operation not found");
const NO_FILE: Text = text("该任务没有文件", "This task has no file");

/// A filter for a card's tasks.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CardTaskFilter {
    /// Of operations of this kind.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub kind: Option<OperationKind>,
}

/// The operation, or a "not found".
pub async fn named(ctx: &OpCtx, id: OperationId) -> Outcome<operation::Model> {
    store::find(ctx.read(), id).await?.or_missing(NOT_FOUND)
}

/// An operation, with the reasons of what did not succeed.
///
/// # Errors
/// A later version wrote it, or the database refuses.
pub async fn detail(ctx: &OpCtx, row: operation::Model) -> Outcome<OperationDetail> {
    let groups: Vec<(TaskStep, String, Option<TaskEffect>, i64)> = task::Entity::find()
        .select_only()
        .columns([task::Column::State, task::Column::Code, task::Column::Effect])
        .column_as(task::Column::Id.count(), "n")
        .filter(task::Column::OperationId.eq(row.id))
        // Tasks that wait, run or succeeded have no reason, and there may be a million.
        .filter(task::Column::State.is_in(TaskStep::ALL.iter().copied().filter(|step| step.has_reason())))
        .filter(task::Column::Code.ne(""))
        .group_by(task::Column::State)
        .group_by(task::Column::Code)
        .group_by(task::Column::Effect)
        .into_tuple()
        .all(ctx.read())
        .await?;
    let mut reasons = BTreeMap::<(TaskStep, String), ReasonGroup>::new();
    for (state, code, effect, count) in groups {
        let group =
            reasons.entry((state, code)).or_insert_with_key(|(state, code)| ReasonGroup::of(*state, code, ctx.lang()));
        group.add(effect, count);
    }
    let mut reasons: Vec<ReasonGroup> = reasons.into_values().collect();
    reasons.sort_by_key(|group| std::cmp::Reverse(group.count));
    let retried = reasons.iter().filter(|group| RETRIED.contains(&group.state));
    let may_have_run = retried.map(|group| group.proved + group.unknown).sum();
    let chosen = targets::of(&ctx.app, row.kind.target())?.chosen(ctx, &row.selection).await?;
    let retry_needs_approval = retry::needs_approval(ctx, &row).await?;
    let operation = OperationView::of(&ctx.app, row, ctx.lang());
    Ok(OperationDetail { operation, chosen, reasons, may_have_run, retry_needs_approval })
}

/// Returns an operation, with the reasons of what did not succeed.
#[utoipa::path(get, path = "/api/operation/v1/operations/{id}", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn operation_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationDetail> {
    let row = named(&ctx, OperationId(id)).await?;
    reply(detail(&ctx, row).await?)
}

/// Lists the tasks of one card over all operations, newest first.
#[utoipa::path(get, path = "/api/operation/v1/cards/{id}/tasks", tag = "operation",
    params(("id" = i64, Path, description = "The card's id"), CardTaskFilter, PageInput),
    responses((status = 200, body = Reply<Page<CardTaskView>>)))]
pub async fn operation_card_tasks(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(filter): Params<CardTaskFilter>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<CardTaskView>> {
    let mut select =
        task::Entity::find().filter(task::Column::Target.eq(Target::Card)).filter(task::Column::TargetId.eq(id));
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
            let sees_output = rights::sees_output(&ctx, operation.kind);
            Ok(CardTaskView::of(&ctx.app, row, operation, sees_output, ctx.lang()))
        })
        .collect::<Outcome<Vec<_>>>()?;
    reply(Page { list, total: found.total, page_num: found.page_num, page_size: found.page_size })
}

/// Returns the screenshot, log or file that a task fetched from a card. A screen or a file of a customer's phone needs `phone:screen` or
/// `phone:files` as well, and that somebody looks at it is written to the operation log.
#[utoipa::path(get, path = "/api/operation/v1/tasks/{id}/file", tag = "operation",
    params(("id" = i64, Path, description = "The task's id")),
    responses((status = 200, description = "The screen, the log or the file", content(
        (Vec<u8> = "image/png"),
        (String = "text/plain"),
        (Vec<u8> = "application/octet-stream")))))]
pub async fn operation_task_file(ctx: OpCtx, PathId(id): PathId<i64>) -> Result<Response, Fault> {
    let found = task::Entity::find_by_id(OperationTaskId(id)).one(ctx.read()).await?;
    let row = found.filter(|row| !row.file_key.is_empty()).or_missing(NO_FILE)?;
    let key = row.file_key.parse().map_err(|error| Fault::Internal(anyhow::anyhow!("{error}")))?;
    let object = match ctx.app.objects.get(&key).await {
        Ok(object) => object,
        Err(courier::ObjectError::NotFound(_)) => return Err(Fault::not_found(NO_FILE)),
        Err(error) => return Err(Fault::Unavailable(error.into())),
    };
    let operation = store::find(ctx.read(), row.operation_id).await?;
    let act = operation.and_then(|operation| serde_json::from_str::<Act>(&operation.act).ok());
    let is_screen = act == Some(Act::Screenshot);
    if let Some(card) = row.card().filter(|_| is_screen || matches!(act, Some(Act::Pull { .. }))) {
        let look = if is_screen { Look::Screen } else { Look::Files };
        look::begins(&ctx, card, row.ended_at.unwrap_or_else(|| ctx.now()), look).await?;
    }
    let address = row.address.replace(':', "_");
    // Whatever was pulled, a browser must not open it.
    let (name, content) = if let Some(Act::Pull { path }) = &act {
        let name = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or("file");
        (format!("{address}_{name}"), content_type(""))
    } else {
        let name = format!("{address}.{}", if is_screen { "png" } else { "log" });
        let content = content_type(&name);
        (name, content)
    };
    Ok(attachment(&name, content, Some(object.size), Body::from_stream(object.stream)))
}
