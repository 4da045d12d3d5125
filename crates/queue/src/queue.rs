//! The application's handle: it creates, cancels and retries tasks.

use std::sync::Arc;
use std::time::Duration;

use db::sql::{placeholders, statement};
use db::{Db, WriteTx};
use entity::OperatorId;
use kernel::clock::Clock;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Value,
};
use tokio::sync::{Notify, broadcast};

use crate::job::{Job, Pool};
use crate::store::{self, NewTask};
use crate::task::{self, Creator, TaskId, TaskState, Words};

/// Events that a slow listener may lag behind before it misses some.
const EVENTS_KEPT: usize = 1024;
/// More changed tasks than this at once are not published one by one.
const NEWS_AT_ONCE: usize = 200;

/// A change of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskEvent {
    /// The task.
    pub id: TaskId,
    /// Its kind.
    pub kind: String,
    /// The state it is in now.
    pub state: TaskState,
    /// How much is done.
    pub done: i64,
    /// Of how much; none if unknown yet.
    pub total: Option<i64>,
    /// Who created it.
    pub created_by: Option<OperatorId>,
}

/// The effect of a cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It had not started and is cancelled now.
    AtOnce,
    /// It runs, and ends at its next checkpoint.
    Asked,
    /// It had ended before, or there is no such task.
    TooLate,
}

/// A task that ended long ago.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expired {
    /// The task.
    pub id: TaskId,
    /// Its result file, to be deleted before the row is.
    pub result_key: Option<String>,
}

/// A handle to the task engine; clones are cheap and share everything.
#[derive(Clone, Debug)]
pub struct Queue {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    db: Db,
    clock: Clock,
    /// How long a run may be silent; set by the runner when it starts.
    lease: Mutex<Duration>,
    events: broadcast::Sender<TaskEvent>,
    /// Wakes the heavy pool, the light pool, the keeper and the scheduler.
    wake: [Notify; 2],
    keeper: Notify,
    scheduler: Notify,
    /// Tasks changed by transactions that may not be committed yet.
    news: Mutex<Vec<TaskId>>,
}

impl Queue {
    /// An engine on `db`. Nothing runs until a [`crate::Runner`] is started.
    #[must_use]
    pub fn new(db: Db, clock: Clock) -> Self {
        Self {
            inner: Arc::new(Inner {
                db,
                clock,
                lease: Mutex::new(crate::Settings::default().lease),
                events: broadcast::Sender::new(EVENTS_KEPT),
                wake: [Notify::new(), Notify::new()],
                keeper: Notify::new(),
                scheduler: Notify::new(),
                news: Mutex::default(),
            }),
        }
    }

    /// Creates a task inside `tx`: it exists if and only if `tx` is committed.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn enqueue<J: Job>(&self, tx: &WriteTx, job: &J, by: &Creator) -> Result<TaskId, DbErr> {
        let task = new_task(job)?;
        let id = task.id.clone();
        self.insert(tx, vec![task], by).await?;
        Ok(id)
    }

    /// Creates many tasks of one kind at once.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn enqueue_many<J: Job>(
        &self,
        tx: &WriteTx,
        jobs: impl IntoIterator<Item = J>,
        by: &Creator,
    ) -> Result<Vec<TaskId>, DbErr> {
        let tasks = jobs.into_iter().map(|job| new_task(&job)).collect::<Result<Vec<_>, _>>()?;
        let ids = tasks.iter().map(|task| task.id.clone()).collect();
        self.insert(tx, tasks, by).await?;
        Ok(ids)
    }

    async fn insert(&self, tx: &WriteTx, tasks: Vec<NewTask>, by: &Creator) -> Result<(), DbErr> {
        let ids: Vec<TaskId> = tasks.iter().take(NEWS_AT_ONCE).map(|task| task.id.clone()).collect();
        store::insert(tx, tasks, by, self.now()).await?;
        self.has_work(ids);
        Ok(())
    }

    /// Cancels a task inside `tx`.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn cancel(&self, tx: &WriteTx, id: &TaskId) -> Result<Cancelled, DbErr> {
        let backend = tx.get_database_backend();
        let at_once =
            "UPDATE task SET state = 5, finished_at = $1, cancel_requested = TRUE WHERE id = $2 AND state = 1";
        let values: [Value; 2] = [self.now().millis().into(), id.0.as_str().into()];
        let ended = tx.execute_raw(statement(backend, at_once, values)).await?.rows_affected() == 1;
        let asked = "UPDATE task SET cancel_requested = TRUE WHERE id = $1 AND state = 2";
        let outcome = if ended {
            Cancelled::AtOnce
        } else if tx.execute_raw(statement(backend, asked, [id.0.as_str().into()])).await?.rows_affected() == 1 {
            Cancelled::Asked
        } else {
            Cancelled::TooLate
        };
        if outcome != Cancelled::TooLate {
            self.tell(vec![id.clone()]);
        }
        Ok(outcome)
    }

    /// Retries a failed or cancelled task, inside `tx`; false if it is neither.
    ///
    /// It continues from its last checkpoint, with all its attempts available again. What it did outside the database
    /// after that checkpoint is done again: jobs must make such steps idempotent.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn retry(&self, tx: &WriteTx, id: &TaskId) -> Result<bool, DbErr> {
        let text = "UPDATE task SET state = 1, tries = 0, cancel_requested = FALSE, run_after = $1, finished_at = NULL, \
                        message = NULL \
                    WHERE id = $2 AND state IN (4, 5)";
        let values: [Value; 2] = [self.now().millis().into(), id.0.as_str().into()];
        let is_queued = tx.execute_raw(statement(tx.get_database_backend(), text, values)).await?.rows_affected() == 1;
        if is_queued {
            self.has_work(vec![id.clone()]);
        }
        Ok(is_queued)
    }

    /// The task `id`.
    ///
    /// # Errors
    /// When the read fails.
    pub async fn find(&self, id: &TaskId) -> Result<Option<task::Model>, DbErr> {
        task::Entity::find_by_id(id.clone()).one(self.db().read()).await
    }

    /// Up to `limit` tasks that ended before `before`, oldest first.
    ///
    /// # Errors
    /// When the read fails.
    pub async fn expired(&self, before: UtcTime, limit: u64) -> Result<Vec<Expired>, DbErr> {
        let rows: Vec<(TaskId, Option<String>)> = task::Entity::find()
            .select_only()
            .columns([task::Column::Id, task::Column::ResultKey])
            .filter(task::Column::FinishedAt.lt(before))
            .order_by_asc(task::Column::FinishedAt)
            .limit(limit)
            .into_tuple()
            .all(self.db().read())
            .await?;
        Ok(rows.into_iter().map(|(id, result_key)| Expired { id, result_key }).collect())
    }

    /// Removes ended tasks inside `tx`. One that was retried meanwhile stays.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn forget(&self, tx: &WriteTx, ids: &[TaskId]) -> Result<u64, DbErr> {
        let mut removed = 0;
        for chunk in ids.chunks(store::BATCH) {
            let text =
                format!("DELETE FROM task WHERE state IN (3, 4, 5) AND id IN ({})", placeholders(1, chunk.len()));
            let values = chunk.iter().map(|id| Value::from(id.0.as_str()));
            removed += tx.execute_raw(statement(tx.get_database_backend(), text, values)).await?.rows_affected();
        }
        Ok(removed)
    }

    /// Changes of tasks from now on. They are hints: after a lag, read the table.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<TaskEvent> {
        self.inner.events.subscribe()
    }

    pub(crate) fn db(&self) -> &Db {
        &self.inner.db
    }

    pub(crate) fn now(&self) -> UtcTime {
        self.inner.clock.now()
    }

    pub(crate) fn set_lease(&self, lease: Duration) {
        *self.inner.lease.lock() = lease;
    }

    pub(crate) fn lease_until(&self) -> UtcTime {
        let lease = i64::try_from(self.inner.lease.lock().as_millis()).unwrap_or(i64::MAX / 4);
        UtcTime(self.now().millis() + lease)
    }

    pub(crate) fn publish(&self, event: TaskEvent) {
        // There may be no listener.
        _ = self.inner.events.send(event);
    }

    /// Wakes the pools. They claim through the write lane, so they come after the end of the current transaction.
    pub(crate) fn has_work(&self, ids: Vec<TaskId>) {
        self.woken(Pool::Heavy).notify_one();
        self.woken(Pool::Light).notify_one();
        self.tell(ids);
    }

    /// Lets the keeper publish these tasks, once the current transaction has ended.
    fn tell(&self, ids: Vec<TaskId>) {
        let mut news = self.inner.news.lock();
        let room = NEWS_AT_ONCE.saturating_sub(news.len());
        news.extend(ids.into_iter().take(room));
        self.inner.keeper.notify_one();
    }

    pub(crate) fn take_news(&self) -> Vec<TaskId> {
        std::mem::take(&mut *self.inner.news.lock())
    }

    pub(crate) fn woken(&self, pool: Pool) -> &Notify {
        match pool {
            Pool::Heavy => &self.inner.wake[0],
            Pool::Light => &self.inner.wake[1],
        }
    }

    pub(crate) fn keeper(&self) -> &Notify {
        &self.inner.keeper
    }

    pub(crate) fn scheduler(&self) -> &Notify {
        &self.inner.scheduler
    }
}

pub(crate) fn new_task<J: Job>(job: &J) -> Result<NewTask, DbErr> {
    Ok(NewTask {
        id: TaskId::new(),
        kind: J::KIND,
        title: Words::from(job.title()).to_json(),
        payload: serde_json::to_string(job).map_err(|error| DbErr::Custom(format!("task {}: {error}", J::KIND)))?,
        pool: J::POOL,
        priority: J::PRIORITY,
        lane: job.lane(),
        max_attempts: J::MAX_ATTEMPTS,
    })
}
