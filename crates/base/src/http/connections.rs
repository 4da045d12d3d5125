//! Open connections: how many in total and from each network, and which are closed when there is no room.
//!
//! A connection is *silent* until its first request has arrived, and *quiet* while no request is running. Quiet ones
//! are closed to make room for others, silent ones first, so that nobody who holds many of them locks others out.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// The unit of the limits: an IPv4 address, or the /64 of an IPv6 address, since one customer has all of it.
#[must_use]
pub fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.into(),
        IpAddr::V6(ip) => Ipv6Addr::from(u128::from(ip) >> 64 << 64).into(),
    }
}

/// The limits.
#[derive(Clone, Debug)]
pub struct Limits {
    /// In total.
    pub total: usize,
    /// From one network.
    pub per_network: usize,
    /// From one network without a request yet.
    pub silent: usize,
    /// Proxies, which only count in the total: there are many clients behind them.
    pub trusted: Vec<IpAddr>,
    /// A reader that accepts nothing for this long is gone.
    pub stall: Duration,
}

/// How long a reader may accept nothing.
const STALL: Duration = Duration::from_secs(120);

impl Limits {
    /// As configured.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self {
            total: config.max_connections,
            per_network: config.max_connections_per_ip,
            silent: config.max_connections_per_ip.div_ceil(4),
            trusted: config.trusted_proxies.clone(),
            stall: STALL,
        }
    }
}

/// The connections that are open.
#[derive(Clone, Debug)]
pub struct Connections(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    limits: Limits,
    started: Instant,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    all: BTreeMap<u64, Arc<State>>,
    networks: HashMap<IpAddr, Count>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    open: usize,
    silent: usize,
}

#[derive(Debug)]
struct State {
    number: u64,
    /// None for a trusted proxy.
    network: Option<IpAddr>,
    closed: CancellationToken,
    under_way: AtomicUsize,
    has_asked: AtomicBool,
    /// It carries something other than HTTP.
    is_upgraded: AtomicBool,
    /// Microseconds since the start: when it was opened, or when its last request ended.
    quiet_since: AtomicU64,
}

impl State {
    fn is_quiet(&self) -> bool {
        self.under_way.load(Acquire) == 0 && !self.is_upgraded.load(Relaxed)
    }
}

impl Open {
    /// Closes the least important connection of `those`: a silent one before others, from the network with the most,
    /// the oldest. None if all are busy.
    fn make_room(&mut self, those: impl Fn(&State) -> bool) -> Option<()> {
        let rank = |state: &State| {
            let open = state.network.and_then(|network| self.networks.get(&network)).map_or(0, |count| count.open);
            (state.has_asked.load(Relaxed), Reverse(open), state.quiet_since.load(Relaxed))
        };
        let quiet = self.all.values().filter(|state| state.network.is_some() && state.is_quiet() && those(state));
        let chosen = quiet.min_by_key(|state| rank(state))?.clone();
        metrics::counter!("skyrack_connections_closed_for_room_total").increment(1);
        chosen.closed.cancel();
        self.remove(chosen.number);
        Some(())
    }

    fn remove(&mut self, number: u64) {
        let Some(state) = self.all.remove(&number) else { return };
        let Some(network) = state.network else { return };
        let Some(count) = self.networks.get_mut(&network) else { return };
        count.open -= 1;
        count.silent -= usize::from(!state.has_asked.load(Relaxed));
        if count.open == 0 {
            self.networks.remove(&network);
        }
    }
}

impl Connections {
    /// No connections yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self(Arc::new(Shared { limits, started: Instant::now(), open: Mutex::default() }))
    }

    /// Accepts a connection, if necessary in place of a quiet one. None if all are busy.
    #[must_use]
    pub fn admit(&self, ip: IpAddr) -> Option<Arc<Connection>> {
        let Shared { limits, .. } = &*self.0;
        let network = (!limits.trusted.contains(&ip.to_canonical())).then(|| network(ip));
        let quiet_since = AtomicU64::new(self.0.micros());
        let mut open = self.0.open.lock();
        let count = network.and_then(|network| open.networks.get(&network)).copied().unwrap_or_default();
        if network.is_some() && (count.open >= limits.per_network || count.silent >= limits.silent) {
            open.make_room(|state| state.network == network)?;
        }
        if open.all.len() >= limits.total {
            open.make_room(|_| true)?;
        }
        open.last += 1;
        let state = Arc::new(State {
            number: open.last,
            network,
            closed: CancellationToken::new(),
            under_way: AtomicUsize::new(0),
            has_asked: AtomicBool::new(false),
            is_upgraded: AtomicBool::new(false),
            quiet_since,
        });
        open.all.insert(state.number, state.clone());
        if let Some(network) = network {
            let count = open.networks.entry(network).or_default();
            count.open += 1;
            count.silent += 1;
        }
        Some(Arc::new(Connection { shared: self.0.clone(), state, untaken: Mutex::default() }))
    }
}

impl Shared {
    fn micros(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// An open connection. It counts until this is dropped, or until it is closed to make room.
#[derive(Debug)]
pub struct Connection {
    shared: Arc<Shared>,
    state: Arc<State>,
    /// Since when answers wait for their reader.
    untaken: Mutex<Untaken>,
}

#[derive(Debug, Default)]
struct Untaken {
    last: u64,
    since: BTreeMap<u64, Instant>,
}

/// The state of a connection, for deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Waiting for its first request since then.
    Silent(Instant),
    /// Waiting for another request since then.
    Quiet(Instant),
    /// A request is running, or something other than HTTP.
    Work,
}

impl Connection {
    /// Records that a request has arrived; it is running until the value is dropped.
    #[must_use]
    pub fn ask(self: &Arc<Self>) -> Asking {
        self.state.under_way.fetch_add(1, Relaxed);
        if !self.state.has_asked.load(Relaxed) {
            let mut open = self.shared.open.lock();
            let is_first = !self.state.has_asked.swap(true, Relaxed) && open.all.contains_key(&self.state.number);
            if let Some(count) = self.state.network.and_then(|network| open.networks.get_mut(&network)) {
                count.silent -= usize::from(is_first);
            }
        }
        Asking(self.clone())
    }

    /// Records that an answer waits for its reader from now on: the one with this number, or a new one. Returns its
    /// number.
    pub fn waits_for_a_taker(&self, number: Option<u64>) -> u64 {
        let mut untaken = self.untaken.lock();
        let number = number.unwrap_or_else(|| {
            untaken.last += 1;
            untaken.last
        });
        untaken.since.insert(number, Instant::now());
        number
    }

    /// Records that an answer no longer waits.
    pub fn has_a_taker(&self, number: u64) {
        self.untaken.lock().since.remove(&number);
    }

    /// The deadline for reading from the answer that has waited longest.
    #[must_use]
    pub fn to_be_taken_by(&self) -> Option<Instant> {
        self.untaken.lock().since.values().min().map(|since| *since + self.stall())
    }

    /// How long a reader may accept nothing.
    #[must_use]
    pub fn stall(&self) -> Duration {
        self.shared.limits.stall
    }

    /// Records that it carries something other than HTTP from now on, with deadlines of its own.
    pub fn upgrade(&self) {
        self.state.is_upgraded.store(true, Relaxed);
    }

    /// Waits until it must make room for others.
    pub async fn closed(&self) {
        self.state.closed.cancelled().await;
    }

    /// Its state.
    #[must_use]
    pub fn doing(&self) -> Doing {
        if !self.state.is_quiet() {
            return Doing::Work;
        }
        let since = self.shared.started + Duration::from_micros(self.state.quiet_since.load(Relaxed));
        if self.state.has_asked.load(Relaxed) { Doing::Quiet(since) } else { Doing::Silent(since) }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.open.lock().remove(self.state.number);
    }
}

/// A running request.
#[derive(Debug)]
pub struct Asking(Arc<Connection>);

impl Drop for Asking {
    fn drop(&mut self) {
        let Connection { shared, state, .. } = &*self.0;
        // The time first: whoever sees that nothing is running sees since when.
        state.quiet_since.store(shared.micros(), Relaxed);
        state.under_way.fetch_sub(1, Release);
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::Arc;

    use super::{Connection, Connections, Doing, Limits, network};

    const LIMITS: Limits = Limits { total: 10, per_network: 6, silent: 2, trusted: Vec::new(), stall: super::STALL };

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn is_closed(connection: &Arc<Connection>) -> bool {
        connection.state.closed.is_cancelled()
    }

    #[test]
    fn a_network_is_an_ipv4_address_or_a_64() {
        assert_eq!(network(ip("10.1.2.3")), ip("10.1.2.3"));
        assert_eq!(network(ip("::ffff:10.1.2.3")), ip("10.1.2.3"));
        assert_eq!(network(ip("2001:db8:1:2:ffff::9")), ip("2001:db8:1:2::"));
    }

    #[test]
    fn silent_ones_of_a_network_replace_each_other() {
        let all = Connections::new(LIMITS);
        let silent: Vec<_> = (1..=3).filter_map(|n| all.admit(ip(&format!("2001:db8::{n}")))).collect();
        assert_eq!(silent.iter().map(is_closed).collect::<Vec<_>>(), [true, false, false]);
        let other = all.admit(ip("2001:db8:0:1::1")).expect("another network");
        assert!(matches!(other.doing(), Doing::Silent(_)) && !is_closed(&silent[1]));
    }

    #[test]
    fn a_network_may_hold_as_many_as_are_at_work_and_no_more() {
        let all = Connections::new(LIMITS);
        let busy: Vec<_> = (0..6).filter_map(|_| all.admit(ip("10.0.0.1"))).map(|one| one.ask()).collect();
        assert_eq!(busy.len(), 6);
        assert!(all.admit(ip("10.0.0.1")).is_none(), "all are at work");
        assert!(all.admit(ip("10.0.0.2")).is_some());
        drop(busy);
        assert!(all.admit(ip("10.0.0.1")).is_some());
    }

    #[test]
    fn whoever_holds_most_makes_room_for_others_and_what_works_stays() {
        let all = Connections::new(Limits { silent: 6, ..LIMITS });
        let one = all.admit(ip("10.0.0.9")).expect("there is room");
        let at_work = all.admit(ip("10.0.0.1")).expect("there is room");
        let _asking = at_work.ask();
        let idle: Vec<_> = (0..5).filter_map(|_| all.admit(ip("10.0.0.1"))).collect();
        idle.iter().for_each(|connection| drop(connection.ask()));
        let more: Vec<_> = (0..3).filter_map(|_| all.admit(ip("10.0.0.2"))).collect();
        assert_eq!(more.len(), 3);
        let fifth = all.admit(ip("10.0.0.5"));
        assert!(fifth.is_some() && is_closed(&more[0]), "a silent one of the network that has most of those");
        assert!(!is_closed(&one) && !idle.iter().any(is_closed));
        let newer: Vec<_> = (1..=9).filter_map(|n| all.admit(ip(&format!("10.0.1.{n}")))).collect();
        assert_eq!(newer.len(), 9);
        assert!(!is_closed(&at_work) && matches!(at_work.doing(), Doing::Work));
    }

    #[test]
    fn a_trusted_proxy_is_counted_in_all_only_and_never_sent_away() {
        let all = Connections::new(Limits { trusted: vec![ip("10.0.0.1")], ..LIMITS });
        let proxied: Vec<_> = (0..10).filter_map(|_| all.admit(ip("10.0.0.1"))).collect();
        assert_eq!(proxied.len(), 10);
        assert!(all.admit(ip("10.0.0.2")).is_none() && !proxied.iter().any(is_closed));
    }

    #[test]
    fn what_is_gone_is_not_counted() {
        let all = Connections::new(LIMITS);
        for _ in 0..50 {
            let connection = all.admit(ip("10.0.0.1")).expect("there is room");
            drop(connection.ask());
        }
        let kept = all.admit(ip("10.0.0.1")).expect("there is room");
        for _ in 0..5 {
            let replaced = all.admit(ip("10.0.0.1")).expect("a silent one goes");
            drop(replaced);
        }
        drop(kept);
        let open = all.0.open.lock();
        assert!(open.all.is_empty() && open.networks.is_empty());
    }
}
