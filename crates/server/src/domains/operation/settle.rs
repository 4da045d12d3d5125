//! What became of tasks.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use db::sql;
use entity::card::Power;
use entity::operation::OperationKind;
use entity::operation_task::{self as task, Model as Task, TaskStep};
use entity::{CardId, OperationId, OperationTaskId};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    Value,
};
use wire::{Key, TaskResult};

use super::store::{Moved, after_results, count, end_if_done, tell};
use crate::agent_link::codes;
use crate::app::App;
use crate::domains::fleet::{self, By, Session};
use crate::fault::{Fault, Outcome};

/// A file that a card gave, in bytes.
const MOST: usize = 32 << 20;
const FOLDER: &str = "operation";

/// Keeps results. Answers the keys that the agent may forget: of what was kept now or before, and of what is none of
/// its business (which is logged and changes nothing).
///
/// # Errors
/// When the database refuses; then nothing was kept.
pub async fn settle(app: &App, session: &Session, results: &[TaskResult]) -> Outcome<Vec<Key>> {
    let now = app.clock.now();
    let mut rows: HashMap<OperationTaskId, Task> = HashMap::new();
    let tx = app.db.begin_write().await?;
    for chunk in results.chunks(500) {
        let ids = chunk.iter().map(|result| OperationTaskId(result.key.task));
        let found =
            task::Entity::find().filter(task::Column::Id.is_in(ids)).order_by_asc(task::Column::Id).lock_exclusive();
        let found = found.all(&*tx).await?;
        rows.extend(found.into_iter().map(|row| (row.id, row)));
    }
    let mut moved: HashMap<(OperationId, TaskStep), i64> = HashMap::new();
    let mut powered: Vec<(CardId, OperationId)> = Vec::new();
    let mut pins = Vec::new();
    for result in results {
        let Some(row) = rows.get_mut(&OperationTaskId(result.key.task)) else { continue };
        let is_its_own = row.room_id == session.room
            && row.state == TaskStep::Running
            && u32::try_from(row.attempt).ok() == Some(result.key.attempt);
        if !is_its_own {
            tracing::debug!(agent = session.agent.0, task = row.id.0, "a result that is not wanted");
            continue;
        }
        let (step, code, reason) = match &result.outcome {
            wire::Outcome::Succeeded => (TaskStep::Succeeded, "", ""),
            wire::Outcome::Failed { code, reason } => (TaskStep::Failed, code.as_str(), reason.as_str()),
            wire::Outcome::Cancelled => (TaskStep::Cancelled, "", ""),
        };
        row.state = step;
        write(&tx, row, result, step, code, reason, now.millis()).await?;
        metrics::counter!("skyrack_operation_tasks_total", "outcome" => label(step, code)).increment(1);
        *moved.entry((row.operation_id, step)).or_default() += 1;
        if step == TaskStep::Succeeded {
            powered.push((row.card_id, row.operation_id));
        }
        if let Some(certificate) = &result.certificate {
            pins.push((row.card_id, certificate.clone()));
        }
    }
    for ((id, step), n) in &moved {
        count(&tx, *id, &[Moved { from: TaskStep::Running, to: *step, count: *n }]).await?;
    }
    let operations: HashSet<OperationId> = moved.keys().map(|(id, _)| *id).collect();
    let mut kinds = HashMap::new();
    for id in &operations {
        if let Some(row) = after_results(&tx, *id, now).await? {
            kinds.insert(*id, row.kind);
        }
    }
    tx.commit().await?;
    tell(app, operations);
    app.operations.wake([session.room]);
    for (card, certificate) in pins {
        fleet::pin_certificate(app, card, &certificate).await?;
    }
    for (power, wanted) in [
        (Power::On, [OperationKind::PowerOn, OperationKind::PowerCycle].as_slice()),
        (Power::Off, &[OperationKind::PowerOff]),
    ] {
        let ids: Vec<CardId> = powered
            .iter()
            .filter(|(_, id)| kinds.get(id).is_some_and(|kind| wanted.contains(kind)))
            .map(|(card, _)| *card)
            .collect();
        if !ids.is_empty() {
            let turn = |card: &entity::card::Model| {
                (card.power != power).then(|| entity::card::Model { power, ..card.clone() })
            };
            fleet::apply(app, &ids, &By::agent(&session.name), "BMC", turn).await?;
        }
    }
    Ok(results.iter().map(|result| result.key).collect())
}

/// What an outcome is called in metrics: one of a few, whatever an agent says.
fn label(step: TaskStep, code: &str) -> &'static str {
    match step {
        TaskStep::Succeeded => "succeeded",
        TaskStep::Cancelled => "cancelled",
        TaskStep::Pending
        | TaskStep::Running
        | TaskStep::Failed
        | TaskStep::Skipped
        | TaskStep::Incompatible
        | TaskStep::Expired => codes::known(code).unwrap_or("other"),
    }
}

async fn write(
    tx: &db::WriteTx,
    row: &Task,
    result: &TaskResult,
    step: TaskStep,
    code: &str,
    reason: &str,
    now: i64,
) -> Outcome<()> {
    let cut = |text: &str, most: usize| text.chars().filter(|c| *c != '\0').take(most).collect::<String>();
    let text = "UPDATE operation_task SET state = $1, code = $2, reason = $3, output = $4, is_cut = $5, exit_code = $6, \
                ended_at = $7, millis = $8 WHERE id = $9";
    let values: [Value; 9] = [
        step.code().into(),
        cut(code, 64).into(),
        cut(reason, 1000).into(),
        cut(&result.output, wire::MAX_OUTPUT).into(),
        result.truncated.into(),
        result.exit.map(i16::from).into(),
        now.into(),
        i64::try_from(result.millis).unwrap_or(i64::MAX).into(),
        row.id.0.into(),
    ];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}

/// Ends tasks that were given out and can not be sent after all.
pub async fn fail_before(app: &App, failed: &[(Task, &'static str)]) -> Outcome<()> {
    let now = app.clock.now();
    let tx = app.db.begin_write().await?;
    let mut operations = HashSet::new();
    for (row, code) in failed {
        let text = "UPDATE operation_task SET state = $1, code = $2, ended_at = $3 WHERE id = $4 AND state = $5";
        let values: [Value; 5] = [
            TaskStep::Failed.code().into(),
            (*code).into(),
            now.millis().into(),
            row.id.0.into(),
            TaskStep::Running.code().into(),
        ];
        let done = tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        // None, where its time ran out meanwhile.
        let moved = i64::try_from(done.rows_affected()).unwrap_or(i64::MAX);
        count(&tx, row.operation_id, &[Moved { from: TaskStep::Running, to: TaskStep::Failed, count: moved }]).await?;
        operations.insert(row.operation_id);
    }
    for id in &operations {
        end_if_done(&tx, *id, now).await?;
    }
    tx.commit().await?;
    tell(app, operations);
    Ok(())
}

/// Keeps a file that a card gave to a task. `false` when the task is none of the agent's.
///
/// # Errors
/// When the storage or the database refuses.
pub async fn store_file(app: &App, session_room: entity::RoomId, key: Key, bytes: Bytes) -> Outcome<bool> {
    if bytes.len() > MOST {
        return Err(Fault::TooLarge);
    }
    let found = task::Entity::find_by_id(OperationTaskId(key.task)).one(app.db.read()).await?;
    let is_its_own = found.as_ref().is_some_and(|row| {
        row.room_id == session_room
            && row.state == TaskStep::Running
            && u32::try_from(row.attempt).ok() == Some(key.attempt)
    });
    if !is_its_own {
        return Ok(false);
    }
    let stored = app.objects.put(FOLDER, bytes).await.map_err(|error| Fault::Unavailable(error.into()))?;
    let tx = app.db.begin_write().await?;
    let text = "UPDATE operation_task SET file_key = $1 WHERE id = $2";
    let values: [Value; 2] = [stored.key.to_string().into(), key.task.into()];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    tx.commit().await?;
    Ok(true)
}
