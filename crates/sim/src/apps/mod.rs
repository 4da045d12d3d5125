//! What apps write while they run: each has a turn every now and then, and does in it what [`turn`] says.
//!
//! No task and no timer does that. Whoever takes a card's state has the turns done first that were due by then, and what is
//! written in them has the times at which they were. So a card that nobody looks at costs nothing, and whatever stops its
//! apps also ends what they write: it takes the state as well.

mod turn;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::chance;
use crate::files::{Files, Moment};
use turn::Turn;

/// Apps of a card that write: the first ones by their names.
pub const APPS: usize = 16;
/// Turns of the app in front while each of the others has one.
const IN_FRONT: u32 = 12;
/// So many of these are made up for when somebody looks again; of a longer time only its end is.
const MOST: u32 = 60 * IN_FRONT;

/// An app that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// The package.
    pub name: Box<str>,
    /// For whom it runs.
    pub user: u32,
    /// As whom.
    pub uid: u32,
    /// The folder of its data.
    pub home: String,
}

/// On which card: everything that is written follows from that, from the app and from the number of its turn.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The room's seed.
    pub seed: u64,
    /// The card's number.
    pub index: u64,
}

/// How far the apps of a card have written.
#[derive(Debug)]
pub struct Writes {
    /// From one turn of an app to its next one; none: no turn comes by itself.
    every: Option<Duration>,
    /// The turns that were due by then are done.
    until: Instant,
    /// Turns that the app in front might have had.
    beats: u64,
    /// The owner's app that somebody uses.
    front: Option<Box<str>>,
    /// Turns by package and user.
    turns: BTreeMap<(Box<str>, u32), u64>,
}

impl Default for Writes {
    fn default() -> Self {
        Self { every: None, until: Instant::now(), beats: 0, front: None, turns: BTreeMap::new() }
    }
}

impl Writes {
    /// From now on each app has a turn so often; none: none has one by itself.
    pub fn set_pace(&mut self, every: Option<Duration>) {
        self.every = every.map(|every| every.max(Duration::from_millis(IN_FRONT.into())));
        self.until = Instant::now();
    }

    /// Whether turns come by themselves.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.every.is_some()
    }

    /// The owner looks at this app, or at none.
    pub fn set_front(&mut self, app: Option<Box<str>>) {
        self.front = app;
    }

    /// What the owner looks at.
    #[must_use]
    pub fn front(&self) -> Option<&str> {
        self.front.as_deref()
    }

    /// Forgets the apps that the card does not have any more.
    pub fn keep(&mut self, has: impl Fn(&str) -> bool) {
        self.turns.retain(|(name, _), _| has(name));
        self.front = self.front.take().filter(|name| has(name));
    }

    /// How many turns each app has had.
    pub fn turns(&self) -> impl Iterator<Item = (&str, u32, u64)> {
        self.turns.iter().map(|((name, user), turns)| (&**name, *user, *turns))
    }

    /// How many beats have passed by `now` that nobody has seen, and from when on, if apps have been running since `since`.
    fn due(&self, since: Instant, now: Instant) -> Option<(Instant, Duration, u32)> {
        let beat = self.every? / IN_FRONT;
        let from = self.until.max(since);
        let passed = now.saturating_duration_since(from).as_nanos() / beat.as_nanos().max(1);
        let beats = u32::try_from(passed).unwrap_or(u32::MAX);
        (beats > 0).then_some((from, beat, beats))
    }

    /// Whether anything is due by `now`, if apps have been running since `since`.
    #[must_use]
    pub fn is_due(&self, since: Instant, now: Instant) -> bool {
        self.due(since, now).is_some()
    }

    /// Lets apps that have been running since `since` do what was due by `now`.
    pub fn go_on(&mut self, files: &mut Files, place: Place, running: &[Running], since: Instant, now: Instant) {
        let Some((from, beat, beats)) = self.due(since, now) else { return };
        let skipped = beats.saturating_sub(MOST);
        self.beats += u64::from(skipped);
        let clock = Moment::now();
        for beat_number in skipped..beats {
            self.beats += 1;
            let at = clock.before(now.saturating_duration_since(from + beat * (beat_number + 1)));
            let is_for_all = self.beats.is_multiple_of(u64::from(IN_FRONT));
            for app in running {
                if is_for_all || app.user == 0 && self.front.as_ref() == Some(&app.name) {
                    self.turn(files, place, app, at);
                }
            }
        }
        self.until = from + beat * beats;
    }

    /// An app has a turn.
    pub fn turn(&mut self, files: &mut Files, Place { seed, index }: Place, app: &Running, at: Moment) {
        let turns = self.turns.entry((app.name.clone(), app.user)).or_default();
        *turns += 1;
        let named = app.name.bytes().fold(seed, |all, byte| chance::number(all, u64::from(byte), 43));
        let luck = chance::number(named, index, u64::from(app.user));
        Turn { files, app, number: *turns, luck, at }.take();
    }
}
