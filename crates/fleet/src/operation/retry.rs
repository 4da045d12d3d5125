//! Retrying tasks that failed or expired, alone or with the approval of a second operator.

use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::{OpCtx, OpTx};
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use db::{WriteTx, sql};
use entity::operation::{self, Model, OperationState};
use entity::operation_task::{self as task, TaskEffect, TaskStep};
use entity::{OperationId, OperatorId};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, Condition, ConnectionTrait as _, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, Select, Value,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::api::{NOT_FOUND, named};
use super::asked::Asked;
use super::finish::{NOT_NOW, finish};
use super::store::{Moved, count, ended_as, find, lock, set_state};
use super::view::OperationView;
use super::{approval, rights};

const NOTHING: Text = text("没有可以重试的任务", "There are no tasks to retry");
const ANEW: Text = text(
    "此操作不能重试：请重新发起，由另一位操作员批准",
    "This is not retried: start it anew, and have another operator approve it",
);
const MAY_HAVE_RUN: Text = text(
    "其中 {n} 个任务可能已在设备上执行过，重试会再执行一次；请确认后重试",
    "Tasks that may already have run on their card and would run again: {n}; confirm to retry them",
);
const TOO_MUCH: Text = text(
    "重试的任务超过了需要审批的数量；请稍后再试，或在操作结束后申请由另一位操作员审批",
    "Too many tasks for one operator to retry; try again later, or, once the operation has ended, ask another operator \
     to approve the retry",
);

/// The states of tasks that are retried.
pub const RETRIED: [TaskStep; 2] = [TaskStep::Failed, TaskStep::Expired];

/// Which of the failed and expired tasks are retried.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetryInput {
    /// Those that failed or expired for this reason; all if omitted.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub code: Option<String>,
    /// Those with this effect on the card: 1 none, 2 known, 3 unknown; all if omitted.
    #[serde(default)]
    pub effect: Option<TaskEffect>,
    /// Also retry tasks that may have run; they would run again. Without it a retry that includes such tasks is
    /// refused.
    #[serde(default)]
    pub confirmed: bool,
    /// If these are more tasks than one operator may let begin alone, wait for a second operator's approval, as a new
    /// operation does; possible once the operation has ended. Without it such a retry is refused.
    #[serde(default)]
    pub ask_approval: bool,
}

impl Validate for RetryInput {
    fn check(&self, check: &mut Check) {
        if let Some(code) = &self.code {
            check.field("code", max_chars(code, 64));
        }
    }
}

impl RetryInput {
    /// The matching tasks.
    fn tasks(&self, id: OperationId) -> Select<task::Entity> {
        let mut select =
            task::Entity::find().filter(task::Column::OperationId.eq(id)).filter(task::Column::State.is_in(RETRIED));
        if let Some(code) = &self.code {
            select = select.filter(task::Column::Code.eq(code.as_str()));
        }
        if let Some(effect) = self.effect {
            select = select.filter(task::Column::Effect.eq(effect));
        }
        select
    }
}

/// Puts the tasks in one state back into the queue; returns how many. `by` answers for them: nobody if a second operator
/// has approved it.
async fn turn(tx: &OpTx, id: OperationId, from: TaskStep, input: &RetryInput, by: Option<OperatorId>) -> Outcome<i64> {
    let mut text =
        "UPDATE operation_task SET state = $1, ended_at = NULL, output = '', is_cut = $2, exit_code = NULL, \
                    retried_by_id = $3 WHERE operation_id = $4 AND state = $5"
            .to_owned();
    let mut values: Vec<Value> =
        vec![TaskStep::Pending.code().into(), false.into(), by.map(|by| by.0).into(), id.0.into(), from.code().into()];
    if let Some(code) = &input.code {
        values.push(code.as_str().into());
        text.push_str(&format!(" AND code = ${}", values.len()));
    }
    if let Some(effect) = input.effect {
        values.push(effect.code().into());
        text.push_str(&format!(" AND effect = ${}", values.len()));
    }
    let done = tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(i64::try_from(done.rows_affected()).unwrap_or(i64::MAX))
}

/// Refuses tasks that may have run if that is not confirmed.
async fn check(tx: &OpTx, row: &Model, input: &RetryInput) -> Outcome<()> {
    let may_have_run =
        Condition::any().add(task::Column::Effect.is_null()).add(task::Column::Effect.ne(TaskEffect::NeverBegan));
    let again = input.tasks(row.id).filter(may_have_run).count(&**tx).await?;
    if again > 0 && !input.confirmed { Err(Fault::conflict(MAY_HAVE_RUN.with("n", again))) } else { Ok(()) }
}

/// The tasks wait again, and an operation that had ended has its whole time again.
async fn begin(
    tx: &mut OpTx,
    before: &Model,
    input: &RetryInput,
    by: Option<OperatorId>,
    now: UtcTime,
) -> Outcome<Model> {
    let id = before.id;
    let mut moved = Vec::with_capacity(RETRIED.len());
    for from in RETRIED {
        moved.push(Moved { from, to: TaskStep::Pending, count: turn(tx, id, from, input, by).await? });
    }
    if moved.iter().all(|moved| moved.count == 0) {
        return Err(Fault::conflict(NOTHING));
    }
    count(tx.inner(), id, &moved).await?;
    if matches!(before.state, OperationState::Running | OperationState::Paused) {
        return find(&**tx, id).await?.or_missing(NOT_FOUND);
    }
    let expires_at = now.plus_seconds(before.lasts);
    let change = operation::ActiveModel { id: Set(id), expires_at: Set(expires_at), ..Default::default() };
    operation::Entity::update(change).exec(&**tx).await?;
    Ok(set_state(tx.inner(), id, OperationState::Running, "", now).await?)
}

/// It waits for a second operator: nothing happens to the tasks before.
async fn ask(ctx: &OpCtx, tx: &mut OpTx, before: &Model, input: &RetryInput) -> Outcome<Model> {
    if !input.ask_approval || !before.state.is_over() {
        return Err(Fault::conflict(TOO_MUCH));
    }
    let tasks = input.tasks(before.id).count(&**tx).await?;
    let now = ctx.now();
    let asked = Asked {
        by_id: ctx.operator(),
        by: ctx.session.username.clone(),
        at: now,
        count: i64::try_from(tasks).unwrap_or(i64::MAX),
        expires_at: before.expires_at,
        code: input.code.clone(),
        effect: input.effect,
        confirmed: input.confirmed,
    };
    set_state(tx.inner(), before.id, OperationState::AwaitingApproval, &before.why, now).await?;
    let change = operation::ActiveModel {
        id: Set(before.id),
        expires_at: Set(now.plus_seconds(before.lasts)),
        retry_asked: Set(Some(asked.kept()?)),
        ..Default::default()
    };
    Ok(operation::Entity::update(change).exec(&**tx).await?)
}

/// Begins the retry that a second operator has approved.
///
/// # Errors
/// The tasks have become others meanwhile, or the database refuses.
pub async fn approved(tx: &mut OpTx, before: &Model, asked: &Asked, now: UtcTime) -> Outcome<Model> {
    let Asked { code, effect, confirmed, .. } = asked.clone();
    let input = RetryInput { code, effect, confirmed, ask_approval: false };
    check(tx, before, &input).await?;
    begin(tx, before, &input, None, now).await
}

/// Leaves the operation as it had ended.
///
/// # Errors
/// When the database refuses.
pub async fn withdrawn(tx: &WriteTx, before: &Model, asked: &Asked, now: UtcTime) -> Outcome<Model> {
    set_state(tx, before.id, ended_as(before), &before.why, now).await?;
    let change = operation::ActiveModel { id: Set(before.id), expires_at: Set(asked.expires_at), ..Default::default() };
    Ok(operation::Entity::update(change).exec(&**tx).await?)
}

/// Whether a second operator has to approve it if the caller retries all that failed or expired of an operation that
/// has ended.
///
/// # Errors
/// When a read fails.
pub async fn needs_approval(ctx: &OpCtx, row: &Model) -> Outcome<bool> {
    if !row.state.is_over() || row.failed + row.expired == 0 {
        return Ok(false);
    }
    Ok(!approval::may_alone(ctx, ctx.read(), row, RetryInput::default().tasks(row.id)).await?)
}

async fn retry(ctx: &OpCtx, id: OperationId, input: &RetryInput) -> Outcome<OperationView> {
    rights::check(ctx, &named(ctx, id).await?).await?;
    let mut tx = ctx.begin_write().await?;
    let before = lock(tx.inner(), id).await?.or_missing(NOT_FOUND)?;
    let may = [OperationState::Finished, OperationState::Expired, OperationState::Running, OperationState::Paused];
    if !may.contains(&before.state) {
        return Err(Fault::conflict(NOT_NOW));
    }
    // Whose word it is has to be clear: one asks, and one confirms.
    if before.kind.wants_second() {
        return Err(Fault::conflict(ANEW));
    }
    check(&tx, &before, input).await?;
    let after = if approval::may_alone(ctx, &*tx, &before, input.tasks(id)).await? {
        begin(&mut tx, &before, input, Some(ctx.operator()), ctx.now()).await?
    } else {
        ask(ctx, &mut tx, &before, input).await?
    };
    finish(ctx, tx, before, after).await
}

/// Retries failed and expired tasks: all, or those with one reason. Requires the permission of the operation's kind, a confirmation
/// if tasks may have run, and a second operator if these are more tasks than one may let begin alone, whoever approved
/// their first attempt.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/retry", tag = "operation", request_body = RetryInput,
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_retry(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<RetryInput>,
) -> ApiResult<OperationView> {
    reply(retry(&ctx, OperationId(id), &input).await?)
}
