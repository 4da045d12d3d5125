//! Recording the results of tasks.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::card::Power;
use entity::operation::OperationKind;
use entity::operation_task::{self as task, Model as Task, TaskEffect, TaskStep};
use entity::{CardId, OperationId, OperationTaskId};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    Value,
};
use wire::{Key, Reason, TaskResult};

use super::gone::given_up;
use super::store::{Moved, after_results, count, end_if_done, tell};
use super::wakes::Operations;
use crate::address::{bmc, bmc_state};
use crate::state;
use crate::state::{By, Session};

/// Records results. Returns the keys that the agent may forget: those recorded now or earlier, and those that are not
/// its own (which are logged and ignored).
///
/// # Errors
/// When the database refuses; then nothing was recorded.
pub async fn record_results(app: &App, session: &Session, results: &[TaskResult]) -> Outcome<Vec<Key>> {
    let own: Vec<&TaskResult> = results.iter().filter(|result| result.key.book.is_operation()).collect();
    if own.is_empty() {
        // What waits for a card may begin where a phone's step has ended.
        app.part::<Operations>().wake([session.room]);
        return Ok(results.iter().map(|result| result.key).collect());
    }
    let now = app.clock.now();
    let mut rows: HashMap<OperationTaskId, Task> = HashMap::new();
    let tx = app.db.begin_write().await?;
    for chunk in own.chunks(500) {
        let ids = chunk.iter().map(|result| OperationTaskId(result.key.task));
        let found =
            task::Entity::find().filter(task::Column::Id.is_in(ids)).order_by_asc(task::Column::Id).lock_exclusive();
        let found = found.all(&*tx).await?;
        rows.extend(found.into_iter().map(|row| (row.id, row)));
    }
    let mut moved: HashMap<(OperationId, TaskStep, TaskStep), i64> = HashMap::new();
    let mut ends = BTreeMap::new();
    let mut powered: Vec<(CardId, OperationId)> = Vec::new();
    let mut pins = Vec::new();
    let mut told: Vec<(CardId, OperationId, String)> = Vec::new();
    for result in own {
        let Some(row) = rows.get_mut(&OperationTaskId(result.key.task)) else { continue };
        let Some(end) = end_of(row, session, result) else {
            tracing::debug!(agent = session.agent.0, task = row.id.0, "ignored a result");
            continue;
        };
        *moved.entry((row.operation_id, row.state, end.step)).or_default() += 1;
        end.code.clone_into(&mut row.code);
        row.state = end.step;
        // A task of which two things are told has ended as the later one says.
        ends.insert(row.id, written(row, result, &end, now.millis()));
        metrics::counter!("skyrack_operation_tasks_total", "outcome" => label(end.step, end.code)).increment(1);
        let Some(card) = row.card() else { continue };
        if end.step == TaskStep::Succeeded {
            powered.push((card, row.operation_id));
        }
        if matches!(end.step, TaskStep::Succeeded | TaskStep::Failed) {
            told.push((card, row.operation_id, end.code.to_owned()));
        }
        if let Some(certificate) = &result.certificate {
            pins.push((card, certificate.clone()));
        }
    }
    write(&tx, ends).await?;
    for ((id, from, to), n) in &moved {
        count(&tx, *id, &[Moved { from: *from, to: *to, count: *n }]).await?;
    }
    let failed: HashSet<OperationId> =
        moved.keys().filter(|(_, _, to)| *to == TaskStep::Failed).map(|(id, _, _)| *id).collect();
    let operations: HashSet<OperationId> = moved.keys().map(|(id, _, _)| *id).collect();
    let mut kinds = HashMap::new();
    for id in &operations {
        if let Some(row) = after_results(&tx, *id, failed.contains(id), now).await? {
            kinds.insert(*id, row.kind);
        }
    }
    tx.commit().await?;
    tell(app, operations);
    app.part::<Operations>().wake([session.room]);
    for (card, certificate) in pins {
        bmc::pin(app, card, &certificate).await?;
    }
    told.retain(|(_, id, _)| kinds.get(id).is_some_and(|kind| kind.is_power()));
    let told: Vec<(CardId, String)> = told.into_iter().map(|(card, _, code)| (card, code)).collect();
    bmc_state::told(app, &told).await?;
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
            state::apply(app, &ids, &By::agent(&session.name), "BMC", turn).await?;
        }
    }
    Ok(results.iter().map(|result| result.key).collect())
}

/// Whether a late result still counts: the task was given up without a result, and no new attempt has started since.
pub fn may_still_be_told(row: &Task, session: &Session, key: Key) -> bool {
    let is_given_up = row.state == TaskStep::Failed && given_up(&row.code).is_some();
    let is_its_own = row.room_id == session.room
        && row.agent_id == Some(session.agent)
        && u32::try_from(row.attempt).ok() == Some(key.attempt);
    is_its_own && (is_given_up || row.state == TaskStep::Pending)
}

/// What a result makes of a task.
struct End<'a> {
    step: TaskStep,
    code: &'a str,
    reason: &'a str,
    effect: Option<TaskEffect>,
}

/// The effect of a result on a task; none if the result is ignored.
fn end_of<'a>(row: &Task, session: &Session, result: &'a TaskResult) -> Option<End<'a>> {
    let end = |step, code, reason, effect| Some(End { step, code, reason, effect });
    let is_under_way = row.room_id == session.room
        && row.state == TaskStep::Running
        && u32::try_from(row.attempt).ok() == Some(result.key.attempt);
    if !is_under_way && !may_still_be_told(row, session, result.key) {
        return None;
    }
    // Of a first attempt that was given up the row says what was feared of it, and not what happened before.
    let earlier = row.effect.filter(|_| row.attempt > 1);
    match (&result.outcome, row.state) {
        (wire::Outcome::Succeeded, _) => end(TaskStep::Succeeded, "", "", None),
        // A person has asked for a retry; it stays unless this attempt turns out to have succeeded.
        (_, TaskStep::Pending) => None,
        (wire::Outcome::Failed { code, reason, effect }, _) => {
            end(TaskStep::Failed, code.code(), reason, Some(effect_of(*effect).after(earlier)))
        }
        // It was given up, and all that the result adds is that it never started.
        (wire::Outcome::Cancelled, TaskStep::Failed) => {
            end(TaskStep::Failed, given_up(&row.code)?.code(), "", Some(TaskEffect::NeverBegan.after(earlier)))
        }
        (wire::Outcome::Cancelled, _) => end(TaskStep::Cancelled, "", "", Some(TaskEffect::NeverBegan.after(earlier))),
    }
}

/// What an agent says that a task has done to its card, as it is stored.
#[must_use]
pub const fn effect_of(told: wire::Effect) -> TaskEffect {
    match told {
        wire::Effect::NeverBegan => TaskEffect::NeverBegan,
        wire::Effect::Proved => TaskEffect::Proved,
        wire::Effect::Unknown => TaskEffect::Unknown,
    }
}

/// The name of an outcome in metrics: one of a few, whatever an agent says.
fn label(step: TaskStep, code: &str) -> &'static str {
    match step {
        TaskStep::Succeeded => "succeeded",
        TaskStep::Cancelled => "cancelled",
        TaskStep::Pending
        | TaskStep::Running
        | TaskStep::Failed
        | TaskStep::Skipped
        | TaskStep::Incompatible
        | TaskStep::Expired => Reason::from_code(code).map_or("other", Reason::code),
    }
}

/// Ends in one statement.
const WRITTEN: usize = 500;
/// `id, state, code, reason, output, is_cut, exit_code, ended_at, millis, effect`
type Written = [Value; 10];

fn written(row: &Task, result: &TaskResult, end: &End<'_>, now: i64) -> Written {
    let cut = |text: &str, most: usize| text.chars().filter(|c| *c != '\0').take(most).collect::<String>();
    [
        row.id.0.into(),
        end.step.code().into(),
        cut(end.code, 64).into(),
        cut(end.reason, 1000).into(),
        cut(&result.output, wire::MAX_OUTPUT).into(),
        result.truncated.into(),
        result.exit.map(i16::from).into(),
        now.into(),
        i64::try_from(result.millis).unwrap_or(i64::MAX).into(),
        end.effect.map(TaskEffect::code).into(),
    ]
}

/// Writes how tasks have ended, many in one statement: an agent tells of hundreds at once.
async fn write(tx: &db::WriteTx, ends: BTreeMap<OperationTaskId, Written>) -> Outcome<()> {
    let ends: Vec<Written> = ends.into_values().collect();
    for group in ends.chunks(WRITTEN) {
        let text = format!(
            "UPDATE operation_task SET state = v.column2, code = v.column3, reason = v.column4, output = v.column5, \
             is_cut = v.column6, exit_code = v.column7, ended_at = v.column8, millis = v.column9, effect = v.column10 \
             FROM (VALUES {}) AS v WHERE operation_task.id = v.column1",
            sql::value_groups(group.len(), 10)
        );
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, group.iter().flatten().cloned())).await?;
    }
    Ok(())
}

/// Fails tasks that were claimed and cannot be sent: this attempt has had no effect.
pub async fn fail_before(app: &App, failed: &[(Task, Reason)]) -> Outcome<()> {
    let now = app.clock.now();
    let tx = app.db.begin_write().await?;
    let mut operations = HashSet::new();
    for (row, why) in failed {
        let text = "UPDATE operation_task SET state = $1, code = $2, ended_at = $3, effect = COALESCE(effect, $4) \
             WHERE id = $5 AND state = $6";
        let values: [Value; 6] = [
            TaskStep::Failed.code().into(),
            why.code().into(),
            now.millis().into(),
            TaskEffect::NeverBegan.code().into(),
            row.id.0.into(),
            TaskStep::Running.code().into(),
        ];
        let done = tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        // `None` if it has expired meanwhile.
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
