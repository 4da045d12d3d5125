//! Statements that several parts of the engine need.

use db::{WriteTx, sql};
use entity::OperationId;
use entity::operation::{self, Model, OperationState};
use entity::operation_task::TaskStep;
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, DbErr, EntityTrait as _, QuerySelect as _, Value};

use super::TOPIC;
use crate::access::catalog::perm;
use crate::app::App;
use crate::http::Need;
use crate::http::events::Audience;

/// How many tasks of an operation changed from one state to another.
#[derive(Clone, Copy, Debug)]
pub struct Moved {
    pub from: TaskStep,
    pub to: TaskStep,
    pub count: i64,
}

const fn column(step: TaskStep) -> &'static str {
    match step {
        TaskStep::Pending => "pending",
        TaskStep::Running => "running",
        TaskStep::Succeeded => "succeeded",
        TaskStep::Failed => "failed",
        TaskStep::Skipped => "skipped",
        TaskStep::Incompatible => "incompatible",
        TaskStep::Cancelled => "cancelled",
        TaskStep::Expired => "expired",
    }
}

/// How many tasks of the operation are in a state, or in all; it keeps count itself.
pub const fn counted(operation: &Model, step: Option<TaskStep>) -> i64 {
    match step {
        None => operation.total,
        Some(TaskStep::Pending) => operation.pending,
        Some(TaskStep::Running) => operation.running,
        Some(TaskStep::Succeeded) => operation.succeeded,
        Some(TaskStep::Failed) => operation.failed,
        Some(TaskStep::Skipped) => operation.skipped,
        Some(TaskStep::Incompatible) => operation.incompatible,
        Some(TaskStep::Cancelled) => operation.cancelled,
        Some(TaskStep::Expired) => operation.expired,
    }
}

/// Counts tasks from one state into another.
pub async fn count(tx: &WriteTx, id: OperationId, moved: &[Moved]) -> Result<(), DbErr> {
    for Moved { from, to, count } in moved.iter().filter(|moved| moved.count != 0 && moved.from != moved.to) {
        let (from, to) = (column(*from), column(*to));
        let text = format!("UPDATE operation SET {from} = {from} - $1, {to} = {to} + $1 WHERE id = $2");
        let values: [Value; 2] = [(*count).into(), id.0.into()];
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}

/// Counts tasks that were written down.
pub async fn count_new(tx: &WriteTx, id: OperationId, steps: &[(TaskStep, i64)]) -> Result<(), DbErr> {
    for (step, count) in steps.iter().filter(|(_, count)| *count != 0) {
        let column = column(*step);
        let text = format!("UPDATE operation SET {column} = {column} + $1, total = total + $1 WHERE id = $2");
        let values: [Value; 2] = [(*count).into(), id.0.into()];
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}

/// The operation, if it is there.
pub async fn find(db: &impl sea_orm::ConnectionTrait, id: OperationId) -> Result<Option<Model>, DbErr> {
    operation::Entity::find_by_id(id).one(db).await
}

/// The operation as it is now, and as it stays until the transaction ends: several servers may share a PostgreSQL, and
/// whoever decides by its state has to decide by the last one.
pub async fn lock(tx: &WriteTx, id: OperationId) -> Result<Option<Model>, DbErr> {
    operation::Entity::find_by_id(id).lock_exclusive().one(&**tx).await
}

/// Brings an operation into another state; the caller has asked `may_become`.
pub async fn set_state(
    tx: &WriteTx,
    id: OperationId,
    state: OperationState,
    why: &str,
    now: UtcTime,
) -> Result<Model, DbErr> {
    let mut change =
        operation::ActiveModel { id: Set(id), state: Set(state), why: Set(why.to_owned()), ..Default::default() };
    if state == OperationState::Running {
        change.started_at = Set(Some(now));
        change.finished_at = Set(None);
    }
    if state.is_over() {
        change.finished_at = Set(Some(now));
    }
    operation::Entity::update(change).exec(&**tx).await
}

/// Tasks have ended: an operation of which too much failed pauses, one of which nothing is left ends. Answers it as it
/// was before.
pub async fn after_results(tx: &WriteTx, id: OperationId, now: UtcTime) -> Result<Option<Model>, DbErr> {
    let Some(row) = lock(tx, id).await? else { return Ok(None) };
    let is_too_much = row.failed * 100 > i64::from(row.stop_at_percent) * row.total.max(1);
    if row.state == OperationState::Running && row.pending > 0 && is_too_much {
        set_state(tx, id, OperationState::Paused, "failed_limit", now).await?;
    }
    end_if_done(tx, id, now).await?;
    Ok(Some(row))
}

/// Ends an operation of which nothing is left to be done. Answers whether it did.
pub async fn end_if_done(tx: &WriteTx, id: OperationId, now: UtcTime) -> Result<bool, DbErr> {
    let Some(row) = lock(tx, id).await? else { return Ok(false) };
    if row.running > 0 {
        return Ok(false);
    }
    let next = match row.state {
        OperationState::Running | OperationState::Paused if row.pending == 0 => OperationState::Finished,
        OperationState::Cancelling => OperationState::Cancelled,
        OperationState::Freezing
        | OperationState::AwaitingApproval
        | OperationState::Scheduled
        | OperationState::Running
        | OperationState::Paused
        | OperationState::Finished
        | OperationState::Cancelled
        | OperationState::Expired => return Ok(false),
    };
    set_state(tx, id, next, &row.why, now).await?;
    Ok(true)
}

/// Changes the state of an operation's tasks, all at once; answers how many.
pub async fn move_all(
    tx: &WriteTx,
    id: OperationId,
    from: TaskStep,
    to: TaskStep,
    code: &str,
    now: UtcTime,
) -> Result<i64, DbErr> {
    let text = "UPDATE operation_task SET state = $1, code = $2, ended_at = $3 WHERE operation_id = $4 AND state = $5";
    let values: [Value; 5] = [to.code().into(), code.into(), now.millis().into(), id.0.into(), from.code().into()];
    let done = tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    let moved = i64::try_from(done.rows_affected()).unwrap_or(i64::MAX);
    count(tx, id, &[Moved { from, to, count: moved }]).await?;
    Ok(moved)
}

/// Tells open consoles that operations have moved on.
pub fn tell(app: &App, ids: impl IntoIterator<Item = OperationId>) {
    let Need::Code(code) = perm::OPERATION_LIST else { return };
    for id in ids {
        app.events.publish(
            TOPIC,
            "operation",
            &serde_json::json!({ "id": id }),
            Audience { code: Some(code), operator: None },
        );
    }
}
