//! How fast this agent may transfer: its share of its room's limit and of that of each storage node, as the console tells it.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use store::{Limit, Pace, Urgency};
use wire::{NodeRates, Rates};

/// Transfers among which a limit may have to be divided: so many go at once ([`crate::room`]).
const AT_ONCE: u64 = 8;

/// The buckets that all transfers of this agent take from. There is no limit before the console has told one,
/// which it does before the welcome: nothing begins without it.
#[derive(Debug, Default)]
pub struct Limits {
    room: Limit,
    /// By what the markers of a node say.
    nodes: Mutex<HashMap<String, Limit>>,
}

impl Limits {
    /// Sets the rates; nodes that are not named have none. Transfers that run follow at once.
    pub fn set(&self, room: Rates, nodes: Vec<NodeRates>) {
        let told: HashMap<String, Rates> = nodes.into_iter().map(|node| (node.mark, node.rates)).collect();
        set(&self.room, room);
        let mut nodes = self.nodes.lock();
        for mark in told.keys() {
            nodes.entry(mark.clone()).or_default();
        }
        for (mark, limit) in &*nodes {
            set(limit, told.get(mark).copied().unwrap_or_default());
        }
    }

    /// The pace of a transfer from and to a node, for as long as `goes_on` says yes.
    pub fn pace(&self, mark: &str, urgency: Urgency, goes_on: impl Fn() -> bool + Send + Sync + 'static) -> Pace {
        let node = self.nodes.lock().entry(mark.to_owned()).or_default().clone();
        Pace::new(vec![self.room.clone(), node], urgency, goes_on)
    }

    /// How much longer it may take until so many bytes have come from a node, because of the lowest of the limits and of others
    /// that share it.
    pub fn delay(&self, bytes: u64) -> Duration {
        let nodes = self.nodes.lock();
        let rates = nodes.values().chain([&self.room]).filter_map(|limit| limit.down.rate());
        rates.min().map_or(Duration::ZERO, |rate| Duration::from_secs(bytes.saturating_mul(AT_ONCE).div_ceil(rate)))
    }
}

fn set(limit: &Limit, Rates { down, up }: Rates) {
    limit.down.set_kbit(down);
    limit.up.set_kbit(up);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, mpsc};
    use std::time::{Duration, Instant};

    use store::Urgency;
    use wire::{NodeRates, Rates};

    use super::Limits;

    fn rates(down: Option<u32>, up: Option<u32>) -> Rates {
        Rates { down, up }
    }

    fn node(rates: Rates) -> Vec<NodeRates> {
        vec![NodeRates { mark: "0a1b".to_owned(), rates }]
    }

    /// How long a megabyte and a half takes to the node: at a megabyte a second never less than 1.2 s.
    fn seconds(limits: &Limits) -> f64 {
        let (pace, begun) = (limits.pace("0a1b", Urgency::Awaited, || true), Instant::now());
        (0..150).for_each(|_| pace.up(10_000));
        begun.elapsed().as_secs_f64()
    }

    #[test]
    fn the_least_limit_binds_whichever_it_is() {
        let limits = Limits::default();
        limits.set(rates(None, Some(8_000)), node(rates(None, Some(800_000))));
        let took = seconds(&limits);
        assert!(took > 1.2, "that of the room: {took}");
        limits.set(rates(None, Some(800_000)), node(rates(None, Some(8_000))));
        let took = seconds(&limits);
        assert!(took > 1.2, "that of the node: {took}");
        // Whoever is not named has none, and so has another node.
        limits.set(rates(Some(1), None), Vec::new());
        limits.pace("0a1b", Urgency::Awaited, || true).up(usize::MAX);
        limits.set(Rates::default(), node(rates(Some(1), Some(1))));
        limits.pace("2c3d", Urgency::Background, || true).down(usize::MAX);
    }

    #[test]
    fn what_runs_follows_a_change_both_ways() {
        let limits = Limits::default();
        let pace = limits.pace("0a1b", Urgency::Awaited, || true);
        let (told, ended) = mpsc::channel();
        let is_quick = Arc::new(AtomicBool::new(true));
        let goes = Arc::clone(&is_quick);
        let transfer = std::thread::spawn(move || {
            while goes.load(Ordering::Relaxed) {
                pace.up(1_000);
            }
            // Three days at the rate that it was given meanwhile.
            pace.up(32_000_000);
            _ = told.send(());
        });
        limits.set(Rates::default(), node(rates(None, Some(1))));
        is_quick.store(false, Ordering::Relaxed);
        assert!(ended.recv_timeout(Duration::from_secs(1)).is_err(), "it was slowed down while it ran");
        limits.set(Rates::default(), Vec::new());
        assert!(ended.recv_timeout(Duration::from_secs(60)).is_ok(), "it was let go while it waited");
        assert!(transfer.join().is_ok());
    }

    #[test]
    fn what_waits_for_others_is_given_time() {
        let limits = Limits::default();
        assert_eq!(limits.delay(1 << 30), Duration::ZERO);
        // 125,000 bytes a second, for eight.
        limits.set(rates(Some(1_000), None), node(rates(Some(2_000), None)));
        assert_eq!(limits.delay(125_000), Duration::from_secs(8));
        assert_eq!(limits.delay(u64::MAX).as_secs(), u64::MAX.div_ceil(125_000));
    }
}
