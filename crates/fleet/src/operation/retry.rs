//! Retrying tasks that failed or expired.

use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx, OpTx};
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use db::sql;
use entity::OperationId;
use entity::operation::{self, Model, OperationState};
use entity::operation_task::{self as task, TaskEffect, TaskStep};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, Condition, ConnectionTrait as _, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, Select, Value,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::api::{NOT_FOUND, named};
use super::approval;
use super::control::NOT_NOW;
use super::store::{Moved, count, find, lock, set_state, tell};
use super::view::OperationView;
use super::{expand, rights};

const NOTHING: Text = text("没有可以重试的任务", "There are no tasks to retry");
const MAY_HAVE_RUN: Text = text(
    "其中 {n} 个任务可能已在设备上执行过，重试会再执行一次；请确认后重试",
    "Tasks that may already have run on their card and would run again: {n}; confirm to retry them",
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

/// Puts the tasks in one state back into the queue; returns how many.
async fn turn(ctx: &OpCtx, tx: &OpTx, id: OperationId, from: TaskStep, input: &RetryInput) -> Outcome<i64> {
    let mut text =
        "UPDATE operation_task SET state = $1, ended_at = NULL, output = '', is_cut = $2, exit_code = NULL, \
                    retried_by_id = $3 WHERE operation_id = $4 AND state = $5"
            .to_owned();
    let mut values: Vec<Value> =
        vec![TaskStep::Pending.code().into(), false.into(), ctx.operator().0.into(), id.0.into(), from.code().into()];
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

/// Refuses what needs a confirmation that is missing: tasks that may have run, and more tasks than one operator may
/// start alone.
async fn check(ctx: &OpCtx, tx: &OpTx, row: &Model, input: &RetryInput) -> Outcome<()> {
    let may_have_run =
        Condition::any().add(task::Column::Effect.is_null()).add(task::Column::Effect.ne(TaskEffect::NeverBegan));
    let again = input.tasks(row.id).filter(may_have_run).count(&**tx).await?;
    if again > 0 && !input.confirmed {
        return Err(Fault::conflict(MAY_HAVE_RUN.with("n", again)));
    }
    approval::check_alone(ctx, tx, row, input.tasks(row.id)).await
}

async fn retry(ctx: &OpCtx, id: OperationId, input: &RetryInput) -> Outcome<OperationView> {
    rights::check(ctx, named(ctx, id).await?.kind).await?;
    let now = ctx.now();
    let mut tx = ctx.begin_write().await?;
    let before = lock(tx.inner(), id).await?.or_missing(NOT_FOUND)?;
    let may = [OperationState::Finished, OperationState::Expired, OperationState::Running, OperationState::Paused];
    if !may.contains(&before.state) {
        return Err(Fault::conflict(NOT_NOW));
    }
    check(ctx, &tx, &before, input).await?;
    let mut moved = Vec::with_capacity(RETRIED.len());
    for from in RETRIED {
        moved.push(Moved { from, to: TaskStep::Pending, count: turn(ctx, &tx, id, from, input).await? });
    }
    if moved.iter().all(|moved| moved.count == 0) {
        return Err(Fault::conflict(NOTHING));
    }
    count(tx.inner(), id, &moved).await?;
    let after = if before.state.is_over() {
        // It gets the same time again as it had.
        let span = before.expires_at.seconds_since(before.created_at).max(60);
        let change =
            operation::ActiveModel { id: Set(id), expires_at: Set(now.plus_seconds(span)), ..Default::default() };
        operation::Entity::update(change).exec(&*tx).await?;
        set_state(tx.inner(), id, OperationState::Running, "", now).await?
    } else {
        find(&*tx, id).await?.or_missing(NOT_FOUND)?
    };
    let (old, new) = (OperationView::of(before, ctx.lang()), OperationView::of(after.clone(), ctx.lang()));
    tx.commit(Audit::of("operation").id(id).before(&old).after(&new)).await?;
    tell(&ctx.app, [id]);
    expand::wake(&ctx.app, &after).await?;
    Ok(new)
}

/// Retries failed and expired tasks: all, or those with one reason. Requires the permission of the operation's kind, and a
/// confirmation if tasks may have run.
#[utoipa::path(post, path = "/api/operation/v1/operations/{id}/retry", tag = "operation", request_body = RetryInput,
    params(("id" = i64, Path, description = "The operation's id")), responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_retry(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<RetryInput>,
) -> ApiResult<OperationView> {
    reply(retry(&ctx, OperationId(id), &input).await?)
}
