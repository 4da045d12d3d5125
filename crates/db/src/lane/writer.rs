//! The one connection that writes, and the transaction that is open on it.
//!
//! A connection on which a begin, commit, rollback or release failed is in an unknown state: the driver may count a
//! transaction that the engine has rolled back, and then everything that follows would be in one that is never
//! committed. So it is closed and never used again; the next writer opens another.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, RuntimeErr, SqliteTransactionMode,
    TransactionOptions, TransactionTrait as _,
};
use tokio::sync::watch;

use super::commit::{Member, Refused, commit};
use super::gate::Gate;
use super::transaction::Transaction;
use crate::connect::{LOCK_PATIENCE, Source};
use crate::fence::Fence;
use crate::health::Health;
use crate::trouble::{self, Trouble};

/// A rollback or a close that takes longer than this waits for a peer that is gone.
const PATIENCE: Duration = Duration::from_secs(3);
/// The same for what begins or ends a writer's part: longer than a database may be held by another program.
const ANSWER: Duration = Duration::from_secs(10);
/// So long after something that a writer had collected was refused each one writes his own before the next one comes.
const CAREFUL: Duration = Duration::from_mins(1);

/// PostgreSQL goes by a plan for so long, which it has made for a table as large as that was then. It makes plans anew by itself when
/// it has counted the rows, but an operator may have switched that off.
const PLANS: Duration = Duration::from_mins(1);

/// A batch is closed at this age at the earliest and at the latest, if others wait.
const MIN_BATCH_AGE: Duration = Duration::from_millis(8);
const MAX_BATCH_AGE: Duration = Duration::from_millis(40);

/// What the lane's lock guards.
#[derive(Debug)]
pub(super) struct Writer {
    source: Source,
    health: Arc<Health>,
    fence: Arc<Fence>,
    /// A connection known to be outside of any transaction.
    idle: Option<Connection>,
    /// The transaction that writers share.
    pub(super) batch: Option<Batch>,
    /// When a writer waited in vain for another program, and what he heard.
    busy: Option<(Instant, DbErr)>,
    /// Until when each writer of a batch writes what he has collected himself.
    careful_until: Option<Instant>,
    /// How many batches were committed.
    pub(super) commits: watch::Sender<u64>,
    /// What the last batch took to begin and to commit: it serves no writer, and is the same for one as for sixty.
    overhead: Duration,
    /// Since when PostgreSQL plans anew what is asked on the connection.
    planned: Instant,
}

/// The connection, with its gate.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) conn: DatabaseConnection,
    pub(crate) gate: Arc<Gate>,
}

/// Transactions that will be committed together.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) txn: Transaction,
    on: Connection,
    /// What it took to begin.
    begun: Duration,
    pub(super) opened: Instant,
    /// Each writes what he has collected before the next one comes.
    pub(super) is_careful: bool,
    /// Whether the savepoint of whoever comes next is made already.
    pub(super) has_savepoint: bool,
    pub(super) members: Vec<Member>,
}

impl Batch {
    /// The gate of its connection.
    pub(super) fn gate(&self) -> &Gate {
        &self.on.gate
    }
}

impl Writer {
    pub(super) fn new(source: Source, health: Arc<Health>, fence: Arc<Fence>, first: Connection) -> Self {
        Self {
            source,
            health,
            fence,
            idle: Some(first),
            batch: None,
            busy: None,
            careful_until: None,
            commits: watch::Sender::new(0),
            overhead: Duration::ZERO,
            planned: Instant::now(),
        }
    }

    /// The age at which a batch is closed, whoever waits: where a commit is dear, one serves more writers, so that at least
    /// three quarters of the lane's time are theirs.
    pub(super) fn batch_age(&self) -> Duration {
        (self.overhead * 3).clamp(MIN_BATCH_AGE, MAX_BATCH_AGE)
    }

    /// Opens a batch.
    pub(super) async fn begin(&mut self) -> Result<(), DbErr> {
        let began = Instant::now();
        let batch = match self.idle.take() {
            None => self.begin_anew().await,
            Some(kept) => match begin_on(kept).await {
                // It broke while idle, as all do when a database is restarted. Nothing was started on it.
                Err(error) if Trouble::of(&error) == Some(Trouble::Lost) => self.begin_anew().await,
                begun => begun,
            },
        };
        let batch = batch.inspect_err(|error| {
            self.health.note(error);
            if Trouble::of(error) == Some(Trouble::Busy) {
                self.busy = Some((Instant::now(), error.clone()));
            }
        })?;
        let ready = match self.renew_plans(&batch.txn.0).await {
            Ok(()) => self.fence.check(&batch.txn.0).await,
            refused => refused,
        };
        if let Err(error) = ready {
            let Batch { txn, on, .. } = batch;
            drop(txn);
            close(on).await;
            return Err(error);
        }
        let is_careful = self.careful_until.is_some_and(|until| Instant::now() < until);
        self.batch = Some(Batch { is_careful, begun: began.elapsed(), ..batch });
        Ok(())
    }

    /// Lets PostgreSQL forget plans that are old.
    async fn renew_plans(&mut self, txn: &DatabaseTransaction) -> Result<(), DbErr> {
        if txn.get_database_backend() == DbBackend::Postgres && self.planned.elapsed() >= PLANS {
            self.planned = Instant::now();
            bounded(txn.execute_unprepared("DISCARD PLANS")).await?;
        }
        Ok(())
    }

    /// Something that a writer had collected was refused: the next batches are written so that it fails him alone if he does it
    /// again.
    pub(super) fn be_careful(&mut self) {
        self.careful_until = Some(Instant::now() + CAREFUL);
    }

    /// What somebody heard who found the database held by another program, for one who queues since `moment` and has
    /// waited at least half as long by then.
    pub(super) fn busy_for(&self, moment: Instant) -> Option<DbErr> {
        self.busy.as_ref().filter(|(at, _)| *at > moment + LOCK_PATIENCE / 2).map(|(_, error)| error.clone())
    }

    async fn begin_anew(&self) -> Result<Batch, DbErr> {
        begin_on(self.source.open_writer().await?).await
    }

    /// Commits the open batch and answers everybody in it.
    pub(super) async fn finish(&mut self) {
        let Some(Batch { txn, on, mut members, begun, .. }) = self.batch.take() else { return };
        let asked = Instant::now();
        let outcome = self.health.unless_lost(commit(txn.0, &on.gate, &mut members)).await;
        match outcome {
            Ok(()) => {
                self.idle = Some(on);
                self.overhead = begun + asked.elapsed();
                self.health.wrote();
                self.commits.send_modify(|count| *count += 1);
                for member in members {
                    member.tell(Ok(()));
                }
            }
            Err(refused) => {
                // Before the COMMIT was sent a lost database has saved nothing; after it, the outcome is unknown.
                let called = on.gate.is_called();
                let refused = if called { refused.map(trouble::of_commit) } else { refused };
                stop_on_storage_error(&refused.error, &self.health);
                self.health.note(&refused.error);
                if refused.is_somebodys() {
                    self.be_careful();
                }
                close(on).await;
                refused.tell(members);
            }
        }
    }

    /// Abandons the whole batch before its COMMIT: everybody in it hears that it was undone, or what the machine lacks.
    pub(super) async fn fail(&mut self, error: DbErr) {
        stop_on_storage_error(&error, &self.health);
        self.health.note(&error);
        let Some(Batch { txn, on, members, .. }) = self.batch.take() else { return };
        // No COMMIT was sent: to those in the batch it was undone, and can be tried again. What the driver says may be about
        // somebody else's statement, or a savepoint that is gone.
        let error = trouble::undone(Some(error));
        drop(txn);
        close(on).await;
        Refused::from(error).tell(members);
    }

    /// Rolls back the batch of a writer that was alone in it.
    pub(super) async fn undo(&mut self) {
        let Some(Batch { txn, on, .. }) = self.batch.take() else { return };
        let undone = tokio::time::timeout(PATIENCE, txn.0.rollback()).await;
        // The driver still counts as open what SQLite has rolled back by itself.
        match undone {
            Ok(Ok(())) => self.idle = Some(on),
            Ok(Err(error)) => {
                tracing::debug!(%error, "rollback failed; discarding the connection");
                close(on).await;
            }
            Err(_) => close(on).await,
        }
    }

    /// Commits what is open and closes the connection.
    pub(super) async fn close(&mut self) -> Result<(), DbErr> {
        self.finish().await;
        match self.idle.take() {
            Some(on) => on.conn.close().await,
            None => Ok(()),
        }
    }
}

async fn begin_on(on: Connection) -> Result<Batch, DbErr> {
    on.gate.begin();
    let options = TransactionOptions {
        // Fails on a connection that is not in autocommit, so that nothing is started inside something else.
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    };
    match bounded(on.conn.begin_with_options(options)).await {
        Ok(txn) => Ok(Batch {
            txn: Transaction(txn),
            on,
            opened: Instant::now(),
            is_careful: false,
            has_savepoint: false,
            begun: Duration::ZERO,
            members: Vec::new(),
        }),
        Err(error) => {
            close(on).await;
            Err(error)
        }
    }
}

/// `work` on the writer's connection that takes no time unless its peer is gone: on a connection that the other side has
/// forgotten nothing is ever answered, and TCP waits a quarter of an hour before it says so.
pub(super) async fn bounded<T>(work: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
    let waited = tokio::time::timeout(ANSWER, work).await;
    waited.unwrap_or_else(|_| Err(DbErr::Conn(RuntimeErr::Internal("the database does not answer".to_owned()))))
}

/// Closes a connection in an unknown state; SQLite rolls back what is open on it before the next one starts.
async fn close(on: Connection) {
    if tokio::time::timeout(PATIENCE, on.conn.close()).await.is_err() {
        tracing::warn!("a broken database connection does not close; continuing without it");
    }
}

/// Ends the process when the file system fails: after a failed flush SQLite would commit the next transaction as if
/// nothing had happened, so the only safe action is to stop and recover from the WAL (RELIABILITY 0.3). A full disk is
/// different: nothing was acknowledged, and space can be freed. So is a database that is thrown away at the first error.
fn stop_on_storage_error(error: &DbErr, health: &Health) {
    if Trouble::of(error) == Some(Trouble::DiskFull) || health.is_aside() {
        return;
    }
    let text = error.to_string();
    // SQLITE_IOERR is 10, SQLITE_CORRUPT 11, SQLITE_NOTADB 26; sqlx prints `(code: N)`, N extended.
    let code = text
        .split_once("(code: ")
        .and_then(|(_, rest)| rest.split_once(')'))
        .and_then(|(code, _)| code.parse::<u32>().ok());
    if matches!(code.map(|code| code & 0xff), Some(10 | 11 | 26)) {
        tracing::error!(%error, "storage error");
        stop("stopping, so that nothing is acknowledged that is not on disk");
    }
}

/// Ends the process: what was acknowledged is on disk, and whoever looks after it starts it again.
pub(super) fn stop(why: &str) -> ! {
    tracing::error!("{why}");
    std::process::exit(74);
}
