//! How fast bytes may go: a token bucket for each direction, changed while transfers run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a change of the rate may go unnoticed by a transfer that waits.
const STEP: Duration = Duration::from_millis(50);
/// How much may come at once after a pause, as time at the full rate.
const BURST: Duration = Duration::from_millis(250);

/// The rates of a storage node; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Limit {
    /// To the node.
    pub up: Bucket,
    /// From the node.
    pub down: Bucket,
}

/// A token bucket; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Bucket(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Bytes a second; none is without limit.
    rate: AtomicU64,
    level: Mutex<Option<Level>>,
}

/// How many bytes may go at once, and since when that is known. It is negative while somebody's bytes are paid off.
#[derive(Clone, Copy, Debug)]
struct Level {
    bytes: f64,
    at: Instant,
}

impl Bucket {
    /// Sets the rate in Mbit/s; zero is without limit. Transfers that run follow at once.
    pub fn set_mbit(&self, mbit: u32) {
        self.0.rate.store(u64::from(mbit) * 125_000, Ordering::Relaxed);
    }

    /// Waits until so many bytes may go.
    pub fn take(&self, bytes: usize) {
        #[expect(clippy::cast_precision_loss, reason = "pieces are small")]
        let mut due = bytes as f64;
        loop {
            #[expect(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
            let rate = self.0.rate.load(Ordering::Relaxed) as f64;
            if rate == 0.0 {
                return;
            }
            let wait = {
                let mut level = self.0.level.lock().unwrap_or_else(PoisonError::into_inner);
                let now = Instant::now();
                let full = rate * BURST.as_secs_f64();
                let before = level.unwrap_or(Level { bytes: full, at: now });
                let gained = now.duration_since(before.at).as_secs_f64() * rate;
                let left = (before.bytes + gained).min(full) - due;
                // It is paid once, and the debt is waited for: whoever comes next waits behind it.
                due = 0.0;
                *level = Some(Level { bytes: left, at: now });
                Duration::try_from_secs_f64(-left / rate).unwrap_or_default()
            };
            if wait.is_zero() {
                return;
            }
            std::thread::sleep(wait.min(STEP));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How long `pieces` of 10 kB take, in so many threads.
    fn seconds(bucket: &Bucket, pieces: usize, threads: usize) -> f64 {
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| (0..pieces / threads).for_each(|_| bucket.take(10_000)));
            }
        });
        begun.elapsed().as_secs_f64()
    }

    #[test]
    fn a_rate_is_kept_by_one_and_by_many() {
        for threads in [1, 4] {
            let bucket = Bucket::default();
            bucket.set_mbit(8);
            // 1,250,000 bytes at 1,000,000 a second, 250,000 of them at once. It is never quicker, whatever else runs.
            let took = seconds(&bucket, 124, threads);
            assert!((0.9..3.0).contains(&took), "{took} s by {threads}");
        }
    }

    #[test]
    fn a_changed_rate_is_followed_by_who_waits() {
        let bucket = Bucket::default();
        bucket.set_mbit(1);
        let waiting = bucket.clone();
        let begun = Instant::now();
        // A minute at this rate.
        let waiter = std::thread::spawn(move || waiting.take(7_500_000));
        std::thread::sleep(Duration::from_millis(100));
        bucket.set_mbit(0);
        assert!(waiter.join().is_ok());
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
