//! Tasks whose agent is gone or silent: they end and free their places. Deadlines are of the steady clock, so that a
//! clock that is set ends nothing, and stored, so that a restart of the console goes on with them, within the bounds of
//! [`begin`].

use std::collections::BTreeMap;

use base::app::App;
use base::fault::Outcome;
use db::{WriteTx, sql};
use entity::operation_task::{self as task, TaskEffect, TaskStep};
use entity::{OperationId, OperationTaskId, RoomAgentId, RoomId, room_agent};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, FromQueryResult, PaginatorTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _, Value,
};
use wire::Reason;

use super::store::{Moved, RUNNING, count, end_if_done, lock, tell};
use super::wakes::Operations;
use crate::state::{Fleet, Session};

/// Seconds beyond a task's timeout within which an agent that lost the console has returned: it notices after 45 s, and
/// waits up to 60 s before it reconnects.
pub const GRACE: i64 = 120;
/// Seconds beyond that within which a connected agent has reported the result of a task. It ends each task itself at
/// its timeout, so only one that hangs, or has lost the task, is silent for so long.
const SILENCE: i64 = 900;
/// Tasks that end in one transaction.
const STEP: u64 = 500;

/// An agent with running tasks.
#[derive(FromQueryResult)]
struct Holder {
    id: RoomAgentId,
    room_id: RoomId,
    name: String,
    disconnected_at: Option<UtcTime>,
    revoked_at: Option<UtcTime>,
    /// The deadline of the first of its tasks.
    due: UtcTime,
}

/// Why tasks end without a result from their agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// It was revoked or replaced: all of its tasks.
    Out,
    /// It is disconnected: those that are due.
    Away,
    /// Connected, but overdue with its results.
    Silent,
}

impl Why {
    const fn reason(self) -> Reason {
        match self {
            Self::Out | Self::Away => Reason::AgentGone,
            Self::Silent => Reason::AgentSilent,
        }
    }

    /// Tasks that were due at this moment of the steady clock end; all, if there is none.
    fn until(self, steady: UtcTime) -> Option<UtcTime> {
        match self {
            Self::Out => None,
            Self::Away => Some(steady),
            Self::Silent => Some(steady.plus_seconds(-SILENCE)),
        }
    }
}

/// Why a task ended without a result from its agent, if this is the code of that.
pub fn given_up(code: &str) -> Option<Reason> {
    Reason::from_code(code).filter(|reason| matches!(reason, Reason::AgentGone | Reason::AgentSilent))
}

/// The latest deadline of a task that is handed out now, if `$1` is the steady clock's time with the grace.
pub(super) const LATEST: &str =
    "$1 + 1000 * (SELECT seconds FROM operation WHERE operation.id = operation_task.operation_id)";

/// Corrects the deadlines of an earlier console. The steady clock begins where the wall clock stands at the start: if
/// that was set, or if the console was down for long, they are over before any agent can have returned, or hours away.
/// So nothing ends before the grace is over, and nothing later than if it were handed out now.
///
/// # Errors
/// When the database refuses.
pub async fn begin(app: &App) -> Outcome<()> {
    let floor = app.clock.steady().plus_seconds(GRACE);
    let tx = app.db.begin_write().await?;
    for text in [
        format!("UPDATE operation_task SET deadline = $1 WHERE {RUNNING} AND (deadline IS NULL OR deadline < $1)"),
        format!("UPDATE operation_task SET deadline = {LATEST} WHERE {RUNNING} AND deadline > {LATEST}"),
    ] {
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, [floor.millis().into()])).await?;
    }
    tx.commit().await?;
    app.part::<Operations>().set_floor(floor);
    Ok(())
}

/// Gives the tasks of an agent that has returned, and holds them, their whole time again if they were overdue when the
/// console started: it may have been the clock, and the agent is still at them. Once, since the deadline is later then.
///
/// # Errors
/// When the database refuses.
pub async fn give_time(app: &App, tx: &WriteTx, session: &Session) -> Outcome<()> {
    let Some(floor) = app.part::<Operations>().floor() else { return Ok(()) };
    let text = format!(
        "UPDATE operation_task SET deadline = {LATEST} WHERE {RUNNING} AND room_id = $2 AND agent_id = $3 \
         AND deadline <= $4"
    );
    let values: [Value; 4] = [
        app.clock.steady().plus_seconds(GRACE).millis().into(),
        session.room.0.into(),
        session.agent.0.into(),
        floor.millis().into(),
    ];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}

/// Ends the tasks of agents that were revoked or replaced, or that have been disconnected or silent for too long.
///
/// # Errors
/// When the database refuses; the next round retries.
pub async fn round(app: &App) -> Outcome<()> {
    for holder in holders(app).await? {
        let is_out = holder.revoked_at.is_some() || is_replaced(app, &holder).await?;
        let why = match is_there(app, &holder) {
            _ if is_out => Why::Out,
            true => Why::Silent,
            false => Why::Away,
        };
        if why.until(app.clock.steady()).is_none_or(|until| holder.due <= until) {
            while end_some(app, &holder, why).await? {}
        }
    }
    Ok(())
}

/// One index lookup for each agent that ever joined: the tasks themselves are not read.
async fn holders(app: &App) -> Outcome<Vec<Holder>> {
    let text = format!(
        "SELECT * FROM (SELECT id, room_id, name, disconnected_at, revoked_at, (SELECT MIN(deadline) FROM operation_task \
         WHERE {RUNNING} AND room_id = agent.room_id AND agent_id = agent.id) AS due FROM room_agent agent) holder \
         WHERE due IS NOT NULL ORDER BY id"
    );
    let statement = sql::statement(app.db.backend(), text, []);
    Ok(Holder::find_by_statement(statement).all(app.db.read()).await?)
}

/// Whether another agent of the same name has joined since this one disconnected.
async fn is_replaced(app: &App, holder: &Holder) -> Outcome<bool> {
    let Some(went) = holder.disconnected_at.filter(|_| !is_there(app, holder)) else { return Ok(false) };
    let joined_since = room_agent::Entity::find()
        .filter(room_agent::Column::RoomId.eq(holder.room_id))
        .filter(room_agent::Column::Name.eq(holder.name.as_str()))
        .filter(room_agent::Column::EnrolledAt.gt(went))
        .filter(room_agent::Column::RevokedAt.is_null())
        .count(app.db.read())
        .await?;
    Ok(joined_since > 0)
}

fn is_there(app: &App, holder: &Holder) -> bool {
    app.part::<Fleet>().connected_since(holder.id).is_some()
}

/// Ends some of an agent's tasks: all, or those that are due. Returns whether there may be more.
async fn end_some(app: &App, holder: &Holder, why: Why) -> Outcome<bool> {
    let (now, steady) = (app.clock.now(), app.clock.steady());
    let tx = app.db.begin_write().await?;
    // It may have connected meanwhile, and then it reports what it holds; or have disconnected.
    if holder.revoked_at.is_none() && is_there(app, holder) != (why == Why::Silent) {
        return Ok(false);
    }
    let mut select = task::Entity::find()
        .select_only()
        .columns([task::Column::Id, task::Column::OperationId])
        .filter(Expr::cust(RUNNING))
        .filter(task::Column::RoomId.eq(holder.room_id))
        .filter(task::Column::AgentId.eq(holder.id));
    if let Some(until) = why.until(steady) {
        select = select.filter(task::Column::Deadline.lte(until));
    }
    let found: Vec<(OperationTaskId, OperationId)> =
        select.order_by_asc(task::Column::Id).limit(STEP).lock_exclusive().into_tuple().all(&*tx).await?;
    let mut by_operation: BTreeMap<OperationId, Vec<OperationTaskId>> = BTreeMap::new();
    for (id, operation) in &found {
        by_operation.entry(*operation).or_default().push(*id);
    }
    for (operation, ids) in &by_operation {
        end(&tx, *operation, ids, why.reason(), now).await?;
    }
    tx.commit().await?;
    if !found.is_empty() {
        tracing::warn!(
            agent = holder.id.0,
            room = holder.room_id.0,
            tasks = found.len(),
            code = why.reason().code(),
            "tasks ended without a result from their agent"
        );
    }
    tell(app, by_operation.into_keys());
    app.part::<Operations>().wake([holder.room_id]);
    Ok(u64::try_from(found.len()) == Ok(STEP))
}

/// A missing agent says nothing about the operation itself, which is not paused for it.
async fn end(tx: &WriteTx, operation: OperationId, ids: &[OperationTaskId], why: Reason, now: UtcTime) -> Outcome<()> {
    let only_reads = lock(tx, operation).await?.is_some_and(|row| row.kind.only_reads());
    let effect = if only_reads { TaskEffect::NeverBegan } else { TaskEffect::Unknown };
    let text = format!(
        "UPDATE operation_task SET state = $1, code = $2, ended_at = $3, effect = $4 WHERE id IN ({})",
        sql::placeholders(5, ids.len())
    );
    let head: [Value; 4] =
        [TaskStep::Failed.code().into(), why.code().into(), now.millis().into(), effect.code().into()];
    let values = head.into_iter().chain(ids.iter().map(|id| Value::from(id.0)));
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    let moved = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    count(tx, operation, &[Moved { from: TaskStep::Running, to: TaskStep::Failed, count: moved }]).await?;
    end_if_done(tx, operation, now).await?;
    Ok(())
}
