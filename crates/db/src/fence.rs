//! The fence: proof inside each batch of writes that this console is still the active one.
//!
//! Several consoles may share a PostgreSQL. One of them holds the lease (see [`crate::lease`]); its number, the
//! *epoch*, is in the only row of `console_lease` and increases with every change of the active console. A batch starts
//! by locking that row and checking whether its own epoch is still there. A console that takes over has to wait for
//! such batches, or end their connections, before it can raise the epoch: so a console whose lease is lost writes
//! nothing, however long it was suspended.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, DbErr, RuntimeErr};
use tokio::sync::watch;

use crate::sql::statement;

/// `KEY SHARE` conflicts with a change of the epoch, which has a unique index, and not with a heartbeat of the same
/// epoch.
const PROOF: &str = "SELECT 1 AS one FROM console_lease WHERE epoch = $1 FOR KEY SHARE";

/// The state of a held lease: shared by its keeper, the write lane and the HTTP layer.
#[derive(Clone, Debug)]
pub struct Hold(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    epoch: i64,
    standing: watch::Sender<Standing>,
}

#[derive(Clone, Copy, Debug)]
enum Standing {
    /// The database has confirmed it recently enough that nobody else can have the lease before this moment.
    ProvedUntil(Instant),
    Lost,
}

impl Hold {
    pub(crate) fn new(epoch: i64, until: Instant) -> Self {
        Self(Arc::new(Inner { epoch, standing: watch::Sender::new(Standing::ProvedUntil(until)) }))
    }

    /// The number of this lease.
    #[must_use]
    pub fn epoch(&self) -> i64 {
        self.0.epoch
    }

    /// Whether it is certain that nobody else has the lease now.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        matches!(*self.0.standing.borrow(), Standing::ProvedUntil(until) if Instant::now() < until)
    }

    /// Whether the lease is permanently lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(*self.0.standing.borrow(), Standing::Lost)
    }

    /// Whether it is certain that nobody else has the lease, waiting up to `patience`: a slow database is not a loss.
    pub async fn proved(&self, patience: Duration) -> bool {
        if self.is_proved() {
            return true;
        }
        let mut standing = self.0.standing.subscribe();
        let decided = standing.wait_for(|standing| match standing {
            Standing::ProvedUntil(until) => Instant::now() < *until,
            Standing::Lost => true,
        });
        _ = tokio::time::timeout(patience, decided).await;
        self.is_proved()
    }

    /// Completes when the lease is permanently lost.
    pub async fn lost(&self) {
        // The sender lives as long as `self`, so waiting cannot fail.
        _ = self.0.standing.subscribe().wait_for(|standing| matches!(standing, Standing::Lost)).await;
    }

    /// Records that the database has confirmed the lease; a lost one stays lost.
    pub(crate) fn prove(&self, until: Instant) {
        self.0.standing.send_if_modified(|standing| {
            let is_ours = matches!(standing, Standing::ProvedUntil(_));
            if is_ours {
                *standing = Standing::ProvedUntil(until);
            }
            is_ours
        });
    }

    /// Records that the lease is lost.
    pub(crate) fn lose(&self) {
        self.0.standing.send_replace(Standing::Lost);
    }
}

/// Consulted by the write lane when a batch starts. It lets every batch through until it is given a [`Hold`].
#[derive(Debug, Default)]
pub struct Fence(OnceLock<Hold>);

impl Fence {
    /// From now on only batches under `hold` are written. The first hold stays.
    pub(crate) fn close(&self, hold: Hold) {
        _ = self.0.set(hold);
    }

    /// Whether there is a hold.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.get().is_some()
    }

    /// Checks in `txn` whether the lease is still ours, and keeps it so until `txn` ends.
    ///
    /// # Errors
    /// When it is not, or the database does not answer.
    pub async fn check(&self, txn: &impl ConnectionTrait) -> Result<(), DbErr> {
        let Some(hold) = self.0.get() else { return Ok(()) };
        if txn.query_one_raw(statement(txn.get_database_backend(), PROOF, [hold.epoch().into()])).await?.is_some() {
            return Ok(());
        }
        hold.lose();
        Err(DbErr::Conn(RuntimeErr::Internal("another console has taken over; nothing was written".to_owned())))
    }
}
