//! Where the time comes from. Code that decides by the time takes it from a `Clock`, so that a test
//! can advance it instead of sleeping.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::time::UtcTime;

/// A cheap handle to the wall clock, plus what a test has added to it.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    offset_ms: Arc<AtomicI64>,
}

impl Clock {
    /// The present instant.
    #[must_use]
    pub fn now(&self) -> UtcTime {
        UtcTime(UtcTime::now().millis() + self.offset_ms.load(Ordering::Relaxed))
    }

    /// Moves this clock (and every clone of it) forward. For tests.
    pub fn advance_seconds(&self, seconds: i64) {
        self.offset_ms.fetch_add(seconds * 1000, Ordering::Relaxed);
    }
}
