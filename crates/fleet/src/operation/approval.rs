//! When a second operator has to approve: tasks of one operator in one room within the configured minutes are counted
//! together.

use std::collections::BTreeMap;

use base::app::App;
use base::fault::Outcome;
use entity::operation::{self, Model, OperationKind, OperationState};
use entity::operation_task::{self as task, TaskStep};
use entity::{OperationId, OperatorId, RoomId};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, Condition, ConnectionTrait, EntityTrait as _, QueryFilter as _, QuerySelect as _};

use crate::settings::FleetSettings;

/// Tasks in each room.
pub type Rooms = BTreeMap<RoomId, i64>;

/// Whether a second operator has to approve before the waiting tasks of an operation start.
///
/// # Errors
/// When a read fails.
pub async fn is_wanted(app: &App, db: &impl ConnectionTrait, row: &Model, now: UtcTime) -> Outcome<bool> {
    let settings = app.settings.get::<FleetSettings>(app).await?;
    if !row.kind.wants_approval() || settings.approval_above == 0 {
        return Ok(false);
    }
    // A large one may have a million tasks: they need not be counted.
    if row.pending > settings.approval_above {
        return Ok(true);
    }
    let own = in_rooms(db, &[row.id], &[TaskStep::Pending]).await?;
    is_too_much(db, &settings, row.created_by_id, Some(row.id), own, now).await
}

/// Whether these tasks of an operator, with those started just before, are more than one operator may start alone.
///
/// # Errors
/// When a read fails.
pub async fn is_too_much(
    db: &impl ConnectionTrait,
    settings: &FleetSettings,
    operator: OperatorId,
    but: Option<OperationId>,
    mut rooms: Rooms,
    now: UtcTime,
) -> Outcome<bool> {
    let most = settings.approval_above;
    if most == 0 {
        return Ok(false);
    }
    let lately = lately(db, operator, now.plus_seconds(-60 * settings.approval_minutes)).await?;
    let others: Vec<OperationId> = lately.into_iter().filter(|id| Some(*id) != but).collect();
    let begun = [TaskStep::Pending, TaskStep::Running, TaskStep::Succeeded, TaskStep::Failed];
    for (room, count) in in_rooms(db, &others, &begun).await? {
        // Nothing runs now, so earlier operations do not matter.
        if let Some(own) = rooms.get_mut(&room) {
            *own += count;
        }
    }
    Ok(rooms.values().any(|count| *count > most))
}

/// What an operator has started since then, alone. What a second operator has approved, or has yet to, does not count.
async fn lately(db: &impl ConnectionTrait, operator: OperatorId, since: UtcTime) -> Outcome<Vec<OperationId>> {
    let kinds = OperationKind::ALL.iter().copied().filter(|kind| kind.wants_approval());
    let begun = Condition::any()
        .add(operation::Column::CreatedAt.gte(since))
        // Scheduled for later, or retried.
        .add(operation::Column::StartedAt.gte(since));
    let select = operation::Entity::find()
        .select_only()
        .column(operation::Column::Id)
        .filter(operation::Column::CreatedById.eq(operator))
        .filter(begun)
        .filter(operation::Column::Kind.is_in(kinds))
        .filter(operation::Column::ApprovedBy.eq(""))
        .filter(operation::Column::State.is_not_in([OperationState::Freezing, OperationState::AwaitingApproval]));
    Ok(select.into_tuple().all(db).await?)
}

/// The number of tasks of these operations in some states, by room.
///
/// # Errors
/// When a read fails.
pub async fn in_rooms(db: &impl ConnectionTrait, operations: &[OperationId], steps: &[TaskStep]) -> Outcome<Rooms> {
    let mut rooms = Rooms::new();
    for chunk in operations.chunks(500) {
        let counted: Vec<(RoomId, i64)> = task::Entity::find()
            .select_only()
            .column(task::Column::RoomId)
            .column_as(task::Column::Id.count(), "n")
            .filter(task::Column::OperationId.is_in(chunk.iter().copied()))
            .filter(task::Column::State.is_in(steps.iter().copied()))
            .group_by(task::Column::RoomId)
            .into_tuple()
            .all(db)
            .await?;
        for (room, count) in counted {
            *rooms.entry(room).or_default() += count;
        }
    }
    Ok(rooms)
}
