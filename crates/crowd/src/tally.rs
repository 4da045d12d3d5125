//! What became of the crowd so far, for people and for tests.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::time::Duration;

use parking_lot::Mutex;

/// Of so many waits the middle one and the longest are told.
const WAITS: usize = 1000;

/// How a crowd fares.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Customers who wait for their phones.
    pub waiting: usize,
    /// Customers who have a stream.
    pub playing: usize,
    /// How often somebody was let in.
    pub let_in: u64,
    /// How often somebody waited in the queue until patience was at an end.
    pub gave_up: u64,
    /// How often somebody should have come who was still there.
    pub skipped: u64,
    /// How often a gateway had to shut a card for a stream because somebody else's phone was there already.
    pub shared: u64,
    /// How often it was told that a phone ends soon.
    pub warned: u64,
    /// What was refused, by its code.
    pub refused: BTreeMap<String, u64>,
    /// Streams that were ordered to end, by the reason.
    pub ordered: BTreeMap<String, u64>,
    /// The last waits of those who were let in.
    waits: VecDeque<Duration>,
}

impl Figures {
    /// How long those waited at most who were let in, but for the rest of 100 parts.
    #[must_use]
    pub fn wait(&self, part: usize) -> Option<Duration> {
        let mut waits: Vec<Duration> = self.waits.iter().copied().collect();
        waits.sort_unstable();
        let at = (waits.len() * part).div_ceil(100).checked_sub(1)?;
        waits.get(at).copied()
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { waiting, playing, let_in, gave_up, .. } = self;
        write!(f, "{waiting} wait, {playing} play, {let_in} let in, {gave_up} gave up")?;
        if let (Some(half), Some(most)) = (self.wait(50), self.wait(95)) {
            write!(f, "; waits p50 {:.1} s, p95 {:.1} s", half.as_secs_f64(), most.as_secs_f64())?;
        }
        for (what, by_code) in [("refused", &self.refused), ("ended", &self.ordered)] {
            let mut before = format!("; {what} ");
            for (code, times) in by_code {
                write!(f, "{before}{code} {times}")?;
                ", ".clone_into(&mut before);
            }
        }
        for (what, times) in [("still there", self.skipped), ("cards shared", self.shared)] {
            if times > 0 {
                write!(f, "; {what} {times}")?;
            }
        }
        Ok(())
    }
}

/// Counts it.
#[derive(Debug, Default)]
pub struct Tally(Mutex<Figures>);

/// Somebody waits or plays, for as long as this lives.
#[derive(Debug)]
pub struct During<'a> {
    tally: &'a Tally,
    gauge: fn(&mut Figures) -> &mut usize,
}

impl Drop for During<'_> {
    fn drop(&mut self) {
        *(self.gauge)(&mut self.tally.0.lock()) -= 1;
    }
}

impl Tally {
    /// As it stands.
    pub fn figures(&self) -> Figures {
        self.0.lock().clone()
    }

    fn during(&self, gauge: fn(&mut Figures) -> &mut usize) -> During<'_> {
        *gauge(&mut self.0.lock()) += 1;
        During { tally: self, gauge }
    }

    pub fn waits(&self) -> During<'_> {
        self.during(|figures| &mut figures.waiting)
    }

    pub fn plays(&self) -> During<'_> {
        self.during(|figures| &mut figures.playing)
    }

    pub fn lets_in(&self, waited: Duration) {
        let mut figures = self.0.lock();
        figures.let_in += 1;
        if figures.waits.len() == WAITS {
            figures.waits.pop_front();
        }
        figures.waits.push_back(waited);
    }

    pub fn gives_up(&self) {
        self.0.lock().gave_up += 1;
    }

    pub fn skips(&self) {
        self.0.lock().skipped += 1;
    }

    pub fn shares(&self) {
        self.0.lock().shared += 1;
    }

    pub fn warns(&self) {
        self.0.lock().warned += 1;
    }

    pub fn refuses(&self, code: &str) {
        *self.0.lock().refused.entry(code.to_owned()).or_default() += 1;
    }

    pub fn orders(&self, code: &str) {
        *self.0.lock().ordered.entry(code.to_owned()).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Tally, WAITS};

    #[test]
    fn a_line_says_who_waits_plays_and_why_not() {
        let tally = Tally::default();
        assert_eq!(tally.figures().to_string(), "0 wait, 0 play, 0 let in, 0 gave up");
        let (waits, _plays) = (tally.waits(), (tally.plays(), tally.plays()));
        for tenths in 1..=20 {
            tally.lets_in(Duration::from_millis(tenths * 100));
        }
        tally.refuses("too_many");
        tally.refuses("too_many");
        tally.refuses("queue_full");
        tally.orders("left");
        tally.skips();
        assert_eq!(
            tally.figures().to_string(),
            "1 wait, 2 play, 20 let in, 0 gave up; waits p50 1.0 s, p95 1.9 s; refused queue_full 1, too_many 2; ended left 1; \
             still there 1"
        );
        drop(waits);
        assert_eq!((tally.figures().waiting, tally.figures().playing), (0, 2));
    }

    #[test]
    fn the_last_waits_count() {
        let tally = Tally::default();
        assert_eq!(tally.figures().wait(50), None);
        tally.lets_in(Duration::from_secs(9));
        assert_eq!(tally.figures().wait(50), Some(Duration::from_secs(9)));
        for _ in 0..WAITS {
            tally.lets_in(Duration::from_secs(1));
        }
        let figures = tally.figures();
        assert_eq!((figures.wait(100), figures.let_in), (Some(Duration::from_secs(1)), 1001));
    }
}
