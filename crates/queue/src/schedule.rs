//! Scheduled tasks, at the times of a cron pattern.
//!
//! A fire time is claimed by moving `last_fire` forward in the transaction that stores the task, so that several
//! servers create one task for it. A server that was down catches up on the latest missed time only.

use std::str::FromStr as _;
use std::time::Duration;

use chrono_tz::Tz;
use croner::Cron;
use db::WriteTx;
use db::sql::statement;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr, QueryResult, Value};

use crate::job::Job;
use crate::queue::{Queue, new_task};
use crate::store::NewTask;
use crate::task::TaskId;

/// The longest sleep of the scheduler: a change of the clock is noticed within it.
const LONGEST_SLEEP: Duration = Duration::from_secs(20);

/// An invalid cron pattern.
#[derive(Debug, thiserror::Error)]
#[error("not a schedule: {0}")]
pub struct BadSchedule(pub(crate) String);

impl From<BadSchedule> for DbErr {
    fn from(error: BadSchedule) -> Self {
        Self::Custom(error.to_string())
    }
}

/// A schedule that is not stored yet.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    name: String,
    cron: String,
    task: NewTask,
}

impl Schedule {
    pub(crate) fn of(name: impl Into<String>, cron: &str, task: NewTask) -> Result<Self, BadSchedule> {
        parse(cron)?;
        Ok(Self { name: name.into(), cron: cron.to_owned(), task })
    }

    /// Stores it. A new one first fires at the next time of its pattern.
    pub(crate) async fn store(&self, tx: &WriteTx, now: UtcTime) -> Result<(), DbErr> {
        let text = "INSERT INTO task_schedule (name, kind, title, payload, pool, lane, max_attempts, cron, last_fire) \
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
                    ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, title = excluded.title, \
                        payload = excluded.payload, pool = excluded.pool, lane = excluded.lane, \
                        max_attempts = excluded.max_attempts, cron = excluded.cron";
        let NewTask { id: _, kind, title, payload, pool, priority: _, lane, max_attempts } = &self.task;
        let values: [Value; 9] = [
            self.name.as_str().into(),
            (*kind).into(),
            title.as_str().into(),
            payload.as_str().into(),
            (*pool as i16).into(),
            lane.clone().into(),
            i32::from(*max_attempts).into(),
            self.cron.as_str().into(),
            now.millis().into(),
        ];
        tx.execute_raw(statement(tx.get_database_backend(), text, values)).await?;
        Ok(())
    }
}

impl Queue {
    /// Runs `job` at the times of `cron`; a schedule of this name is replaced.
    ///
    /// # Errors
    /// When `cron` is not a cron pattern, or the write fails.
    pub async fn set_schedule<J: Job>(&self, tx: &WriteTx, name: &str, cron: &str, job: &J) -> Result<(), DbErr> {
        Schedule::of(name, cron, new_task(job)?)?.store(tx, self.now()).await?;
        self.scheduler().notify_one();
        Ok(())
    }

    /// Removes a schedule; false if there is none of this name. Tasks that it created stay.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn remove_schedule(&self, tx: &WriteTx, name: &str) -> Result<bool, DbErr> {
        let text = "DELETE FROM task_schedule WHERE name = $1";
        let gone = tx.execute_raw(statement(tx.get_database_backend(), text, [name.into()])).await?;
        Ok(gone.rows_affected() == 1)
    }
}

/// Creates the tasks that are due and returns how long to sleep.
pub(crate) async fn fire_due(queue: &Queue, zone: Tz, knows: impl Fn(&str) -> bool) -> Result<Duration, DbErr> {
    let db = queue.db();
    let text = "SELECT name, kind, cron, last_fire FROM task_schedule";
    // Read in the write lane: whoever set a schedule woke us before the end of his transaction, and a reader would not
    // see it yet, and sleep.
    let tx = db.begin_write().await?;
    let rows = tx.query_all_raw(statement(db.backend(), text, [])).await?;
    drop(tx);
    let now = queue.now();
    let local = now.to_chrono().with_timezone(&zone);
    let mut sleep = LONGEST_SLEEP;
    for row in rows {
        let Line { name, kind, cron, last_fire } = Line::of(&row)?;
        let Ok(cron) = parse(&cron) else {
            tracing::error!(schedule = name, cron, "the stored cron pattern is invalid");
            continue;
        };
        // A kind of another release: its server fires it.
        if !knows(&kind) {
            continue;
        }
        if let Ok(latest) = cron.find_previous_occurrence(&local, true) {
            let due = UtcTime(latest.timestamp_millis());
            if due > last_fire {
                fire(queue, &name, due).await?;
            }
        }
        if let Ok(next) = cron.find_next_occurrence(&local, false) {
            let wait = u64::try_from(next.timestamp_millis() - now.millis()).unwrap_or(0);
            sleep = sleep.min(Duration::from_millis(wait));
        }
    }
    Ok(sleep)
}

/// Creates the task of one fire time, unless somebody has.
async fn fire(queue: &Queue, name: &str, due: UtcTime) -> Result<(), DbErr> {
    let tx = queue.db().begin_write().await?;
    let backend = tx.get_database_backend();
    let claim = "UPDATE task_schedule SET last_fire = $1 WHERE name = $2 AND last_fire < $1";
    if tx.execute_raw(statement(backend, claim, [due.millis().into(), name.into()])).await?.rows_affected() == 0 {
        return Ok(());
    }
    let insert = "INSERT INTO task (id, kind, title, payload, state, pool, priority, lane, attempt, tries, max_attempts, \
                      run_after, cancel_requested, done, created_by_name, created_at, schedule, fire_time) \
                  SELECT $1, kind, title, payload, 1, pool, 0, lane, 0, 0, max_attempts, $2, FALSE, 0, '', $2, name, $3 \
                  FROM task_schedule WHERE name = $4";
    let id = TaskId::new();
    let values: [Value; 4] = [id.0.as_str().into(), queue.now().millis().into(), due.millis().into(), name.into()];
    tx.execute_raw(statement(backend, insert, values)).await?;
    tx.commit().await?;
    queue.has_work(vec![id]);
    Ok(())
}

struct Line {
    name: String,
    kind: String,
    cron: String,
    last_fire: UtcTime,
}

impl Line {
    fn of(row: &QueryResult) -> Result<Self, DbErr> {
        Ok(Self {
            name: row.try_get("", "name")?,
            kind: row.try_get("", "kind")?,
            cron: row.try_get("", "cron")?,
            last_fire: row.try_get("", "last_fire")?,
        })
    }
}

fn parse(cron: &str) -> Result<Cron, BadSchedule> {
    Cron::from_str(cron).map_err(|error| BadSchedule(format!("`{cron}`: {error}")))
}
