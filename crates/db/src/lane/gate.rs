//! Events on the writer's connection, observed from inside.
//!
//! SQLite rolls back a whole transaction by itself when space runs out or a disk fails, and whatever is executed after
//! that commits at once and alone. The driver does not notice. So the engine's own hooks are used: no COMMIT passes
//! that the lane did not request, and no transaction is acknowledged that was rolled back on the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::SqliteConnection;

/// The state of one connection's transaction.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// The lane requests a COMMIT: the next one may pass.
    called: AtomicBool,
    /// A COMMIT has passed since the transaction started.
    passed: AtomicBool,
    /// The transaction was rolled back as a whole.
    undone: AtomicBool,
    /// A statement of the current writer failed.
    failed: AtomicBool,
}

impl Gate {
    /// Watches the transactions of `conn`, for as long as it lives.
    pub(crate) async fn watch(self: Arc<Self>, conn: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let mut handle = conn.lock_handle().await?;
        let gate = self.clone();
        handle.set_commit_hook(move || {
            let may_pass = gate.called.swap(false, Ordering::AcqRel);
            gate.passed.store(may_pass, Ordering::Release);
            may_pass
        });
        handle.set_rollback_hook(move || self.undone.store(true, Ordering::Release));
        Ok(())
    }

    /// A statement failed. After that PostgreSQL answers a COMMIT with success and a rollback.
    pub(crate) fn note_failure(&self) {
        self.failed.store(true, Ordering::Release);
    }

    /// A transaction starts.
    pub(super) fn begin(&self) {
        for flag in [&self.called, &self.passed, &self.undone, &self.failed] {
            flag.store(false, Ordering::Release);
        }
    }

    /// Another writer starts in the same transaction.
    pub(super) fn next_writer(&self) {
        self.failed.store(false, Ordering::Release);
    }

    /// Whether a statement of the current writer failed.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }

    /// Whether the engine rolled back the transaction.
    pub(super) fn is_undone(&self) -> bool {
        self.undone.load(Ordering::Acquire)
    }

    /// Lets the next COMMIT pass.
    pub(super) fn call_commit(&self) {
        self.called.store(true, Ordering::Release);
    }

    /// Whether a COMMIT was requested. SQLite consumes the request when it commits; on PostgreSQL nothing does.
    pub(super) fn is_called(&self) -> bool {
        self.called.load(Ordering::Acquire)
    }

    /// Whether the requested COMMIT has passed, and nothing was rolled back.
    pub(super) fn has_passed(&self) -> bool {
        self.passed.load(Ordering::Acquire) && !self.is_undone()
    }
}
