//! The write lane: one connection, one writer at a time, one flush for many.
//!
//! A writer that finds others waiting behind it does not commit: it releases its savepoint, leaves
//! the transaction open for the next one, and waits. The last in the queue (or the one that fills
//! the batch) commits for all, and only then is anybody answered. So an acknowledged write is on
//! disk, a failed one is rolled back alone, and `synchronous=FULL` costs one flush a batch.
//!
//! On PostgreSQL the same lane keeps the operation log's hash chain in order.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sea_orm::{
    ConnectionTrait as _, DatabaseConnection, DatabaseTransaction, DbErr, SqliteTransactionMode, TransactionOptions,
    TransactionTrait as _,
};
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot, watch};

use crate::journal::{self, Entry};
use crate::kept::{self, Deltas};
use crate::search::{self, Documents};

/// A batch is closed at this many transactions, whoever waits.
const MAX_BATCH: usize = 64;
/// A batch is closed when its first transaction is this old.
const MAX_BATCH_AGE: Duration = Duration::from_millis(8);

/// The one connection that writes.
#[derive(Debug)]
pub struct Lane {
    conn: DatabaseConnection,
    batch: Arc<Mutex<Option<Batch>>>,
    /// Writers between `begin` and the lock.
    waiting: AtomicUsize,
    /// How many batches were committed.
    commits: watch::Sender<u64>,
}

/// Transactions that will be committed together.
#[derive(Debug)]
struct Batch {
    txn: DatabaseTransaction,
    opened: Instant,
    gathered: Gathered,
    acknowledge: Vec<oneshot::Sender<Result<(), Arc<DbErr>>>>,
    commits: watch::Sender<u64>,
}

/// What is written once, when a batch ends.
#[derive(Debug, Default)]
struct Gathered {
    entries: Vec<Entry>,
    deltas: Deltas,
    documents: Documents,
}

type Slot = OwnedMutexGuard<Option<Batch>>;

impl Lane {
    pub(crate) fn new(conn: DatabaseConnection) -> Self {
        Self { conn, batch: Arc::default(), waiting: AtomicUsize::new(0), commits: watch::Sender::new(0) }
    }

    pub(crate) fn commits(&self) -> watch::Receiver<u64> {
        self.commits.subscribe()
    }

    pub(crate) async fn close(&self) -> Result<(), DbErr> {
        let mut slot = self.batch.clone().lock_owned().await;
        finish(&mut slot).await;
        self.conn.clone().close().await
    }
}

/// An open write transaction. Dropping it without [`WriteTx::commit`] undoes what it did.
///
/// It dereferences to the SeaORM transaction, so that store functions take it as a connection.
#[derive(Debug)]
pub struct WriteTx {
    lane: Arc<Lane>,
    slot: Option<Slot>,
    /// Others in this batch came before: this one lives in a savepoint.
    nested: bool,
    gathered: Gathered,
}

/// Takes the lane and opens a transaction or, in an open batch, a savepoint.
pub(crate) async fn begin(lane: &Arc<Lane>) -> Result<WriteTx, DbErr> {
    let queued = Queued::new(lane);
    let slot = lane.batch.clone().lock_owned().await;
    queued.arrived();
    let nested = slot.is_some();
    // From here on `WriteTx::drop` tidies up, also when this future is dropped in mid-await.
    let mut tx = WriteTx { lane: lane.clone(), slot: Some(slot), nested, gathered: Gathered::default() };
    if nested {
        tx.execute_unprepared("SAVEPOINT w").await?;
    } else {
        let txn = lane
            .conn
            .begin_with_options(TransactionOptions {
                sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
                ..TransactionOptions::default()
            })
            .await?;
        if let Some(slot) = &mut tx.slot {
            **slot = Some(Batch {
                txn,
                opened: Instant::now(),
                gathered: Gathered::default(),
                acknowledge: Vec::new(),
                commits: lane.commits.clone(),
            });
        }
    }
    Ok(tx)
}

impl WriteTx {
    /// Adds a line to the operation log; it is written with this transaction or not at all.
    pub fn record(&mut self, entry: Entry) {
        self.gathered.entries.push(entry);
    }

    /// Changes kept counters; they are written with this transaction or not at all.
    pub const fn counts(&mut self) -> &mut Deltas {
        &mut self.gathered.deltas
    }

    /// Changes documents of the search index; they are written with this transaction or not at all.
    pub const fn documents(&mut self) -> &mut Documents {
        &mut self.gathered.documents
    }

    /// Makes the transaction durable. On return it is on disk.
    ///
    /// # Errors
    /// When the database refuses; then nothing of this transaction remains.
    pub async fn commit(mut self) -> Result<(), DbErr> {
        let (done, outcome) = oneshot::channel();
        if let Some(slot) = self.slot.take() {
            let lane = self.lane.clone();
            let gathered = std::mem::take(&mut self.gathered);
            let nested = self.nested;
            // Its own task: a caller who hangs up must not leave the lane half closed.
            tokio::spawn(async move { leave(&lane, slot, nested, gathered, done).await });
        }
        match outcome.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(DbErr::Custom(format!("commit: {error}"))),
            Err(_) => Err(DbErr::Custom("commit: the write lane was shut".to_owned())),
        }
    }
}

impl Deref for WriteTx {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &DatabaseTransaction {
        &self
            .slot
            .as_ref()
            .and_then(|slot| slot.as_ref())
            .expect("the slot holds a batch from `begin` until `commit` takes it")
            .txn
    }
}

impl Drop for WriteTx {
    fn drop(&mut self) {
        let Some(mut slot) = self.slot.take() else { return };
        let (lane, nested) = (self.lane.clone(), self.nested);
        tokio::spawn(async move {
            if let Some(batch) = slot.as_ref()
                && nested
            {
                let undone = batch.txn.execute_unprepared("ROLLBACK TO w; RELEASE w").await;
                if let Err(error) = undone {
                    // Nothing may be committed on top of a write that could not be undone.
                    fail(&mut slot, error).await;
                }
                if lane.waiting.load(Ordering::Acquire) == 0 {
                    finish(&mut slot).await;
                }
            } else if let Some(batch) = slot.take() {
                // Alone in the batch: nobody else's work is lost.
                if let Err(error) = batch.txn.rollback().await {
                    tracing::warn!(%error, "could not roll back");
                }
            }
        });
    }
}

/// Ends one transaction of the batch, and the batch if nobody waits or it is full.
async fn leave(
    lane: &Lane,
    mut slot: Slot,
    nested: bool,
    gathered: Gathered,
    done: oneshot::Sender<Result<(), Arc<DbErr>>>,
) {
    let Some(batch) = slot.as_mut() else { return };
    if nested && let Err(error) = batch.txn.execute_unprepared("RELEASE w").await {
        batch.acknowledge.push(done);
        fail(&mut slot, error).await;
        return;
    }
    batch.gathered.entries.extend(gathered.entries);
    batch.gathered.deltas.merge(gathered.deltas);
    batch.gathered.documents.merge(gathered.documents);
    batch.acknowledge.push(done);
    let full = batch.acknowledge.len() >= MAX_BATCH || batch.opened.elapsed() >= MAX_BATCH_AGE;
    if full || lane.waiting.load(Ordering::Acquire) == 0 {
        finish(&mut slot).await;
    }
}

/// Commits the open batch and answers everybody in it.
async fn finish(slot: &mut Slot) {
    let Some(Batch { txn, gathered, acknowledge, commits, .. }) = slot.take() else { return };
    let outcome = async {
        search::flush(&txn, gathered.documents).await?;
        kept::flush(&txn, gathered.deltas).await?;
        journal::append(&txn, gathered.entries).await?;
        txn.commit().await
    }
    .await
    .map_err(Arc::new);
    match &outcome {
        Ok(()) => commits.send_modify(|count| *count += 1),
        Err(error) => stop_on_storage_error(error),
    }
    for done in acknowledge {
        // A caller who hung up does not need the answer.
        _ = done.send(outcome.clone());
    }
}

/// Gives the whole batch up: everybody in it is told.
async fn fail(slot: &mut Slot, error: DbErr) {
    stop_on_storage_error(&error);
    let Some(Batch { txn, acknowledge, .. }) = slot.take() else { return };
    if let Err(error) = txn.rollback().await {
        tracing::warn!(%error, "could not roll back");
    }
    let error = Arc::new(error);
    for done in acknowledge {
        _ = done.send(Err(error.clone()));
    }
}

/// Ends the process when the file system lies: after a failed flush SQLite would happily commit the
/// next transaction, so the only safe act is to stop and recover from the WAL (RELIABILITY 0.3).
fn stop_on_storage_error(error: &DbErr) {
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

/// Counts a waiting writer, also one that gives up.
struct Queued<'a> {
    lane: &'a Arc<Lane>,
    arrived: bool,
}

impl<'a> Queued<'a> {
    fn new(lane: &'a Arc<Lane>) -> Self {
        lane.waiting.fetch_add(1, Ordering::AcqRel);
        Self { lane, arrived: false }
    }

    fn arrived(mut self) {
        self.arrived = true;
    }
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        let others = self.lane.waiting.fetch_sub(1, Ordering::AcqRel) - 1;
        if !self.arrived && others == 0 {
            // The batch may have been left open for this writer: somebody has to commit it.
            let lane = self.lane.clone();
            tokio::spawn(async move {
                let mut slot = lane.batch.clone().lock_owned().await;
                if lane.waiting.load(Ordering::Acquire) == 0 {
                    finish(&mut slot).await;
                }
            });
        }
    }
}
