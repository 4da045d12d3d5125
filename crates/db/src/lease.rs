//! The lease on a PostgreSQL: of several consoles on it, one is active.
//!
//! The holder of the session-level advisory lock [`LOCK`] is the active one, and says so in the row of `console_lease`:
//! epoch, who, where, since when, and a heartbeat on the database's clock. A process that dies loses the lock at once
//! with its connection. One that hangs, or whose machine is gone, keeps its connections; its heartbeat gets old, and
//! after [`PROOF`] another one terminates those connections and takes the lock.
//!
//! Writes are guarded by the fence ([`crate::fence`]). Reads are answered for [`PROOF`] after the last heartbeat that
//! the database has confirmed and no longer, and a console that takes over serves nobody before that time has passed.

use std::str::FromStr as _;
use std::time::{Duration, Instant};

use kernel::time::UtcTime;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use tokio::time::{sleep, timeout};

use crate::fence::Hold;

/// The advisory lock of the active console, of this database alone.
const LOCK: (i32, i32) = (0x736b_7972, 1);
/// A heartbeat is valid for this long, both for its sender and for those who wait.
pub const PROOF: Duration = Duration::from_secs(2);
/// Interval between heartbeats.
pub const BEAT: Duration = Duration::from_millis(500);
/// A console that has not heard from the database for this long gives the lease up by itself.
const GIVE_UP: Duration = Duration::from_secs(10);
/// The database must respond within this time, or the connection is reopened.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How long to wait for the lock of a terminated session.
const ENDING: Duration = Duration::from_secs(1);
/// Attempts to raise the epoch while batches of the previous console are running, each as long as `lock_timeout`.
const RAISES: u32 = 6;

/// The table of the row. It is created by the holder of the lock, before the first migration, and again by a migration.
pub const TABLE: &str = "
CREATE TABLE IF NOT EXISTS console_lease (
    id SMALLINT PRIMARY KEY CHECK (id = 1),
    epoch BIGINT NOT NULL UNIQUE,
    holder VARCHAR(256) NOT NULL,
    name VARCHAR(256) NOT NULL,
    address VARCHAR(256) NOT NULL,
    files VARCHAR(1024) NOT NULL,
    backend INTEGER NOT NULL,
    since_at BIGINT NOT NULL,
    beat_at BIGINT NOT NULL,
    is_released BOOLEAN NOT NULL
);
";

/// The database's clock, in milliseconds since 1970.
macro_rules! now {
    () => {
        "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
    };
}

const LOOK: &str = concat!(
    "SELECT holder, name, address, files, since_at, is_released, ",
    now!(),
    " - beat_at AS age FROM console_lease"
);
const RAISE: &str = concat!(
    "INSERT INTO console_lease (id, epoch, holder, name, address, files, backend, since_at, beat_at, is_released) ",
    "VALUES (1, 1, $1, $2, $3, $4, pg_backend_pid(), ",
    now!(),
    ", ",
    now!(),
    ", FALSE) ON CONFLICT (id) DO UPDATE SET epoch = console_lease.epoch + 1, holder = $1, name = $2, address = $3, ",
    "files = $4, backend = pg_backend_pid(), since_at = ",
    now!(),
    ", beat_at = ",
    now!(),
    ", is_released = FALSE RETURNING epoch"
);
const BEATEN: &str =
    concat!("UPDATE console_lease SET beat_at = ", now!(), ", backend = pg_backend_pid() WHERE epoch = $1");
/// Of the locks, which PostgreSQL lists for all databases of the server, those of this one. A table of another database
/// has the same number as ours when both are copies of one database.
macro_rules! here {
    () => {
        "database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    };
}

/// Terminates the session that holds the lock, if it is still the one with the old heartbeat (or, at $2, our own lost
/// one).
const END_HOLDER: &str = concat!(
    "SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN console_lease c ON c.backend = l.pid WHERE l.",
    here!(),
    " AND l.locktype = 'advisory' AND l.classid = CAST($1 AS OID) AND (c.epoch = $3 OR ",
    now!(),
    " - c.beat_at > $2)"
);
/// Terminates sessions in the middle of a batch: each holds a lock on the row, and so on its table.
const END_BATCHES: &str = concat!(
    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE ",
    here!(),
    " AND relation = 'console_lease'::regclass AND mode IN ('RowShareLock', 'RowExclusiveLock') ",
    "AND pid <> pg_backend_pid()"
);

/// How a console identifies itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Console {
    /// The id of the installation. Two processes of one installation never run at the same time.
    pub holder: String,
    /// The name shown to people.
    pub name: String,
    /// Its address.
    pub address: String,
    /// Where it keeps files: two consoles with the same value see the same files.
    pub files: String,
}

/// The active console, as another one sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Active {
    /// Who.
    pub console: Console,
    /// Since when, by the database's clock.
    pub since: UtcTime,
}

/// The result of trying to get the lease.
#[derive(Debug)]
pub enum Look {
    /// The lease is ours.
    Taken(Box<Lease>),
    /// Another console is active; unknown if that one is just starting.
    Standby(Option<Active>),
}

/// Why the lease cannot be acquired.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// The database does not respond, or refuses.
    #[error("the database: {0}")]
    Database(#[from] sqlx::Error),
    /// It takes too long.
    #[error("the database does not answer")]
    Silent,
    /// It is a replica, which accepts no writes.
    #[error("the database is a replica and takes no writes")]
    Replica,
    /// The previous console is in the middle of a write that cannot be terminated.
    #[error("a write of the last console could not be ended")]
    Busy,
}

/// The row of `console_lease`.
struct Seen {
    active: Active,
    age: Duration,
    is_released: bool,
}

/// A console that wants the lease.
#[derive(Debug)]
pub struct Candidate {
    options: PgConnectOptions,
    console: Console,
    conn: Option<PgConnection>,
}

impl Candidate {
    /// One for the database at `url`; nothing is connected yet.
    ///
    /// # Errors
    /// When `url` is malformed.
    pub fn new(url: &str, console: Console) -> Result<Self, LeaseError> {
        Ok(Self { options: options(url)?, console, conn: None })
    }

    /// Takes the lease if it is free, or if its holder has been silent for too long; otherwise returns who has it.
    ///
    /// # Errors
    /// When the database does not respond, or cannot be used.
    pub async fn look(&mut self) -> Result<Look, LeaseError> {
        let mut conn = match self.conn.take() {
            Some(conn) => conn,
            None => within(PATIENCE, self.options.connect()).await?,
        };
        ask_primary(&mut conn).await?;
        let seen = within(PATIENCE, see(&mut conn)).await?;
        let is_silent = seen.as_ref().is_some_and(|seen| seen.age > PROOF && !seen.is_released);
        let mut is_ours = within(PATIENCE, try_lock(&mut conn)).await?;
        if !is_ours && is_silent {
            within(PATIENCE, end_holder(&mut conn, 0)).await?;
            is_ours = lock_soon(&mut conn).await?;
        }
        if !is_ours {
            self.conn = Some(conn);
            return Ok(Look::Standby(seen.filter(|seen| !seen.is_released).map(|seen| seen.active)));
        }
        self.take(conn, seen, is_silent).await.map(|lease| Look::Taken(Box::new(lease)))
    }

    /// Raises the epoch. The lock is ours, so nobody else does.
    async fn take(&self, mut conn: PgConnection, seen: Option<Seen>, is_silent: bool) -> Result<Lease, LeaseError> {
        if seen.is_none() {
            within(PATIENCE, sqlx::raw_sql(TABLE).execute(&mut conn)).await?;
        }
        if is_silent {
            // The previous console may hang in the middle of a batch.
            within(PATIENCE, end_batches(&mut conn)).await?;
        }
        let began = Instant::now();
        let mut tries = 0;
        let (epoch, asked) = loop {
            let asked = Instant::now();
            match within(PATIENCE, raise(&mut conn, &self.console)).await {
                Ok(epoch) => break (epoch, asked),
                Err(LeaseError::Database(error)) if is_lock_timeout(&error) && tries < RAISES => tries += 1,
                Err(LeaseError::Database(error)) if is_lock_timeout(&error) => return Err(LeaseError::Busy),
                Err(error) => return Err(error),
            }
            within(PATIENCE, end_batches(&mut conn)).await?;
        };
        // Another process may answer reads until its last heartbeat expires; one of this installation is dead.
        let may_answer = |seen: &&Seen| !seen.is_released && seen.active.console.holder != self.console.holder;
        let opens_at = seen.as_ref().filter(may_answer).map_or(began, |seen| began + PROOF.saturating_sub(seen.age));
        let before = seen.map(|seen| seen.active);
        let hold = Hold::new(epoch, asked + PROOF);
        let options = self.options.clone();
        Ok(Lease { options, conn: Some(conn), hold, opens_at, before, heard: asked })
    }
}

/// The lease. It is lost some time after the last [`Lease::beat`], and when this is dropped.
#[derive(Debug)]
pub struct Lease {
    options: PgConnectOptions,
    conn: Option<PgConnection>,
    hold: Hold,
    opens_at: Instant,
    before: Option<Active>,
    heard: Instant,
}

impl Lease {
    /// The state shared with writers and the HTTP layer.
    #[must_use]
    pub fn hold(&self) -> Hold {
        self.hold.clone()
    }

    /// The moment from which nobody else can answer any more.
    #[must_use]
    pub const fn opens_at(&self) -> Instant {
        self.opens_at
    }

    /// The console that was active before; it may have been this one.
    #[must_use]
    pub const fn before(&self) -> Option<&Active> {
        self.before.as_ref()
    }

    /// Sends a heartbeat. `false` if the lease is lost.
    pub async fn beat(&mut self) -> bool {
        let sent = Instant::now();
        match self.beat_once().await {
            Ok(true) => {
                self.heard = sent;
                self.hold.prove(sent + PROOF);
            }
            Ok(false) => self.hold.lose(),
            Err(error) => {
                tracing::warn!(%error, "the lease could not be confirmed");
                self.conn = None;
                if self.heard.elapsed() > GIVE_UP {
                    self.hold.lose();
                }
            }
        }
        !self.hold.is_lost()
    }

    async fn beat_once(&mut self) -> Result<bool, LeaseError> {
        let epoch = self.hold.epoch();
        let conn = match &mut self.conn {
            Some(conn) => conn,
            None => {
                let mut conn = within(PATIENCE, self.options.connect()).await?;
                ask_primary(&mut conn).await?;
                if !within(PATIENCE, try_lock(&mut conn)).await? {
                    // Perhaps it is held by our own session, which the database still considers alive.
                    within(PATIENCE, end_holder(&mut conn, epoch)).await?;
                    if !lock_soon(&mut conn).await? {
                        return Ok(false);
                    }
                }
                self.conn.insert(conn)
            }
        };
        within(PATIENCE, async {
            sqlx::query(BEATEN).bind(epoch).execute(conn).await.map(|done| done.rows_affected() == 1)
        })
        .await
    }

    /// Whether another console waits for the lease.
    pub async fn is_waited_for(&mut self) -> bool {
        let Some(conn) = &mut self.conn else { return false };
        let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                      AND application_name = 'skyrack standby' AND pid <> pg_backend_pid()";
        within(PATIENCE, sqlx::query_scalar::<_, i64>(others).fetch_one(conn)).await.is_ok_and(|count| count > 0)
    }

    /// Releases the lease: another console need not wait. From this call on nothing is answered here.
    pub async fn release(mut self) {
        self.hold.lose();
        let Some(mut conn) = self.conn.take() else { return };
        let text = "UPDATE console_lease SET is_released = TRUE WHERE epoch = $1";
        let told = within(PATIENCE, async {
            sqlx::query(text).bind(self.hold.epoch()).execute(&mut conn).await?;
            // The lock would be released with the connection, a moment after it is closed.
            sqlx::query("SELECT pg_advisory_unlock_all()").execute(&mut conn).await
        })
        .await;
        if let Err(error) = told {
            tracing::warn!(%error, "the lease could not be released; standbys wait until it expires");
        }
        _ = timeout(PATIENCE, conn.close()).await;
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.hold.lose();
    }
}

/// Keeps every console from becoming active while it lives: for commands that require that none is.
#[derive(Debug)]
pub struct Held {
    _conn: PgConnection,
}

/// Takes only the lock, and writes nothing.
///
/// # Errors
/// When the database does not respond. `Ok(Err(_))` is the active console; unknown if the lock is another command's.
pub async fn keep_out(url: &str) -> Result<Result<Held, Option<Active>>, LeaseError> {
    let mut conn = within(PATIENCE, options(url)?.connect()).await?;
    // One that was killed a moment ago may still have it: the database notices when the session's statement has ended.
    if lock_soon(&mut conn).await? {
        return Ok(Ok(Held { _conn: conn }));
    }
    let seen = within(PATIENCE, see(&mut conn)).await?;
    Ok(Err(seen.filter(|seen| !seen.is_released).map(|seen| seen.active)))
}

fn options(url: &str) -> Result<PgConnectOptions, sqlx::Error> {
    Ok(PgConnectOptions::from_str(url)?
        .application_name("skyrack standby")
        // A heartbeat need not be on disk: a crash of the database ends all sessions.
        .options([("synchronous_commit", "off"), ("lock_timeout", "500")])
        .disable_statement_logging())
}

async fn within<T>(patience: Duration, asked: impl Future<Output = Result<T, sqlx::Error>>) -> Result<T, LeaseError> {
    Ok(timeout(patience, asked).await.map_err(|_| LeaseError::Silent)??)
}

/// Only a database that accepts writes can grant a lease.
async fn ask_primary(conn: &mut PgConnection) -> Result<(), LeaseError> {
    let is_replica: bool = within(PATIENCE, sqlx::query_scalar("SELECT pg_is_in_recovery()").fetch_one(conn)).await?;
    if is_replica { Err(LeaseError::Replica) } else { Ok(()) }
}

async fn see(conn: &mut PgConnection) -> Result<Option<Seen>, sqlx::Error> {
    let known: bool =
        sqlx::query_scalar("SELECT to_regclass('console_lease') IS NOT NULL").fetch_one(&mut *conn).await?;
    if !known {
        return Ok(None);
    }
    let row: Option<PgRow> = sqlx::query(LOOK).fetch_optional(conn).await?;
    row.map(|row| {
        let console = Console {
            holder: row.try_get("holder")?,
            name: row.try_get("name")?,
            address: row.try_get("address")?,
            files: row.try_get("files")?,
        };
        let active = Active { console, since: UtcTime(row.try_get("since_at")?) };
        let age = Duration::from_millis(u64::try_from(row.try_get::<i64, _>("age")?).unwrap_or(0));
        Ok(Seen { active, age, is_released: row.try_get("is_released")? })
    })
    .transpose()
}

async fn try_lock(conn: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT pg_try_advisory_lock($1, $2)").bind(LOCK.0).bind(LOCK.1).fetch_one(conn).await
}

/// The lock of a session that is ending becomes free in a moment.
async fn lock_soon(conn: &mut PgConnection) -> Result<bool, LeaseError> {
    let began = Instant::now();
    while began.elapsed() < ENDING {
        if within(PATIENCE, try_lock(conn)).await? {
            return Ok(true);
        }
        sleep(Duration::from_millis(25)).await;
    }
    Ok(false)
}

async fn end_holder(conn: &mut PgConnection, own_epoch: i64) -> Result<(), sqlx::Error> {
    let old = i64::try_from(PROOF.as_millis()).unwrap_or(i64::MAX);
    let ended = sqlx::query(END_HOLDER).bind(LOCK.0).bind(old).bind(own_epoch).fetch_all(conn).await?;
    if !ended.is_empty() {
        tracing::warn!(sessions = ended.len(), "terminated the database session of an unresponsive console");
    }
    Ok(())
}

async fn end_batches(conn: &mut PgConnection) -> Result<(), sqlx::Error> {
    let ended = sqlx::query(END_BATCHES).fetch_all(conn).await?;
    if !ended.is_empty() {
        tracing::warn!(sessions = ended.len(), "terminated pending writes of the previous console");
    }
    Ok(())
}

async fn raise(conn: &mut PgConnection, console: &Console) -> Result<i64, sqlx::Error> {
    let mut txn = conn.begin().await?;
    // Unlike heartbeats this must survive.
    sqlx::raw_sql("SET LOCAL synchronous_commit = on").execute(&mut *txn).await?;
    let epoch = sqlx::query_scalar(RAISE)
        .bind(&console.holder)
        .bind(&console.name)
        .bind(&console.address)
        .bind(&console.files)
        .fetch_one(&mut *txn)
        .await?;
    txn.commit().await?;
    sqlx::raw_sql("SET application_name = 'skyrack lease'").execute(conn).await?;
    Ok(epoch)
}

/// `lock_not_available`.
fn is_lock_timeout(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "55P03")
}
