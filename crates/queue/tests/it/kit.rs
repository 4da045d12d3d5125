//! Jobs for the tests, and short waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use db::sql::statement;
use kernel::clock::Clock;
use kernel::text::{Message, text};
use parking_lot::Mutex;
use queue::{
    Creator, Job, JobCtx, JobError, Outcome, Queue, Registry, ResultFile, Runner, Settings, TaskId, TaskState,
};
use sea_orm::ConnectionTrait as _;
use serde::{Deserialize, Serialize};
use testkit::TestDb;

/// State shared by the jobs of a test.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// How often each name was started.
    pub runs: Arc<Mutex<HashMap<String, u32>>>,
    /// The number of running jobs of a lane, and its maximum.
    pub side_by_side: Arc<Mutex<(u32, u32)>>,
}

impl World {
    pub fn runs_of(&self, name: &str) -> u32 {
        self.runs.lock().get(name).copied().unwrap_or(0)
    }

    pub fn count(&self, name: &str) -> u32 {
        let mut runs = self.runs.lock();
        let n = runs.entry(name.to_owned()).or_default();
        *n += 1;
        *n
    }
}

/// Writes the numbers below `until` into the table `effect`, a few in each checkpoint.
#[derive(Debug, Serialize, Deserialize)]
pub struct Count {
    pub name: String,
    pub until: i64,
    pub step: i64,
    pub pause_ms: u64,
}

impl Job for Count {
    type State = World;
    const KIND: &'static str = "test.count";
    const MAX_ATTEMPTS: u8 = 2;

    fn title(&self) -> Message {
        text("数到 {until}", "Count to {until}").with("until", self.until)
    }

    async fn run(&self, ctx: &JobCtx<World>) -> Result<Outcome, JobError> {
        ctx.state().count(&self.name);
        let mut at = ctx.resume::<i64>()?.unwrap_or(0);
        while at < self.until {
            let to = self.until.min(at + self.step);
            let tx = ctx.db().begin_write().await?;
            for n in at..to {
                let values = [n.into(), ctx.attempt().into()];
                tx.execute_raw(statement(
                    ctx.db().backend(),
                    "INSERT INTO effect (n, attempt) VALUES ($1, $2)",
                    values,
                ))
                .await?;
            }
            ctx.progress(to, Some(self.until));
            ctx.checkpoint(&tx, &to).await?;
            tx.commit().await?;
            at = to;
            if self.pause_ms > 0 {
                tokio::time::sleep(Duration::from_millis(self.pause_ms)).await;
            }
        }
        Ok(Outcome::done().say(text("数完了", "Counted")).with_file(ResultFile {
            key: "result/1".to_owned(),
            name: "numbers.txt".to_owned(),
            size: 7,
        }))
    }
}

/// How a [`Quick`] job ends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Way {
    Well,
    /// Fails this many times, then succeeds.
    FailsFirst(u32),
    Hopeless,
    Panics,
    /// Waits to be told to end.
    Waits,
    /// Waits without listening.
    Sleeps,
}

/// A light job that does nothing to the database.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Quick {
    pub name: String,
    pub way: Way,
    pub lane: Option<String>,
}

impl Quick {
    pub fn new(name: &str, way: Way) -> Self {
        Self { name: name.to_owned(), way, lane: None }
    }
}

impl Job for Quick {
    type State = World;
    const KIND: &'static str = "test.quick";
    const MAX_ATTEMPTS: u8 = 2;
    const POOL: queue::Pool = queue::Pool::Light;

    fn title(&self) -> Message {
        text("快任务", "Quick").into()
    }

    fn lane(&self) -> Option<String> {
        self.lane.clone()
    }

    async fn run(&self, ctx: &JobCtx<World>) -> Result<Outcome, JobError> {
        let run = ctx.state().count(&self.name);
        if self.lane.is_some() {
            enter(&ctx.state().side_by_side);
            tokio::time::sleep(Duration::from_millis(2)).await;
            ctx.state().side_by_side.lock().0 -= 1;
        }
        match self.way {
            Way::Well => Ok(Outcome::done()),
            Way::FailsFirst(times) if run <= times => Err(anyhow::anyhow!("the card does not answer").into()),
            Way::FailsFirst(_) => Ok(Outcome::done()),
            Way::Hopeless => Err(JobError::hopeless(text("文件是空的", "The file is empty"))),
            Way::Panics => panic!("out of cheese"),
            Way::Waits => Err(ctx.stopped().await.into()),
            Way::Sleeps => {
                tokio::time::sleep(Duration::from_secs(600)).await;
                Ok(Outcome::done())
            }
        }
    }
}

fn enter(side_by_side: &Mutex<(u32, u32)>) {
    let mut counts = side_by_side.lock();
    counts.0 += 1;
    counts.1 = counts.1.max(counts.0);
}

pub fn registry() -> Registry<World> {
    Registry::new().add::<Count>().add::<Quick>()
}

/// Short times, so that no test waits long.
pub fn settings() -> Settings {
    Settings {
        lease: Duration::from_millis(900),
        heartbeat: Duration::from_millis(150),
        poll: Duration::from_millis(50),
        light: 16,
        ..Settings::default()
    }
}

/// An engine on the test's database, with the table that [`Count`] writes to.
pub async fn engine(db: &TestDb) -> (Queue, World, Clock) {
    let tx = db.begin_write().await.unwrap();
    tx.execute_unprepared("CREATE TABLE IF NOT EXISTS effect (n BIGINT NOT NULL, attempt INTEGER NOT NULL)")
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let clock = Clock::default();
    (Queue::new(db.handle(), clock.clone()), World::default(), clock)
}

pub async fn start(queue: &Queue, world: &World) -> Runner {
    Runner::start(queue.clone(), registry(), world.clone(), settings()).await.unwrap()
}

pub async fn ask<J: Job>(queue: &Queue, db: &TestDb, job: &J) -> TaskId {
    let tx = db.begin_write().await.unwrap();
    let id = queue.enqueue(&tx, job, &Creator::operator(entity::OperatorId(7), "wang")).await.unwrap();
    tx.commit().await.unwrap();
    id
}

/// Waits until the task is in `state` and returns it.
pub async fn until(queue: &Queue, id: &TaskId, state: TaskState) -> queue::task::Model {
    for _ in 0..6000 {
        let task = queue.find(id).await.unwrap().unwrap();
        if task.state == state {
            return task;
        }
        assert!(!task.state.is_final(), "the task ended {:?} instead of {state:?}: {:?}", task.state, task.message);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the task did not become {state:?}: {:?}", queue.find(id).await.unwrap());
}

/// The rows of `effect`, and how many different numbers they hold.
pub async fn effects(db: &db::Db) -> (i64, i64) {
    let text = "SELECT COUNT(*) AS rows, COUNT(DISTINCT n) AS numbers FROM effect";
    let row = db.read().query_one_raw(statement(db.backend(), text, [])).await.unwrap().unwrap();
    (row.try_get("", "rows").unwrap(), row.try_get("", "numbers").unwrap())
}
