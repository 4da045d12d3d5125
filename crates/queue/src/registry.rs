//! Which jobs this program can run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use anyhow::Context as _;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::JobCtx;
use crate::job::{Job, JobError, Outcome, Pool};
use crate::queue::new_task;
use crate::schedule::{BadSchedule, Schedule};

type Start<S> = Arc<dyn Fn(String, JobCtx<S>) -> BoxFuture<'static, Result<Outcome, JobError>> + Send + Sync>;

/// The jobs that a runner knows, by kind, and the program's own schedules.
pub struct Registry<S> {
    jobs: BTreeMap<&'static str, (Pool, Start<S>)>,
    pub(crate) schedules: Vec<Schedule>,
}

impl<S: Clone + Send + Sync + 'static> Registry<S> {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Self { jobs: BTreeMap::new(), schedules: Vec::new() }
    }

    /// Adds a kind of job.
    ///
    /// # Panics
    /// When two jobs have the same kind: their tasks could not be told apart.
    #[must_use]
    pub fn add<J: Job<State = S>>(mut self) -> Self {
        let start: Start<S> = Arc::new(|payload, ctx| {
            async move {
                let job: J = serde_json::from_str(&payload).context("read the task's payload")?;
                job.run(&ctx).await
            }
            .boxed()
        });
        assert!(self.jobs.insert(J::KIND, (J::POOL, start)).is_none(), "two jobs have the kind {}", J::KIND);
        self
    }

    /// Runs `job` at the times of `cron`. `name` identifies the schedule permanently.
    ///
    /// # Errors
    /// When `cron` is not a cron pattern.
    pub fn every<J: Job<State = S>>(mut self, name: &'static str, cron: &str, job: &J) -> Result<Self, BadSchedule> {
        let task = new_task(job).map_err(|error| BadSchedule(error.to_string()))?;
        self.schedules.push(Schedule::of(name, cron, task)?);
        Ok(self)
    }

    /// The kinds of `pool`.
    pub(crate) fn kinds(&self, pool: Pool) -> Vec<&'static str> {
        self.jobs.iter().filter(|(_, (own, _))| *own == pool).map(|(kind, _)| *kind).collect()
    }

    pub(crate) fn start(&self, kind: &str) -> Option<&Start<S>> {
        self.jobs.get(kind).map(|(_, start)| start)
    }
}

impl<S: Clone + Send + Sync + 'static> Default for Registry<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> fmt::Debug for Registry<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.jobs.keys()).finish()
    }
}
