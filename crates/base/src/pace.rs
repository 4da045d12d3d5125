//! Limits how often something may happen in a minute, in memory: for what is expensive but guards nothing by itself.
//! What guards a secret is counted in the database (`throttle`).

use std::collections::HashMap;
use std::hash::Hash;

use kernel::time::UtcTime;
use parking_lot::Mutex;

use crate::fault::{Fault, Outcome};

/// Keys remembered within one minute. More than this many addresses at once is an attack.
const MAX_KEYS: usize = 50_000;

/// Counts per key and minute.
#[derive(Debug)]
pub struct Pace<K> {
    limit: u32,
    counted: Mutex<(i64, HashMap<K, u32>)>,
}

impl<K: Eq + Hash> Pace<K> {
    /// At most `limit` a minute for each key.
    #[must_use]
    pub fn per_minute(limit: u32) -> Self {
        Self { limit, counted: Mutex::default() }
    }

    /// Counts one, or refuses it.
    ///
    /// # Errors
    /// [`Fault::TooMany`] until the minute is over.
    pub fn admit(&self, key: K, now: UtcTime) -> Outcome<()> {
        if self.count(key, now) <= self.limit {
            return Ok(());
        }
        let into_minute_ms = now.millis().rem_euclid(60_000).unsigned_abs();
        Err(Fault::TooMany { retry_after_s: (60_000 - into_minute_ms).div_ceil(1000) })
    }

    /// Counts one and returns the number in this minute.
    pub fn count(&self, key: K, now: UtcTime) -> u32 {
        let mut counted = self.counted.lock();
        let minute = now.millis().div_euclid(60_000);
        if counted.0 != minute {
            *counted = (minute, HashMap::new());
        }
        if counted.1.len() >= MAX_KEYS && !counted.1.contains_key(&key) {
            return u32::MAX;
        }
        let count = counted.1.entry(key).or_default();
        *count = count.saturating_add(1);
        *count
    }

    /// Whether `key` has used up this minute.
    pub fn is_over(&self, key: &K, now: UtcTime) -> bool {
        let counted = self.counted.lock();
        counted.0 == now.millis().div_euclid(60_000) && counted.1.get(key).is_some_and(|count| *count >= self.limit)
    }
}

#[cfg(test)]
mod tests {
    use kernel::time::UtcTime;

    use super::Pace;

    #[test]
    fn a_key_is_refused_until_the_minute_is_over() {
        let pace = Pace::per_minute(2);
        let at = UtcTime(60_000 * 1000);
        assert!(pace.admit("a", at).is_ok());
        assert!(!pace.is_over(&"a", at));
        assert!(pace.admit("a", at).is_ok());
        assert!(pace.is_over(&"a", at));
        assert!(pace.admit("a", at.plus_seconds(59)).is_err());
        assert!(pace.admit("b", at).is_ok());
        assert!(pace.admit("a", at.plus_seconds(60)).is_ok());
    }
}
