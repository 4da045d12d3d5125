//! One card: its identity, its storage, its power.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use adb::PublicKey;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::apps::Writes;
use crate::chance;
use crate::fault::{Fault, Faults};
use crate::files::{FileError, Files, Meta, PAGE, SHELL, Store};
use crate::flash::Flash;
use crate::packages::{self, Package, Session};
use crate::reverse::Reverse;
use crate::users::{self, Users};

/// Bytes of `/data`.
pub const DISK: u64 = 256 * 1024 * 1024 * 1024;
/// The largest number of distinct effect names that are counted; others are counted as `other`.
const EFFECTS: usize = 256;

/// Platform, model and product name of each board, assigned to cards in turn.
pub const BOARDS: [(&str, &str, &str); 3] =
    [("rk3399", "RK3399", "RK_3399"), ("mt6785", "MTK-G90", "MTK_G90"), ("rk3588", "STARPRO", "STARPRO")];

/// A card.
#[derive(Debug)]
pub struct Card {
    /// Its index, from 0.
    pub index: usize,
    /// The address of its ADB.
    pub address: SocketAddr,
    /// Its faults.
    pub faults: Arc<Faults>,
    /// How fast things are changed on it.
    pub flash: Flash,
    /// Called when the card goes down, comes up, or its faults change.
    pub(crate) changed: Notify,
    pub(crate) seed: u64,
    boot: Duration,
    counter: AtomicU64,
    state: Mutex<State>,
}

/// The mutable state.
#[derive(Debug)]
pub struct State {
    /// Properties that were set.
    pub props: BTreeMap<Box<str>, Box<str>>,
    /// Packages in addition to the system's.
    pub packages: BTreeMap<Box<str>, Package>,
    /// Files that were written.
    pub files: Files,
    /// The last number of an application that was given out.
    pub(crate) last_app: u32,
    /// Its users, where they are not the one that every card begins with.
    pub(crate) users: Option<Box<Users>>,
    /// ADB has no root since the last start.
    is_rootless: bool,
    /// Installations that are being prepared.
    pub sessions: BTreeMap<u32, Session>,
    /// Accepted keys.
    pub keys: Vec<PublicKey>,
    /// Ports that are forwarded to a host.
    pub(crate) reverse: BTreeMap<u16, Reverse>,
    /// Processes in the background of its shells, and how to end them.
    processes: BTreeMap<u32, (Box<str>, AbortHandle)>,
    /// The last process id.
    last_pid: u32,
    /// How often each effect happened.
    pub effects: BTreeMap<Box<str>, u64>,
    /// When it was switched on; `None` while it is off.
    started: Option<Instant>,
    /// Android's framework on its own: whether a shell has stopped it, or when one has started it again.
    framework: Framework,
    /// How often it has started.
    boots: u64,
    /// Whether the BMC has already lost a command ([`Fault::LostReset`]).
    pub(crate) lost: bool,
    /// A power change in progress: `PoweringOn` or `PoweringOff`.
    pub(crate) powering: Option<&'static str>,
    /// What its apps write, where they do.
    pub(crate) writes: Option<Box<Writes>>,
}

/// Android's framework, which a shell of root's stops and starts while the card is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framework {
    /// As the boot left it.
    WithBoot,
    /// `stop`.
    Stopped,
    /// `start`, then.
    Started(Instant),
}

/// The boot phase of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Off.
    Off,
    /// On, ADB not yet available.
    Starting,
    /// ADB answers, Android is not ready.
    Booting,
    /// Booted.
    Booted,
}

/// The serial number of a card in a room of that seed.
#[must_use]
pub fn serial(seed: u64, index: usize) -> String {
    format!("SKY{:04X}{index:06}", seed & 0xffff)
}

/// What Android itself writes down at each start: one file that is named after it, in place of the one before.
fn remember_boot(state: &mut State) {
    let name = |boots| format!("/data/system/dropbox/SYSTEM_BOOT@{boots}.txt");
    let (this, before) = (name(state.boots), name(state.boots - 1));
    let _ = state.files.unlink(&before);
    let owned = Meta { uid: 1000, gid: 1000, ..Meta::new(0o600) };
    // A card that is full boots as well.
    let _ = state.files.open(&this, owned).and_then(|file| file.write(0, b"isPrevious: false\n"));
}

impl Card {
    pub(crate) fn new(index: usize, address: SocketAddr, seed: u64, boot: Duration, data: Option<PathBuf>) -> Self {
        // Each card has its own speed, three quarters to five quarters of the configured one.
        let pace = u32::try_from(chance::between(seed, index as u64, 1, 75, 125)).expect("at most 125");
        let boot = boot * pace / 100;
        let started = Instant::now().checked_sub(boot * 2);
        let faults = Arc::new(Faults::default());
        // Whole pages, as a disk gives them.
        let room = (DISK - chance::between(seed, index as u64, 3, DISK / 10, DISK / 2)) / PAGE * PAGE;
        let state = State {
            props: BTreeMap::new(),
            packages: BTreeMap::new(),
            last_app: packages::first_app(seed, index),
            users: None,
            is_rootless: false,
            files: Files::new(Arc::new(Store::new(room, Arc::clone(&faults), data))),
            sessions: BTreeMap::new(),
            keys: Vec::new(),
            reverse: BTreeMap::new(),
            processes: BTreeMap::new(),
            last_pid: 4000,
            effects: BTreeMap::new(),
            started: Some(started.unwrap_or_else(Instant::now)),
            framework: Framework::WithBoot,
            boots: 1,
            lost: false,
            powering: None,
            writes: None,
        };
        Self {
            index,
            address,
            faults,
            flash: Flash::default(),
            changed: Notify::new(),
            seed,
            boot,
            counter: AtomicU64::new(0),
            state: Mutex::new(state),
        }
    }

    /// What changes, locked; the card itself looks at its files. Its apps have written what they had to by now.
    pub fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state.lock();
        state.files.look_as(None);
        self.catch_up(&mut state);
        state
    }

    /// The files, locked, as a process of this user sees them.
    pub fn files_as(&self, uid: u32) -> MappedMutexGuard<'_, Files> {
        let mut state = self.state();
        state.files.look_as(Some(uid));
        MutexGuard::map(state, |state| &mut state.files)
    }

    /// Whether ADB runs as root.
    #[must_use]
    pub fn has_root(&self) -> bool {
        !self.state().is_rootless
    }

    /// The user as whom ADB runs.
    #[must_use]
    pub fn adb_uid(&self) -> u32 {
        if self.has_root() { 0 } else { SHELL }
    }

    /// Its serial number.
    #[must_use]
    pub fn serial(&self) -> String {
        serial(self.seed, self.index)
    }

    /// Platform, model, and the product's name of the board.
    #[must_use]
    pub fn board(&self) -> (&'static str, &'static str, &'static str) {
        BOARDS[self.index % BOARDS.len()]
    }

    /// The image that it runs (`ro.build.fingerprint`).
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let (platform, ..) = self.board();
        format!("skyrack/{platform}/{platform}:12/SQ3A.220705/{}:user/release-keys", 1000 + self.number(8, 0, 2))
    }

    /// A number for this card and purpose, always the same.
    #[must_use]
    pub fn number(&self, purpose: u64, low: u64, high: u64) -> u64 {
        chance::between(self.seed, self.index as u64, purpose, low, high)
    }

    /// A number that has not been used yet.
    pub(crate) fn fresh(&self) -> u64 {
        chance::number(self.seed ^ 0x5eed, self.index as u64, self.counter.fetch_add(1, Ordering::Relaxed))
    }

    /// Puts a file of root's on the card, with the folder that it lies in, which is root's alone.
    ///
    /// # Errors
    /// The place is read-only, or something else is in the way.
    pub fn put_file(&self, folder: &str, name: &str, content: &[u8]) -> Result<(), FileError> {
        let files = &mut self.state().files;
        match files.make_folder(folder, Meta::new(0o700)) {
            Ok(()) | Err(FileError::Exists) => {}
            Err(why) => return Err(why),
        }
        let file = files.open(&format!("{folder}/{name}"), Meta::new(0o600))?;
        file.truncate(0)?;
        file.write(0, content)?;
        Ok(())
    }

    /// The boot phase, and how long the connections of this phase may live.
    #[must_use]
    pub fn phase(&self) -> (Phase, Option<Duration>) {
        let Some(started) = self.state().started else { return (Phase::Off, None) };
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
        let up = self.state().started.map_or(Duration::ZERO, |started| started.elapsed());
        if self.faults.has(Fault::BootLoop) && !self.boot.is_zero() {
            return up.as_secs_f64() % self.boot.as_secs_f64();
        }
        // Cards of a room that starts have been running for up to a month.
        let before = if self.state().boots == 1 { self.number(7, 3600, 2_592_000) } else { 0 };
        let before = before as f64;
        up.as_secs_f64() + before
    }

    /// How often it has started.
    #[must_use]
    pub fn boots(&self) -> u64 {
        let state = self.state();
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
        let mut state = self.state();
        let what = if state.effects.len() >= EFFECTS && !state.effects.contains_key(what) { "other" } else { what };
        *state.effects.entry(what.into()).or_default() += 1;
    }

    /// Switches the power on or off, at once. Connections end when it is switched off.
    pub fn power(&self, on: bool) {
        {
            let mut state = self.state();
            if state.started.is_some() == on {
                return;
            }
            state.started = on.then(Instant::now);
            state.framework = Framework::WithBoot;
            state.leave_app();
            state.reverse.clear();
            state.files.remount(false);
            state.files.unmount_all();
            if on {
                state.boots += 1;
                state.is_rootless = self.faults.has(Fault::Rootless);
                packages::scan(&mut state);
                packages::forget_unwritten(&mut state);
                users::boot(&mut state, self.faults.has(Fault::Locked));
                remember_boot(&mut state);
            }
        }
        self.changed.notify_waiters();
    }

    /// Stops Android's framework, with every app in it, or starts it: the card itself stays up.
    pub fn set_framework(&self, runs: bool) {
        let mut state = self.state();
        state.framework = match (runs, state.framework) {
            (false, _) => Framework::Stopped,
            (true, Framework::Stopped) => Framework::Started(Instant::now()),
            (true, as_it_is) => as_it_is,
        };
        if !runs {
            state.leave_app();
            packages::forget_unwritten(&mut state);
        }
    }

    /// Whether a shell has stopped the framework.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.state().framework == Framework::Stopped
    }

    /// Whether Android's services answer: the framework has booted, and nobody has stopped it.
    #[must_use]
    pub fn has_framework(&self) -> bool {
        let state = self.state();
        self.up_since(&state).is_some_and(|since| since <= Instant::now())
    }

    /// Since when Android's services answer, or from when on they will; nothing if that needs somebody's doing.
    pub(crate) fn up_since(&self, state: &State) -> Option<Instant> {
        if self.faults.has(Fault::BootLoop) && !self.boot.is_zero() {
            return None;
        }
        let booted = state.started? + self.boot;
        match state.framework {
            Framework::WithBoot => Some(booted),
            Framework::Stopped => None,
            // It takes about as long as its part of a boot.
            Framework::Started(since) => Some(booted.max(since + self.boot / 2)),
        }
    }

    /// Whether it has power.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.state().started.is_some()
    }

    /// Restarts, if it is on.
    pub fn restart(&self) {
        if self.is_on() {
            self.power(false);
            self.power(true);
        }
    }

    /// Removes everything that was written, installed and set.
    pub fn clear(&self) {
        let mut state = self.state();
        state.props.clear();
        state.packages.clear();
        state.sessions.clear();
        state.users = None;
        state.files.clear();
        state.forget_apps();
    }

    /// The same, and it restarts.
    pub fn wipe(&self) {
        self.clear();
        self.restart();
    }

    /// Bytes of the disk that are in use.
    #[must_use]
    pub fn used(&self) -> u64 {
        DISK - self.free()
    }

    /// Bytes of the disk that are free.
    #[must_use]
    pub fn free(&self) -> u64 {
        self.state().files.store.free()
    }

    /// A number for a process.
    #[must_use]
    pub fn next_pid(&self) -> u32 {
        let mut state = self.state();
        state.last_pid = if state.last_pid >= 32_767 { 4001 } else { state.last_pid + 1 };
        state.last_pid
    }

    /// Something runs beside its shell.
    pub(crate) fn process_started(&self, pid: u32, what: &str, handle: AbortHandle) {
        if !handle.is_finished() {
            self.state().processes.insert(pid, (what.into(), handle));
        }
    }

    /// It has ended.
    pub(crate) fn process_ended(&self, pid: u32) {
        self.state().processes.remove(&pid);
    }

    /// What runs beside its shells.
    #[must_use]
    pub fn processes(&self) -> Vec<(u32, String)> {
        self.state().processes.iter().map(|(pid, (what, _))| (*pid, what.to_string())).collect()
    }

    /// How many these are.
    pub(crate) fn running(&self) -> usize {
        self.state().processes.len()
    }

    /// Ends one of them.
    pub(crate) fn kill(&self, pid: u32) {
        if let Some((_, handle)) = self.state().processes.remove(&pid) {
            handle.abort();
        }
    }

    /// Waits until it goes down or restarts.
    pub(crate) async fn goes_down(&self) {
        let boots = self.boots();
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let (phase, left) = self.phase();
            if matches!(phase, Phase::Off | Phase::Starting) || self.boots() != boots {
                return;
            }
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(left.unwrap_or(Duration::from_hours(1))) => {}
            }
        }
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
