//! Opening a database, and verifying that it is configured to keep what it acknowledges.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DbBackend, DbErr, RuntimeErr, SqlxPostgresConnector, SqlxSqliteConnector,
    Statement,
};
use sqlx::ConnectOptions as _;
use sqlx::pool::PoolOptions;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use crate::Db;
use crate::health::{self, Health};
use crate::lane::Lane;
use crate::lane::gate::Gate;
use crate::lane::writer::Connection;
use crate::place::sqlite_file;
use crate::reader::Reader;
use crate::readers::Readers;
use crate::reads::Reads;

/// The first SQLite without the WAL-reset corruption race, as `sqlite3_libversion_number` writes it.
const SQLITE_FLOOR: i64 = 3_051_003;

/// Page cache in KiB, negative as SQLite expects it: of the writer, and of each reader. The system caches the file as
/// well, so more for every reader costs memory and saves little.
const WRITER_CACHE: &str = "-16000";
const READER_CACHE: &str = "-6000";
/// How long a connection is waited for, and after how long without use it is closed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
pub(crate) const RESTED: Duration = Duration::from_mins(10);
/// Connections that each hold a state of the database, for as long as somebody takes to read it.
const SNAPSHOTS: u32 = 4;
/// How long a connection for lookups lives: its plans were made for tables as large as those were then.
const LOOKUPS: Duration = Duration::from_mins(5);
/// How long a writer waits for a lock that another program holds, on either engine.
pub(crate) const LOCK_PATIENCE: Duration = Duration::from_secs(5);

/// The settings for opening a database.
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
    /// The engine is configured so that it could lose acknowledged writes.
    #[error("the database is not safe to write: {0}")]
    Unsafe(String),
}

/// What a writer hears who found the connection closed; the engine's own error says whether a disk or a network failed.
impl From<ConnectError> for DbErr {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Open(error) => Self::Conn(RuntimeErr::SqlxError(Arc::new(error))),
            ConnectError::SetUp(error) => error,
            ConnectError::Scheme(_) | ConnectError::Unsafe(_) => Self::Conn(RuntimeErr::Internal(error.to_string())),
        }
    }
}

/// Opens the database at `settings.url` and checks its durability settings.
///
/// # Errors
/// When it cannot be reached, or when it would lose acknowledged writes in a power cut.
pub async fn connect(settings: &Settings) -> Result<Db, ConnectError> {
    let source = Source::of(&settings.url)?;
    let health = Arc::new(Health::default());
    // The writer is opened first: on SQLite it creates the file that the readers then find.
    let write = source.open_writer().await?;
    let reading = source.for_reading();
    let snapshots = reading.open_snapshots();
    let readers = Readers::new(reading.clone(), health.clone(), settings.readers, None)?;
    readers.open_one().await?;
    let read = Reads::new(readers, snapshots.clone(), health.clone());
    let lookups = match reading {
        // Plans cost nothing there.
        Source::Sqlite(_) => read.clone(),
        Source::Postgres(options) => {
            health::watch(&options, &health);
            let planned_once = Source::Postgres(options.options([("plan_cache_mode", "auto")]));
            let connections = (settings.readers / 2).max(1);
            let readers = Readers::new(planned_once, health.clone(), connections, Some(LOOKUPS))?;
            Reads::new(readers, snapshots, health.clone())
        }
    };
    let file = sqlite_file(&settings.url).map(Arc::from);
    Ok(Db { read, lookups, lane: Arc::new(Lane::new(source, health.clone(), write)), health, file })
}

/// Where the database is and how connections to it are opened; the writer's is reopened after a failure.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A file.
    Sqlite(SqliteConnectOptions),
    /// A server.
    Postgres(PgConnectOptions),
}

impl Source {
    fn of(url: &str) -> Result<Self, ConnectError> {
        if url.starts_with("sqlite:") {
            let options = SqliteConnectOptions::from_str(url)?
                .create_if_missing(true)
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full)
                .foreign_keys(true)
                .busy_timeout(LOCK_PATIENCE)
                .statement_cache_capacity(256)
                // Rows come from a thread of the driver; with a small buffer the two threads wake each other for every
                // row.
                .row_buffer_size(1024)
                .pragma("mmap_size", "0")
                .pragma("journal_size_limit", "67108864")
                .disable_statement_logging();
            Ok(Self::Sqlite(options))
        } else if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            let options = PgConnectOptions::from_str(url)?
                .application_name("skyrack")
                .statement_cache_capacity(256)
                // A generic plan cannot see a LIKE pattern and walks past the trigram index
                // (PERFORMANCE.md: 717 ms instead of 30).
                .options([("plan_cache_mode", "force_custom_plan"), ("timezone", "UTC")])
                .disable_statement_logging();
            Ok(Self::Postgres(options))
        } else {
            Err(ConnectError::Scheme(url.to_owned()))
        }
    }

    /// Opens the one connection that writes, and verifies that it keeps what it acknowledges.
    pub(crate) async fn open_writer(&self) -> Result<Connection, ConnectError> {
        let gate = Arc::new(Gate::default());
        let mut conn = match self {
            Self::Sqlite(options) => {
                let inside = gate.clone();
                let pool = pool_of(1).after_connect(move |conn, _| {
                    let gate = inside.clone();
                    Box::pin(async move { gate.watch(conn).await })
                });
                let options = options.clone().pragma("cache_size", WRITER_CACHE);
                SqlxSqliteConnector::from_sqlx_sqlite_pool(pool.connect_with(options).await?)
            }
            Self::Postgres(options) => {
                let patience = LOCK_PATIENCE.as_millis().to_string();
                // What writes looks up rows by their numbers, the same few statements again and again, while everybody waits
                // for the lane: a plan takes longer than the statement. What searches there says so (`plan_by_values`), and no
                // plan grows old (`writer::PLANS`).
                let options = options.clone().options([("lock_timeout", &*patience), ("plan_cache_mode", "auto")]);
                SqlxPostgresConnector::from_sqlx_postgres_pool(pool_of(1).connect_with(options).await?)
            }
        };
        let inside = gate.clone();
        conn.set_metric_callback(move |info| {
            if info.failed {
                inside.note_failure();
            }
        });
        check_durability(&conn).await?;
        Ok(Connection { conn, gate })
    }

    /// The same for connections that only read.
    fn for_reading(&self) -> Self {
        match self {
            Self::Sqlite(options) => {
                Self::Sqlite(options.clone().pragma("query_only", "1").pragma("cache_size", READER_CACHE))
            }
            Self::Postgres(options) => {
                Self::Postgres(options.clone().options([("default_transaction_read_only", "on")]))
            }
        }
    }

    pub(crate) async fn open_reader(&self) -> Result<Reader, sqlx::Error> {
        Ok(match self {
            Self::Sqlite(options) => Reader::Sqlite(options.connect().await?),
            Self::Postgres(options) => Reader::Postgres(options.connect().await?),
        })
    }

    /// Connections for [`Reads::snapshot`], opened when they are needed.
    fn open_snapshots(&self) -> DatabaseConnection {
        match self {
            Self::Sqlite(options) => {
                let pool = pool_of(SNAPSHOTS).min_connections(0).connect_lazy_with(options.clone());
                SqlxSqliteConnector::from_sqlx_sqlite_pool(pool)
            }
            Self::Postgres(options) => {
                // They rest for so long that the server may have restarted.
                let pool = pool_of(SNAPSHOTS).min_connections(0).test_before_acquire(true);
                SqlxPostgresConnector::from_sqlx_postgres_pool(pool.connect_lazy_with(options.clone()))
            }
        }
    }
}

fn pool_of<Engine: sqlx::Database>(connections: u32) -> PoolOptions<Engine> {
    PoolOptions::new()
        .max_connections(connections)
        .min_connections(connections.min(1))
        .acquire_timeout(PATIENCE)
        .max_lifetime(None)
        .idle_timeout(RESTED)
        // The writer notices at its next use that its connection is broken, and opens another.
        .test_before_acquire(false)
}

/// Reads the settings back: a refused `journal_mode`, for example, is not reported.
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
