//! The scheduler: expands targets, starts operations at their time and ends those that are over.

use std::time::Duration;

use base::app::App;
use base::fault::{Fault, Outcome};
use entity::operation::{self, Model, OperationState};
use entity::operation_task::TaskStep;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use wire::Reason;

use super::asked::Asked;
use super::store::{end_if_done, end_waiting, ended_as, lock, set_state, tell};
use super::wakes::Operations;
use super::{approval, expand, gone, record_acts, retry, store};
use crate::agent::connections::Connections;

/// Interval between two passes.
pub const LOOK: Duration = Duration::from_millis(500);

/// One pass over all unfinished operations; resumes whatever a restart interrupted. Returns whether targets are still
/// to be expanded: then the next round is due at once.
///
/// # Errors
/// When the database refuses; the next round retries.
pub async fn round(app: &App) -> Outcome<bool> {
    gone::round(app).await?;
    app.part::<Operations>().wake_again(app.clock.moment(), || app.part::<Connections>().rooms());
    let over = [OperationState::Finished, OperationState::Cancelled, OperationState::Expired];
    let open = operation::Entity::find()
        .filter(operation::Column::State.is_not_in(over))
        .order_by_asc(operation::Column::Id)
        .all(app.db.read())
        .await?;
    let mut waits = false;
    for row in open {
        let id = row.id;
        match look(app, row).await {
            Ok(more) => waits |= more,
            Err(fault @ Fault::Unavailable(_)) => return Err(fault),
            // One that cannot go on, for instance because a later version wrote it, holds up no other.
            Err(fault) => tracing::error!(operation = id.0, ?fault, "an operation does not go on; it is retried"),
        }
    }
    Ok(waits)
}

/// Returns whether more of its targets are to be expanded.
async fn look(app: &App, row: Model) -> Outcome<bool> {
    let now = app.clock.now();
    if row.state == OperationState::Freezing {
        // One piece per round for each operation, so that a large one does not delay the others.
        return Ok(!expand::step(app, &row).await?);
    }
    if row.expires_at <= now {
        expire(app, row).await?;
        return Ok(false);
    }
    if row.state == OperationState::Scheduled && row.not_before.is_none_or(|at| at <= now) {
        let tx = app.db.begin_write().await?;
        // Somebody may have cancelled it since it was read.
        let Some(row) = lock(&tx, row.id).await?.filter(|row| row.state == OperationState::Scheduled) else {
            return Ok(false);
        };
        // Operations scheduled for the same moment are counted together for approval.
        let is_approved = !row.approved_by.is_empty() || !approval::is_wanted(app, &*tx, &row, now).await?;
        let next = if is_approved { OperationState::Running } else { OperationState::AwaitingApproval };
        let row = set_state(&tx, row.id, next, "", now).await?;
        tx.commit().await?;
        tell(app, [row.id]);
        expand::wake(app, &row).await?;
        return Ok(false);
    }
    if row.state == OperationState::Running && row.kind.is_of_records() && row.pending > 0 {
        return record_acts::step(app, &row).await;
    }
    let is_waiting = row.pending > 0 && row.state != OperationState::Cancelling;
    if row.running > 0 || is_waiting || row.state == OperationState::AwaitingApproval {
        return Ok(false);
    }
    // Recovers from a restart between the last result and the state change.
    let tx = app.db.begin_write().await?;
    if end_if_done(&tx, row.id, now).await? {
        tx.commit().await?;
        tell(app, [row.id]);
    }
    Ok(false)
}

/// It has expired: waiting tasks expire, and running ones end with their agent's result or when the agent is gone.
async fn expire(app: &App, row: Model) -> Outcome<()> {
    let now = app.clock.now();
    let tx = app.db.begin_write().await?;
    // It may have ended since it was read, or have ended and be retried: then it has a new time.
    let fresh = lock(&tx, row.id).await?.filter(|row| !row.state.is_over() && row.expires_at <= now);
    let Some(row) = fresh else { return Ok(()) };
    if let Some(asked) = Asked::of(&row)? {
        // Nobody decided in time about a retry: that is as if it had not been asked for.
        retry::withdrawn(&tx, &row, &asked, now).await?;
        tx.commit().await?;
        tell(app, [row.id]);
        return Ok(());
    }
    let expired = end_waiting(&tx, row.id, TaskStep::Expired, Reason::Expired.code(), now).await?;
    let fresh = store::find(&*tx, row.id).await?;
    let ended = fresh.filter(|row| row.running == 0);
    if let Some(row) = &ended {
        let next = if row.state == OperationState::Cancelling { OperationState::Cancelled } else { ended_as(row) };
        let why = if next == OperationState::Expired { Reason::Expired.code() } else { row.why.as_str() };
        set_state(&tx, row.id, next, why, now).await?;
    }
    if expired > 0 || ended.is_some() {
        tx.commit().await?;
        tell(app, [row.id]);
    }
    Ok(())
}
