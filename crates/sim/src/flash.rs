//! A slow flash: each thing that is removed there, or given other rights or another label, takes its time. That passes by a clock of
//! its own, which only `timeout` looks at, so that nobody has to wait for it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

/// The flash of a card.
#[derive(Debug, Default)]
pub struct Flash {
    /// Milliseconds for each thing; none where it is fast.
    each: AtomicU64,
    /// Milliseconds that it has worked.
    worked: AtomicU64,
    moved: Notify,
}

impl Flash {
    /// From now on each thing takes so long.
    pub fn set_pace(&self, each: Duration) {
        self.each.store(millis(each), Ordering::Relaxed);
    }

    /// Deals with one thing.
    pub(crate) async fn work(&self) {
        let each = self.each.load(Ordering::Relaxed);
        if each > 0 {
            self.worked.fetch_add(each, Ordering::Relaxed);
            self.moved.notify_waiters();
            // Whoever has had enough of it ends the program here.
            tokio::task::yield_now().await;
        }
    }

    /// Waits until it has worked for so long from now on.
    pub(crate) async fn has_worked(&self, time: Duration) {
        let until = self.worked.load(Ordering::Relaxed).saturating_add(millis(time));
        loop {
            let moved = self.moved.notified();
            tokio::pin!(moved);
            moved.as_mut().enable();
            if self.worked.load(Ordering::Relaxed) >= until {
                return;
            }
            moved.await;
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
