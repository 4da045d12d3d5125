//! In-memory state of operations between two passes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use entity::RoomId;
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// The topic of events about operations.
pub const TOPIC: &str = "operation";

/// Where there may be tasks to claim, and where tasks are being claimed now.
#[derive(Debug, Default)]
pub struct Operations {
    rooms: Mutex<BTreeSet<RoomId>>,
    /// How many tasks each room was given: this determines whose turn is next.
    turns: Mutex<BTreeMap<RoomId, Arc<AsyncMutex<usize>>>>,
}

impl Operations {
    /// There may be something for the agents of a room: tasks to execute or to cancel.
    pub fn wake(&self, rooms: impl IntoIterator<Item = RoomId>) {
        self.rooms.lock().extend(rooms);
    }

    /// Returns and clears whether there may be something for a room.
    #[must_use]
    pub fn take_wake(&self, room: RoomId) -> bool {
        self.rooms.lock().remove(&room)
    }

    /// Waits for the turn of a room: two of its agents must not count the running tasks at the same time, or both would
    /// take the same place.
    pub(super) async fn turn(&self, room: RoomId) -> OwnedMutexGuard<usize> {
        let turn = Arc::clone(self.turns.lock().entry(room).or_default());
        turn.lock_owned().await
    }
}
