//! The write lane: one connection, one writer at a time, one flush for many transactions.
//!
//! A writer with others waiting behind it does not commit: it releases its savepoint, leaves the transaction open for
//! the next one, and waits. The last in the queue (or the one that fills the batch) commits for all, and only then are
//! they all answered. So an acknowledged write is on disk, a failed one is rolled back alone, and `synchronous=FULL`
//! costs one flush per batch.
//!
//! A statement that the database refuses fails its own writer, whose savepoint is rolled back before the next one begins. What a
//! writer only *collects* (log entries, counters, documents of the search index) is written once for the batch, at its end, since an
//! index that is written in 64 savepoints costs 64 segments. If that is refused nobody's part can be taken out of the batch any
//! more: those who came after the one to blame have read his rows, and what they answer rests on them. So the whole batch is undone,
//! he alone hears why, and the others that they can try again ([`commit`]). From then on, for a minute after the last such refusal,
//! everybody writes what he has collected before the next one begins: whoever causes it again fails alone, also when those who try
//! again share his batch.
//!
//! On PostgreSQL the same lane keeps the operation log's hash chain in order.
//!
//! What happens to the connection when something fails is in [`writer`]; how the lane learns what the engine did on its
//! own is in [`gate`].

mod commit;
pub(crate) mod gate;
mod held;
mod transaction;
pub(crate) mod writer;

use std::ops::Deref;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait as _, DatabaseTransaction, DbBackend, DbErr};
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot, watch};

use self::commit::{Acknowledge, Member, flush};
use self::held::{Held, Stage};
pub use self::transaction::Transaction;
use self::writer::{Connection, Writer, bounded};
use crate::connect::Source;
use crate::doubt::Asked;
use crate::fence::Fence;
use crate::health::Health;
use crate::journal::Entry;
use crate::kept::Deltas;
use crate::search::Documents;
use crate::trouble::{self, Trouble};

/// A batch is closed after this many transactions, whoever waits.
const MAX_BATCH: usize = 64;
/// Who has waited this long for the lane is refused: somebody in front of him waits for a database that is gone without
/// having said so, or writers come faster than the disk takes them.
const QUEUE_PATIENCE: Duration = Duration::from_secs(15);

/// The one connection that writes, and the queue before it.
#[derive(Debug)]
pub struct Lane {
    /// Whether this console may write at all.
    fence: Arc<Fence>,
    writer: Arc<Mutex<Writer>>,
    /// Writers between `begin` and the lock.
    waiting: AtomicUsize,
    /// Who has the lock, for those who wait in vain.
    held: Held,
    health: Arc<Health>,
    /// Nobody but this process writes, so that what does not move is its own: a file.
    is_alone: bool,
    commits: watch::Receiver<u64>,
}

/// What is written once, at the end of a batch.
#[derive(Clone, Debug, Default)]
struct Gathered {
    entries: Vec<Entry>,
    deltas: Deltas,
    documents: Documents,
}

impl Gathered {
    fn merge(&mut self, other: Self) {
        self.entries.extend(other.entries);
        self.deltas.merge(other.deltas);
        self.documents.merge(other.documents);
    }
}

type Slot = OwnedMutexGuard<Writer>;

impl Lane {
    pub(crate) fn new(source: Source, health: Arc<Health>, first: Connection) -> Self {
        let fence = Arc::new(Fence::default());
        let is_alone = matches!(source, Source::Sqlite(_));
        let writer = Writer::new(source, health.clone(), fence.clone(), first);
        let commits = writer.commits.subscribe();
        Self {
            fence,
            writer: Arc::new(Mutex::new(writer)),
            waiting: AtomicUsize::new(0),
            held: Held::default(),
            health,
            is_alone,
            commits,
        }
    }

    pub(crate) fn fence(&self) -> &Fence {
        &self.fence
    }

    fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Acquire) > 0
    }

    pub(crate) fn commits(&self) -> watch::Receiver<u64> {
        self.commits.clone()
    }

    pub(crate) async fn close(&self) -> Result<(), DbErr> {
        self.writer.clone().lock_owned().await.close().await
    }
}

/// An open write transaction. Dropping it without [`WriteTx::commit`] rolls it back.
///
/// It dereferences to a connection, so that store functions take it as one.
/// A transaction in which a statement failed cannot be committed, on either engine.
#[derive(Debug)]
pub struct WriteTx {
    lane: Arc<Lane>,
    slot: Option<Slot>,
    /// Others came first in this batch: this one lives in a savepoint.
    nested: bool,
    gathered: Gathered,
}

/// Takes the lane and opens a transaction or, in an open batch, a savepoint, for whoever is at `place` in the code.
pub(crate) async fn begin(lane: &Arc<Lane>, place: &'static Location<'static>) -> Result<WriteTx, DbErr> {
    let queued = Queued::new(lane);
    let since = Instant::now();
    let slot = tokio::time::timeout(QUEUE_PATIENCE, lane.writer.clone().lock_owned()).await;
    let mut slot = slot.map_err(|_| {
        if lane.held.tell(place) && lane.is_alone && !lane.health.is_aside() {
            writer::stop(
                "a writer has not moved for minutes, and nobody can write: stopping, so that the next start can",
            );
        }
        trouble::busy("others write")
    })?;
    lane.held.by(place);
    queued.arrived();
    let nested = slot.batch.is_some();
    if !nested {
        // Whoever queued while another one waited in vain has waited with him, unless he came shortly before the end.
        if let Some(error) = slot.busy_for(since) {
            lane.held.is(Stage::Left);
            return Err(error);
        }
        slot.begin().await.inspect_err(|_| lane.held.is(Stage::Left))?;
    }
    // From here on `WriteTx::drop` cleans up, even if this future is dropped while waiting.
    let mut tx = WriteTx { lane: lane.clone(), slot: Some(slot), nested, gathered: Gathered::default() };
    if nested {
        let batch = tx.slot.as_mut().and_then(|slot| slot.batch.as_mut());
        let is_there = batch.is_some_and(|batch| {
            batch.gate().next_writer();
            std::mem::take(&mut batch.has_savepoint)
        });
        if !is_there {
            bounded(tx.execute_unprepared("SAVEPOINT w")).await?;
        }
    }
    lane.held.is(Stage::Writes);
    Ok(tx)
}

impl WriteTx {
    /// Adds an operation log entry; it is written with this transaction or not at all.
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

    /// Lets this transaction wait longer for what other programs have locked: a migration for a backup that runs, which
    /// on PostgreSQL reads all tables. SQLite's lock is held by the time there is a transaction.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn wait_for_locks(&self, longest: Duration) -> Result<(), DbErr> {
        if self.get_database_backend() == DbBackend::Postgres {
            self.execute_unprepared(&format!("SET LOCAL lock_timeout = {}", longest.as_millis())).await?;
        }
        Ok(())
    }

    /// Has PostgreSQL plan each statement from here on for its values, as readers have it: for lists that are searched by text.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn plan_by_values(&self) -> Result<(), DbErr> {
        if self.get_database_backend() == DbBackend::Postgres {
            self.execute_unprepared("SET LOCAL plan_cache_mode = force_custom_plan").await?;
        }
        Ok(())
    }

    /// Makes the transaction durable. On return it is on disk.
    ///
    /// # Errors
    /// When the database refuses, or a statement of this transaction has failed; then nothing is changed. If the
    /// database was lost while it committed ([`crate::Trouble::InDoubt`]) the outcome is unknown.
    pub async fn commit(mut self) -> Result<(), DbErr> {
        let asked = Asked::now();
        let (done, outcome) = oneshot::channel();
        if let Some(mut slot) = self.slot.take() {
            let lane = self.lane.clone();
            let gathered = std::mem::take(&mut self.gathered);
            let nested = self.nested;
            lane.held.is(Stage::Commits);
            // A task of its own: a caller that disconnects must not leave the lane half closed.
            tokio::spawn(async move {
                leave(&lane, &mut slot, nested, gathered, done).await;
                lane.held.is(Stage::Left);
            });
        }
        let outcome = outcome.await.unwrap_or_else(|_| Err(nothing_written("the write lane was shut")));
        asked.settle(&outcome);
        outcome
    }
}

impl Deref for WriteTx {
    type Target = Transaction;

    fn deref(&self) -> &Transaction {
        &self
            .slot
            .as_ref()
            .and_then(|slot| slot.batch.as_ref())
            .expect("the slot holds a batch from `begin` until `commit` takes it")
            .txn
    }
}

impl Drop for WriteTx {
    fn drop(&mut self) {
        let Some(mut slot) = self.slot.take() else { return };
        let (lane, nested) = (self.lane.clone(), self.nested);
        lane.held.is(Stage::Undoes);
        tokio::spawn(async move {
            give_up(&lane, &mut slot, nested).await;
            lane.held.is(Stage::Left);
        });
    }
}

/// Rolls back one transaction of the batch, and ends the batch if nobody waits.
async fn give_up(lane: &Lane, slot: &mut Slot, nested: bool) {
    if !nested {
        // Alone in the batch: nobody else's work is lost.
        slot.undo().await;
        return;
    }
    let Some(batch) = slot.batch.as_ref() else { return };
    if let Err(error) = roll_back(&batch.txn.0).await {
        // Nothing may be committed on top of a write that could not be undone.
        slot.fail(error).await;
    }
    if !lane.is_waited_for() {
        slot.finish().await;
    }
}

/// Undoes what was done since the savepoint of a writer.
///
/// What became of a statement that its caller abandoned, PostgreSQL's driver tells whoever asks for something next, and
/// sends nothing for him: then it is asked once more.
async fn roll_back(txn: &DatabaseTransaction) -> Result<(), DbErr> {
    const BACK: &str = "ROLLBACK TO w; RELEASE w";
    match bounded(txn.execute_unprepared(BACK)).await {
        Err(error) if Trouble::of(&error) != Some(Trouble::Lost) => {
            tracing::debug!(%error, "what a writer has left behind is undone");
            bounded(txn.execute_unprepared(BACK)).await.map(drop)
        }
        done => done.map(drop),
    }
}

/// Ends one transaction of the batch, and the batch if nobody waits or it is full.
async fn leave(lane: &Lane, slot: &mut Slot, nested: bool, mut gathered: Gathered, done: Acknowledge) {
    let age = slot.batch_age();
    let Some(batch) = slot.batch.as_mut() else { return };
    if batch.gate().is_undone() {
        batch.members.push(Member { gathered, done });
        slot.fail(trouble::undone(None)).await;
        return;
    }
    if batch.gate().has_failed() {
        give_up(lane, slot, nested).await;
        // A caller that disconnected does not need the answer.
        _ = done.send(Err(nothing_written("a statement of the transaction failed")));
        return;
    }
    if batch.is_careful {
        let own = std::mem::take(&mut gathered);
        if let Err(error) = lane.health.unless_lost(flush(&batch.txn.0, own)).await {
            if Trouble::of(&error).is_some() || batch.gate().is_undone() {
                batch.members.push(Member { gathered, done });
                slot.fail(error).await;
                return;
            }
            slot.be_careful();
            give_up(lane, slot, nested).await;
            _ = done.send(Err(error));
            return;
        }
    }
    // Another way to the database and back is saved where the savepoint of whoever comes next is made with the end of this one.
    let goes_on = batch.members.len() + 1 < MAX_BATCH && batch.opened.elapsed() < age && lane.is_waited_for();
    let end = match (nested, goes_on) {
        (true, true) => Some("RELEASE w; SAVEPOINT w"),
        (true, false) => Some("RELEASE w"),
        (false, true) => Some("SAVEPOINT w"),
        (false, false) => None,
    };
    let ended = match end {
        Some(end) => bounded(batch.txn.execute_unprepared(end)).await.err(),
        None => None,
    };
    match ended {
        None => {
            batch.members.push(Member { gathered, done });
            batch.has_savepoint = goes_on;
        }
        Some(error) if Trouble::of(&error) == Some(Trouble::Lost) => {
            batch.members.push(Member { gathered, done });
            slot.fail(error).await;
            return;
        }
        // It is about a statement that he has abandoned: his alone.
        Some(error) => {
            give_up(lane, slot, nested).await;
            _ = done.send(Err(error));
            return;
        }
    }
    // If all who waited give up, the last of them sees to it (`Queued`).
    if !goes_on {
        slot.finish().await;
    }
}

fn nothing_written(why: &str) -> DbErr {
    DbErr::Custom(format!("nothing was written: {why}"))
}

/// Counts a waiting writer, including one that gives up.
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
                let mut slot = lane.writer.clone().lock_owned().await;
                if !lane.is_waited_for() {
                    lane.held.is(Stage::Commits);
                    slot.finish().await;
                    lane.held.is(Stage::Left);
                }
            });
        }
    }
}
