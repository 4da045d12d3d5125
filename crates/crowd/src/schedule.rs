//! Who plays when: a pure function of seed, customer and time, so that the same crowd comes twice.
//!
//! For the beginning customers are uniform: each plays once in every [`ROUND`], at any time and for as long as any other.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use crate::random::Random;

/// Each customer plays once in this time.
pub const ROUND: Duration = Duration::from_mins(45);
/// Minutes that somebody plays.
const PLAYS: (u64, u64) = (4, 16);
/// Minutes that somebody waits in the queue.
const WAITS: (u64, u64) = (6, 14);
/// What is left of whoever has begun before the crowd did is worth a minute, or is left out.
const LEAST: Duration = Duration::from_mins(1);
const MINUTE: u64 = 60_000;

/// Numbers that have nothing to do with each other.
mod purpose {
    pub const PHASE: u64 = 1 << 40;
    pub const CHOICE: u64 = 2 << 40;
}

/// A customer comes, plays and leaves. The earliest is the least; of those at one time, the first customer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Visit {
    /// Since the crowd began.
    pub at: Duration,
    pub customer: u32,
    /// So long, once the phone is there.
    pub plays: Duration,
    /// So long in the queue, before leaving it.
    pub waits: Duration,
}

/// A customer's visit of a round, counted from the one that is over when the crowd begins. None if it is over by then.
#[must_use]
pub fn visit(seed: u64, customer: u32, round: u64) -> Option<Visit> {
    let length = u64::try_from(ROUND.as_millis()).unwrap_or(u64::MAX);
    let phase = Random::of(seed, [customer.into(), purpose::PHASE]).between(0, length - 1);
    let mut random = Random::of(seed, [customer.into(), round]);
    // It ends before the next one begins, whatever that is.
    let begins = random.between(0, length - PLAYS.1 * MINUTE);
    let plays = Duration::from_millis(random.between(PLAYS.0 * MINUTE, PLAYS.1 * MINUTE));
    let waits = Duration::from_millis(random.between(WAITS.0 * MINUTE, WAITS.1 * MINUTE));
    let at = Duration::from_millis(round * length + phase + begins);
    let Some(at) = at.checked_sub(ROUND) else {
        // It has begun before; the crowd is found in the middle of its day.
        let left = (at + plays).checked_sub(ROUND).filter(|left| *left >= LEAST)?;
        return Some(Visit { at: Duration::ZERO, customer, plays: left, waits });
    };
    Some(Visit { at, customer, plays, waits })
}

/// A number of somebody or something, by which some of many are chosen.
#[must_use]
pub fn lot(seed: u64, number: u64) -> u64 {
    Random::of(seed, [number, purpose::CHOICE]).draw()
}

/// All visits of a crowd in the order in which they begin. It has no end.
#[derive(Debug)]
pub struct Timeline {
    seed: u64,
    /// The next visit of each customer, and its round.
    next: BinaryHeap<Reverse<(Visit, u64)>>,
}

impl Timeline {
    /// The visits of so many customers.
    #[must_use]
    pub fn new(seed: u64, customers: u32) -> Self {
        let first = |customer| Reverse(from(seed, customer, 0));
        Self { seed, next: (0..customers).map(first).collect() }
    }
}

/// A customer's first visit from a round on.
fn from(seed: u64, customer: u32, mut round: u64) -> (Visit, u64) {
    loop {
        if let Some(visit) = visit(seed, customer, round) {
            return (visit, round);
        }
        round += 1;
    }
}

impl Iterator for Timeline {
    type Item = Visit;

    fn next(&mut self) -> Option<Visit> {
        let Reverse((visit, round)) = self.next.pop()?;
        self.next.push(Reverse(from(self.seed, visit.customer, round + 1)));
        Some(visit)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{LEAST, MINUTE, PLAYS, ROUND, Timeline, Visit, WAITS};

    const DAY: Duration = Duration::from_hours(24);

    fn day(seed: u64, customers: u32) -> Vec<Visit> {
        Timeline::new(seed, customers).take_while(|visit| visit.at < DAY).collect()
    }

    #[test]
    fn a_seed_gives_the_same_day_twice_and_another_one_another() {
        assert_eq!(day(1, 100), day(1, 100));
        assert_ne!(day(1, 100), day(2, 100));
        let of = |customer| -> Vec<Duration> {
            day(1, 100).into_iter().filter(|visit| visit.customer == customer).map(|visit| visit.at).collect()
        };
        assert_ne!(of(3), of(4));
        // Whoever else is there changes nothing for anybody.
        let few: Vec<Visit> = day(1, 100).into_iter().filter(|visit| visit.customer < 10).collect();
        assert_eq!(few, day(1, 10));
    }

    #[test]
    fn visits_come_in_order_and_nobody_is_there_twice() {
        let visits = day(7, 200);
        assert!(visits.is_sorted());
        let mut gone = vec![Duration::ZERO; 200];
        for visit in visits {
            let gone = &mut gone[visit.customer as usize];
            assert!(visit.at >= *gone, "{visit:?} begins before {gone:?}");
            *gone = visit.at + visit.plays;
            assert!(visit.plays >= LEAST && visit.plays <= Duration::from_millis(PLAYS.1 * MINUTE), "{visit:?}");
            assert!(visit.waits <= Duration::from_millis(WAITS.1 * MINUTE), "{visit:?}");
        }
    }

    #[test]
    fn somebody_plays_at_once_and_as_many_as_later() {
        let visits = day(3, 1000);
        let playing =
            |at: Duration| visits.iter().filter(|visit| visit.at <= at && visit.at + visit.plays > at).count();
        // Ten minutes of 45.
        for at in [Duration::ZERO, ROUND / 3, ROUND, ROUND * 7, ROUND * 20 + ROUND / 2] {
            let found = playing(at);
            assert!((170..=275).contains(&found), "{found} at {at:?}");
        }
        let each = visits.len() as f64 / 1000.0;
        assert!((31.0..=33.5).contains(&each), "{each} visits a day, of 32");
    }
}
