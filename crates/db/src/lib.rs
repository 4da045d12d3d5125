//! The database: how it is opened, how it is written, and the only place that knows an SQL dialect.
//!
//! * Reads go through a pool: [`Db::read`].
//! * Every write goes through one lane: [`Db::begin_write`]. Writers that queue up share a commit
//!   (see [`lane`]), so that `synchronous=FULL` costs one flush for many requests.
//! * [`lease`] determines which of several consoles on one PostgreSQL is active; [`fence`] keeps the others
//!   from writing.
//! * [`journal`] is the hash-chained operation log, appended in the transaction it describes.
//! * [`kept`] holds the kept counters that make totals and deep pages cheap.
//! * [`integrity`] asks the engine whether its files are intact.
//! * [`beside`] reads what rows are shown with.
//! * [`search`] is substring search by trigram on both engines.

pub mod beside;
pub mod connect;
mod doubt;
pub mod fence;
pub mod health;
pub mod integrity;
pub mod journal;
pub mod kept;
pub mod lane;
pub mod lease;
pub mod list;
mod place;
mod reader;
mod readers;
mod reads;
pub mod search;
pub mod space;
pub mod sql;
pub mod trouble;

use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

use sea_orm::{ConnectionTrait as _, DbBackend, DbErr};
use tokio::sync::watch;

pub use connect::{ConnectError, Settings, connect};
pub use doubt::Commits;
pub use health::Health;
pub use lane::{Transaction, WriteTx};
pub use place::{place_of, sqlite_file};
pub use reads::Reads;
pub use trouble::Trouble;

/// A handle to the database; clones are cheap and share everything.
#[derive(Clone, Debug)]
pub struct Db {
    read: Reads,
    lookups: Reads,
    lane: Arc<lane::Lane>,
    health: Arc<Health>,
    /// The file of a SQLite database.
    file: Option<Arc<Path>>,
}

impl Db {
    /// The pool for reading. It never sees uncommitted data.
    #[must_use]
    pub const fn read(&self) -> &Reads {
        &self.read
    }

    /// The same for rows that are found by their numbers and asked for all the time. PostgreSQL plans such a statement once,
    /// which takes longer than to execute it; what searches by text, sorts or counts much needs a plan for its values
    /// ([`Db::read`]).
    #[must_use]
    pub const fn lookups(&self) -> &Reads {
        &self.lookups
    }

    /// Waits for the write lane and opens a transaction in it.
    ///
    /// Hold it briefly: hash, encode and fetch *before* this call, since every other writer waits.
    ///
    /// # Errors
    /// When the database refuses to start it.
    #[track_caller]
    pub fn begin_write(&self) -> impl Future<Output = Result<WriteTx, DbErr>> + Send + use<'_> {
        lane::begin(&self.lane, Location::caller())
    }

    /// Says that nobody is served from this database yet, so that it may be thrown away: on a storage error the call
    /// fails, and the process goes on.
    pub fn set_aside(&self) {
        self.health.set_aside();
    }

    /// From now on every batch of writes verifies that `hold` is still valid, or fails.
    pub fn stand_behind(&self, hold: fence::Hold) {
        self.lane.fence().close(hold);
    }

    /// Whether no other server works on this database at the same time: a SQLite file has one server, and of several on
    /// a PostgreSQL one holds the lease.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.backend() == DbBackend::Sqlite || self.lane.fence().is_closed()
    }

    /// Changes whenever something was committed here: for views that are reloaded when anything changes. On PostgreSQL
    /// it does not report commits of other servers.
    #[must_use]
    pub fn commits(&self) -> watch::Receiver<u64> {
        self.lane.commits()
    }

    /// The health of the database from its users' point of view.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Reads, and writes something that changes nothing, to verify that the database works and has space to go on.
    ///
    /// # Errors
    /// With the cause of the problem.
    pub async fn probe(&self) -> Result<(), DbErr> {
        if let Some(file) = &self.file {
            space::check(file).map_err(trouble::foreign)?;
        }
        self.read.execute_unprepared("SELECT 1").await?;
        let tx = self.begin_write().await?;
        let change_nothing = if self.backend() == DbBackend::Sqlite {
            // Writes a page with its current content.
            "PRAGMA user_version = 0"
        } else {
            // Assigns a transaction id, which a standby refuses.
            "SELECT pg_current_xact_id()"
        };
        tx.execute_unprepared(change_nothing).await?;
        tx.commit().await
    }

    /// Which engine this is.
    #[must_use]
    pub fn backend(&self) -> DbBackend {
        self.read.get_database_backend()
    }

    /// Closes both sides; what was acknowledged is already on disk.
    ///
    /// # Errors
    /// When the driver reports one while closing.
    pub async fn close(self) -> Result<(), DbErr> {
        self.lookups.close().await?;
        self.read.close().await?;
        self.lane.close().await
    }
}

/// True if `error` says that a uniqueness rule of `column` of `table` was violated.
///
/// The engines report it differently: SQLite names all columns of the rule (`table.column`), PostgreSQL the rule: an
/// index `table_column`, or a constraint `table_column_key`. Names are compared as a whole: `host_slot` says nothing of
/// `host_slot_name`.
#[must_use]
pub fn is_duplicate(error: &DbErr, table: &str, column: &str) -> bool {
    matches!(
        error.sql_err(),
        Some(sea_orm::SqlErr::UniqueConstraintViolation(text))
            if names(&text, &[format!("{table}.{column}"), format!("{table}_{column}"), format!("{table}_{column}_key")])
    )
}

/// Whether one of these names stands in a message, from its first to its last character.
fn names(message: &str, wanted: &[String]) -> bool {
    let mut words = message.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
    words.any(|word| wanted.iter().any(|name| name == word))
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_broken_rule_is_known_by_its_whole_name() {
        let sqlite = "UNIQUE constraint failed: host.frame_id, host.slot_name";
        let postgres = "duplicate key value violates unique constraint \"host_slot_name\"";
        for message in [sqlite, postgres] {
            for (table, column, is_it) in [
                ("host", "slot_name", true),
                ("host", "slot", false),
                ("ost", "slot_name", false),
                ("host", "name", false),
            ] {
                let wanted = [format!("{table}.{column}"), format!("{table}_{column}")];
                assert_eq!(names(message, &wanted), is_it, "{table} {column}: {message}");
            }
        }
        assert!(names(sqlite, &["host.frame_id".to_owned()]), "SQLite names every column of a rule");
    }
}
