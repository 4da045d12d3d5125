//! The database: how it is opened, how it is written, and the only place that knows a dialect.
//!
//! * Reads go through a pool: [`Db::read`].
//! * Every write goes through one lane: [`Db::begin_write`]. Writers that queue up share a commit
//!   (see [`lane`]), so that `synchronous=FULL` costs one flush for many requests.
//! * [`journal`] is the hash-chained operation log, appended in the transaction it describes.
//! * [`kept`] holds the kept counters that make totals and deep pages cheap.
//! * [`search`] is substring search by trigram on both engines.

pub mod connect;
pub mod journal;
pub mod kept;
pub mod lane;
pub mod list;
pub mod search;
pub mod sql;

use std::sync::Arc;

use sea_orm::{DatabaseConnection, DbBackend, DbErr};
use tokio::sync::watch;

pub use connect::{ConnectError, Settings, connect};
pub use lane::WriteTx;

/// A handle to the database; clones are cheap and share everything.
#[derive(Clone, Debug)]
pub struct Db {
    read: DatabaseConnection,
    lane: Arc<lane::Lane>,
}

impl Db {
    /// The connection for reading. It never sees what is not committed.
    #[must_use]
    pub const fn read(&self) -> &DatabaseConnection {
        &self.read
    }

    /// Waits for the write lane and opens a transaction in it.
    ///
    /// Hold it briefly: hash, encode and fetch *before* this call, since every other writer waits.
    ///
    /// # Errors
    /// When the database refuses to begin.
    pub async fn begin_write(&self) -> Result<WriteTx, DbErr> {
        lane::begin(&self.lane).await
    }

    /// Changes whenever something was committed here: for views that are read anew when anything changes.
    /// On PostgreSQL it does not tell what another server committed.
    #[must_use]
    pub fn commits(&self) -> watch::Receiver<u64> {
        self.lane.commits()
    }

    /// Which engine this is.
    #[must_use]
    pub fn backend(&self) -> DbBackend {
        self.read.get_database_backend()
    }

    /// Closes both sides; what was acknowledged is on disk already.
    ///
    /// # Errors
    /// When the driver reports one while closing.
    pub async fn close(self) -> Result<(), DbErr> {
        self.read.close().await?;
        self.lane.close().await
    }
}

/// True if `error` says that a uniqueness rule was broken by `table` and, if given, `column`.
///
/// The engines word it differently: SQLite names `table.column`, PostgreSQL the constraint
/// (`table_column_key` or the index name `table_column_unique`).
#[must_use]
pub fn is_duplicate(error: &DbErr, table: &str, column: &str) -> bool {
    matches!(
        error.sql_err(),
        Some(sea_orm::SqlErr::UniqueConstraintViolation(text))
            if text.contains(&format!("{table}.{column}"))
                || text.contains(&format!("{table}_{column}"))
    )
}
