//! In-memory state of operations between two passes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base::topic::Topic;
use entity::RoomId;
use kernel::clock::Moment;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, Semaphore, SemaphorePermit};

use crate::screens::perm;

/// What becomes of operations.
pub const TOPIC: Topic = Topic {
    name: "operation",
    about: "Streams changes of operations: events `operation` with an id.",
    need: perm::OPERATION_LIST,
};

/// How often a room was woken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wakes {
    /// At all.
    pub all: u64,
    /// By an operation that had begun: it is looked for sooner, since nobody has looked for it before.
    pub begun: u64,
}

impl Wakes {
    /// Whether tasks are to be looked for by who has followed the wakes up to `followed`, and has rested for so long from his last
    /// look, of a whole `rest`. A quarter of that is enough where an operation has begun.
    #[must_use]
    pub fn are_due(self, followed: Self, rested: Duration, rest: Duration) -> bool {
        let has_begun = self.begun != followed.begun;
        self.all != followed.all && rested >= if has_begun { rest / 4 } else { rest }
    }
}

/// Where there may be tasks to claim, and where tasks are being claimed now.
#[derive(Debug)]
pub struct Operations {
    /// How often each room was woken. Each connection follows this for itself: a room may have several agents, and one
    /// that dies halfway takes nothing from the others.
    wakes: Mutex<BTreeMap<RoomId, Wakes>>,
    /// How many tasks each room was given: this determines whose turn is next.
    turns: Mutex<BTreeMap<RoomId, Arc<AsyncMutex<usize>>>>,
    /// The deadline of what was overdue when the console started.
    floor: Mutex<Option<UtcTime>>,
    /// When the rooms were woken again last.
    again: Mutex<Option<Moment>>,
    /// Turns of those who write down files of tasks.
    files: Semaphore,
}

/// Files of tasks that are written down at a time. Cards of a room send theirs at the same moment, and whoever waits for the writer
/// waits for all that have come before: beyond these they wait for their turn, and not he.
const FILES: usize = 32;

impl Default for Operations {
    fn default() -> Self {
        Self {
            wakes: Mutex::default(),
            turns: Mutex::default(),
            floor: Mutex::default(),
            again: Mutex::default(),
            files: Semaphore::new(FILES),
        }
    }
}

/// Seconds after which a room looks for tasks though nobody has woken it.
const AGAIN: i64 = 5;

impl Operations {
    /// There may be something for the agents of a room: tasks to execute or to cancel.
    pub fn wake(&self, rooms: impl IntoIterator<Item = RoomId>) {
        let mut wakes = self.wakes.lock();
        for room in rooms {
            wakes.entry(room).or_default().all += 1;
        }
    }

    /// An operation has begun in these rooms.
    pub(super) fn begin(&self, rooms: impl IntoIterator<Item = RoomId>) {
        let mut wakes = self.wakes.lock();
        for room in rooms {
            let wakes = wakes.entry(room).or_default();
            wakes.all += 1;
            wakes.begun += 1;
        }
    }

    /// Wakes `rooms` every few seconds: a task whose wake was lost, with the console's task that was to send it, waits
    /// no longer than this.
    pub(super) fn wake_again(&self, now: Moment, rooms: impl FnOnce() -> Vec<RoomId>) {
        let mut again = self.again.lock();
        if again.is_none_or(|at| now.seconds_since(at) >= AGAIN) {
            *again = Some(now);
            drop(again);
            self.wake(rooms());
        }
    }

    /// How often a room was woken.
    #[must_use]
    pub fn wakes(&self, room: RoomId) -> Wakes {
        self.wakes.lock().get(&room).copied().unwrap_or_default()
    }

    /// Waits for the turn of a room: two of its agents must not count the running tasks at the same time, or both would
    /// take the same place.
    pub(super) async fn turn(&self, room: RoomId) -> OwnedMutexGuard<usize> {
        let turn = Arc::clone(self.turns.lock().entry(room).or_default());
        turn.lock_owned().await
    }

    /// Waits for the turn to write down something of a file of a task; none is refused, since nobody closes this.
    pub(super) async fn file_turn(&self) -> Option<SemaphorePermit<'_>> {
        self.files.acquire().await.ok()
    }

    /// The deadline of what was overdue when the console started; none before it has.
    pub(super) fn floor(&self) -> Option<UtcTime> {
        *self.floor.lock()
    }

    /// Notes the deadline of what is overdue as the console starts.
    pub(super) fn set_floor(&self, floor: UtcTime) {
        *self.floor.lock() = Some(floor);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use entity::RoomId;
    use kernel::clock::Moment;

    use futures::FutureExt as _;

    use super::{AGAIN, FILES, Operations, Wakes};

    #[tokio::test]
    async fn files_of_tasks_are_written_down_a_few_at_a_time() {
        let operations = Operations::default();
        let mut turns = Vec::new();
        for _ in 0..FILES {
            turns.push(operations.file_turn().await);
        }
        assert!(operations.file_turn().now_or_never().is_none(), "one more waits");
        turns.pop();
        assert!(operations.file_turn().now_or_never().flatten().is_some());
    }

    #[test]
    fn a_room_whose_wake_was_lost_is_woken_again() {
        let operations = Operations::default();
        let start = Moment::default();
        for (second, wakes) in [(0, 1), (AGAIN - 1, 1), (AGAIN, 2), (AGAIN + 1, 2), (2 * AGAIN, 3)] {
            operations.wake_again(start.plus_seconds(second), || vec![RoomId(7)]);
            assert_eq!(operations.wakes(RoomId(7)).all, wakes, "after {second} s");
        }
        assert_eq!(operations.wakes(RoomId(8)), Wakes::default(), "nobody is connected there");
    }

    #[test]
    fn what_begins_is_looked_for_sooner_than_all_else() {
        let operations = Operations::default();
        let now = || operations.wakes(RoomId(7));
        let due = |followed: Wakes| {
            let rested = [0, 249, 250, 999, 1_000].map(Duration::from_millis);
            rested.map(|rested| now().are_due(followed, rested, Duration::from_secs(1)))
        };
        let followed = now();
        operations.wake([RoomId(7)]);
        assert_eq!(due(followed), [false, false, false, false, true], "a place has become free");
        operations.begin([RoomId(7)]);
        assert_eq!(due(followed), [false, false, true, true, true], "an operation has begun");
        assert_eq!(due(now()), [false; 5], "it was looked for");
    }
}
