//! Background work: the jobs and the loops of all domains.

use std::time::Duration;

use queue::{Runner, Settings};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::anchor;
use crate::app::App;
use crate::domain::{Domain, Jobs, Loop};
use crate::incoming;

/// Running tasks have this long to reach a checkpoint when the program stops.
const GRACE: Duration = Duration::from_secs(8);

/// The running loops.
#[derive(Debug)]
pub struct Work {
    runner: Runner,
    stop: CancellationToken,
    /// Those that end when told to.
    told: Vec<JoinHandle<()>>,
    /// Those that are aborted.
    cut: Vec<JoinHandle<()>>,
    app: App,
}

impl Work {
    /// Starts the task runner. Tasks interrupted by a crash are resumed.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn start(app: &App, domains: &[Domain]) -> anyhow::Result<Self> {
        let settings = Settings { is_alone: app.db.is_alone(), ..Settings::default() };
        let registry = Jobs::of(domains)?.into_registry();
        incoming::sweep_at_start(app).await?;
        let runner = Runner::start(app.queue.clone(), registry, app.clone(), settings).await?;
        for domain in domains {
            (domain.start)(app).await.map_err(|fault| anyhow::anyhow!("{}: {fault:?}", domain.name))?;
        }
        let stop = CancellationToken::new();
        let mut work = Self { runner, stop, told: Vec::new(), cut: Vec::new(), app: app.clone() };
        for kind in domains.iter().flat_map(|domain| domain.loops) {
            match kind {
                Loop::Anywhere(run) => work.cut.push(tokio::spawn(run(app.clone()))),
                Loop::Told(run) => work.told.push(tokio::spawn(run(app.clone(), work.stop.clone()))),
            }
        }
        work.cut.push(tokio::spawn(anchor::keep(app.clone())));
        Ok(work)
    }

    /// Stops: running tasks are released at their next checkpoint and resume at the next start.
    pub async fn stop(self) {
        self.stop.cancel();
        for told in self.told {
            // It ends by itself; a panic in it was logged.
            _ = told.await;
        }
        // What they leave is resumed at the next start; nothing new starts while tasks reach their checkpoints.
        self.cut.iter().for_each(JoinHandle::abort);
        self.runner.stop(GRACE).await;
        anchor::drop_one(&self.app).await;
    }
}
