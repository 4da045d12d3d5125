//! Tasks that only change records: done by the console, not by an agent.

use std::collections::BTreeMap;

use base::app::App;
use base::fault::{Fault, Outcome};
use db::{WriteTx, sql};
use entity::operation::{Model, OperationState};
use entity::operation_task::{self as task, Model as Task, TaskEffect, TaskStep};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    Value,
};
use wire::Reason;

use super::approval;
use super::store::{Moved, after_results, count, lock, tell};
use super::targets::{self, Applied, Targets};

/// Tasks in one transaction.
const STEP: u64 = 500;
/// Tasks in one round where each has its own transaction.
const ALONE: u64 = 50;

/// Does the next tasks of a running operation. Returns whether there may be more.
///
/// # Errors
/// When the database refuses; what was done stays, and the next round continues.
pub async fn step(app: &App, operation: &Model) -> Outcome<bool> {
    let targets = targets::of(app, operation.kind.target())?;
    let more = match targets.refusal(operation.kind) {
        None => some(app, targets, operation, STEP, None).await?,
        Some(refusal) => {
            let mut more = false;
            for _ in 0..ALONE {
                more = match some(app, targets, operation, 1, None).await {
                    Err(Fault::Taken(_) | Fault::Invalid(_) | Fault::Conflict(_) | Fault::NotFound(_)) => {
                        some(app, targets, operation, 1, Some(refusal)).await?
                    }
                    done => done?,
                };
                if !more {
                    break;
                }
            }
            more
        }
    };
    tell(app, [operation.id]);
    Ok(more)
}

/// Does up to `limit` tasks in one transaction, or fails them with `refused`.
async fn some(
    app: &App,
    targets: &dyn Targets,
    operation: &Model,
    limit: u64,
    refused: Option<Reason>,
) -> Outcome<bool> {
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
    let ids: Vec<i64> = tasks.iter().map(|task| task.target_id).collect();
    let Applied { begun, left, entries, committed } =
        if refused.is_some() { Applied::default() } else { targets.apply(app, &mut tx, operation, &ids, now).await? };
    if operation.kind.wants_approval() && refused.is_none() {
        let begins = |task: &&Task| !left.contains_key(&task.target_id);
        let done: Vec<Task> = tasks.iter().filter(begins).cloned().collect();
        approval::note(app, &tx, &done, now).await?;
    }
    let mut ends: BTreeMap<(TaskStep, Option<Reason>), Vec<&Task>> = BTreeMap::new();
    for task in &tasks {
        let end = match (refused, left.get(&task.target_id).copied()) {
            (Some(why), _) => (TaskStep::Failed, Some(why)),
            (None, Some((step, why))) => (step, Some(why)),
            (None, None) if begun.contains(&task.target_id) => (TaskStep::Running, None),
            (None, None) => (TaskStep::Succeeded, None),
        };
        ends.entry(end).or_default().push(task);
    }
    for ((step, why), tasks) in &ends {
        record_results(&tx, operation, *step, *why, tasks, now).await?;
    }
    entries.into_iter().for_each(|entry| tx.record(entry));
    let have_failed = ends.keys().any(|(step, _)| *step == TaskStep::Failed);
    after_results(&tx, operation.id, have_failed, now).await?;
    tx.commit().await?;
    if let Some(committed) = committed {
        committed(app);
    }
    Ok(u64::try_from(tasks.len()) == Ok(limit))
}

async fn record_results(
    tx: &WriteTx,
    operation: &Model,
    step: TaskStep,
    why: Option<Reason>,
    tasks: &[&Task],
    now: UtcTime,
) -> Outcome<()> {
    let text = format!(
        "UPDATE operation_task SET state = $1, code = $2, attempt = attempt + 1, started_at = $3, ended_at = $4, effect = $5 \
         WHERE id IN ({})",
        sql::placeholders(6, tasks.len())
    );
    // If the records refuse it, nothing was done.
    let has_failed = !matches!(step, TaskStep::Succeeded | TaskStep::Running);
    let effect = has_failed.then_some(TaskEffect::NeverBegan.code());
    let ended = (step != TaskStep::Running).then_some(now.millis());
    let head: [Value; 5] =
        [step.code().into(), why.map_or("", Reason::code).into(), now.millis().into(), ended.into(), effect.into()];
    let values = head.into_iter().chain(tasks.iter().map(|task| Value::from(task.id.0)));
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    let moved = Moved { from: TaskStep::Pending, to: step, count: i64::try_from(tasks.len()).unwrap_or(i64::MAX) };
    count(tx, operation.id, &[moved]).await?;
    Ok(())
}
