//! What needs a clock: cards go on being written down, operations begin at their time, and end when it is over.

use entity::operation::{self, Model, OperationState};
use entity::operation_task::{self as task, TaskStep};
use entity::{RoomAgentId, room_agent};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

use super::store::{end_if_done, lock, move_all, set_state, tell};
use super::{books, freeze, store};
use crate::app::App;
use crate::fault::Outcome;

/// One look at all operations that are not over. Whatever a restart interrupted goes on here. Answers whether cards wait
/// to be written down: then the next round is due at once.
///
/// # Errors
/// When the database refuses; the next round tries again.
pub async fn round(app: &App) -> Outcome<bool> {
    let over = [OperationState::Finished, OperationState::Cancelled, OperationState::Expired];
    let open = operation::Entity::find()
        .filter(operation::Column::State.is_not_in(over))
        .order_by_asc(operation::Column::Id)
        .all(app.db.read())
        .await?;
    let mut waits = false;
    for row in open {
        waits |= look(app, row).await?;
    }
    Ok(waits)
}

/// Answers whether more of its cards wait to be written down.
async fn look(app: &App, row: Model) -> Outcome<bool> {
    let now = app.clock.now();
    if row.state == OperationState::Freezing {
        // One piece a round for each: a large one holds no other up.
        return Ok(!freeze::step(app, &row).await?);
    }
    if row.expires_at <= now {
        expire(app, row).await?;
        return Ok(false);
    }
    if row.state == OperationState::Scheduled && row.not_before.is_none_or(|at| at <= now) {
        let tx = app.db.begin_write().await?;
        // Somebody may have called it off since it was read.
        if lock(&tx, row.id).await?.is_none_or(|row| row.state != OperationState::Scheduled) {
            return Ok(false);
        }
        set_state(&tx, row.id, OperationState::Running, "", now).await?;
        tx.commit().await?;
        tell(app, [row.id]);
        freeze::wake(app, &row).await?;
        return Ok(false);
    }
    if row.state == OperationState::Running && row.kind.is_books() && row.pending > 0 {
        return books::step(app, &row).await;
    }
    let is_waiting = row.pending > 0 && row.state != OperationState::Cancelling;
    if row.running > 0 || is_waiting || row.state == OperationState::AwaitingApproval {
        return Ok(false);
    }
    // A restart between the last result and its consequence: nothing is left to be done.
    let tx = app.db.begin_write().await?;
    if end_if_done(&tx, row.id, now).await? {
        tx.commit().await?;
        tell(app, [row.id]);
    }
    Ok(false)
}

/// Its time is over: what waits expires, what an agent has comes to its end there, and what is with an agent that
/// stays away is given up.
async fn expire(app: &App, row: Model) -> Outcome<()> {
    let now = app.clock.now();
    let tx = app.db.begin_write().await?;
    if lock(&tx, row.id).await?.is_none_or(|row| row.state.is_over()) {
        return Ok(());
    }
    let expired = move_all(&tx, row.id, TaskStep::Pending, TaskStep::Expired, "expired", now).await?;
    // Agents, not tasks: thousands of tasks are with a few agents.
    let agents: Vec<Option<RoomAgentId>> = task::Entity::find()
        .select_only()
        .column(task::Column::AgentId)
        .distinct()
        .filter(task::Column::OperationId.eq(row.id))
        .filter(task::Column::State.eq(TaskStep::Running))
        .into_tuple()
        .all(&*tx)
        .await?;
    // One that is away has a minute longer than its task may take; a revoked one does not come back.
    let is_late = now.seconds_since(row.expires_at) > 60 + i64::from(row.seconds);
    let mut is_with_somebody = false;
    for id in agents.iter().flatten() {
        let agent = room_agent::Entity::find_by_id(*id).one(&*tx).await?;
        let is_there = agent.is_some_and(|agent| agent.revoked_at.is_none());
        is_with_somebody |= is_there && (!is_late || app.fleet.connected_since(*id).is_some());
    }
    let mut changed = expired > 0;
    if !agents.is_empty() && !is_with_somebody {
        changed |= move_all(&tx, row.id, TaskStep::Running, TaskStep::Expired, "agent_gone", now).await? > 0;
    }
    let fresh = store::find(&*tx, row.id).await?;
    if fresh.is_some_and(|row| row.running == 0 && !row.state.is_over()) {
        set_state(&tx, row.id, OperationState::Expired, "expired", now).await?;
        changed = true;
    }
    if changed {
        tx.commit().await?;
        tell(app, [row.id]);
    }
    Ok(())
}
