//! The source of time. Code that depends on the time takes it from a `Clock`, so that a test can advance it instead of
//! sleeping.
//!
//! Two kinds of time: the wall clock's ([`Clock::now`]), which is shown and stored and may be set, and the time since
//! the process started ([`Clock::moment`]), which only goes forward. The age of what this process has seen itself is
//! measured with the second only. A deadline that outlives the process is stored as [`Clock::steady`].

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use crate::time::UtcTime;

/// A cheap handle to both clocks, plus the offsets added by a test.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Offset of the wall clock.
    offset_ms: Arc<AtomicI64>,
    /// The part of it that has passed on the other clock too.
    passed_ms: Arc<AtomicI64>,
    began: Instant,
    began_at: UtcTime,
}

impl Default for Clock {
    fn default() -> Self {
        Self { offset_ms: Arc::default(), passed_ms: Arc::default(), began: Instant::now(), began_at: UtcTime::now() }
    }
}

/// A point of monotonic time, in milliseconds since the clock started. Comparable with others of the same [`Clock`],
/// and meaningless elsewhere: it is never stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(i64);

impl Moment {
    /// This moment moved by `seconds`, which may be negative.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1000)))
    }

    /// Whole seconds from `earlier` to this moment.
    #[must_use]
    pub const fn seconds_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0) / 1000
    }

    /// Whole seconds since the clock started, where memory is scarce.
    #[must_use]
    pub fn seconds(self) -> u32 {
        u32::try_from(self.0 / 1000).unwrap_or(if self.0 < 0 { 0 } else { u32::MAX })
    }
}

impl Clock {
    /// The present instant.
    #[must_use]
    pub fn now(&self) -> UtcTime {
        UtcTime(UtcTime::now().millis() + self.offset_ms.load(Ordering::Relaxed))
    }

    /// The present moment. It goes forward as time passes, whatever happens to the wall clock.
    #[must_use]
    pub fn moment(&self) -> Moment {
        let passed = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX / 2);
        Moment(passed + self.passed_ms.load(Ordering::Relaxed))
    }

    /// What the wall clock would show if nobody had set it since the process started. For deadlines that are stored: a
    /// clock that is set ends nothing that runs, and a restart goes on with what is written. It begins at the wall clock
    /// of the start, so what an earlier process has written may be off by as much as that was set in between: whoever
    /// stores one bounds it when the process starts.
    #[must_use]
    pub fn steady(&self) -> UtcTime {
        UtcTime(self.began_at.millis() + self.moment().0)
    }

    /// The clock of a process that starts now, on the same wall clock. For tests.
    #[must_use]
    pub fn restarted(&self) -> Self {
        let offset_ms = AtomicI64::new(self.offset_ms.load(Ordering::Relaxed));
        Self { offset_ms: offset_ms.into(), passed_ms: Arc::default(), began: Instant::now(), began_at: self.now() }
    }

    /// Lets time pass for this clock (and every clone of it). For tests.
    pub fn advance_seconds(&self, seconds: i64) {
        self.passed_ms.fetch_add(seconds * 1000, Ordering::Relaxed);
        self.jump_seconds(seconds);
    }

    /// Sets the wall clock of this clock (and every clone of it) forward or back, without time passing. For tests.
    pub fn jump_seconds(&self, seconds: i64) {
        self.offset_ms.fetch_add(seconds * 1000, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn a_wall_clock_that_is_set_lets_no_time_pass() {
        let clock = Clock::default();
        let (now, moment, steady) = (clock.now(), clock.moment(), clock.steady());
        clock.jump_seconds(3600);
        assert!(clock.now().seconds_since(now) >= 3600);
        assert!(clock.moment().seconds_since(moment) < 60);
        assert!(clock.steady().seconds_since(steady) < 60);
        clock.jump_seconds(-7200);
        assert!(clock.now() < now);
        assert!(clock.moment() >= moment);
        clock.advance_seconds(600);
        assert!(clock.moment().seconds_since(moment) >= 600);
        assert!(clock.steady().seconds_since(steady) >= 600);
    }

    #[test]
    fn a_clock_that_starts_again_believes_the_wall_clock() {
        let clock = Clock::default();
        clock.advance_seconds(600);
        clock.jump_seconds(-7200);
        let again = clock.restarted();
        assert!(again.moment().seconds() < 60);
        assert!(again.steady() < clock.steady(), "an hour and more");
        assert!(again.now().seconds_since(again.steady()) < 60);
        assert!(clock.now().seconds_since(again.now()).abs() < 60);
        again.jump_seconds(60);
        assert!(again.now() > clock.now(), "the other one is its own");
    }
}
