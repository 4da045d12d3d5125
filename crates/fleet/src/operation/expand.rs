//! Expanding an operation's targets into tasks, each with what its pre-flight check has found.

use std::collections::BTreeMap;

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::RoomId;
use entity::operation::{Model, OperationState};
use entity::operation_task::{TaskEffect, TaskStep};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _,
    Value,
};
use wire::Reason;

use super::store::{count_new, set_state, tell};
use super::targets::{Judged, Piece, Wanted};
use super::wakes::Operations;
use super::{approval, targets};

/// Targets in one transaction.
const STEP: usize = 2_000;
/// Tasks in one statement.
const ROWS: usize = 50;

/// Expands the next targets of an operation. Returns `true` when all are there.
///
/// # Errors
/// When the database refuses; what was written stays, and the next call continues.
pub async fn step(app: &App, operation: &Model) -> Outcome<bool> {
    let target = operation.kind.target();
    let wanted = Wanted {
        kind: operation.kind,
        act: Some(&operation.act),
        selection: &operation.selection,
        is_forced: operation.is_forced,
    };
    let now = app.clock.now();
    let row = super::store::find(app.db.read(), operation.id).await?;
    let Some(row) = row.filter(|row| row.state == OperationState::Freezing) else { return Ok(true) };
    let Piece { targets: judged, after, is_last } =
        targets::of(app, target)?.next(app, wanted, row.frozen_after, STEP).await?;
    let tx = app.db.begin_write().await?;
    // The request that started it and the scheduler may both be here: each piece is written once.
    let now_there = super::store::lock(&tx, operation.id).await?;
    if now_there.is_none_or(|now| now.state != row.state || now.frozen_after != row.frozen_after) {
        return Ok(false);
    }
    let (mut steps, mut users) = (BTreeMap::<TaskStep, i64>::new(), 0i64);
    for chunk in judged.chunks(ROWS) {
        insert(&tx, operation, chunk, now).await?;
    }
    for Judged { class, .. } in &judged {
        *steps.entry(class.step).or_default() += 1;
        users += i64::from(class.hits_user);
    }
    let counts: Vec<(TaskStep, i64)> = steps.into_iter().collect();
    count_new(&tx, operation.id, &counts).await?;
    let change = entity::operation::ActiveModel {
        id: Set(operation.id),
        frozen_after: Set(after),
        users_hit: Set(row.users_hit + users),
        ..Default::default()
    };
    let row = entity::operation::Entity::update(change).exec(&*tx).await?;
    let row = if is_last { begin(app, &tx, row, now).await? } else { row };
    tx.commit().await?;
    if is_last {
        wake(app, &row).await?;
    }
    tell(app, [operation.id]);
    Ok(is_last)
}

/// All targets are expanded: it waits for approval or for its time, or starts.
async fn begin(app: &App, tx: &db::WriteTx, row: Model, now: UtcTime) -> Outcome<Model> {
    let next = if row.pending == 0 {
        OperationState::Finished
    } else if approval::is_wanted(app, &**tx, &row, now).await? {
        OperationState::AwaitingApproval
    } else if row.not_before.is_some_and(|at| at > now) {
        OperationState::Scheduled
    } else {
        OperationState::Running
    };
    Ok(set_state(tx, row.id, next, "", now).await?)
}

/// Notifies the agents of an operation's rooms that there may be tasks for them, or some to cancel.
pub async fn wake(app: &App, operation: &Model) -> Outcome<()> {
    let rooms: Vec<RoomId> = entity::operation_task::Entity::find()
        .select_only()
        .column(entity::operation_task::Column::RoomId)
        .distinct()
        .filter(entity::operation_task::Column::OperationId.eq(operation.id))
        .into_tuple()
        .all(app.db.read())
        .await?;
    let operations = app.part::<Operations>();
    if operation.state == OperationState::Running {
        operations.begin(rooms)
    } else {
        operations.wake(rooms)
    }
    Ok(())
}

async fn insert(tx: &db::WriteTx, operation: &Model, judged: &[Judged], now: UtcTime) -> Outcome<()> {
    const COLUMNS: usize = 17;
    let text = format!(
        "INSERT INTO operation_task (operation_id, target, target_id, room_id, frame_id, host_id, address, state, code, effect, ended_at, attempt, \
         reason, output, is_cut, file_key, millis) VALUES {} ON CONFLICT (operation_id, target_id) DO NOTHING",
        sql::value_groups(judged.len(), COLUMNS)
    );
    let values = judged.iter().flat_map(|Judged { id, room_id, frame_id, host_id, name, class }| -> [Value; COLUMNS] {
        [
            operation.id.0.into(),
            operation.kind.target().code().into(),
            (*id).into(),
            room_id.0.into(),
            frame_id.map(|frame| frame.0).into(),
            host_id.map(|host| host.0).into(),
            name.as_str().into(),
            class.step.code().into(),
            class.why.map_or("", Reason::code).into(),
            (class.step != TaskStep::Pending).then_some(TaskEffect::NeverBegan.code()).into(),
            (class.step != TaskStep::Pending).then(|| now.millis()).into(),
            0i32.into(),
            "".into(),
            "".into(),
            false.into(),
            "".into(),
            0i64.into(),
        ]
    });
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}
