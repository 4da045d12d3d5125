//! How much is copied at once on this machine.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, Semaphore, SemaphorePermit};

/// Variables of the allocator (mimalloc) that an agent is started with. A run of the engine hands pieces of a mebibyte through 25
/// threads, and by its own defaults the allocator keeps for each what it once had: 260 MiB for one copy, where 130 suffice.
/// Memory that is free is given back after 25 ms instead of a second, and in small pages, of which some can be given back.
pub const ALLOCATOR: [(&str, &str); 2] = [("MIMALLOC_PURGE_DELAY", "25"), ("MIMALLOC_ALLOW_THP", "0")];

/// The memory of a run in MiB, as measured with [`ALLOCATOR`]: for itself, and for the index of each GiB that is copied.
const MEMORY: u64 = 80;
const MEMORY_PER_GB: u64 = 6;
/// So many files are among that: as many had the phone that was measured.
const FILES: u64 = 20_000;
/// The memory of each further one in bytes: what is known of it stands in the list, in what is kept of it, in what the engine
/// is told and where it is fetched from, four to six times with a path of a hundred bytes. Reckoned, not measured.
const MEMORY_PER_FILE: u64 = 1_536;

/// The bytes of a usual phone.
const USUAL: u64 = 8 << 30;

/// The processors of a run that begins while nothing else is copied. More would help little: one thread packs, one sends.
const ALONE: usize = 2;

/// How much may be copied at once on this machine.
#[derive(Debug)]
pub struct Room {
    /// Runs: each keeps a processor busy.
    runs: Semaphore,
    most_runs: usize,
    /// MiB of memory that they may take together.
    memory: Semaphore,
    most: u32,
    places: u32,
}

impl Default for Room {
    fn default() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let most = u32::try_from((memory_mib() / 4).max(64)).unwrap_or(u32::MAX >> 4);
        Self::of(cpus.clamp(1, 8), most)
    }
}

/// A place for a run, until it is dropped.
#[derive(Debug)]
pub struct Place<'a> {
    /// How many processors the run may keep busy.
    pub processors: usize,
    _permits: [Option<SemaphorePermit<'a>>; 2],
}

impl Room {
    /// For so many runs, and so many MiB of memory of all of them.
    fn of(runs: usize, memory: u32) -> Self {
        let (places, most) = (places(runs, memory), memory as usize);
        Self { runs: Semaphore::new(runs), most_runs: runs, memory: Semaphore::new(most), most: memory, places }
    }

    /// How many runs of usual phones have places at once.
    pub const fn places(&self) -> u32 {
        self.places
    }

    /// A place for a run that deals with so many bytes in so many files, and the memory that goes with it.
    pub async fn place(&self, bytes: u64, files: u64) -> Place<'_> {
        let memory = u32::try_from(needed(bytes, files)).unwrap_or(u32::MAX).min(self.most);
        // They are never closed.
        let permits = [self.runs.acquire().await.ok(), self.memory.acquire_many(memory).await.ok()];
        let is_alone = self.runs.available_permits() + 1 >= self.most_runs;
        Place { processors: if is_alone { ALONE.min(self.most_runs) } else { 1 }, _permits: permits }
    }
}

/// The memory of a run in MiB.
fn needed(bytes: u64, files: u64) -> u64 {
    let more = files.saturating_sub(FILES).saturating_mul(MEMORY_PER_FILE) >> 20;
    MEMORY + MEMORY_PER_GB * bytes.div_ceil(1 << 30) + more
}

/// How many runs of usual phones there are places for where so many processors and so much memory are for them.
fn places(runs: usize, memory: u32) -> u32 {
    let by_memory = u64::from(memory) / needed(USUAL, FILES);
    u32::try_from(by_memory.clamp(1, runs as u64)).unwrap_or(1)
}

/// The memory of this machine in MiB; a little if it does not say.
fn memory_mib() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or(1 << 20) >> 10
}

/// Which packages are being saved: the second phone that has one waits, and finds it there.
#[derive(Debug, Default)]
pub struct Turns(Mutex<HashMap<String, Arc<AsyncMutex<()>>>>);

impl Turns {
    /// The turn of a package.
    pub async fn of(&self, package: &str) -> OwnedMutexGuard<()> {
        let turn = Arc::clone(self.0.lock().entry(package.to_owned()).or_default());
        turn.lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use super::{Room, needed, places};

    #[test]
    fn a_phone_with_many_files_needs_more_than_one_with_as_many_bytes() {
        assert_eq!((needed(0, 0), needed(2 << 30, 20_000)), (80, 92));
        assert_eq!(needed(2 << 30, 500_000), 92 + 703);
        assert!(needed(64 << 30, 2_000_000) > 3_000);
    }

    #[tokio::test]
    async fn one_that_begins_alone_has_two_processors() {
        let room = Room::of(4, 1_000);
        let first = room.place(0, 0).await;
        let (second, third) = (room.place(0, 0).await, room.place(0, 0).await);
        assert_eq!([&first, &second, &third].map(|place| place.processors), [2, 1, 1]);
        drop((first, second, third));
        assert_eq!(room.place(0, 0).await.processors, 2);
        assert_eq!(Room::of(1, 1_000).place(0, 0).await.processors, 1, "there is no other");
    }

    #[test]
    fn there_are_as_many_places_as_processors_and_memory_allow() {
        // 128 MiB for each.
        assert_eq!((places(8, 4_096), places(2, 4_096)), (8, 2));
        assert_eq!((places(8, 512), places(8, 64)), (4, 1));
    }
}
