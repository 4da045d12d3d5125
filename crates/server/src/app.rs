//! The application: everything that outlives a request.

use std::ops::Deref;
use std::sync::Arc;

use db::Db;
use kernel::clock::Clock;
use kernel::time::UtcTime;
use vault::Vault;

use crate::access::session::Sessions;
use crate::config::Config;
use crate::domains::auth::Auth;

/// A cheap handle to the application's parts.
#[derive(Clone, Debug)]
pub struct App(Arc<Parts>);

/// The parts of the application.
#[derive(Debug)]
pub struct Parts {
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
    /// When the process started.
    pub started_at: UtcTime,
}

impl App {
    /// Puts the application together over an open, migrated database.
    ///
    /// # Errors
    /// When the master key can not be read, or a key can not be made.
    pub async fn new(config: Config, db: Db, clock: Clock) -> anyhow::Result<Self> {
        let vault = Vault::open(&config.master_key())?;
        let auth = Auth::new(&clock).await?;
        let started_at = clock.now();
        Ok(Self(Arc::new(Parts { config, db, clock, sessions: Sessions::default(), vault, auth, started_at })))
    }
}

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
