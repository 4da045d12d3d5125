//! Reconnecting agents: which tasks never reached them, which they hold that are no longer wanted, and which are being
//! cancelled.

use std::collections::{HashMap, HashSet};

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::operation::{self, OperationKind, OperationState};
use entity::operation_task::{self as task, Model as Task, TaskStep};
use entity::{OperationId, OperationTaskId};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    QueryTrait as _, Select, Value,
};
use wire::{Held, Key};

use super::gone;
use super::pick::GIVEN;
use super::results::may_still_be_told;
use super::store::{Moved, RUNNING, count, end_if_done, tell};
use super::wakes::Operations;
use crate::state::{self, Session};

/// What a reconnected agent is told about the tasks it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Returned {
    /// Tasks that the console no longer wants.
    pub forget: Vec<Key>,
    /// Tasks that have ended, or whose operation was cancelled, while the agent was away: it must not start them, and
    /// reports them if it has.
    pub cancel: Vec<Key>,
}

/// Reconciles with an agent that has just connected: a task that the console believes to be with it but that it does
/// not hold never arrived, and waits again. Its results are accepted in any case. None if the agent was revoked, or has
/// connected once more: what this connection said is outdated then.
///
/// # Errors
/// When the database refuses.
pub async fn resume(app: &App, session: &Session, held: &[Held]) -> Outcome<Option<Returned>> {
    let holds: HashSet<Key> = held.iter().map(|held| held.key).collect();
    // Read inside the write transaction: a result recorded meanwhile, or an expired task, must not be counted as lost.
    let tx = app.db.begin_write().await?;
    if !state::holds(app, &tx, session).await? {
        return Ok(None);
    }
    let running = task::Entity::find()
        .filter(task::Column::RoomId.eq(session.room))
        .filter(Expr::cust(RUNNING))
        .filter(task::Column::AgentId.eq(session.agent))
        .order_by_asc(task::Column::Id)
        .lock_exclusive()
        .all(&*tx)
        .await?;
    let wanted: HashSet<Key> = running.iter().map(key).collect();
    let kept: Vec<(Key, OperationId)> =
        running.iter().map(|row| (key(row), row.operation_id)).filter(|(key, _)| holds.contains(key)).collect();
    let lost: Vec<Task> = running.into_iter().filter(|row| !holds.contains(&key(row))).collect();
    let mut by_operation: HashMap<OperationId, i64> = HashMap::new();
    for chunk in lost.chunks(500) {
        let text = format!(
            "UPDATE operation_task SET state = $1, agent_id = NULL, started_at = NULL WHERE state = $2 AND id IN ({})",
            sql::placeholders(3, chunk.len())
        );
        let head: [Value; 2] = [TaskStep::Pending.code().into(), TaskStep::Running.code().into()];
        let values = head.into_iter().chain(chunk.iter().map(|row| Value::from(row.id.0)));
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        for row in chunk {
            *by_operation.entry(row.operation_id).or_default() += 1;
        }
    }
    let now = app.clock.now();
    for (id, moved) in &by_operation {
        count(&tx, *id, &[Moved { from: TaskStep::Running, to: TaskStep::Pending, count: *moved }]).await?;
        let state = super::store::lock(&tx, *id).await?.map(|row| row.state);
        if state == Some(OperationState::Cancelling) {
            super::store::end_waiting(&tx, *id, TaskStep::Cancelled, "", now).await?;
            end_if_done(&tx, *id, now).await?;
        }
    }
    gone::give_time(app, &tx, session).await?;
    tx.commit().await?;
    tell(app, by_operation.into_keys());
    app.part::<Operations>().wake([session.room]);
    let unknown = held.iter().filter(|held| !held.has_ended && !wanted.contains(&held.key));
    let mut returned = sorted_out(app, session, unknown.map(|held| held.key)).await?;
    // It is told before it goes on with anything: a moment later they would have begun.
    let stopping: Vec<OperationId> = in_state(OperationState::Cancelling).into_tuple().all(app.db.read()).await?;
    returned.cancel.extend(kept.iter().filter(|(_, operation)| stopping.contains(operation)).map(|(key, _)| *key));
    Ok(Some(returned))
}

/// The attempt of a task that is with an agent.
fn key(row: &Task) -> Key {
    Key::operation(row.id.0, u32::try_from(row.attempt).unwrap_or(0))
}

/// What to do with attempts that an agent holds and that are not running for the console.
async fn sorted_out(app: &App, session: &Session, unknown: impl Iterator<Item = Key>) -> Outcome<Returned> {
    let mut answer = Returned::default();
    let unknown: Vec<Key> = unknown.filter(|key| key.book.is_operation()).collect();
    for chunk in unknown.chunks(500) {
        let ids = chunk.iter().map(|key| OperationTaskId(key.task));
        let rows = task::Entity::find().filter(task::Column::Id.is_in(ids)).all(app.db.read()).await?;
        let rows: HashMap<i64, Task> = rows.into_iter().map(|row| (row.id.0, row)).collect();
        for key in chunk {
            let is_open = rows.get(&key.task).is_some_and(|row| may_still_be_told(row, session, *key));
            if is_open { answer.cancel.push(*key) } else { answer.forget.push(*key) }
        }
    }
    Ok(answer)
}

/// The operations in a state, of the kinds that agents execute.
fn in_state(state: OperationState) -> Select<operation::Entity> {
    let of_records = OperationKind::ALL.iter().copied().filter(|kind| kind.is_of_records());
    let select = operation::Entity::find().select_only().column(operation::Column::Id);
    select.filter(operation::Column::State.eq(state)).filter(operation::Column::Kind.is_not_in(of_records))
}

/// Tasks that the agent should not start any more: those of operations that are being cancelled.
///
/// # Errors
/// When the read fails.
pub async fn cancelled(app: &App, session: &Session) -> Outcome<Vec<Key>> {
    let rows = task::Entity::find()
        .filter(task::Column::RoomId.eq(session.room))
        .filter(Expr::cust(RUNNING))
        .filter(task::Column::AgentId.eq(session.agent))
        .filter(task::Column::OperationId.in_subquery(in_state(OperationState::Cancelling).into_query()))
        .limit(u64::from(GIVEN))
        .all(app.db.read())
        .await?;
    Ok(rows.iter().map(key).collect())
}
