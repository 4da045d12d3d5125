//! What all files of a card share: the disk that they fill, and their numbers.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::FileError;
use super::spool::Spool;
use crate::fault::{Fault, Faults};

/// The disk gives space in pages of so many bytes.
pub const PAGE: u64 = 4096;

/// A card's disk.
#[derive(Debug)]
pub struct Store {
    pub(super) spool: Spool,
    faults: Arc<Faults>,
    /// Bytes for what is written.
    room: u64,
    used: AtomicU64,
    numbers: AtomicU64,
}

impl Store {
    /// An empty disk with so many bytes of room.
    pub fn new(room: u64, faults: Arc<Faults>, folder: Option<PathBuf>) -> Self {
        let (used, numbers) = (AtomicU64::new(0), AtomicU64::new(4000));
        Self { spool: Spool::new(folder), faults, room, used, numbers }
    }

    /// Whole pages.
    #[must_use]
    pub const fn rounded(bytes: u64) -> u64 {
        bytes.div_ceil(PAGE) * PAGE
    }

    /// Bytes that are taken.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that are free.
    #[must_use]
    pub fn free(&self) -> u64 {
        if self.faults.has(Fault::NoSpace) { 0 } else { self.room.saturating_sub(self.used()) }
    }

    /// The number of the next file.
    pub(super) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Takes `now` bytes where it was `before`.
    pub(super) fn charge(&self, before: u64, now: u64) -> Result<(), FileError> {
        if now <= before {
            self.give_back(before - now);
            return Ok(());
        }
        let more = now - before;
        let full = self.faults.has(Fault::NoSpace);
        let take = |used: u64| Some(used + more).filter(|used| !full && *used <= self.room);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).map_err(|_| FileError::NoSpace)?;
        Ok(())
    }

    pub(super) fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}
