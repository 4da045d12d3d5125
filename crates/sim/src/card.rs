//! One card: who it is, what it has, whether it is on.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use adb::PublicKey;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Notify;

use crate::chance;
use crate::fault::{Fault, Faults};
use crate::files::Files;

/// Bytes of `/data`.
pub const DISK: u64 = 32 * 1024 * 1024 * 1024;
/// Names under which effects are counted, at most; more are counted as `other`.
const EFFECTS: usize = 256;

/// Platform, model and the product's name of each board, card by card in turn.
pub const BOARDS: [(&str, &str, &str); 3] =
    [("rk3399", "RK3399", "RK_3399"), ("mt6785", "MTK-G90", "MTK_G90"), ("rk3588", "STARPRO", "STARPRO")];

/// An installed package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// `versionCode`.
    pub version: i64,
    /// Who signed it.
    pub signer: Box<str>,
    /// Bytes on the disk.
    pub size: u64,
}

/// A card.
#[derive(Debug)]
pub struct Card {
    /// Its number, from 0.
    pub index: usize,
    /// Where its ADB is.
    pub address: SocketAddr,
    /// What is wrong with it.
    pub faults: Faults,
    /// Called when the card goes down, comes up, or its faults change.
    pub(crate) changed: Notify,
    pub(crate) seed: u64,
    boot: Duration,
    counter: AtomicU64,
    state: Mutex<State>,
}

/// What changes.
#[derive(Debug)]
pub struct State {
    /// Properties that were set.
    pub props: BTreeMap<Box<str>, Box<str>>,
    /// Packages besides the system's.
    pub packages: BTreeMap<Box<str>, Package>,
    /// Files that were written.
    pub files: Files,
    /// Keys that it lets in.
    pub keys: Vec<PublicKey>,
    /// How often each thing was done.
    pub effects: BTreeMap<Box<str>, u64>,
    /// When it was switched on; `None` while it is off.
    started: Option<Instant>,
    /// How often it has started.
    boots: u64,
    /// Whether the BMC has forgotten an order already ([`Fault::LostReset`]).
    pub(crate) lost: bool,
    /// A change of power that is under way: `PoweringOn` or `PoweringOff`.
    pub(crate) powering: Option<&'static str>,
}

/// How far a card is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// No power.
    Off,
    /// Power, and no ADB yet.
    Starting,
    /// ADB answers, Android is not ready.
    Booting,
    /// Ready.
    Booted,
}

impl Card {
    pub(crate) fn new(index: usize, address: SocketAddr, seed: u64, boot: Duration) -> Self {
        // Each card has its own pace, three quarters to five quarters of what was asked for.
        let pace = u32::try_from(chance::between(seed, index as u64, 1, 75, 125)).expect("at most 125");
        let boot = boot * pace / 100;
        let started = Instant::now().checked_sub(boot * 2);
        let state = State {
            props: BTreeMap::new(),
            packages: BTreeMap::new(),
            files: Files::default(),
            keys: Vec::new(),
            effects: BTreeMap::new(),
            started: Some(started.unwrap_or_else(Instant::now)),
            boots: 1,
            lost: false,
            powering: None,
        };
        Self {
            index,
            address,
            faults: Faults::default(),
            changed: Notify::new(),
            seed,
            boot,
            counter: AtomicU64::new(0),
            state: Mutex::new(state),
        }
    }

    /// What changes, locked.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Its serial number.
    #[must_use]
    pub fn serial(&self) -> String {
        format!("SKY{:04X}{:06}", self.seed & 0xffff, self.index)
    }

    /// Platform, model, and the product's name of the board.
    #[must_use]
    pub fn board(&self) -> (&'static str, &'static str, &'static str) {
        BOARDS[self.index % BOARDS.len()]
    }

    /// A number for this card and purpose, always the same.
    #[must_use]
    pub fn number(&self, purpose: u64, low: u64, high: u64) -> u64 {
        chance::between(self.seed, self.index as u64, purpose, low, high)
    }

    /// A number that nobody has had yet.
    pub(crate) fn fresh(&self) -> u64 {
        chance::number(self.seed ^ 0x5eed, self.index as u64, self.counter.fetch_add(1, Ordering::Relaxed))
    }

    /// How far it is, and how long the connections of this phase may live.
    #[must_use]
    pub fn phase(&self) -> (Phase, Option<Duration>) {
        let Some(started) = self.state.lock().started else { return (Phase::Off, None) };
        let up = started.elapsed();
        if self.faults.has(Fault::BootLoop) && !self.boot.is_zero() {
            let turn = Duration::from_nanos(u64::try_from(up.as_nanos() % self.boot.as_nanos()).unwrap_or(0));
            return if turn < self.boot / 2 {
                (Phase::Starting, Some(self.boot / 2 - turn))
            } else {
                (Phase::Booting, Some(self.boot.saturating_sub(turn)))
            };
        }
        match up {
            up if up < self.boot / 2 => (Phase::Starting, Some(self.boot / 2 - up)),
            up if up < self.boot => (Phase::Booting, None),
            _ => (Phase::Booted, None),
        }
    }

    /// Seconds since it was started; a loop starts again and again.
    #[must_use]
    pub fn uptime(&self) -> f64 {
        let up = self.state.lock().started.map_or(Duration::ZERO, |started| started.elapsed());
        if self.faults.has(Fault::BootLoop) && !self.boot.is_zero() {
            return up.as_secs_f64() % self.boot.as_secs_f64();
        }
        // Cards of a room that starts have been running for up to a month.
        let before = if self.state.lock().boots == 1 { self.number(7, 3600, 2_592_000) } else { 0 };
        let before = before as f64;
        up.as_secs_f64() + before
    }

    /// How often it has started.
    #[must_use]
    pub fn boots(&self) -> u64 {
        let state = self.state.lock();
        let turns = match state.started {
            Some(started) if self.faults.has(Fault::BootLoop) && !self.boot.is_zero() => {
                u64::try_from(started.elapsed().as_nanos() / self.boot.as_nanos()).unwrap_or(0)
            }
            _ => 0,
        };
        state.boots + turns
    }

    /// Counts something that was done.
    pub fn count(&self, what: &str) {
        let mut state = self.state.lock();
        let what = if state.effects.len() >= EFFECTS && !state.effects.contains_key(what) { "other" } else { what };
        *state.effects.entry(what.into()).or_default() += 1;
    }

    /// Takes or gives the power, at once. Connections end when it goes.
    pub fn power(&self, on: bool) {
        {
            let mut state = self.state.lock();
            if state.started.is_some() == on {
                return;
            }
            state.started = on.then(Instant::now);
            if on {
                state.boots += 1;
            }
        }
        self.changed.notify_waiters();
    }

    /// Whether it has power.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.state.lock().started.is_some()
    }

    /// Restarts, if it is on.
    pub fn restart(&self) {
        if self.is_on() {
            self.power(false);
            self.power(true);
        }
    }

    /// Everything that was written, installed and set is gone; it restarts.
    pub fn wipe(&self) {
        {
            let mut state = self.state.lock();
            state.props.clear();
            state.packages.clear();
            state.files = Files::default();
        }
        self.restart();
    }

    /// Bytes of the disk that are in use.
    #[must_use]
    pub fn used(&self) -> u64 {
        if self.faults.has(Fault::NoSpace) {
            return DISK;
        }
        let base = self.number(3, DISK / 10, DISK / 2);
        let state = self.state.lock();
        base + state.files.bytes() as u64 + state.packages.values().map(|package| package.size).sum::<u64>()
    }

    /// Thousandths of a degree.
    #[must_use]
    pub fn temperature(&self) -> u64 {
        if self.faults.has(Fault::Hot) {
            return 95_000;
        }
        self.number(4, 38_000, 62_000)
    }
}
