//! Reading operations.

use std::collections::BTreeMap;

use axum::body::Body;
use axum::response::Response;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::file::{attachment, content_type};
use base::http::ops::OpCtx;
use base::http::{ApiResult, Reply, reply};
use entity::operation;
use entity::operation_task::{self as task, TaskEffect, TaskStep};
use entity::{OperationId, OperationTaskId};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _};

use super::act::Act;
use super::retry::RETRIED;
use super::view::{OperationDetail, OperationView, ReasonGroup};
use super::{retry, store, targets};
use crate::card::look::{self, Look};

pub const NOT_FOUND: Text = text("没有这个批量操作", "Operation not found");
const NO_FILE: Text = text("该任务没有文件", "This task has no file");

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
