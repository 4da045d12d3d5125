//! Controlling operations: pause, resume, cancel, approve.

use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use entity::OperationId;
use entity::operation::{self, Model, OperationState};
use entity::operation_task::TaskStep;
use kernel::rules::Check;
use kernel::text::{Text, text};
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde::Deserialize;
use utoipa::ToSchema;

use super::api::{NOT_FOUND, named};
use super::asked::Asked;
use super::finish::{NOT_NOW, finish};
use super::store::{end_waiting, lock, set_state};
use super::view::OperationView;
use super::{approval, retry, rights};

const OWN: Text =
    text("不能审批自己发起的操作或重试", "You cannot approve an operation or a retry that you started yourself");

/// The effect of a change of state on the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Waiting tasks keep waiting.
    Hold,
    /// Waiting tasks are cancelled.
    Clear,
    /// Waiting tasks may begin, because of whoever asks for it.
    GoOn,
}

/// Changes an operation's state if allowed; returns the operation afterwards.
async fn change(
    ctx: &OpCtx,
    id: OperationId,
    may: impl Fn(&Model) -> Option<OperationState>,
    turn: Turn,
) -> Outcome<OperationView> {
    let now = ctx.now();
    let mut tx = ctx.begin_write().await?;
    let before = lock(tx.inner(), id).await?.or_missing(NOT_FOUND)?;
    let next = may(&before).filter(|next| before.state.may_become(*next)).ok_or_else(|| Fault::conflict(NOT_NOW))?;
    if turn == Turn::Clear {
        end_waiting(tx.inner(), id, TaskStep::Cancelled, "", now).await?;
    }
    if turn == Turn::GoOn {
        if !approval::may_alone(ctx, &*tx, &before, approval::waiting(&before)).await? {
            return Err(Fault::conflict(approval::TOO_MUCH));
        }
        approval::take_over(&tx, id, ctx.operator()).await?;
    }
    let after = match Asked::of(&before)? {
        Some(asked) if next == OperationState::Cancelled => retry::withdrawn(tx.inner(), &before, &asked, now).await?,
        Some(_) | None => {
            // Cancelled with nothing running: it is over.
            let is_over = next == OperationState::Cancelling && before.running == 0;
            let next = if is_over { OperationState::Cancelled } else { next };
            set_state(tx.inner(), id, next, "", now).await?
        }
    };
    finish(ctx, tx, before, after).await
}

/// Pauses an operation: running tasks finish, no new ones start.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/pause", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_pause(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationView> {
    let may = |row: &Model| (row.state == OperationState::Running).then_some(OperationState::Paused);
    reply(change(&ctx, OperationId(id), may, Turn::Hold).await?)
}

/// Resumes a paused operation. Requires the permission of the operation's kind as well, and what starting it on its cards would.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/resume", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_go_on(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationView> {
    let id = OperationId(id);
    rights::check(&ctx, &named(&ctx, id).await?).await?;
    let may = |row: &Model| (row.state == OperationState::Paused).then_some(OperationState::Running);
    reply(change(&ctx, id, may, Turn::GoOn).await?)
}

/// Cancels an operation: waiting tasks are cancelled at once, running ones finish. A retry that awaits approval is
/// withdrawn, and nothing else changes.
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

/// A second operator's decision.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproveInput {
    /// Whether it may run.
    pub approved: bool,
}

impl Validate for ApproveInput {
    fn check(&self, _: &mut Check) {}
}

/// A second operator lets an operation begin, or the retry that was asked for.
async fn approve(ctx: &OpCtx, id: OperationId) -> Outcome<OperationView> {
    let now = ctx.now();
    let asked_for = named(ctx, id).await?;
    // His word weighs as much as that of the one who asked.
    if asked_for.kind.wants_second() {
        rights::check(ctx, &asked_for).await?;
        ctx.proved()?;
    }
    let mut tx = ctx.begin_write().await?;
    let before = lock(tx.inner(), id).await?.or_missing(NOT_FOUND)?;
    if before.state != OperationState::AwaitingApproval {
        return Err(Fault::conflict(NOT_NOW));
    }
    let asked = Asked::of(&before)?;
    if asked.as_ref().map_or(before.created_by_id, |asked| asked.by_id) == ctx.operator() {
        return Err(Fault::conflict(OWN));
    }
    match asked {
        Some(asked) => _ = retry::approved(&mut tx, &before, &asked, now).await?,
        None => {
            let waits = before.not_before.is_some_and(|at| at > now);
            let next = if waits { OperationState::Scheduled } else { OperationState::Running };
            set_state(tx.inner(), id, next, "", now).await?;
        }
    }
    let approved_by = Set(ctx.session.username.clone());
    let approved = operation::ActiveModel { id: Set(id), approved_by, ..Default::default() };
    let after = operation::Entity::update(approved).exec(&*tx).await?;
    finish(ctx, tx, before, after).await
}

/// A second operator refuses it, or whoever asked withdraws it.
async fn reject(ctx: &OpCtx, id: OperationId) -> Outcome<OperationView> {
    let may = |row: &Model| (row.state == OperationState::AwaitingApproval).then_some(OperationState::Cancelled);
    change(ctx, id, may, Turn::Clear).await
}

/// Approves or rejects another operator's operation, or the retry of failed tasks that somebody has asked for.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/approve", tag = "operation", request_body = ApproveInput,
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_approve(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ApproveInput>,
) -> ApiResult<OperationView> {
    let id = OperationId(id);
    reply(if input.approved { approve(&ctx, id).await? } else { reject(&ctx, id).await? })
}
