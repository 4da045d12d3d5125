//! The application: everything that outlives a request.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::ops::Deref;
use std::sync::Arc;

use courier::Objects;
use db::Db;
use db::journal::Broken;
use futures::future::BoxFuture;
use kernel::clock::Clock;
use kernel::time::UtcTime;
use queue::Queue;
use vault::Vault;

use crate::access::catalog::Catalogue;
use crate::access::need::JobNeeds;
use crate::access::session::Sessions;
use crate::access::words::Words;
use crate::anchor::Anchors;
use crate::config::Config;
use crate::fault::Outcome;
use crate::http::events::EventHub;
use crate::inspection::Inspection;
use crate::settings::Settings;
use crate::unnamed;

/// A cheap handle to the application's parts.
#[derive(Clone, Debug)]
pub struct App(Arc<Parts>);

/// The parts of the application.
#[derive(Debug)]
pub struct Parts {
    /// Sections, screens and permissions of all domains.
    pub catalogue: Catalogue,
    /// The names of operations and of kinds of objects.
    pub words: Words,
    /// What people need for a background task, by the task's kind.
    pub job_needs: BTreeMap<&'static str, JobNeeds>,
    /// The configuration.
    pub config: Config,
    /// The database.
    pub db: Db,
    /// The time.
    pub clock: Clock,
    /// The cache of sessions.
    pub sessions: Sessions,
    /// Encrypts what must not be readable in the database.
    pub vault: Vault,
    /// The cache of settings documents.
    pub settings: Settings,
    /// Proves from outside that the operation log is intact.
    pub anchors: Anchors,
    /// The object storage.
    pub objects: Objects,
    /// The tables and columns that name stored files.
    pub file_columns: Vec<(&'static str, &'static str)>,
    /// Inspects uploaded files.
    pub inspection: Inspection,
    /// Background tasks.
    pub queue: Queue,
    /// Events for open consoles.
    pub events: EventHub,
    /// In-memory state of the domains.
    pub own: Own,
    /// Checks of records that the operation log refers to.
    pub proofs: Vec<Proof>,
    /// When the process started.
    pub started_at: UtcTime,
}

impl App {
    /// A file without a name, on the disk that the other files are on: a temporary folder may be memory.
    ///
    /// # Errors
    /// When the disk refuses.
    pub async fn unnamed_file(&self) -> std::io::Result<File> {
        unnamed::file_in(&self.config.data_dir).await
    }

    /// The application made of these parts; [`crate::open::open`] makes them.
    #[must_use]
    pub fn of(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// In-memory state of a domain.
    ///
    /// # Panics
    /// When this application does not contain the domain. Each domain asks for its own only.
    #[must_use]
    pub fn part<T: Any + Send + Sync>(&self) -> &T {
        self.parts().next().expect("a domain of this application provides it")
    }

    /// What several domains provide, each its own.
    pub fn parts<T: Any + Send + Sync>(&self) -> impl Iterator<Item = &T> {
        self.own.all()
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// The first operation log entry whose record was modified, if any.
pub type Proof = for<'a> fn(&'a App) -> BoxFuture<'a, Outcome<Option<Broken>>>;

/// In-memory state of the domains, by type.
#[derive(Default)]
pub struct Own(HashMap<TypeId, Vec<Box<dyn Any + Send + Sync>>>);

impl Own {
    /// Adds a value.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, value: T) -> Self {
        self.0.entry(TypeId::of::<T>()).or_default().push(Box::new(value));
        self
    }

    /// Moves all values of another one here.
    pub fn extend(&mut self, other: Self) {
        for (kind, values) in other.0 {
            self.0.entry(kind).or_default().extend(values);
        }
    }

    fn all<T: Any>(&self) -> impl Iterator<Item = &T> {
        self.0.get(&TypeId::of::<T>()).into_iter().flatten().filter_map(|value| value.downcast_ref())
    }
}

impl std::fmt::Debug for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Own({})", self.0.len())
    }
}
