//! Opening a database, and proving that it is set up to keep what it acknowledges.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DbBackend, DbErr, SqlxPostgresConnector, SqlxSqliteConnector, Statement,
};
use sqlx::ConnectOptions as _;
use sqlx::pool::PoolOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use crate::{Db, lane};

/// The first SQLite without the WAL-reset corruption race, as `sqlite3_libversion_number` writes it.
const SQLITE_FLOOR: i64 = 3_051_003;

/// Memory for pages, in KiB and negative as SQLite wants it: of the writer, and of each reader. The system caches the
/// file as well, so that more for every reader costs memory and saves little.
const WRITER_CACHE: &str = "-16000";
const READER_CACHE: &str = "-6000";

/// How a database is opened.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `sqlite:<path>` or `postgres://...`.
    pub url: String,
    /// Connections for reading.
    pub readers: u32,
}

/// Why a database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The address is not one of ours.
    #[error("`{0}` is not a database address: it must begin with sqlite: or postgres:")]
    Scheme(String),
    /// The address is malformed or the engine does not answer.
    #[error("cannot open the database: {0}")]
    Open(#[from] sqlx::Error),
    /// A statement at opening failed.
    #[error("cannot set up the database: {0}")]
    SetUp(#[from] DbErr),
    /// The engine would not keep what it acknowledges.
    #[error("the database is not safe to write: {0}")]
    Unsafe(String),
}

/// Opens the database at `settings.url` and checks its durability settings.
///
/// # Errors
/// When it can not be reached, or when it would lose acknowledged writes in a power cut.
pub async fn connect(settings: &Settings) -> Result<Db, ConnectError> {
    let url = settings.url.as_str();
    let (read, write) = if url.starts_with("sqlite:") {
        open_sqlite(url, settings.readers).await?
    } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
        open_postgres(url, settings.readers).await?
    } else {
        return Err(ConnectError::Scheme(url.to_owned()));
    };
    check_durability(&write).await?;
    Ok(Db { read, lane: Arc::new(lane::Lane::new(write)) })
}

async fn open_sqlite(url: &str, readers: u32) -> Result<(DatabaseConnection, DatabaseConnection), ConnectError> {
    let options = SqliteConnectOptions::from_str(url)?
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(Duration::from_secs(5))
        .statement_cache_capacity(256)
        // Rows come from a thread of the driver's own; with few between them, the two wake each other at every row.
        .row_buffer_size(1024)
        .pragma("mmap_size", "0")
        .pragma("journal_size_limit", "67108864")
        .disable_statement_logging();
    // The writer is opened first: it creates the file that the readers then find.
    let write = pool_of(1).connect_with(options.clone().pragma("cache_size", WRITER_CACHE)).await?;
    let read = options.pragma("query_only", "1").pragma("cache_size", READER_CACHE);
    let read = pool_of(readers).connect_with(read).await?;
    Ok((SqlxSqliteConnector::from_sqlx_sqlite_pool(read), SqlxSqliteConnector::from_sqlx_sqlite_pool(write)))
}

async fn open_postgres(url: &str, readers: u32) -> Result<(DatabaseConnection, DatabaseConnection), ConnectError> {
    let options = PgConnectOptions::from_str(url)?
        .application_name("skyrack")
        .statement_cache_capacity(256)
        // A generic plan can not see a LIKE pattern and walks past the trigram index
        // (PERFORMANCE.md: 717 ms instead of 30).
        .options([("plan_cache_mode", "force_custom_plan"), ("timezone", "UTC")])
        .disable_statement_logging();
    let write = pool_of(1).connect_with(options.clone()).await?;
    let read = pool_of(readers).connect_with(options.options([("default_transaction_read_only", "on")])).await?;
    Ok((SqlxPostgresConnector::from_sqlx_postgres_pool(read), SqlxPostgresConnector::from_sqlx_postgres_pool(write)))
}

fn pool_of<Engine: sqlx::Database>(connections: u32) -> PoolOptions<Engine> {
    PoolOptions::new()
        .max_connections(connections)
        .min_connections(connections.min(1))
        .acquire_timeout(Duration::from_secs(10))
        .max_lifetime(None)
        .idle_timeout(Duration::from_secs(600))
        // A broken connection shows itself at its next use; asking before each use doubles the trips.
        .test_before_acquire(false)
}

/// Reads back what was asked for: a refused `journal_mode` stays silent, for one.
async fn check_durability(write: &DatabaseConnection) -> Result<(), ConnectError> {
    if write.get_database_backend() == DbBackend::Sqlite {
        let version = setting(write, "SELECT sqlite_version() AS v").await?;
        let mut parts = version.split('.').filter_map(|part| part.parse::<i64>().ok());
        let number =
            parts.next().unwrap_or(0) * 1_000_000 + parts.next().unwrap_or(0) * 1000 + parts.next().unwrap_or(0);
        expect(number >= SQLITE_FLOOR, || format!("SQLite {version} is older than 3.51.3"))?;
        let mode = setting(write, "SELECT journal_mode AS v FROM pragma_journal_mode").await?;
        expect(mode == "wal", || format!("journal_mode is {mode}, not wal"))?;
        for (pragma, wanted) in [("synchronous", "2"), ("foreign_keys", "1")] {
            let sql = format!("SELECT CAST({pragma} AS TEXT) AS v FROM pragma_{pragma}");
            let found = setting(write, &sql).await?;
            expect(found == wanted, || format!("{pragma} is {found}, not {wanted}"))?;
        }
    } else {
        for name in ["fsync", "full_page_writes", "synchronous_commit"] {
            let found = setting(write, &format!("SELECT current_setting('{name}') AS v")).await?;
            expect(found != "off", || format!("PostgreSQL runs with {name}=off"))?;
        }
    }
    Ok(())
}

async fn setting(write: &DatabaseConnection, sql: &str) -> Result<String, DbErr> {
    let statement = Statement::from_string(write.get_database_backend(), sql);
    let row = write.query_one_raw(statement).await?;
    row.map_or_else(|| Ok(String::new()), |row| row.try_get("", "v"))
}

fn expect(holds: bool, complaint: impl FnOnce() -> String) -> Result<(), ConnectError> {
    if holds { Ok(()) } else { Err(ConnectError::Unsafe(complaint())) }
}
