//! Statements shared by several parts of the engine.

use base::app::App;
use base::http::events::Audience;
use db::{WriteTx, sql};
use entity::OperationId;
use entity::operation::{self, Model, OperationState};
use entity::operation_task::{TaskEffect, TaskStep};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, DbErr, EntityTrait as _, QuerySelect as _, Value};
use wire::Reason;

use super::wakes::TOPIC;
use crate::screens::perm;

/// Waiting and running tasks, written as in the indexes: a bound value would not use them.
pub const WAITING: &str = "state = 1";
pub const RUNNING: &str = "state = 2";

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

/// How many tasks of the operation are in a state, or in total; the operation keeps these counts itself.
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

/// Moves counts from one state to another.
pub async fn count(tx: &WriteTx, id: OperationId, moved: &[Moved]) -> Result<(), DbErr> {
    for Moved { from, to, count } in moved.iter().filter(|moved| moved.count != 0 && moved.from != moved.to) {
        let (from, to) = (column(*from), column(*to));
        let text = format!("UPDATE operation SET {from} = {from} - $1, {to} = {to} + $1 WHERE id = $2");
        let values: [Value; 2] = [(*count).into(), id.0.into()];
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}

/// Counts new tasks.
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

/// Locks the operation for the rest of the transaction and reads its current state: several consoles may share a
/// PostgreSQL.
pub async fn lock(tx: &WriteTx, id: OperationId) -> Result<Option<Model>, DbErr> {
    operation::Entity::find_by_id(id).lock_exclusive().one(&**tx).await
}

/// Changes the state of an operation; the caller has checked `may_become`.
pub async fn set_state(
    tx: &WriteTx,
    id: OperationId,
    state: OperationState,
    why: &str,
    now: UtcTime,
) -> Result<Model, DbErr> {
    let mut change =
        operation::ActiveModel { id: Set(id), state: Set(state), why: Set(why.to_owned()), ..Default::default() };
    let before = find(&**tx, id).await?;
    if state == OperationState::Running {
        // What is resumed or tried again began when it began.
        change.started_at = Set(before.as_ref().and_then(|row| row.started_at).or(Some(now)));
        change.finished_at = Set(None);
    }
    if state.is_over() {
        // What had ended before somebody asked for a retry that is not made ended then.
        change.finished_at = Set(before.and_then(|row| row.finished_at).or(Some(now)));
    }
    if state != OperationState::AwaitingApproval {
        change.retry_asked = Set(None);
    }
    operation::Entity::update(change).exec(&**tx).await
}

/// Applies what ended tasks mean for their operation: too many failures pause it, none left ends it. Returns it as it
/// was before.
pub async fn after_results(
    tx: &WriteTx,
    id: OperationId,
    have_failed: bool,
    now: UtcTime,
) -> Result<Option<Model>, DbErr> {
    let Some(row) = lock(tx, id).await? else { return Ok(None) };
    let is_too_much = have_failed && row.failed * 100 > i64::from(row.stop_at_percent) * row.total.max(1);
    if row.state == OperationState::Running && row.pending > 0 && is_too_much {
        set_state(tx, id, OperationState::Paused, Reason::FailedLimit.code(), now).await?;
    }
    end_if_done(tx, id, now).await?;
    Ok(Some(row))
}

/// The final state of an operation without open tasks: expired if most of its tasks ran out of time.
pub const fn ended_as(row: &Model) -> OperationState {
    let wanted = row.total - row.skipped - row.incompatible;
    if row.expired > 0 && row.expired * 2 >= wanted { OperationState::Expired } else { OperationState::Finished }
}

/// Ends an operation without open tasks. Returns whether it did.
pub async fn end_if_done(tx: &WriteTx, id: OperationId, now: UtcTime) -> Result<bool, DbErr> {
    let Some(row) = lock(tx, id).await? else { return Ok(false) };
    if row.running > 0 {
        return Ok(false);
    }
    let next = match row.state {
        OperationState::Running | OperationState::Paused if row.pending == 0 => ended_as(&row),
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
    let why = if next == OperationState::Expired { Reason::Expired.code() } else { row.why.as_str() };
    set_state(tx, id, next, why, now).await?;
    Ok(true)
}

/// Ends all waiting tasks of an operation at once; returns how many. Those that never started have had no effect; those
/// that wait for a retry keep the effect of their last attempt.
pub async fn end_waiting(tx: &WriteTx, id: OperationId, to: TaskStep, code: &str, now: UtcTime) -> Result<i64, DbErr> {
    let from = TaskStep::Pending;
    let text = "UPDATE operation_task SET state = $1, code = $2, ended_at = $3, effect = COALESCE(effect, $4) \
                WHERE operation_id = $5 AND state = $6";
    let values: [Value; 6] = [
        to.code().into(),
        code.into(),
        now.millis().into(),
        TaskEffect::NeverBegan.code().into(),
        id.0.into(),
        from.code().into(),
    ];
    let done = tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    let moved = i64::try_from(done.rows_affected()).unwrap_or(i64::MAX);
    count(tx, id, &[Moved { from, to, count: moved }]).await?;
    Ok(moved)
}

/// Notifies open consoles of changed operations.
pub fn tell(app: &App, ids: impl IntoIterator<Item = OperationId>) {
    for id in ids {
        app.events.publish(
            TOPIC,
            "operation",
            &serde_json::json!({ "id": id }),
            Audience { code: Some(perm::OPERATION_LIST.code()), operator: None },
        );
    }
}

#[cfg(test)]
mod tests {
    use entity::operation_task::TaskStep;

    #[test]
    fn the_indexes_mean_the_states_that_their_names_say() {
        for (text, step) in [(super::WAITING, TaskStep::Pending), (super::RUNNING, TaskStep::Running)] {
            assert_eq!(text, format!("state = {}", step.code()));
        }
    }
}
