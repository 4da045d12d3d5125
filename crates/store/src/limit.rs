//! How fast bytes may go: a token bucket for each direction, changed while transfers run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a change of the rate may go unnoticed by a transfer that waits.
const STEP: Duration = Duration::from_millis(50);
/// How much may come at once after a pause, as time at the full rate. Whoever pauses for longer leaves the others what he does not use.
const BURST: Duration = Duration::from_millis(250);
/// What is left to transfers that nobody waits for while others want all of it.
const RESERVE: f64 = 0.1;

/// Whether somebody waits for what a transfer brings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Urgency {
    /// Somebody does: it goes before what nobody waits for, up to a tenth of the rate, which is left to that.
    Awaited,
    /// Nobody does.
    #[default]
    Background,
}

impl Urgency {
    /// Its part of the rate while the other one is at work, too.
    const fn part(self) -> f64 {
        match self {
            Self::Awaited => 1.0 - RESERVE,
            Self::Background => RESERVE,
        }
    }
}

/// The rates of a storage node; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Limit {
    /// To the node.
    pub up: Bucket,
    /// From the node.
    pub down: Bucket,
}

/// How a transfer may go: within each of these limits, for as long as it is wanted.
#[derive(Clone)]
pub struct Pace {
    limits: Vec<Limit>,
    urgency: Urgency,
    goes_on: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl Default for Pace {
    fn default() -> Self {
        Self::new(Vec::new(), Urgency::default(), || true)
    }
}

impl From<Limit> for Pace {
    fn from(limit: Limit) -> Self {
        Self::new(vec![limit], Urgency::default(), || true)
    }
}

impl std::fmt::Debug for Pace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pace").field("limits", &self.limits).field("urgency", &self.urgency).finish_non_exhaustive()
    }
}

impl Pace {
    /// Within all of `limits`. Whoever waits asks `goes_on` again and again, and waits no longer once it says no: nobody waits
    /// for a transfer that was stopped, and what it was about to send is little.
    pub fn new(limits: Vec<Limit>, urgency: Urgency, goes_on: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { limits, urgency, goes_on: Arc::new(goes_on) }
    }

    /// Waits until so many bytes may go to the node.
    pub fn up(&self, bytes: usize) {
        self.limits.iter().for_each(|limit| limit.up.take(bytes, self.urgency, &*self.goes_on));
    }

    /// Waits until so many bytes may have come from the node.
    pub fn down(&self, bytes: usize) {
        self.limits.iter().for_each(|limit| limit.down.take(bytes, self.urgency, &*self.goes_on));
    }
}

/// A token bucket; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Bucket(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Bytes a second; none is without limit.
    rate: AtomicU64,
    levels: Mutex<Levels>,
}

/// One for each urgency, since somebody has transferred with that.
#[derive(Debug, Default)]
struct Levels {
    awaited: Option<Level>,
    background: Option<Level>,
}

impl Levels {
    /// That of an urgency, and that of the other one.
    const fn of(&mut self, urgency: Urgency) -> (&mut Option<Level>, Option<Level>) {
        match urgency {
            Urgency::Awaited => (&mut self.awaited, self.background),
            Urgency::Background => (&mut self.background, self.awaited),
        }
    }
}

/// How many bytes may go at once, and since when that is known: whoever waits looks again and again. It is negative while somebody's
/// bytes are paid off.
#[derive(Clone, Copy, Debug)]
struct Level {
    bytes: f64,
    at: Instant,
}

impl Bucket {
    /// Sets the rate in kbit/s; none is without limit. Transfers that run follow at once.
    pub fn set_kbit(&self, kbit: Option<u32>) {
        let rate = kbit.map_or(0, |kbit| u64::from(kbit.max(1)) * 125);
        self.0.rate.store(rate, Ordering::Relaxed);
    }

    /// Bytes a second; none is without limit.
    #[must_use]
    pub fn rate(&self) -> Option<u64> {
        Some(self.0.rate.load(Ordering::Relaxed)).filter(|rate| *rate > 0)
    }

    /// Waits until so many bytes may go, or until `goes_on` says no.
    fn take(&self, bytes: usize, urgency: Urgency, goes_on: &dyn Fn() -> bool) {
        #[expect(clippy::cast_precision_loss, reason = "pieces are small")]
        let mut due = bytes as f64;
        loop {
            let Some(rate) = self.rate() else { return };
            #[expect(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
            let rate = rate as f64;
            let wait = {
                let mut levels = self.0.levels.lock().unwrap_or_else(PoisonError::into_inner);
                let now = Instant::now();
                let (level, other) = levels.of(urgency);
                let is_shared = other.is_some_and(|other| now.duration_since(other.at) < BURST);
                let rate = if is_shared { rate * urgency.part() } else { rate };
                let full = rate * BURST.as_secs_f64();
                let before = level.unwrap_or(Level { bytes: full, at: now });
                let gained = now.duration_since(before.at).as_secs_f64() * rate;
                let left = (before.bytes + gained).min(full) - due;
                // It is paid once, and the debt is waited for: whoever comes next waits behind it.
                due = 0.0;
                *level = Some(Level { bytes: left, at: now });
                Duration::try_from_secs_f64(-left / rate).unwrap_or_default()
            };
            if wait.is_zero() || !goes_on() {
                return;
            }
            std::thread::sleep(wait.min(STEP));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// How long `pieces` of 10 kB take, in so many threads.
    fn seconds(bucket: &Bucket, pieces: usize, threads: usize) -> f64 {
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| (0..pieces / threads).for_each(|_| bucket.take(10_000, Urgency::Background, &|| true)));
            }
        });
        begun.elapsed().as_secs_f64()
    }

    #[test]
    fn a_rate_is_kept_by_one_and_by_many() {
        for threads in [1, 4] {
            let bucket = Bucket::default();
            bucket.set_kbit(Some(8_000));
            // 1,250,000 bytes at 1,000,000 a second, 250,000 of them at once. It is never quicker, whatever else runs.
            let took = seconds(&bucket, 124, threads);
            assert!((0.9..3.0).contains(&took), "{took} s by {threads}");
        }
    }

    #[test]
    fn what_nobody_waits_for_keeps_a_tenth_and_has_what_is_left() {
        let bucket = Bucket::default();
        bucket.set_kbit(Some(8_000));
        let (begun, over) = (Instant::now(), AtomicBool::new(false));
        let sent = [Urgency::Awaited, Urgency::Background].map(|urgency| (urgency, AtomicU64::new(0)));
        std::thread::scope(|scope| {
            let (bucket, is_over) = (&bucket, &over);
            for (urgency, sent) in &sent {
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        bucket.take(2_000, *urgency, &|| !is_over.load(Ordering::Relaxed));
                        sent.fetch_add(2_000, Ordering::Relaxed);
                    }
                });
            }
            std::thread::sleep(Duration::from_secs(3));
            is_over.store(true, Ordering::Relaxed);
        });
        let took = begun.elapsed();
        let [awaited, background] = sent.map(|(_, sent)| sent.into_inner());
        // A thousand bytes in a millisecond; what may come at once, and what both were about to send when it was over, is besides.
        let most = took.as_millis() * 1_000 + 550_000;
        assert!(u128::from(awaited + background) <= most, "{awaited}, {background} in {took:?}");
        assert!(background >= 150_000, "{background}");
        assert!(awaited > 2 * background, "{awaited}, {background}");

        // Alone it has all of it. Whoever was there before has ended.
        std::thread::sleep(BURST);
        let took = seconds(&bucket, 124, 1);
        assert!((0.7..3.0).contains(&took), "{took} s");
    }

    #[test]
    fn a_changed_rate_is_followed_by_who_waits() {
        let bucket = Bucket::default();
        bucket.set_kbit(Some(1_000));
        let waiting = bucket.clone();
        let begun = Instant::now();
        // A minute at this rate.
        let waiter = std::thread::spawn(move || waiting.take(7_500_000, Urgency::Background, &|| true));
        std::thread::sleep(Duration::from_millis(100));
        bucket.set_kbit(None);
        assert!(waiter.join().is_ok());
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }

    #[test]
    fn a_transfer_keeps_to_each_of_its_limits() {
        for slow in [0, 1] {
            let limits = [Limit::default(), Limit::default()];
            limits[slow].up.set_kbit(Some(8_000));
            limits[1 - slow].up.set_kbit(Some(1_000_000));
            let pace = Pace::new(limits.to_vec(), Urgency::Awaited, || true);
            let begun = Instant::now();
            (0..124).for_each(|_| pace.up(10_000));
            assert!(begun.elapsed().as_secs_f64() > 0.9, "{:?}", begun.elapsed());
            // The other way there is none.
            pace.down(usize::MAX);
        }
    }

    #[test]
    fn nobody_waits_for_a_transfer_that_was_stopped() {
        let limit = Limit::default();
        limit.down.set_kbit(Some(1));
        let asked = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&asked);
        let pace = Pace::new(vec![limit], Urgency::Awaited, move || count.fetch_add(1, Ordering::Relaxed) < 3);
        // A year at this rate.
        pace.down(4_000_000_000);
        assert_eq!(asked.load(Ordering::Relaxed), 4);
    }
}
