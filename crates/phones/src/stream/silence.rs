//! Whether gateways tell of their streams: a rule without a database over what is open and when it was named, and what it remembers
//! from one look to the next, by the steady clock.
//!
//! Only its gateway's word ends a stream. Where a gateway says nothing the card could be asked whether it is used; what tells that
//! is known of no board yet, so it is not, and whoever was there is taken to be there still.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use entity::{PhoneId, RoomId};
use kernel::time::UtcTime;

use super::live::SILENT;

/// A gateway is silent that says nothing of more than one of so many of its streams.
const ONE_OF: usize = 5;
/// One stream alone says nothing of its gateway: somebody's line broke, or the gateway has lost sight of him. Of up to four streams
/// one would be more than a fifth, so it takes two; from five on a fifth means two and more anyway. A gateway that says nothing of
/// the only stream that it has may be such a case or may be dead: that phone is left alone, and nobody's room stands still for it.
const SEVERAL: usize = 2;
/// A gateway that has spoken of others for so many seconds does not know a stream any more of which it says nothing: it was started
/// anew, or forgot. That is no silence, or a gateway that crashed once would stop its rooms until the last of its customers is back.
/// Such a stream is open still, and ends as any other that goes on: when its phone's time is up.
const FORGETS: i64 = 600;

/// A gateway, as its streams and the address book name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gateway {
    pub name: String,
    /// The room that it serves; none if it serves every room.
    pub room: Option<RoomId>,
}

/// A stream that nobody has said the end of.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    pub phone: PhoneId,
    pub room: RoomId,
    /// When its gateway has named it last; none if it has not since the console started.
    pub named: Option<UtcTime>,
}

/// What is to be thought of a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It tells of its streams, or of enough of them.
    Speaks,
    /// It says nothing of the only one that it has.
    Lone,
    /// It says nothing of too many: their rooms stand still.
    Silent,
}

/// A gateway that has streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stands {
    pub gateway: Gateway,
    /// Where their phones are.
    pub rooms: BTreeSet<RoomId>,
    /// How many they are, without those that it does not know any more.
    pub streams: usize,
    /// The phones of which it says nothing, and where they are.
    pub silent: Vec<(PhoneId, RoomId)>,
    /// Since when it says nothing of the first of them, and somebody listens.
    pub since: Option<UtcTime>,
    pub verdict: Verdict,
}

impl Stands {
    /// Since when it is silent, for people. A console that has just started is no reason to call anybody: it has heard nothing yet.
    #[must_use]
    pub fn told_since(&self, steady: UtcTime) -> Option<UtcTime> {
        let is_silent = self.verdict != Verdict::Speaks;
        self.since.filter(|since| is_silent && since.plus_seconds(SILENT) <= steady)
    }
}

/// What is remembered between two looks.
#[derive(Debug, Default)]
pub struct Judge {
    looked: Option<UtcTime>,
    /// Since when somebody listens without a pause: what was not heard before says nothing.
    listens: UtcTime,
    /// Since when gateways speak of some of their streams, without a pause.
    speaks: HashMap<Gateway, UtcTime>,
}

impl Judge {
    /// Looks at the streams of all gateways.
    pub fn look(&mut self, all: &BTreeMap<Gateway, Vec<Open>>, steady: UtcTime) -> Vec<Stands> {
        if self.looked.is_none_or(|looked| looked.plus_seconds(SILENT) <= steady) {
            self.listens = steady;
            self.speaks.clear();
        }
        self.looked = Some(steady);
        self.speaks.retain(|gateway, _| all.contains_key(gateway));
        all.iter().map(|(gateway, streams)| self.one(gateway, streams, steady)).collect()
    }

    fn one(&mut self, gateway: &Gateway, streams: &[Open], steady: UtcTime) -> Stands {
        // Until it has spoken since somebody listens, it is silent at once.
        let is_named = |open: &&Open| open.named.is_some_and(|at| steady < at.plus_seconds(SILENT));
        let (named, quiet): (Vec<&Open>, Vec<&Open>) = streams.iter().partition(is_named);
        let since = |open: &Open| open.named.unwrap_or(self.listens).max(self.listens);
        let speaks = (!named.is_empty()).then(|| self.speaks.get(gateway).copied().unwrap_or(steady));
        let is_forgotten =
            |open: &&Open| speaks.is_some_and(|spoken| since(open).max(spoken).plus_seconds(FORGETS) <= steady);
        let silent: Vec<&Open> = quiet.into_iter().filter(|open| !is_forgotten(open)).collect();
        let count = named.len() + silent.len();
        let verdict = if silent.len() >= SEVERAL && silent.len() * ONE_OF > count {
            Verdict::Silent
        } else if named.is_empty() {
            Verdict::Lone
        } else {
            Verdict::Speaks
        };
        let stands = Stands {
            gateway: gateway.clone(),
            rooms: named.iter().chain(&silent).map(|open| open.room).collect(),
            streams: count,
            since: silent.iter().map(|open| since(open)).min(),
            silent: silent.iter().map(|open| (open.phone, open.room)).collect(),
            verdict,
        };
        match speaks {
            Some(since) => self.speaks.insert(gateway.clone(), since),
            None => self.speaks.remove(gateway),
        };
        stands
    }
}

#[cfg(test)]
#[path = "silence_tests.rs"]
mod tests;
