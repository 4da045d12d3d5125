//! The context of a running job.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use db::{Db, WriteTx};
use entity::OperatorId;
use kernel::text::Message;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::job::{JobError, Stop};
use crate::queue::{Queue, TaskEvent};
use crate::store;
use crate::task::{self, TaskId, TaskState, Words};

/// How often a run's progress is published.
const TELL_EVERY: Duration = Duration::from_millis(250);

/// A run of a task, shared by the runner and the job.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) id: TaskId,
    pub(crate) kind: String,
    pub(crate) attempt: i32,
    pub(crate) created_by: Option<OperatorId>,
    /// Set once, before `ended` is raised.
    stop: OnceLock<Stop>,
    ended: CancellationToken,
    done: AtomicI64,
    /// Negative if unknown.
    total: AtomicI64,
    message: Mutex<Option<String>>,
    /// A checkpoint was written: the count of attempts starts again.
    pub(crate) has_moved: AtomicBool,
    told: Mutex<Instant>,
}

impl Run {
    pub(crate) fn of(row: &task::Model) -> Self {
        Self {
            id: row.id.clone(),
            kind: row.kind.clone(),
            attempt: row.attempt,
            created_by: row.created_by,
            stop: OnceLock::new(),
            ended: CancellationToken::new(),
            done: AtomicI64::new(row.done),
            total: AtomicI64::new(row.total.unwrap_or(-1)),
            message: Mutex::new(None),
            has_moved: AtomicBool::new(false),
            told: Mutex::new(Instant::now()),
        }
    }

    /// Tells the job to end; the first reason counts.
    pub(crate) fn stop(&self, why: Stop) {
        _ = self.stop.set(why);
        self.ended.cancel();
    }

    pub(crate) fn stopped(&self) -> Option<Stop> {
        self.stop.get().copied()
    }

    pub(crate) fn done(&self) -> i64 {
        self.done.load(Ordering::Relaxed)
    }

    pub(crate) fn total(&self) -> Option<i64> {
        Some(self.total.load(Ordering::Relaxed)).filter(|total| *total >= 0)
    }

    pub(crate) fn message(&self) -> Option<String> {
        self.message.lock().clone()
    }

    pub(crate) fn event(&self, state: TaskState) -> TaskEvent {
        TaskEvent {
            id: self.id.clone(),
            kind: self.kind.clone(),
            state,
            done: self.done(),
            total: self.total(),
            created_by: self.created_by,
        }
    }
}

/// The context of a running job.
#[derive(Debug)]
pub struct JobCtx<S> {
    state: S,
    queue: Queue,
    run: Arc<Run>,
    checkpoint: Option<String>,
}

impl<S> JobCtx<S> {
    pub(crate) const fn new(state: S, queue: Queue, run: Arc<Run>, checkpoint: Option<String>) -> Self {
        Self { state, queue, run, checkpoint }
    }

    /// The application's state.
    pub const fn state(&self) -> &S {
        &self.state
    }

    /// The database that holds the task.
    pub fn db(&self) -> &Db {
        self.queue.db()
    }

    /// The task.
    pub fn id(&self) -> &TaskId {
        &self.run.id
    }

    /// The number of this run of the task, from 1. Actions outside the database on behalf of this run should include
    /// it, so that a run that was believed dead can be recognized.
    pub fn attempt(&self) -> i32 {
        self.run.attempt
    }

    /// Who created the task; none for the system.
    pub fn created_by(&self) -> Option<OperatorId> {
        self.run.created_by
    }

    /// Where an earlier run left off; none at the first.
    ///
    /// # Errors
    /// When the stored checkpoint is not a `T`.
    pub fn resume<T: DeserializeOwned>(&self) -> Result<Option<T>, JobError> {
        let Some(text) = &self.checkpoint else { return Ok(None) };
        Ok(Some(serde_json::from_str(text).context("read the checkpoint")?))
    }

    /// Writes where the next run would continue, together with the work done so far: both are in `tx`, so both are
    /// committed or neither is. It also extends the lease.
    ///
    /// # Errors
    /// [`JobError::Stop`] when the run must end. Drop `tx` then (the `?` does), so that the batch is
    /// undone.
    pub async fn checkpoint<T: Serialize + Sync>(&self, tx: &WriteTx, at: &T) -> Result<(), JobError> {
        self.check()?;
        let text = serde_json::to_string(at).context("write the checkpoint")?;
        if store::checkpoint(tx, &self.run, &text, self.queue.lease_until()).await? {
            self.run.has_moved.store(true, Ordering::Relaxed);
            return Ok(());
        }
        self.run.stop(store::why_refused(&**tx, &self.run).await?);
        self.check()
    }

    /// Writes a checkpoint of its own, for work outside the database.
    ///
    /// # Errors
    /// As [`JobCtx::checkpoint`].
    pub async fn save<T: Serialize + Sync>(&self, at: &T) -> Result<(), JobError> {
        let tx = self.db().begin_write().await?;
        self.checkpoint(&tx, at).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Records the progress. It is stored with the next checkpoint or heartbeat.
    pub fn progress(&self, done: i64, total: Option<i64>) {
        self.run.done.store(done, Ordering::Relaxed);
        self.run.total.store(total.unwrap_or(-1), Ordering::Relaxed);
        let mut told = self.run.told.lock();
        if told.elapsed() >= TELL_EVERY {
            *told = Instant::now();
            self.queue.publish(self.run.event(TaskState::Running));
        }
    }

    /// Records the current step, for people.
    pub fn say(&self, message: impl Into<Message>) {
        *self.run.message.lock() = Some(Words::from(message.into()).to_json());
    }

    /// Whether the run may continue. Call it between steps that write no checkpoint.
    ///
    /// # Errors
    /// [`JobError::Stop`] when it may not.
    pub fn check(&self) -> Result<(), JobError> {
        self.run.stopped().map_or(Ok(()), |why| Err(why.into()))
    }

    /// Completes when the run must end: for `select!` with a long wait.
    pub async fn stopped(&self) -> Stop {
        self.run.ended.cancelled().await;
        self.run.stopped().unwrap_or(Stop::Stopping)
    }
}
