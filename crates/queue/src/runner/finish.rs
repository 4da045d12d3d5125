//! Records how runs ended, many in one transaction.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kernel::text::text;
use kernel::time::UtcTime;
use sea_orm::DbErr;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::{Runs, Settings};
use crate::ctx::Run;
use crate::job::{JobError, Outcome, Pool, Stop};
use crate::queue::Queue;
use crate::store::{self, End};
use crate::task::{self, TaskId, TaskState, Words};

/// The longest wait before another attempt.
const LONGEST_WAIT_S: i64 = 300;

/// The result of a job: a regular one, or the payload of a panic.
pub(super) type RunResult = Result<Result<Outcome, JobError>, Box<dyn Any + Send>>;

/// A run that has ended, to be recorded.
pub(super) struct Ended {
    pub(super) run: Arc<Run>,
    pub(super) has_lane: bool,
    /// None if another runner has the task and nothing may be written.
    pub(super) end: Option<End>,
    /// Its place in the pool, free again once the end is recorded.
    pub(super) place: OwnedSemaphorePermit,
}

/// Decides what a run's end means for its task.
pub(super) fn judge(run: &Run, row: &task::Model, result: RunResult, now: UtcTime) -> Option<End> {
    let end = |state, message: Option<Words>| End {
        state,
        run_after: now,
        is_excused: false,
        message: message.map(|words| words.to_json()),
        file: None,
    };
    let cause = match result {
        Ok(Ok(Outcome { message, file })) => return Some(End { file, ..end(TaskState::Succeeded, message) }),
        Ok(Err(JobError::Stop(why))) => {
            return match run.stopped().unwrap_or(why) {
                Stop::Cancelled => Some(end(TaskState::Cancelled, None)),
                Stop::Lost => None,
                Stop::Stopping => Some(End { is_excused: true, ..end(TaskState::Queued, None) }),
            };
        }
        Ok(Err(JobError::Hopeless(message))) => return Some(end(TaskState::Failed, Some(message))),
        Ok(Err(JobError::Passing(cause))) => format!("{cause:#}"),
        Err(panic) => format!("panic: {}", panic_text(panic.as_ref())),
    };
    let tries = if run.has_moved.load(Ordering::Relaxed) { 1 } else { row.tries };
    let is_last = tries >= row.max_attempts;
    tracing::warn!(task.id = %run.id, task.kind = run.kind, task.attempt = run.attempt, is_last, cause, "a task's run failed");
    Some(if is_last {
        end(TaskState::Failed, Some(failed()))
    } else {
        let wait = 1_i64.checked_shl(tries.unsigned_abs()).unwrap_or(LONGEST_WAIT_S).min(LONGEST_WAIT_S);
        End { run_after: now.plus_seconds(wait), ..end(TaskState::Queued, Some(again())) }
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a text")
}

fn failed() -> Words {
    text(
        "任务多次执行出错，已停止。请稍后重试，或凭任务编号查看服务日志。",
        "The task failed repeatedly and was stopped. Retry it later, or look up its ID in the server log.",
    )
    .into()
}

fn again() -> Words {
    text("执行出错，稍后自动重试。", "The last attempt failed; it will be retried shortly.").into()
}

/// The message of a task whose server crashed repeatedly.
pub(crate) fn lost() -> Words {
    text(
        "执行任务的服务进程多次中断，任务已停止。请重试。",
        "The server was interrupted repeatedly while running this task, and the task was stopped. Retry it.",
    )
    .into()
}

/// Records ends until nobody is left to report any.
pub(super) async fn finish_loop(
    queue: Queue,
    settings: Settings,
    runs: Runs,
    mut ended: mpsc::UnboundedReceiver<Ended>,
) {
    let mut batch = Vec::with_capacity(store::BATCH);
    while ended.recv_many(&mut batch, store::BATCH).await > 0 {
        let (mut ends, mut places, mut has_lane) =
            (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()), false);
        let mut over = Vec::with_capacity(batch.len());
        for Ended { run, has_lane: laned, end, place } in batch.drain(..) {
            has_lane |= laned;
            places.push(place);
            over.push(run.clone());
            if let Some(end) = end {
                ends.push((run, end));
            }
        }
        let written = write(&queue, &ends, settings.lease).await;
        for (id, state) in written {
            if let Some(run) = over.iter().find(|run| run.id == id) {
                queue.publish(run.event(state));
            }
        }
        let mut known = runs.lock();
        for run in &over {
            known.remove(&(run.id.clone(), run.attempt));
        }
        drop(known);
        drop(places);
        if has_lane {
            queue.woken(Pool::Heavy).notify_one();
            queue.woken(Pool::Light).notify_one();
        }
    }
}

/// Retries for as long as a lease lasts. After that the tasks are reclaimed as if this process had died, which is what
/// their checkpoints are for.
async fn write(queue: &Queue, ends: &[(Arc<Run>, End)], patience: Duration) -> Vec<(TaskId, TaskState)> {
    let begun = Instant::now();
    loop {
        let error = match write_once(queue, ends).await {
            Ok(written) => return written,
            Err(error) => error,
        };
        tracing::warn!(%error, tasks = ends.len(), "could not record finished tasks");
        if begun.elapsed() > patience {
            return Vec::new();
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn write_once(queue: &Queue, ends: &[(Arc<Run>, End)]) -> Result<Vec<(TaskId, TaskState)>, DbErr> {
    let tx = queue.db().begin_write().await?;
    let written = store::finish(&tx, ends, queue.now()).await?;
    tx.commit().await?;
    Ok(written)
}
