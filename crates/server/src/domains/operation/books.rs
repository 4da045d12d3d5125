//! Tasks that are done in the books: by the console itself, and by no agent.

use std::collections::BTreeMap;

use db::journal::Entry;
use db::{WriteTx, sql};
use entity::CardId;
use entity::operation::{Model, OperationState};
use entity::operation_task::{self as task, Model as Task, TaskStep};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    Value,
};

use super::act::Act;
use super::store::{Moved, after_results, count, lock, tell};
use crate::app::App;
use crate::domains::fleet::{self, BookAct, Booked};
use crate::fault::{Fault, Outcome};

/// Tasks in one transaction.
const STEP: u64 = 500;
/// Moves in one round: each has a transaction of its own.
const MOVES: u64 = 50;

/// Does the next tasks of a running operation. Answers whether there may be more.
///
/// # Errors
/// When the database refuses; what was done stays, and the next round goes on.
pub async fn step(app: &App, operation: &Model) -> Outcome<bool> {
    let act: Act = serde_json::from_str(&operation.act).map_err(|error| Fault::Internal(error.into()))?;
    let Some(act) = act.for_books() else { return Ok(false) };
    let more = if let BookAct::Move { .. } = act {
        // One that a place does not take must not take others with it.
        let mut more = false;
        for _ in 0..MOVES {
            more = match some(app, operation, &act, 1, None).await {
                Err(Fault::Taken(_) | Fault::Invalid(_) | Fault::Conflict(_) | Fault::NotFound(_)) => {
                    some(app, operation, &act, 1, Some("place_refused")).await?
                }
                done => done?,
            };
            if !more {
                break;
            }
        }
        more
    } else {
        some(app, operation, &act, STEP, None).await?
    };
    tell(app, [operation.id]);
    Ok(more)
}

/// Does up to `limit` tasks in one transaction, or lets them fail with `refused`.
async fn some(app: &App, operation: &Model, act: &BookAct, limit: u64, refused: Option<&'static str>) -> Outcome<bool> {
    let now = app.clock.now();
    let mut tx = app.db.begin_write().await?;
    // Somebody may have paused it since it was read.
    if lock(&tx, operation.id).await?.is_none_or(|row| row.state != OperationState::Running) {
        return Ok(false);
    }
    let tasks = task::Entity::find()
        .filter(task::Column::OperationId.eq(operation.id))
        .filter(task::Column::State.eq(TaskStep::Pending))
        .order_by_asc(task::Column::Id)
        .limit(limit)
        .lock_exclusive()
        .all(&*tx)
        .await?;
    let ids: Vec<CardId> = tasks.iter().map(|task| task.card_id).collect();
    let Booked { written, left_out } = if refused.is_some() {
        Booked::default()
    } else {
        fleet::book(&mut tx, &ids, act, &operation.created_by, &operation.reason, now).await?
    };
    let mut ends: BTreeMap<(TaskStep, &str), Vec<&Task>> = BTreeMap::new();
    for task in &tasks {
        let end = match (refused, left_out.get(&task.card_id).copied()) {
            (Some(code), _) => (TaskStep::Failed, code),
            (None, Some("no_position")) => (TaskStep::Failed, "no_position"),
            (None, Some(code)) => (TaskStep::Skipped, code),
            (None, None) => (TaskStep::Succeeded, ""),
        };
        ends.entry(end).or_default().push(task);
    }
    for ((step, code), tasks) in &ends {
        settle(&tx, operation, *step, code, tasks, now).await?;
    }
    if let Some(written) = &written {
        tx.record(entry(operation, written.len(), now));
    }
    after_results(&tx, operation.id, now).await?;
    tx.commit().await?;
    if let Some(written) = written {
        app.fleet.committed(&app.events, written);
    }
    Ok(u64::try_from(tasks.len()) == Ok(limit))
}

async fn settle(
    tx: &WriteTx,
    operation: &Model,
    step: TaskStep,
    code: &str,
    tasks: &[&Task],
    now: UtcTime,
) -> Outcome<()> {
    let text = format!(
        "UPDATE operation_task SET state = $1, code = $2, attempt = attempt + 1, started_at = $3, ended_at = $3 WHERE id IN ({})",
        sql::placeholders(4, tasks.len())
    );
    let head: [Value; 3] = [step.code().into(), code.into(), now.millis().into()];
    let values = head.into_iter().chain(tasks.iter().map(|task| Value::from(task.id.0)));
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    let moved = Moved { from: TaskStep::Pending, to: step, count: i64::try_from(tasks.len()).unwrap_or(i64::MAX) };
    count(tx, operation.id, &[moved]).await?;
    Ok(())
}

/// The line in the operation log: cards were changed, by whoever began it.
fn entry(operation: &Model, cards: usize, now: UtcTime) -> Entry {
    Entry {
        at: now,
        operator_id: Some(operation.created_by_id.0),
        operator_name: operation.created_by.clone(),
        action: "operation_books_run".to_owned(),
        object_kind: "operation".to_owned(),
        object_id: operation.id.to_string(),
        after: Some(operation.act.clone()),
        message: format!("{cards} cards"),
        ..Entry::default()
    }
}
