//! The task engine by itself: how fast a backlog of tasks that do nothing is worked off.

use std::time::{Duration, Instant};

use kernel::clock::Clock;
use kernel::text::{Message, text};
use migration::MigratorTrait as _;
use queue::{Creator, Job, JobCtx, JobError, Outcome, Pool, Queue, Registry, Runner, Settings};
use sea_orm::ConnectionTrait as _;
use serde::{Deserialize, Serialize};

use crate::report::{Line, Report, rate, time};

/// Tasks of the backlog.
const TASKS: usize = 20_000;

/// A task that does nothing: what is left is the engine's own work.
#[derive(Debug, Serialize, Deserialize)]
struct Nothing {
    lane: Option<String>,
}

impl Job for Nothing {
    type State = ();
    const KIND: &'static str = "bench.nothing";
    const POOL: Pool = Pool::Light;

    fn title(&self) -> Message {
        text("空任务", "Nothing").into()
    }

    fn lane(&self) -> Option<String> {
        self.lane.clone()
    }

    async fn run(&self, _: &JobCtx<()>) -> Result<Outcome, JobError> {
        Ok(Outcome::done())
    }
}

/// Works off a backlog without lanes, then one on 5,000 cards, in an empty database at `url`.
pub async fn backlog(url: &str, report: &mut Report) -> anyhow::Result<()> {
    let db = db::connect(&db::Settings { url: url.to_owned(), readers: 4 }).await?;
    let tx = db.begin_write().await?;
    migration::Migrator::up(tx.bare(), None).await?;
    tx.commit().await?;
    for (lanes, on) in [(None, "in no lane"), (Some(5_000), "on 5,000 cards")] {
        let took = drain(&db, lanes).await?;
        let per_second = TASKS as f64 / took.as_secs_f64();
        report.add(Line {
            goal: "queue",
            what: format!("{:?}: a backlog of {TASKS} empty tasks {on}", db.backend()),
            ours: format!("{} ({})", time(took), rate(per_second)),
            ..Line::default()
        });
    }
    Ok(db.close().await?)
}

/// The time from the runner's start until all tasks have ended.
async fn drain(db: &db::Db, lanes: Option<usize>) -> anyhow::Result<Duration> {
    let queue = Queue::new(db.clone(), Clock::default());
    let tx = db.begin_write().await?;
    let jobs = (0..TASKS).map(|n| Nothing { lane: lanes.map(|lanes| format!("card {}", n % lanes)) });
    queue.enqueue_many(&tx, jobs, &Creator::system()).await?;
    tx.commit().await?;
    let begun = Instant::now();
    let runner =
        Runner::start(queue, Registry::new().add::<Nothing>(), (), Settings { light: 100, ..Settings::default() })
            .await?;
    let open = db::sql::statement(db.backend(), "SELECT 1 AS one FROM task WHERE state <> 3 LIMIT 1", []);
    while db.read().query_one_raw(open.clone()).await?.is_some() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let took = begun.elapsed();
    runner.stop(Duration::from_secs(5)).await;
    Ok(took)
}
