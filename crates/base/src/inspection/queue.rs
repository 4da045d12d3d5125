//! Turns: a few files are read at a time, the others wait in line. Whoever waited in vain is told his place.
//!
//! Agents have turns of their own, so that no upload of an operator keeps a room's pictures out, and so has what takes
//! minutes: large packages, and background tasks.

use std::collections::BTreeSet;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::{Inspection, reading_time};
use crate::fault::{Fault, Outcome};

/// Files of operators, and of agents, that are read at the same time.
const SMALL_AT_A_TIME: usize = 2;
/// The same of what may take minutes.
const LARGE_AT_A_TIME: usize = 1;
/// Bytes of a file from which on it is large: more than a table or a picture may have.
const LARGE: u64 = (32 << 20) + 1;
/// Operators' files in line beyond which no further one is taken in, small and large ones: each of them lies on the disk.
const LINE: usize = 64;
const LARGE_LINE: usize = 4;
/// What those are told to wait who are sent away.
const COME_BACK_S: u64 = 15;

/// For whom a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// An operator, who waits for the answer.
    Person,
    /// A room agent, which waits as well.
    Agent,
    /// A background task.
    Task,
}

/// How long whoever waits has to wait at most.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Until a small file, its waiting in line included, is answered: with the rest of a request, within a minute.
    pub answer: Duration,
    /// What remains of that for reading: so long before the end the waiting in line ends.
    pub reading: Duration,
    /// The longest wait in line for a large file: the one before it may take as long.
    pub large: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let [answer, reading, large] = [55, 10, 340].map(Duration::from_secs);
        Self { answer, reading, large }
    }
}

/// The lines in which files wait.
#[derive(Debug)]
pub(super) struct Lines {
    people: Line,
    agents: Line,
    large: Line,
    patience: Patience,
}

impl Lines {
    pub(super) fn new(patience: Patience) -> Self {
        let [people, agents, large] = [SMALL_AT_A_TIME, SMALL_AT_A_TIME, LARGE_AT_A_TIME].map(Line::new);
        Self { people, agents, large, patience }
    }

    /// The line for a file of `size` bytes, until when it is waited in, and until when its reader may take.
    fn of(&self, by: By, size: u64) -> (&Line, Instant, Instant) {
        let Patience { answer, reading, large } = self.patience;
        let now = Instant::now();
        let small = |line| (line, now + answer.saturating_sub(reading), now + answer);
        match by {
            By::Person if size < LARGE => small(&self.people),
            By::Agent => small(&self.agents),
            By::Person | By::Task => (&self.large, now + large, now + large + reading_time(size)),
        }
    }
}

impl Lines {
    fn admit(&self, announced: u64) -> Outcome<()> {
        let (line, most) = if announced < LARGE { (&self.people, LINE) } else { (&self.large, LARGE_LINE) };
        let ahead = line.waiting.lock().len();
        if ahead < most { Ok(()) } else { Err(busy(line.at_a_time + ahead)) }
    }
}

/// Those who wait for the same turns.
#[derive(Debug)]
struct Line {
    turns: Semaphore,
    at_a_time: usize,
    /// The numbers of those who wait, in the order in which they came.
    waiting: Mutex<BTreeSet<u64>>,
    next: AtomicU64,
}

impl Line {
    fn new(at_a_time: usize) -> Self {
        let turns = Semaphore::new(at_a_time);
        Self { turns, at_a_time, waiting: Mutex::default(), next: AtomicU64::default() }
    }

    async fn turn(&self, until: Instant) -> Outcome<SemaphorePermit<'_>> {
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(turn);
        }
        let place = Place::at_the_end_of(self);
        match tokio::time::timeout_at(until, self.turns.acquire()).await {
            Ok(turn) => turn.map_err(Fault::internal),
            Err(_) => Err(busy(self.at_a_time + place.ahead())),
        }
    }
}

/// A place in a line; it is given up when this is dropped, such as by somebody who hangs up.
struct Place<'a> {
    line: &'a Line,
    number: u64,
}

impl<'a> Place<'a> {
    fn at_the_end_of(line: &'a Line) -> Self {
        let number = line.next.fetch_add(1, Relaxed);
        line.waiting.lock().insert(number);
        Self { line, number }
    }

    /// Those who came before and still wait.
    fn ahead(&self) -> usize {
        self.line.waiting.lock().range(..self.number).count()
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.line.waiting.lock().remove(&self.number);
    }
}

/// The turn of a file. Others wait until this is dropped.
#[derive(Debug)]
pub struct Turn<'a> {
    pub(super) inspection: &'a Inspection,
    /// When its reader has to have ended.
    pub(super) until: Instant,
    _turn: SemaphorePermit<'a>,
}

impl Turn<'_> {
    /// What has to be done with the file before its sender is answered: it ends when its reader would have to.
    ///
    /// # Errors
    /// As `work`, or when it takes too long.
    pub async fn within<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        tokio::time::timeout_at(self.until, work).await.unwrap_or_else(|_| Err(busy(0)))
    }
}

impl Inspection {
    /// The turn of `file`. Whoever goes on with what was read keeps it as long as that takes memory.
    ///
    /// # Errors
    /// When the others take too long.
    pub async fn turn(&self, by: By, file: &File) -> Outcome<Turn<'_>> {
        let (line, longest, until) = self.lines.of(by, file.metadata()?.len());
        Ok(Turn { inspection: self, until, _turn: line.turn(longest).await? })
    }

    /// Whether an operator's file of `announced` bytes may come at all, asked before anything of it is read.
    ///
    /// # Errors
    /// When too many wait already where it would.
    pub fn admit(&self, announced: u64) -> Outcome<()> {
        self.lines.admit(announced)
    }
}

/// It is not read now, for `ahead` others or, without any, because the machine is too slow.
pub(super) fn busy(ahead: usize) -> Fault {
    Fault::Busy { ahead: u64::try_from(ahead).unwrap_or(u64::MAX), retry_after_s: COME_BACK_S }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    fn ahead<T>(outcome: Outcome<T>) -> u64 {
        let Err(Fault::Busy { ahead, .. }) = outcome else { panic!("it was not sent away") };
        ahead
    }

    #[tokio::test]
    async fn who_waits_in_vain_is_told_how_many_are_ahead_and_who_hangs_up_is_none_of_them() {
        let line = Line::new(1);
        let (soon, late) = (Instant::now(), Instant::now() + Duration::from_hours(1));
        let first = line.turn(soon).await.unwrap();
        let mut cx = Context::from_waker(Waker::noop());
        {
            let mut second = pin!(line.turn(late));
            assert!(second.as_mut().poll(&mut cx).is_pending());
            assert_eq!(ahead(line.turn(soon).await), 2);
        }
        assert_eq!(ahead(line.turn(soon).await), 1);
        drop(first);
        assert!(line.turn(soon).await.is_ok());
    }

    #[test]
    fn a_small_file_is_answered_within_a_minute_and_the_largest_after_one_that_is_as_large() {
        let Patience { answer, reading, large } = Patience::default();
        assert!(reading < answer && answer <= Duration::from_secs(55));
        assert!(large >= reading_time(2 << 30));
    }

    #[tokio::test]
    async fn what_follows_the_reading_ends_in_time_as_well() {
        let [answer, reading, large] = [50, 0, 50].map(Duration::from_millis);
        let inspection = Inspection::new(None, std::env::temp_dir(), Patience { answer, reading, large });
        let turn = inspection.turn(By::Person, &tempfile::tempfile().unwrap()).await.unwrap();
        assert!(turn.within(async { Ok(()) }).await.is_ok());
        assert_eq!(ahead(turn.within(std::future::pending::<Outcome<()>>()).await), 0);
    }

    #[test]
    fn no_further_file_comes_where_too_many_wait() {
        let lines = Lines::new(Patience::default());
        let waiting: Vec<_> = (0..LARGE_LINE).map(|_| Place::at_the_end_of(&lines.large)).collect();
        assert_eq!(ahead(lines.admit(LARGE)), 5);
        assert!(lines.admit(LARGE - 1).is_ok(), "small ones wait elsewhere");
        drop(waiting);
        assert!(lines.admit(LARGE).is_ok());
        let _waiting: Vec<_> = (0..LINE).map(|_| Place::at_the_end_of(&lines.people)).collect();
        assert_eq!(ahead(lines.admit(LARGE - 1)), 66);
    }

    #[tokio::test]
    async fn agents_and_what_takes_minutes_keep_nobody_else_waiting() {
        let lines = Lines::new(Patience::default());
        let line = |by, size| std::ptr::from_ref(lines.of(by, size).0);
        let [people, agents, large] = [&lines.people, &lines.agents, &lines.large].map(std::ptr::from_ref);
        assert_eq!([line(By::Person, 32 << 20), line(By::Agent, 32 << 20), line(By::Task, 1)], [people, agents, large]);
        assert_eq!(line(By::Person, (32 << 20) + 1), large);
    }
}
