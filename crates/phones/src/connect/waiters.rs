//! Who was heard of when, and whose place is kept: in memory alone, counted from the start of the process by the steady clock.

use std::collections::{HashMap, HashSet};

use entity::PhoneId;
use kernel::time::UtcTime;
use parking_lot::Mutex;

/// Whoever waits and was not heard of for so many seconds has left.
pub const SILENCE: i64 = 30;
/// Seconds between two looks for those who have waited for too long.
const BETWEEN: i64 = 10;
const MINUTE: i64 = 60;

/// Those who wait for a phone.
#[derive(Debug, Default)]
pub struct Waiters(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// When they were heard of first and last, by the steady clock.
    heard: HashMap<PhoneId, (UtcTime, UtcTime)>,
    /// The ranks of those who have left without a word, and until when these are kept.
    places: HashMap<PhoneId, (UtcTime, UtcTime)>,
    /// When it was looked last who has waited for too long.
    looked_at: Option<UtcTime>,
    /// Until when time has passed for those who wait.
    passed_at: Option<UtcTime>,
}

impl Waiters {
    /// Somebody asks for a phone.
    pub fn hear(&self, phone: PhoneId, steady: UtcTime) {
        self.0.lock().heard.entry(phone).or_insert((steady, steady)).1 = steady;
    }

    /// Somebody begins to wait for a phone, and needs the place no more that was kept for it.
    pub fn begin(&self, phone: PhoneId, steady: UtcTime) {
        let mut known = self.0.lock();
        known.heard.insert(phone, (steady, steady));
        known.places.remove(&phone);
    }

    /// The rank that is kept for a phone.
    pub fn place(&self, phone: PhoneId, steady: UtcTime) -> Option<UtcTime> {
        let known = self.0.lock();
        known.places.get(&phone).filter(|(_, until)| steady < *until).map(|(rank, _)| *rank)
    }

    /// Keeps a rank.
    pub fn keep(&self, phone: PhoneId, rank: UtcTime, until: UtcTime) {
        self.0.lock().places.insert(phone, (rank, until));
    }

    /// Whoever has said that he leaves keeps nothing.
    pub fn forget(&self, phone: PhoneId) {
        let mut known = self.0.lock();
        known.heard.remove(&phone);
        known.places.remove(&phone);
    }

    /// The phones of which a place is kept.
    pub fn placed(&self) -> Vec<PhoneId> {
        self.0.lock().places.keys().copied().collect()
    }

    /// Time has passed, and for these phones it has not: whoever waits for one has waited no longer, and what is kept of a place is
    /// kept for as much longer. Whether he is heard of is his own affair.
    pub fn pass(&self, still: &HashSet<PhoneId>, steady: UtcTime) {
        let mut known = self.0.lock();
        let before = known.passed_at.replace(steady).unwrap_or(steady);
        let later = |at: UtcTime| UtcTime(at.millis() + steady.millis() - before.millis());
        for (phone, (first, _)) in &mut known.heard {
            if still.contains(phone) {
                *first = later(*first).min(steady);
            }
        }
        for (phone, (_, until)) in &mut known.places {
            if still.contains(phone) {
                *until = later(*until);
            }
        }
    }

    /// Whether nobody was heard of who waits for this phone.
    pub fn is_silent(&self, phone: PhoneId, steady: UtcTime) -> bool {
        self.0.lock().heard.get(&phone).is_some_and(|(_, last)| last.plus_seconds(SILENCE) <= steady)
    }

    /// Those of the phones that are waited for of whom nobody was heard. One that is new here has its whole time.
    pub fn silent(&self, waiting: &[PhoneId], steady: UtcTime) -> Vec<PhoneId> {
        let mut known = self.0.lock();
        let there: HashSet<PhoneId> = waiting.iter().copied().collect();
        // Whoever was heard of just now may not be among those that were read.
        known.heard.retain(|phone, (_, last)| there.contains(phone) || steady < last.plus_seconds(SILENCE));
        known.places.retain(|_, (_, until)| steady < *until);
        let mut silent = Vec::new();
        for phone in waiting {
            let (_, last) = *known.heard.entry(*phone).or_insert((steady, steady));
            if last.plus_seconds(SILENCE) <= steady {
                silent.push(*phone);
            }
        }
        silent
    }

    /// Those of the phones that are waited for who have waited for a minute at least, with the seconds; none between two looks.
    pub fn long(&self, waiting: &[PhoneId], steady: UtcTime) -> Option<Vec<(PhoneId, i64)>> {
        let mut known = self.0.lock();
        if known.looked_at.is_some_and(|at| steady < at.plus_seconds(BETWEEN)) {
            return None;
        }
        known.looked_at = Some(steady);
        let since = |phone: &PhoneId| known.heard.get(phone).map(|(first, _)| steady.seconds_since(*first));
        let waited = waiting.iter().filter_map(|phone| Some((*phone, since(phone)?)));
        Some(waited.filter(|(_, seconds)| *seconds >= MINUTE).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use entity::PhoneId;
    use kernel::time::UtcTime;

    use super::Waiters;

    const ONE: PhoneId = PhoneId(1);

    fn at(second: i64) -> UtcTime {
        UtcTime(second * 1000)
    }

    #[test]
    fn who_is_not_heard_of_for_half_a_minute_is_silent_and_who_is_new_has_that_time() {
        let waiters = Waiters::default();
        assert!(waiters.silent(&[ONE], at(100)).is_empty(), "after a restart it counts from then");
        assert!(waiters.silent(&[ONE], at(129)).is_empty());
        waiters.hear(ONE, at(129));
        assert!(waiters.silent(&[ONE], at(158)).is_empty() && !waiters.is_silent(ONE, at(158)));
        assert_eq!(waiters.silent(&[ONE], at(159)), [ONE]);
        assert!(waiters.is_silent(ONE, at(159)));
        waiters.hear(ONE, at(160));
        assert!(waiters.silent(&[], at(161)).is_empty());
        assert!(!waiters.is_silent(ONE, at(161)), "it was asked for after the others were read");
        assert!(waiters.silent(&[], at(190)).is_empty() && !waiters.is_silent(ONE, at(190)), "and is forgotten");
    }

    #[test]
    fn a_place_is_kept_for_a_while_and_not_for_who_says_goodbye() {
        let waiters = Waiters::default();
        waiters.keep(ONE, at(7), at(400));
        assert_eq!((waiters.place(ONE, at(399)), waiters.place(ONE, at(400))), (Some(at(7)), None));
        waiters.forget(ONE);
        assert_eq!(waiters.place(ONE, at(300)), None);
        waiters.keep(ONE, at(7), at(400));
        waiters.silent(&[], at(400));
        assert_eq!(waiters.place(ONE, at(100)), None, "nothing is kept for ever");
    }

    #[test]
    fn how_long_somebody_waits_counts_from_when_he_was_heard_of_first() {
        let waiters = Waiters::default();
        waiters.hear(ONE, at(100));
        waiters.hear(ONE, at(120));
        assert_eq!(waiters.long(&[ONE], at(159)), Some(vec![]));
        assert_eq!(waiters.long(&[ONE], at(160)), None, "it was looked just now");
        assert_eq!(waiters.long(&[ONE], at(169)), Some(vec![(ONE, 69)]));
        waiters.forget(ONE);
        waiters.hear(ONE, at(180));
        assert_eq!(waiters.long(&[ONE], at(190)), Some(vec![]), "he has left meanwhile");
        waiters.begin(ONE, at(260));
        assert_eq!(waiters.long(&[ONE], at(300)), Some(vec![]), "he waits anew");
    }
    #[test]
    fn while_his_room_stands_still_nobody_waits_for_longer_and_his_place_is_kept() {
        let waiters = Waiters::default();
        let (still, nobody) = (HashSet::from([ONE]), HashSet::new());
        waiters.hear(ONE, at(100));
        waiters.keep(ONE, at(7), at(400));
        waiters.pass(&nobody, at(100));
        waiters.pass(&nobody, at(170));
        assert_eq!(waiters.long(&[ONE], at(170)), Some(vec![(ONE, 70)]));
        for second in 171..=470 {
            waiters.pass(&still, at(second));
        }
        assert_eq!(waiters.placed(), [ONE]);
        assert_eq!((waiters.place(ONE, at(699)), waiters.place(ONE, at(700))), (Some(at(7)), None));
        waiters.pass(&nobody, at(480));
        assert_eq!(waiters.long(&[ONE], at(480)), Some(vec![(ONE, 80)]), "three hundred seconds did not count");
        assert_eq!(waiters.silent(&[ONE], at(480)), [ONE], "he was not heard of all the same");
        // Whoever came meanwhile has not waited yet.
        waiters.begin(ONE, at(485));
        waiters.pass(&still, at(600));
        waiters.pass(&nobody, at(660));
        assert_eq!(waiters.long(&[ONE], at(660)), Some(vec![(ONE, 60)]));
    }
}
