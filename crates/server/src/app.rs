//! The application: everything that outlives a request.

use std::ops::Deref;
use std::sync::Arc;

use anyhow::Context as _;
use courier::Objects;
use db::Db;
use kernel::clock::Clock;
use kernel::time::UtcTime;
use queue::Queue;
use vault::Vault;

use crate::access::session::Sessions;
use crate::agent_link::Lines;
use crate::anchor::Anchors;
use crate::config::Config;
use crate::domains::auth::Auth;
use crate::domains::fleet::{Fleet, Tickets};
use crate::domains::operation::Operations;
use crate::http::events::EventHub;
use crate::http::guard::Acts;
use crate::router;
use crate::settings::Settings;

/// A cheap handle to the application's parts.
#[derive(Clone, Debug)]
pub struct App(Arc<Parts>);

/// The parts of the application.
#[derive(Debug)]
pub struct Parts {
    /// What each act needs.
    pub acts: Acts,
    /// How it was configured.
    pub config: Config,
    /// The database.
    pub db: Db,
    /// The time.
    pub clock: Clock,
    /// Sessions that were looked up lately.
    pub sessions: Sessions,
    /// Seals what must not be read from the database.
    pub vault: Vault,
    /// Sign-in: keys, hashing, limits.
    pub auth: Auth,
    /// Settings documents that were read lately.
    pub settings: Settings,
    /// What proves from outside that the operation log is whole.
    pub anchors: Anchors,
    /// Files.
    pub objects: Objects,
    /// Background tasks.
    pub queue: Queue,
    /// What happens, for open consoles.
    pub events: EventHub,
    /// What is known of cards in memory.
    pub fleet: Fleet,
    /// Where operations may have something to give out.
    pub operations: Operations,
    /// Connections of room agents.
    pub lines: Lines,
    /// Tickets for shells on cards.
    pub tickets: Tickets,
    /// When the process started.
    pub started_at: UtcTime,
}

impl App {
    /// Puts the application together over an open, migrated database.
    ///
    /// # Errors
    /// When the master key can not be read or is another, a key can not be made, or files can not be kept.
    pub async fn new(config: Config, db: Db, clock: Clock) -> anyhow::Result<Self> {
        let vault = Vault::open(&config.master_key())?;
        vault::store::check(&db, &vault)
            .await
            .context("is this the master key that sealed the secrets of this database?")?;
        let auth = Auth::open(&config, db.clone(), vault.clone(), clock.now()).await?;
        let objects = Objects::open(&config.object_place())?;
        let queue = Queue::new(db.clone(), clock.clone());
        Ok(Self(Arc::new(Parts {
            started_at: clock.now(),
            acts: Acts::of(&router::surface().routes),
            sessions: Sessions::default(),
            settings: Settings::default(),
            events: EventHub::default(),
            fleet: Fleet::default(),
            operations: Operations::default(),
            lines: Lines::default(),
            tickets: Tickets::default(),
            anchors: config.anchors(),
            config,
            db,
            clock,
            vault,
            auth,
            objects,
            queue,
        })))
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
