//! The commit of a batch: what its members have collected is written together, and each hears how it ended.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait as _, DatabaseTransaction, DbBackend, DbErr};
use tokio::sync::oneshot;

use super::Gathered;
use super::gate::Gate;
use crate::trouble::Trouble;
use crate::{journal, kept, search, trouble};

/// How a writer gets the outcome of its transaction.
pub(super) type Acknowledge = oneshot::Sender<Result<(), DbErr>>;

/// A transaction that waits for the commit of its batch.
#[derive(Debug)]
pub(super) struct Member {
    /// What it has collected, to be written with that of the others.
    pub(super) gathered: Gathered,
    pub(super) done: Acknowledge,
}

/// Writes the collected changes and commits. On success everything is on disk and the connection is outside of any
/// transaction.
pub(super) async fn commit(txn: DatabaseTransaction, gate: &Gate, members: &mut [Member]) -> Result<(), Refused> {
    let is_shared = members.len() > 1;
    let mut gathered = Gathered::default();
    for member in members.iter_mut() {
        // Kept where it may be asked whose it was.
        gathered.merge(if is_shared { member.gathered.clone() } else { std::mem::take(&mut member.gathered) });
    }
    if is_shared {
        txn.execute_unprepared("SAVEPOINT together").await?;
    }
    if let Err(error) = flush(&txn, gathered).await {
        let is_somebodys = is_shared && Trouble::of(&error).is_none() && !gate.is_undone();
        return Err(if is_somebodys { whose(&txn, error, members).await } else { error.into() });
    }
    let is_sqlite = txn.get_database_backend() == DbBackend::Sqlite;
    gate.call_commit();
    txn.commit().await?;
    if is_sqlite && !gate.has_passed() {
        return Err(trouble::undone(None).into());
    }
    Ok(())
}

/// Writes what was collected.
pub(super) async fn flush(txn: &DatabaseTransaction, gathered: Gathered) -> Result<(), DbErr> {
    search::flush(txn, gathered.documents).await?;
    kept::flush(txn, gathered.deltas).await?;
    journal::append(txn, gathered.entries).await
}

/// Finds out whose collected changes the database refused with `error`, by writing those of each member alone. Their
/// rows are in one transaction by now, and who came later has read those of the one to blame, so nobody's can be kept: but
/// only he hears of it, and to the others it was undone and can be tried again.
async fn whose(txn: &DatabaseTransaction, error: DbErr, members: &[Member]) -> Refused {
    let mut guilty = BTreeMap::new();
    for (at, member) in members.iter().enumerate() {
        if let Err(broken) = txn.execute_unprepared("ROLLBACK TO together").await {
            return broken.into();
        }
        if let Err(own) = flush(txn, member.gathered.clone()).await {
            guilty.insert(at, own);
        }
    }
    tracing::error!(%error, members = members.len(), guilty = guilty.len(), "what a batch of writers collected was refused");
    Refused { error: trouble::undone(Some(error)), guilty }
}

/// Why a batch was not committed.
#[derive(Debug)]
pub(super) struct Refused {
    /// What its members hear.
    pub(super) error: DbErr,
    /// What those of them hear who are to blame for it, by their place in the batch.
    guilty: BTreeMap<usize, DbErr>,
}

impl From<DbErr> for Refused {
    fn from(error: DbErr) -> Self {
        Self { error, guilty: BTreeMap::new() }
    }
}

impl Refused {
    /// Whether some of them are to blame.
    pub(super) fn is_somebodys(&self) -> bool {
        !self.guilty.is_empty()
    }

    pub(super) fn map(self, change: impl Fn(DbErr) -> DbErr) -> Self {
        Self { error: change(self.error), ..self }
    }

    pub(super) fn tell(mut self, members: Vec<Member>) {
        for (at, member) in members.into_iter().enumerate() {
            member.tell(Err(self.guilty.remove(&at).unwrap_or_else(|| self.error.clone())));
        }
    }
}

impl Member {
    pub(super) fn tell(self, outcome: Result<(), DbErr>) {
        // A caller that disconnected does not need the answer.
        _ = self.done.send(outcome);
    }
}
