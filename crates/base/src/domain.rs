//! What a domain hands over: one value, from which the program puts together its calls, its jobs and its loops.
//!
//! A domain names no other part of the program for that, and no part of the program names a domain but the list of all
//! of them.

use std::collections::BTreeMap;

use axum::Router;
use db::WriteTx;
use db::kept::Packed;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::text::Text;
use kernel::time::UtcTime;
use queue::{Job, Registry};
use vault::Vault;

use crate::access::catalog::{Catalogue, Screen};
use crate::access::need::JobNeeds;
use crate::app::{App, Own, Proof};
use crate::config::Config;
use crate::fault::Outcome;
use crate::http::DomainRouter;
use crate::import::entry as import;
use crate::search::Source;
use crate::topic::Topic;
use crate::{attention, list, log, settings};

pub use crate::loops::{Loop, passes};
pub use crate::tables::Table;

/// A part of the business. Write it as `Domain { jobs, ..Domain::new("notice", router) }`.
#[derive(Clone, Copy)]
pub struct Domain {
    /// Its name, for logs and tests.
    pub name: &'static str,
    /// Its calls, each with what it needs.
    pub routes: fn() -> DomainRouter,
    /// Its screens, each with its permissions.
    pub screens: &'static [&'static [Screen]],
    /// Calls that are no part of the operators' API: whoever makes them is known by other means.
    pub links: fn() -> Router,
    /// What it keeps in memory.
    pub parts: for<'a> fn(&'a Opening<'a>) -> BoxFuture<'a, anyhow::Result<Own>>,
    /// Its lists: each is given as a file, and its labels are in the API document.
    pub lists: &'static [list::Entry],
    /// Its imports: their calls, their tasks and the words of the operation log for them.
    pub imports: &'static [import::Entry],
    /// Its settings documents.
    pub settings: &'static [settings::entry::Entry],
    /// Its background jobs and schedules.
    pub jobs: fn(Jobs) -> anyhow::Result<Jobs>,
    /// What has to happen before its loops begin, when the program starts to work.
    pub start: for<'a> fn(&'a App) -> BoxFuture<'a, Outcome<()>>,
    /// What it does for as long as the program works.
    pub loops: &'static [Loop],
    /// What it tells open pages about.
    pub events: &'static [Topic],
    /// What the global search finds of it.
    pub search: &'static [Source],
    /// What may be wrong in it.
    pub attention: &'static [attention::Source],
    /// What its acts are called in the operation log, where that is more than "the button of their permission".
    pub acts: &'static [(&'static str, Text)],
    /// What kinds of objects are called there, as [`crate::http::ops::Audit::of`] names them.
    pub kinds: &'static [(&'static str, Text)],
    /// What acts are called whose call does several, by what became of the object.
    pub turns: &'static [log::Turn],
    /// What is known of kinds of logged objects: the log has labels and choices from there.
    pub shapes: &'static [log::Shape],
    /// Its tables, parents before children.
    pub tables: &'static [Table],
    /// Its lists that keep counters, and by what: tests count them.
    pub counted: &'static [Packed],
    /// Makes search documents anew from its rows, after a restore.
    pub reindex: for<'a> fn(&'a WriteTx) -> BoxFuture<'a, anyhow::Result<()>>,
    /// Writes what the demo company has of it. Domains that come before have written theirs, and customers, rooms and cards
    /// are there.
    pub demo: for<'a> fn(&'a App) -> BoxFuture<'a, anyhow::Result<()>>,
    /// Looks whether records whose hashes are in the operation log are what was written.
    pub proof: Option<Proof>,
}

impl Domain {
    /// A domain that has calls and nothing else.
    #[must_use]
    pub const fn new(name: &'static str, routes: fn() -> DomainRouter) -> Self {
        Self {
            name,
            routes,
            screens: &[],
            links: Router::new,
            parts: |_| std::future::ready(Ok(Own::default())).boxed(),
            lists: &[],
            imports: &[],
            settings: &[],
            jobs: Ok,
            start: |_| std::future::ready(Ok(())).boxed(),
            loops: &[],
            events: &[],
            search: &[],
            attention: &[],
            acts: &[],
            kinds: &[],
            turns: &[],
            shapes: &[],
            tables: &[],
            counted: &[],
            reindex: |_| std::future::ready(Ok(())).boxed(),
            demo: |_| std::future::ready(Ok(())).boxed(),
            proof: None,
        }
    }
}

/// The screens of all `domains`.
#[must_use]
pub fn catalogue(domains: &[Domain]) -> Catalogue {
    Catalogue::of(domains.iter().flat_map(|domain| domain.screens).copied().flatten())
}

/// What there is when domains make their parts.
#[derive(Clone, Copy, Debug)]
pub struct Opening<'a> {
    /// How the program is configured.
    pub config: &'a Config,
    /// The open, migrated database.
    pub db: &'a db::Db,
    /// What seals secrets.
    pub vault: &'a Vault,
    /// The time.
    pub now: UtcTime,
}

/// Background jobs, their schedules, and who may retry them and have the files that they make.
#[derive(Default)]
pub struct Jobs {
    registry: Registry<App>,
    needs: BTreeMap<&'static str, JobNeeds>,
}

impl Jobs {
    /// The jobs of all `domains`.
    ///
    /// # Errors
    /// When a schedule is not valid.
    pub fn of(domains: &[Domain]) -> anyhow::Result<Self> {
        domains.iter().try_fold(Self::default(), |jobs, domain| {
            let jobs = domain.lists.iter().fold(jobs, |jobs, list| (list.job)(jobs));
            let jobs = domain.imports.iter().fold(jobs, |jobs, import| (import.job)(jobs));
            (domain.jobs)(jobs)
        })
    }

    /// Adds a job.
    #[must_use]
    pub fn job<J: Job<State = App>>(mut self) -> Self {
        self.registry = self.registry.add::<J>();
        self
    }

    /// Adds a job that runs at the times of a crontab line, in UTC. `name` is kept with what it did last.
    ///
    /// # Errors
    /// When the line is not valid.
    pub fn every<J: Job<State = App>>(self, name: &'static str, cron: &str, job: &J) -> anyhow::Result<Self> {
        let Self { registry, needs } = self.job::<J>();
        Ok(Self { registry: registry.every(name, cron, job)?, needs })
    }

    /// Adds a job that somebody asks for, and what that takes.
    #[must_use]
    pub fn asked<J: Job<State = App>>(self, needs: JobNeeds) -> Self {
        let mut jobs = self.job::<J>();
        jobs.needs.insert(J::KIND, needs);
        jobs
    }

    /// What people need for a task, by its kind. One that is not here makes no file that anybody may have, and is asked
    /// for by nobody: it runs by itself.
    #[must_use]
    pub fn into_needs(self) -> BTreeMap<&'static str, JobNeeds> {
        self.needs
    }

    pub(crate) fn into_registry(self) -> Registry<App> {
        self.registry
    }
}
