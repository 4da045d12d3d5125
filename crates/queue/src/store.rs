//! The statements. One text for both engines; numbers of states are those of [`TaskState`]: 1 queued, 2 running, 3
//! succeeded, 4 failed, 5 cancelled. They are literals, because the partial indices are only used that way.

use std::sync::Arc;

use db::WriteTx;
use db::sql::{placeholders, statement, value_groups};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, FromQueryResult as _, QueryResult, Value};

use crate::ctx::Run;
use crate::job::{Pool, Stop};
use crate::queue::TaskEvent;
use crate::task::{Creator, Model, TaskId, TaskState};

/// Rows in one statement.
pub(crate) const BATCH: usize = 100;

/// A task that is not stored yet.
#[derive(Clone, Debug)]
pub(crate) struct NewTask {
    pub(crate) id: TaskId,
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    pub(crate) payload: String,
    pub(crate) pool: Pool,
    pub(crate) priority: i16,
    pub(crate) lane: Option<String>,
    pub(crate) max_attempts: u8,
}

/// Stores queued tasks.
pub(crate) async fn insert(tx: &WriteTx, tasks: Vec<NewTask>, by: &Creator, now: UtcTime) -> Result<(), DbErr> {
    const COLUMNS: usize = 18;
    let mut tasks = tasks.into_iter().peekable();
    while tasks.peek().is_some() {
        let mut values: Vec<Value> = Vec::with_capacity(BATCH * COLUMNS);
        for task in tasks.by_ref().take(BATCH) {
            let NewTask { id, kind, title, payload, pool, priority, lane, max_attempts } = task;
            let row: [Value; COLUMNS] = [
                id.0.into(),
                kind.into(),
                title.into(),
                payload.into(),
                TaskState::Queued.code().into(),
                (pool as i16).into(),
                priority.into(),
                lane.into(),
                0_i32.into(),
                0_i32.into(),
                i32::from(max_attempts).into(),
                now.millis().into(),
                false.into(),
                0_i64.into(),
                by.id.map(|id| id.0).into(),
                by.name.as_str().into(),
                now.millis().into(),
                None::<i64>.into(),
            ];
            values.extend(row);
        }
        let groups = value_groups(values.len() / COLUMNS, COLUMNS);
        let text = format!(
            "INSERT INTO task (id, kind, title, payload, state, pool, priority, lane, attempt, tries, max_attempts, \
             run_after, cancel_requested, done, created_by, created_by_name, created_at, total) VALUES {groups}"
        );
        tx.execute_raw(statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}

/// Claims up to `limit` due tasks of `kinds` for a runner.
///
/// Two servers on one PostgreSQL skip each other's locked rows; the unique index on running lanes catches what their
/// snapshots could not see, and the later claim is refused.
pub(crate) async fn claim(
    tx: &WriteTx,
    pool: Pool,
    kinds: &[&'static str],
    limit: usize,
    now: UtcTime,
    lease_until: UtcTime,
) -> Result<Vec<Model>, DbErr> {
    let backend = tx.get_database_backend();
    // SQLite has no statistics for a new table and uses the index on states instead: a claim from 20,000 tasks in 5,000
    // lanes then takes 1.6 s instead of half a millisecond.
    let (skip_locked, by_running, by_queued) = if backend == DbBackend::Postgres {
        ("FOR UPDATE OF t SKIP LOCKED", "", "")
    } else {
        ("", "INDEXED BY task_lane_running", "INDEXED BY task_lane_queued")
    };
    let text = format!(
        "UPDATE task SET state = 2, attempt = attempt + 1, tries = tries + 1, lease_until = $1, \
             started_at = COALESCE(started_at, $2) \
         WHERE id IN ( \
             SELECT t.id FROM task t \
             WHERE t.state = 1 AND t.pool = $3 AND t.run_after <= $2 AND t.kind IN ({kinds}) \
               AND (t.lane IS NULL OR NOT EXISTS ( \
                     SELECT 1 FROM task r {by_running} WHERE r.lane = t.lane AND r.lane IS NOT NULL AND r.state = 2)) \
               AND (t.lane IS NULL OR NOT EXISTS ( \
                     SELECT 1 FROM task q {by_queued} WHERE q.lane = t.lane AND q.lane IS NOT NULL AND q.state = 1 \
                       AND q.run_after <= $2 \
                       AND (q.priority > t.priority OR (q.priority = t.priority AND q.id < t.id)))) \
             ORDER BY t.priority DESC, t.run_after, t.id LIMIT $4 {skip_locked}) \
         RETURNING *",
        kinds = placeholders(5, kinds.len()),
    );
    let mut values: Vec<Value> = vec![
        lease_until.millis().into(),
        now.millis().into(),
        (pool as i16).into(),
        i64::try_from(limit).unwrap_or(i64::MAX).into(),
    ];
    values.extend(kinds.iter().map(|kind| Value::from(*kind)));
    let rows = tx.query_all_raw(statement(backend, text, values)).await?;
    let mut claimed = rows.iter().map(|row| Model::from_query_result(row, "")).collect::<Result<Vec<_>, _>>()?;
    claimed.sort_by(|a, b| (b.priority, a.run_after, &a.id).cmp(&(a.priority, b.run_after, &b.id)));
    Ok(claimed)
}

/// Writes a checkpoint; false if the run may no longer write.
pub(crate) async fn checkpoint(tx: &WriteTx, run: &Run, at: &str, lease_until: UtcTime) -> Result<bool, DbErr> {
    let text = "UPDATE task SET checkpoint = $1, done = $2, total = $3, message = COALESCE($4, message), \
                    lease_until = $5, tries = 1 \
                WHERE id = $6 AND attempt = $7 AND state = 2 AND NOT cancel_requested";
    let values: [Value; 7] = [
        at.into(),
        run.done().into(),
        run.total().into(),
        run.message().into(),
        lease_until.millis().into(),
        run.id.0.as_str().into(),
        run.attempt.into(),
    ];
    Ok(tx.execute_raw(statement(tx.get_database_backend(), text, values)).await?.rows_affected() == 1)
}

/// Why `run` may no longer write.
pub(crate) async fn why_refused(db: &impl ConnectionTrait, run: &Run) -> Result<Stop, DbErr> {
    let text = "SELECT 1 AS one FROM task WHERE id = $1 AND attempt = $2 AND state = 2";
    let values: [Value; 2] = [run.id.0.as_str().into(), run.attempt.into()];
    let still_ours = db.query_one_raw(statement(db.get_database_backend(), text, values)).await?.is_some();
    Ok(if still_ours { Stop::Cancelled } else { Stop::Lost })
}

/// Extends leases and stores progress. Returns which runs are still ours, and whether they should end.
pub(crate) async fn heartbeat<'a>(
    tx: &WriteTx,
    runs: impl Iterator<Item = &'a Arc<Run>>,
    lease_until: UtcTime,
) -> Result<Vec<(TaskId, i32, bool)>, DbErr> {
    let mut values: Vec<Value> = vec![lease_until.millis().into()];
    let mut groups = Vec::new();
    for run in runs {
        groups.push(typed_group(
            tx.get_database_backend(),
            values.len() + 1,
            &["VARCHAR", "INTEGER", "BIGINT", "BIGINT", "TEXT"],
        ));
        values.extend::<[Value; 5]>([
            run.id.0.as_str().into(),
            run.attempt.into(),
            run.done().into(),
            run.total().into(),
            run.message().into(),
        ]);
    }
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    let text = format!(
        "WITH mine (id, attempt, done, total, message) AS (VALUES {}) \
         UPDATE task SET lease_until = $1, done = mine.done, total = mine.total, \
             message = COALESCE(mine.message, task.message) \
         FROM mine WHERE task.id = mine.id AND task.attempt = mine.attempt AND task.state = 2 \
         RETURNING task.id AS id, task.attempt AS attempt, task.cancel_requested AS cancel_requested",
        groups.join(", ")
    );
    let rows = tx.query_all_raw(statement(tx.get_database_backend(), text, values)).await?;
    rows.iter()
        .map(|row| {
            let id: String = row.try_get("", "id")?;
            Ok((TaskId(id), row.try_get("", "attempt")?, row.try_get("", "cancel_requested")?))
        })
        .collect()
}

/// The stored end of a run.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) state: TaskState,
    /// For a task that is queued again.
    pub(crate) run_after: UtcTime,
    /// The run does not count as an attempt: its end could not be avoided.
    pub(crate) is_excused: bool,
    pub(crate) message: Option<String>,
    pub(crate) file: Option<crate::ResultFile>,
}

/// Writes the ends of runs and returns the new state of each task. A run that lost its lease is not included: nothing
/// of it is written.
pub(crate) async fn finish(
    tx: &WriteTx,
    ends: &[(Arc<Run>, End)],
    now: UtcTime,
) -> Result<Vec<(TaskId, TaskState)>, DbErr> {
    const TYPES: [&str; 11] = [
        "VARCHAR", "INTEGER", "SMALLINT", "BIGINT", "INTEGER", "TEXT", "VARCHAR", "VARCHAR", "BIGINT", "BIGINT",
        "BIGINT",
    ];
    if ends.is_empty() {
        return Ok(Vec::new());
    }
    let backend = tx.get_database_backend();
    let mut values: Vec<Value> = vec![now.millis().into()];
    let mut groups = Vec::with_capacity(ends.len());
    for (run, end) in ends {
        let End { state, run_after, is_excused, message, file } = end;
        groups.push(typed_group(backend, values.len() + 1, &TYPES));
        values.extend::<[Value; 11]>([
            run.id.0.as_str().into(),
            run.attempt.into(),
            state.code().into(),
            run_after.millis().into(),
            i32::from(*is_excused).into(),
            message.clone().into(),
            file.as_ref().map(|file| file.key.clone()).into(),
            file.as_ref().map(|file| file.name.clone()).into(),
            file.as_ref().map(|file| file.size).into(),
            run.done().into(),
            run.total().into(),
        ]);
    }
    // A task that would be queued again but was cancelled meanwhile ends here.
    let text = format!(
        "WITH e (id, attempt, state, run_after, excused, message, result_key, result_name, result_size, done, total) \
             AS (VALUES {}) \
         UPDATE task SET \
             state = CASE WHEN e.state = 1 AND task.cancel_requested THEN 5 ELSE e.state END, \
             finished_at = CASE WHEN e.state = 1 AND NOT task.cancel_requested THEN NULL ELSE $1 END, \
             run_after = e.run_after, tries = task.tries - e.excused, lease_until = NULL, \
             message = COALESCE(e.message, task.message), done = e.done, total = e.total, \
             result_key = e.result_key, result_name = e.result_name, result_size = e.result_size \
         FROM e WHERE task.id = e.id AND task.attempt = e.attempt AND task.state = 2 \
         RETURNING task.id AS id, task.state AS state",
        groups.join(", ")
    );
    let rows = tx.query_all_raw(statement(backend, text, values)).await?;
    rows.iter().map(id_and_state).collect()
}

/// Reclaims tasks whose runner has been silent since `silent_since`: they are queued again, or fail with `lost` as the
/// reason.
pub(crate) async fn recover(
    tx: &WriteTx,
    silent_since: UtcTime,
    now: UtcTime,
    lost: &str,
) -> Result<Vec<(TaskId, TaskState)>, DbErr> {
    let text = "UPDATE task SET \
            state = CASE WHEN cancel_requested THEN 5 WHEN tries >= max_attempts THEN 4 ELSE 1 END, \
            finished_at = CASE WHEN cancel_requested OR tries >= max_attempts THEN $1 ELSE NULL END, \
            message = CASE WHEN tries >= max_attempts AND NOT cancel_requested THEN $2 ELSE message END, \
            lease_until = NULL, run_after = $1 \
        WHERE state = 2 AND lease_until < $3 \
        RETURNING id, state";
    let values: [Value; 3] = [now.millis().into(), lost.into(), silent_since.millis().into()];
    let rows = tx.query_all_raw(statement(tx.get_database_backend(), text, values)).await?;
    rows.iter().map(id_and_state).collect()
}

/// Events of these tasks, as of this transaction.
pub(crate) async fn events(tx: &WriteTx, ids: &[TaskId]) -> Result<Vec<TaskEvent>, DbErr> {
    let mut events = Vec::with_capacity(ids.len());
    for chunk in ids.chunks(BATCH) {
        let text = format!(
            "SELECT id, state, kind, done, total, created_by FROM task WHERE id IN ({})",
            placeholders(1, chunk.len())
        );
        let values = chunk.iter().map(|id| Value::from(id.0.as_str()));
        for row in tx.query_all_raw(statement(tx.get_database_backend(), text, values)).await? {
            let (id, state) = id_and_state(&row)?;
            events.push(TaskEvent {
                id,
                state,
                kind: row.try_get("", "kind")?,
                done: row.try_get("", "done")?,
                total: row.try_get("", "total")?,
                created_by: row.try_get("", "created_by")?,
            });
        }
    }
    Ok(events)
}

fn id_and_state(row: &QueryResult) -> Result<(TaskId, TaskState), DbErr> {
    Ok((TaskId(row.try_get("", "id")?), row.try_get("", "state")?))
}

/// `($3, $4)`, on PostgreSQL with the types: it would take a bare parameter in VALUES as text.
fn typed_group(backend: DbBackend, from: usize, types: &[&str]) -> String {
    let typed = backend == DbBackend::Postgres;
    let parameters: Vec<String> = types
        .iter()
        .enumerate()
        .map(|(at, name)| if typed { format!("CAST(${} AS {name})", from + at) } else { format!("${}", from + at) })
        .collect();
    format!("({})", parameters.join(", "))
}
