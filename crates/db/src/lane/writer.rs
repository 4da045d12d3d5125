//! The one connection that writes, and the transaction that is open on it.
//!
//! A connection on which a begin, commit, rollback or release failed is in an unknown state: the driver may count a
//! transaction that the engine has rolled back, and then everything that follows would be in one that is never
//! committed. So it is closed and never used again; the next writer opens another.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, SqliteTransactionMode,
    TransactionOptions, TransactionTrait as _,
};
use tokio::sync::{oneshot, watch};

use super::Gathered;
use super::gate::Gate;
use crate::connect::Source;
use crate::fence::Fence;
use crate::health::Health;
use crate::trouble::Trouble;
use crate::{journal, kept, search, trouble};

/// A rollback or a close that takes longer than this waits for a peer that is gone.
const PATIENCE: Duration = Duration::from_secs(3);

/// How a writer gets the outcome of its transaction.
pub(super) type Acknowledge = oneshot::Sender<Result<(), DbErr>>;

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
    /// How many batches were committed.
    pub(super) commits: watch::Sender<u64>,
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
    pub(super) txn: DatabaseTransaction,
    on: Connection,
    pub(super) opened: Instant,
    pub(super) gathered: Gathered,
    pub(super) acknowledge: Vec<Acknowledge>,
}

impl Batch {
    /// The gate of its connection.
    pub(super) fn gate(&self) -> &Gate {
        &self.on.gate
    }
}

impl Writer {
    pub(super) fn new(source: Source, health: Arc<Health>, fence: Arc<Fence>, first: Connection) -> Self {
        Self { source, health, fence, idle: Some(first), batch: None, commits: watch::Sender::new(0) }
    }

    /// Opens a batch.
    pub(super) async fn begin(&mut self) -> Result<(), DbErr> {
        let batch = match self.idle.take() {
            None => self.begin_anew().await,
            Some(kept) => match begin_on(kept).await {
                // It broke while idle, as all do when a database is restarted. Nothing was started on it.
                Err(error) if Trouble::of(&error) == Some(Trouble::Lost) => self.begin_anew().await,
                begun => begun,
            },
        };
        let batch = batch.inspect_err(|error| self.health.note(error))?;
        if let Err(error) = self.fence.check(&batch.txn).await {
            let Batch { txn, on, .. } = batch;
            drop(txn);
            close(on).await;
            return Err(error);
        }
        self.batch = Some(batch);
        Ok(())
    }

    async fn begin_anew(&self) -> Result<Batch, DbErr> {
        begin_on(self.source.open_writer().await?).await
    }

    /// Commits the open batch and answers everybody in it.
    pub(super) async fn finish(&mut self) {
        let Some(Batch { txn, on, gathered, acknowledge, .. }) = self.batch.take() else { return };
        let outcome = self.health.unless_lost(commit(txn, &on.gate, gathered)).await;
        // Before the COMMIT was sent a lost database has saved nothing; after it, the outcome is unknown.
        let outcome = outcome.map_err(|error| if on.gate.is_called() { trouble::of_commit(error) } else { error });
        match &outcome {
            Ok(()) => {
                self.idle = Some(on);
                self.health.wrote();
                self.commits.send_modify(|count| *count += 1);
            }
            Err(error) => {
                stop_on_storage_error(error, &self.health);
                self.health.note(error);
                close(on).await;
            }
        }
        tell(acknowledge, &outcome);
    }

    /// Abandons the whole batch: everybody in it gets the error.
    pub(super) async fn fail(&mut self, error: DbErr) {
        stop_on_storage_error(&error, &self.health);
        self.health.note(&error);
        let Some(Batch { txn, on, acknowledge, .. }) = self.batch.take() else { return };
        // What the driver says after that is about a savepoint that is gone, which helps nobody.
        let error = if on.gate.is_undone() { trouble::undone(Some(error)) } else { error };
        drop(txn);
        close(on).await;
        tell(acknowledge, &Err(error));
    }

    /// Rolls back the batch of a writer that was alone in it.
    pub(super) async fn undo(&mut self) {
        let Some(Batch { txn, on, .. }) = self.batch.take() else { return };
        let undone = tokio::time::timeout(PATIENCE, txn.rollback()).await;
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
    match on.conn.begin_with_options(options).await {
        Ok(txn) => {
            Ok(Batch { txn, on, opened: Instant::now(), gathered: Gathered::default(), acknowledge: Vec::new() })
        }
        Err(error) => {
            close(on).await;
            Err(error)
        }
    }
}

/// Writes the collected changes and commits. On success everything is on disk and the connection is outside of any
/// transaction.
async fn commit(txn: DatabaseTransaction, gate: &Gate, gathered: Gathered) -> Result<(), DbErr> {
    search::flush(&txn, gathered.documents).await?;
    kept::flush(&txn, gathered.deltas).await?;
    journal::append(&txn, gathered.entries).await?;
    let is_sqlite = txn.get_database_backend() == DbBackend::Sqlite;
    gate.call_commit();
    txn.commit().await?;
    if is_sqlite && !gate.has_passed() {
        return Err(trouble::undone(None));
    }
    Ok(())
}

/// Closes a connection in an unknown state; SQLite rolls back what is open on it before the next one starts.
async fn close(on: Connection) {
    if tokio::time::timeout(PATIENCE, on.conn.close()).await.is_err() {
        tracing::warn!("a broken database connection does not close; continuing without it");
    }
}

fn tell(acknowledge: Vec<Acknowledge>, outcome: &Result<(), DbErr>) {
    for done in acknowledge {
        // A caller that disconnected does not need the answer.
        _ = done.send(outcome.clone());
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
        tracing::error!(%error, "storage error: stopping, so that nothing is acknowledged that is not on disk");
        std::process::exit(74);
    }
}
