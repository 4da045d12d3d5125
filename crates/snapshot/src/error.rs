//! Why a copy was not made, checked or restored.

use store::Trouble;

/// Why a copy was not made, checked or restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The storage node failed.
    #[error("the storage node failed: {0}")]
    Store(#[from] Trouble),
    /// What is copied could not be listed or read.
    #[error("the source failed: {0}")]
    Source(String),
    /// Where a copy is restored to did not take it.
    #[error("the target failed: {0}")]
    Sink(String),
    /// Somebody has the repository for himself, with `restic`.
    #[error("the repository is locked: {0}")]
    Locked(String),
    /// Somebody stopped it.
    #[error("stopped")]
    Stopped,
    /// The repository is not what it was.
    #[error("the copy is damaged: {0}")]
    Damaged(String),
    /// The key does not fit.
    #[error("the key does not open this repository")]
    Key,
    /// Anything else, in the library's words.
    #[error("{0}")]
    Other(String),
}
