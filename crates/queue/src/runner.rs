//! Runs tasks: one loop claims for each pool, one records results, one renews the leases, one watches the schedules.

mod finish;
mod keep;

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono_tz::Tz;
use db::sql::statement;
use futures::FutureExt as _;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::{ConnectionTrait as _, DbErr, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ctx::Run;
use crate::job::{Pool, Stop};
use crate::queue::Queue;
use crate::registry::Registry;
use crate::task::{self, TaskId, TaskState};
use crate::{JobCtx, schedule, store};
use finish::Ended;

/// Settings of a runner.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Concurrent heavy tasks.
    pub heavy: usize,
    /// Concurrent light tasks; also the size of a claim.
    pub light: usize,
    /// How long a run may be silent before it counts as dead.
    pub lease: Duration,
    /// How often the lease of a run is extended; several times per lease.
    pub heartbeat: Duration,
    /// How often to look for due tasks.
    pub poll: Duration,
    /// No other server shares the database: tasks running at startup are orphans, and are reclaimed without waiting for
    /// their leases.
    pub is_alone: bool,
    /// The zone of the schedules' times.
    pub zone: Tz,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            heavy: 2,
            light: 100,
            lease: Duration::from_secs(15),
            heartbeat: Duration::from_secs(4),
            poll: Duration::from_secs(1),
            is_alone: false,
            zone: Tz::Asia__Shanghai,
        }
    }
}

/// State shared by the loops of one runner.
struct Shared<S> {
    queue: Queue,
    registry: Registry<S>,
    state: S,
    settings: Settings,
    runs: Runs,
    /// No more claims.
    stop: CancellationToken,
    /// Runs that ignore the stop are dropped.
    kill: CancellationToken,
    running: TaskTracker,
}

/// The current runs, by task and attempt.
type Runs = Arc<Mutex<HashMap<(TaskId, i32), Arc<Run>>>>;

/// Running loops. Stop them with [`Runner::stop`]; otherwise, running tasks wait for their leases to expire.
#[derive(Debug)]
pub struct Runner {
    stop: CancellationToken,
    kill: CancellationToken,
    keeper_stop: CancellationToken,
    running: TaskTracker,
    runs: Runs,
    claimers: Vec<JoinHandle<()>>,
    others: Vec<JoinHandle<()>>,
}

impl Runner {
    /// Starts to run the tasks of `queue` that `registry` knows.
    ///
    /// # Errors
    /// When the schedules cannot be stored or orphans cannot be reclaimed.
    pub async fn start<S: Clone + Send + Sync + 'static>(
        queue: Queue,
        registry: Registry<S>,
        state: S,
        settings: Settings,
    ) -> Result<Self, DbErr> {
        queue.set_lease(settings.lease);
        let tx = queue.db().begin_write().await?;
        for schedule in &registry.schedules {
            schedule.store(&tx, queue.now()).await?;
        }
        if settings.is_alone {
            store::recover(&tx, UtcTime(i64::MAX), queue.now(), &finish::lost().to_json()).await?;
        }
        tx.commit().await?;

        let shared = Arc::new(Shared {
            queue,
            registry,
            state,
            settings,
            runs: Runs::default(),
            stop: CancellationToken::new(),
            kill: CancellationToken::new(),
            running: TaskTracker::new(),
        });
        let keeper_stop = CancellationToken::new();
        let (ends, ended) = mpsc::unbounded_channel();
        let claimers = vec![
            tokio::spawn(claim_loop(shared.clone(), Pool::Heavy, shared.settings.heavy, ends.clone())),
            tokio::spawn(claim_loop(shared.clone(), Pool::Light, shared.settings.light, ends)),
            tokio::spawn(schedule_loop(shared.clone())),
        ];
        let others = vec![
            tokio::spawn(finish::finish_loop(
                shared.queue.clone(),
                shared.settings.clone(),
                shared.runs.clone(),
                ended,
            )),
            tokio::spawn(keep::keep_loop(
                shared.queue.clone(),
                shared.settings.clone(),
                shared.runs.clone(),
                keeper_stop.clone(),
            )),
        ];
        Ok(Self {
            stop: shared.stop.clone(),
            kill: shared.kill.clone(),
            keeper_stop,
            running: shared.running.clone(),
            runs: shared.runs.clone(),
            claimers,
            others,
        })
    }

    /// Stops: no more claims, runs end at their next checkpoint or, after `grace`, immediately. Their tasks are queued
    /// again and continue from their last checkpoint.
    pub async fn stop(self, grace: Duration) {
        self.stop.cancel();
        for claimer in self.claimers {
            _ = claimer.await;
        }
        for run in self.runs.lock().values() {
            run.stop(Stop::Stopping);
        }
        self.running.close();
        if tokio::time::timeout(grace, self.running.wait()).await.is_err() {
            self.kill.cancel();
            self.running.wait().await;
        }
        // The finisher ends when nobody is left to report to it; the leases are kept until then.
        let [finisher, keeper] = <[_; 2]>::try_from(self.others).expect("there are two other loops");
        _ = finisher.await;
        self.keeper_stop.cancel();
        _ = keeper.await;
    }
}

/// Claims tasks of one pool while places are free.
async fn claim_loop<S: Clone + Send + Sync + 'static>(
    shared: Arc<Shared<S>>,
    pool: Pool,
    limit: usize,
    ends: mpsc::UnboundedSender<Ended>,
) {
    let kinds = shared.registry.kinds(pool);
    let places = Arc::new(Semaphore::new(limit));
    if kinds.is_empty() || limit == 0 {
        return;
    }
    let mut is_woken = true;
    loop {
        let taken = tokio::select! {
            () = shared.stop.cancelled() => return,
            taken = take_places(&places) => taken,
        };
        let free = taken.num_permits();
        let mut claimed = 0;
        if is_woken || has_due(&shared.queue, pool).await {
            match claim(&shared.queue, pool, &kinds, free).await {
                Ok(rows) => {
                    claimed = rows.len();
                    start_all(&shared, rows, taken, &ends);
                }
                Err(error) => tracing::warn!(%error, "could not claim tasks"),
            }
        }
        if claimed == free {
            // Probably there are more.
            is_woken = true;
            continue;
        }
        is_woken = tokio::select! {
            () = shared.stop.cancelled() => return,
            () = shared.queue.woken(pool).notified() => true,
            () = tokio::time::sleep(shared.settings.poll) => false,
        };
    }
}

/// Waits for a free place and takes all that are free.
async fn take_places(places: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    let mut taken = places.clone().acquire_owned().await.expect("the semaphore is never closed");
    let more = u32::try_from(places.available_permits()).unwrap_or(u32::MAX);
    if let Ok(others) = places.clone().try_acquire_many_owned(more) {
        taken.merge(others);
    }
    taken
}

/// Whether taking the write lane is worthwhile.
async fn has_due(queue: &Queue, pool: Pool) -> bool {
    let text = "SELECT 1 AS one FROM task WHERE state = 1 AND pool = $1 AND run_after <= $2 LIMIT 1";
    let values: [Value; 2] = [(pool as i16).into(), queue.now().millis().into()];
    let found = queue.db().read().query_one_raw(statement(queue.db().backend(), text, values)).await;
    found.is_ok_and(|row| row.is_some())
}

/// The rule that one task of a lane runs at a time, as each engine names it: SQLite by the column, PostgreSQL by the index.
const LANE_TAKEN: [&str; 2] = ["lane", "lane_running"];

async fn claim(queue: &Queue, pool: Pool, kinds: &[&'static str], limit: usize) -> Result<Vec<task::Model>, DbErr> {
    let tx = queue.db().begin_write().await?;
    let rows = match store::claim(&tx, pool, kinds, limit, queue.now(), queue.lease_until()).await {
        // Another server was faster with a lane; the next round sees the result.
        Err(error) if LANE_TAKEN.iter().any(|rule| db::is_duplicate(&error, "task", rule)) => return Ok(Vec::new()),
        outcome => outcome?,
    };
    tx.commit().await?;
    Ok(rows)
}

/// Starts a run for each row, each with its own place; unused places become free again.
fn start_all<S: Clone + Send + Sync + 'static>(
    shared: &Arc<Shared<S>>,
    rows: Vec<task::Model>,
    mut taken: OwnedSemaphorePermit,
    ends: &mpsc::UnboundedSender<Ended>,
) {
    for row in rows {
        let place = taken.split(1).expect("no more rows are claimed than places were taken");
        let run = Arc::new(Run::of(&row));
        shared.runs.lock().insert((run.id.clone(), run.attempt), run.clone());
        shared.queue.publish(run.event(TaskState::Running));
        let (shared, ends) = (shared.clone(), ends.clone());
        shared.running.clone().spawn(async move {
            let result = run_job(&shared, &row, run.clone()).await;
            let end = finish::judge(&run, &row, result, shared.queue.now());
            // The finisher outlives every sender.
            _ = ends.send(Ended { run, has_lane: row.lane.is_some(), end, place });
        });
    }
}

/// Runs the job; a panic and a late stop are results like others.
async fn run_job<S: Clone + Send + Sync + 'static>(
    shared: &Shared<S>,
    row: &task::Model,
    run: Arc<Run>,
) -> finish::RunResult {
    let Some(start) = shared.registry.start(&row.kind) else {
        return Ok(Err(anyhow::anyhow!("no job has the kind {}", row.kind).into()));
    };
    let ctx = JobCtx::new(shared.state.clone(), shared.queue.clone(), run, row.checkpoint.clone());
    let job = AssertUnwindSafe(start(row.payload.clone(), ctx)).catch_unwind();
    tokio::select! {
        result = job => result,
        () = shared.kill.cancelled() => Ok(Err(Stop::Stopping.into())),
    }
}

/// Creates the tasks of schedules when they are due.
async fn schedule_loop<S: Clone + Send + Sync + 'static>(shared: Arc<Shared<S>>) {
    loop {
        let fired =
            schedule::fire_due(&shared.queue, shared.settings.zone, |kind| shared.registry.start(kind).is_some()).await;
        let sleep = fired.unwrap_or_else(|error| {
            tracing::warn!(%error, "could not run the schedules");
            shared.settings.poll
        });
        tokio::select! {
            () = shared.stop.cancelled() => return,
            () = shared.queue.scheduler().notified() => {}
            () = tokio::time::sleep(sleep) => {}
        }
    }
}
