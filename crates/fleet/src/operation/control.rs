//! Controlling operations: pause, resume, cancel, approve.

use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
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
use super::store::{end_waiting, lock, set_state, tell};
use super::view::OperationView;
use super::{approval, expand, rights};

pub const NOT_NOW: Text =
    text("该操作当前的状态不允许这样做，请刷新", "The operation's current state does not allow this; refresh");
const OWN: Text = text("发起人不能审批自己的操作", "You cannot approve an operation that you started");

/// The effect of a change of state on the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// Waiting tasks keep waiting.
    Hold,
    /// Waiting tasks are cancelled.
    Clear,
    /// Waiting tasks may begin, because of whoever asks for it.
    GoOn,
    /// A second operator has approved.
    Approve,
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
        approval::check_alone(ctx, &tx, &before, approval::waiting(id)).await?;
        approval::take_over(&tx, id, ctx.operator()).await?;
    }
    // Cancelled with nothing running: it is over.
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
    expand::wake(&ctx.app, &after).await?;
    Ok(new)
}

/// Pauses an operation: running tasks finish, no new ones start.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/pause", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_pause(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationView> {
    let may = |row: &Model| (row.state == OperationState::Running).then_some(OperationState::Paused);
    reply(change(&ctx, OperationId(id), may, Turn::Hold).await?)
}

/// Resumes a paused operation. Requires the permission of the operation's kind as well.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/resume", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_go_on(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationView> {
    let id = OperationId(id);
    rights::check(&ctx, named(&ctx, id).await?.kind).await?;
    let may = |row: &Model| (row.state == OperationState::Paused).then_some(OperationState::Running);
    reply(change(&ctx, id, may, Turn::GoOn).await?)
}

/// Cancels an operation: waiting tasks are cancelled at once, running ones finish.
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

async fn approve(ctx: &OpCtx, id: OperationId, approved: bool) -> Outcome<OperationView> {
    let row = named(ctx, id).await?;
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

/// Approves or rejects another operator's operation.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/approve", tag = "operation", request_body = ApproveInput,
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_approve(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ApproveInput>,
) -> ApiResult<OperationView> {
    reply(approve(&ctx, OperationId(id), input.approved).await?)
}
