//! Holding operations: pause, go on, cancel, retry, approve.

use db::sql;
use entity::OperationId;
use entity::operation::{self, Model, OperationState};
use entity::operation_task::TaskStep;
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, EntityTrait as _, Value};
use serde::Deserialize;
use utoipa::ToSchema;

use super::api::NOT_FOUND;
use super::freeze;
use super::store::{Moved, count, find, lock, move_all, set_state, tell};
use super::view::OperationView;
use crate::fault::{Fault, Outcome};
use crate::http::body::PathId;
use crate::http::ops::{Audit, OpCtx};
use crate::http::{ApiResult, Reply, Valid, Validate, reply};

const NOT_NOW: Text =
    text("该操作当前的状态不允许这样做，请刷新", "The operation is not in a state that allows this; refresh");
const NOTHING: Text = text("没有可以重试的任务", "There is nothing to be tried again");
const OWN: Text = text("发起人不能审批自己的操作", "Who began an operation can not approve it");

/// What goes with a change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// What waits goes on waiting.
    Hold,
    /// What waits is cancelled.
    Clear,
    /// A second operator has agreed.
    Approve,
}

/// Changes an operation's state, if that may be; answers it as it is then.
async fn change(
    ctx: &OpCtx,
    id: OperationId,
    may: impl Fn(&Model) -> Option<OperationState>,
    turn: Turn,
) -> Outcome<OperationView> {
    let now = ctx.now();
    let mut tx = ctx.begin_write().await?;
    let before = lock(tx.inner(), id).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))?;
    let next = may(&before).filter(|next| before.state.may_become(*next)).ok_or_else(|| Fault::conflict(NOT_NOW))?;
    if turn == Turn::Clear {
        move_all(tx.inner(), id, TaskStep::Pending, TaskStep::Cancelled, "", now).await?;
    }
    // What is called off and has nothing under way is over.
    let next = if next == OperationState::Cancelling && before.running == 0 { OperationState::Cancelled } else { next };
    let mut after = set_state(tx.inner(), id, next, "", now).await?;
    if turn == Turn::Approve {
        let approved = operation::ActiveModel {
            id: Set(id),
            approved_by: Set(ctx.session.username.clone()),
            ..Default::default()
        };
        after = operation::Entity::update(approved).exec(&*tx).await?;
    }
    let (old, new) = (OperationView::of(before, ctx.lang()), OperationView::of(after.clone(), ctx.lang()));
    tx.commit(Audit::of("operation").id(id).before(&old).after(&new)).await?;
    tell(&ctx.app, [id]);
    freeze::wake(&ctx.app, &after).await?;
    Ok(new)
}

/// Pauses an operation: what is under way comes to its end, nothing new begins.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/pause", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_pause(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationView> {
    let may = |row: &Model| (row.state == OperationState::Running).then_some(OperationState::Paused);
    reply(change(&ctx, OperationId(id), may, Turn::Hold).await?)
}

/// Lets a paused operation go on.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/resume", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_go_on(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationView> {
    let may = |row: &Model| (row.state == OperationState::Paused).then_some(OperationState::Running);
    reply(change(&ctx, OperationId(id), may, Turn::Hold).await?)
}

/// Calls an operation off: what waits is cancelled at once, what is under way comes to its end.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/cancel", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_cancel(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationView> {
    let may = |row: &Model| match row.state {
        OperationState::Running | OperationState::Paused => Some(OperationState::Cancelling),
        OperationState::Freezing | OperationState::AwaitingApproval | OperationState::Scheduled => {
            Some(OperationState::Cancelled)
        }
        OperationState::Cancelling | OperationState::Finished | OperationState::Cancelled | OperationState::Expired => {
            None
        }
    };
    reply(change(&ctx, OperationId(id), may, Turn::Clear).await?)
}

/// Which of the failed tasks are tried again.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetryInput {
    /// Those that failed for this reason; left out, all.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub code: Option<String>,
}

impl Validate for RetryInput {
    fn check(&self, check: &mut Check) {
        if let Some(code) = &self.code {
            check.field("code", max_chars(code, 64));
        }
    }
}

async fn retry(ctx: &OpCtx, id: OperationId, input: &RetryInput) -> Outcome<OperationView> {
    let now = ctx.now();
    let mut tx = ctx.begin_write().await?;
    let before = lock(tx.inner(), id).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))?;
    if !matches!(before.state, OperationState::Finished | OperationState::Running | OperationState::Paused) {
        return Err(Fault::conflict(NOT_NOW));
    }
    let by_code = if input.code.is_some() { " AND code = $5" } else { "" };
    let text = format!(
        "UPDATE operation_task SET state = $1, ended_at = NULL, output = '', is_cut = $4, exit_code = NULL \
         WHERE operation_id = $2 AND state = $3{by_code}"
    );
    let head: [Value; 4] = [TaskStep::Pending.code().into(), id.0.into(), TaskStep::Failed.code().into(), false.into()];
    let values = head.into_iter().chain(input.code.as_deref().map(Value::from));
    let done = tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    let moved = i64::try_from(done.rows_affected()).unwrap_or(i64::MAX);
    if moved == 0 {
        return Err(Fault::conflict(NOTHING));
    }
    count(tx.inner(), id, &[Moved { from: TaskStep::Failed, to: TaskStep::Pending, count: moved }]).await?;
    let after = if before.state == OperationState::Finished {
        // It has as long again as it had.
        let span = before.expires_at.seconds_since(before.created_at).max(60);
        let change =
            operation::ActiveModel { id: Set(id), expires_at: Set(now.plus_seconds(span)), ..Default::default() };
        operation::Entity::update(change).exec(&*tx).await?;
        set_state(tx.inner(), id, OperationState::Running, "", now).await?
    } else {
        find(&*tx, id).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))?
    };
    let (old, new) = (OperationView::of(before, ctx.lang()), OperationView::of(after.clone(), ctx.lang()));
    tx.commit(Audit::of("operation").id(id).before(&old).after(&new)).await?;
    tell(&ctx.app, [id]);
    freeze::wake(&ctx.app, &after).await?;
    Ok(new)
}

/// Tries failed tasks again: all, or those that failed for one reason.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/retry", tag = "operation", request_body = RetryInput,
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_retry(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<RetryInput>,
) -> ApiResult<OperationView> {
    reply(retry(&ctx, OperationId(id), &input).await?)
}

/// What a second operator says.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproveInput {
    /// Whether it may be done.
    pub approved: bool,
}

impl Validate for ApproveInput {
    fn check(&self, _: &mut Check) {}
}

async fn approve(ctx: &OpCtx, id: OperationId, approved: bool) -> Outcome<OperationView> {
    let row = super::api::named(ctx, id).await?;
    if approved && row.created_by_id == ctx.operator() {
        return Err(Fault::conflict(OWN));
    }
    let now = ctx.now();
    let may = |row: &Model| {
        (row.state == OperationState::AwaitingApproval).then(|| match (approved, row.not_before) {
            (false, _) => OperationState::Cancelled,
            (true, Some(at)) if at > now => OperationState::Scheduled,
            (true, _) => OperationState::Running,
        })
    };
    change(ctx, id, may, if approved { Turn::Approve } else { Turn::Clear }).await
}

/// Agrees to a dangerous operation of another operator, or refuses it.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/approve", tag = "operation", request_body = ApproveInput,
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_approve(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ApproveInput>,
) -> ApiResult<OperationView> {
    reply(approve(&ctx, OperationId(id), input.approved).await?)
}
