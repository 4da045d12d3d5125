//! What a caller may be told when the database is lost under his request: that nothing was saved, or that nobody knows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sea_orm::DbErr;

use crate::trouble::Trouble;

tokio::task_local! {
    static CURRENT: Commits;
}

/// The commits that one piece of work asked for and that were not refused: they are on disk, on the way, or unknown.
///
/// Clones count together. A commit that the work leaves to a task of its own is not counted.
#[derive(Clone, Debug, Default)]
pub struct Commits(Arc<AtomicUsize>);

impl Commits {
    /// Runs `work`, and counts its commits.
    pub async fn count<T>(&self, work: impl Future<Output = T>) -> T {
        CURRENT.scope(self.clone(), work).await
    }

    /// Whether something may have been saved.
    #[must_use]
    pub fn any(&self) -> bool {
        self.0.load(Ordering::Acquire) > 0
    }
}

/// A commit that is asked for; it counts until it is refused.
#[derive(Debug)]
pub(crate) struct Asked(Option<Commits>);

impl Asked {
    /// Counts a commit before its first word is sent, so that no caller is told too much if he hears of an outage first.
    pub(crate) fn now() -> Self {
        let current = CURRENT.try_with(Clone::clone).ok();
        if let Some(Commits(count)) = &current {
            count.fetch_add(1, Ordering::AcqRel);
        }
        Self(current)
    }

    /// Takes it back if `outcome` says that nothing was written.
    pub(crate) fn settle(self, outcome: &Result<(), DbErr>) {
        let is_refused = outcome.as_ref().is_err_and(|error| Trouble::of(error) != Some(Trouble::InDoubt));
        if let (true, Some(Commits(count))) = (is_refused, self.0) {
            count.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
