//! Moments, as the clocks of a room show them: its days, its nights. Without a database.

use std::ops::RangeInclusive;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _};
use chrono_tz::Tz;
use kernel::time::UtcTime;

use super::values::{MINUTES_A_DAY, Night};

/// The day of daily hours begins at four in the morning: whoever plays past midnight plays on the same day.
const DAY_BEGINS: i64 = 4 * 60;

/// A moment in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub at: UtcTime,
    /// The zone of the room.
    pub zone: Tz,
}

impl Moment {
    /// What clocks on the wall show.
    fn wall(self) -> NaiveDateTime {
        self.at.to_chrono().with_timezone(&self.zone).naive_local()
    }

    fn date(self) -> NaiveDate {
        let wall = self.wall();
        wall.checked_sub_signed(TimeDelta::minutes(DAY_BEGINS)).unwrap_or(wall).date()
    }

    /// The day to which it belongs, as a number that grows.
    #[must_use]
    pub fn day(self) -> i64 {
        self.date().signed_duration_since(NaiveDate::default()).num_days()
    }

    /// When its day has begun.
    #[must_use]
    pub fn day_began(self) -> UtcTime {
        self.shown(self.date(), DAY_BEGINS).map_or(self.at, |(first, _)| first)
    }

    /// When the next day begins.
    #[must_use]
    pub fn day_ends(self) -> UtcTime {
        let next = self.date().checked_add_days(Days::new(1));
        next.and_then(|date| self.shown(date, DAY_BEGINS)).map_or(self.at, |(first, _)| first)
    }

    /// When clocks show so many minutes after midnight of a day, for the first and for the last time: where they are put back they
    /// may do so twice. Where they are put forward over it, it is what they show first after that.
    fn shown(self, date: NaiveDate, minutes: i64) -> Option<(UtcTime, UtcTime)> {
        let wall = date.and_time(NaiveTime::default());
        (minutes..=minutes + MINUTES_A_DAY)
            .filter_map(|minute| wall.checked_add_signed(TimeDelta::minutes(minute)))
            .find_map(|wall| {
                let found = self.zone.from_local_datetime(&wall);
                let of = |time: DateTime<Tz>| UtcTime(time.timestamp_millis());
                Some((of(found.earliest()?), of(found.latest()?)))
            })
    }
}

impl Night {
    /// Whether phones are off at that moment.
    #[must_use]
    pub fn has(self, now: Moment) -> bool {
        self.ends(now).is_some()
    }

    /// When the one ends that is at that moment; none if phones are on.
    #[must_use]
    pub fn ends(self, now: Moment) -> Option<UtcTime> {
        let mut nights = self.nights(now, -1..=0);
        nights.find(|(begins, ends)| *begins <= now.at && now.at < *ends).map(|(_, ends)| ends)
    }

    /// When the next one begins after that moment, at which phones are on.
    #[must_use]
    pub fn next(self, now: Moment) -> UtcTime {
        // That of a day may be missing.
        let mut begins = self.nights(now, 0..=2).map(|(begins, _)| begins);
        begins.find(|begins| now.at <= *begins).unwrap_or(now.at)
    }

    /// When those begin and end that begin so many days from the day of a moment on. Where clocks show its beginning or its end twice
    /// a night goes from the first time to the last: phones do not come on for the time between. One that clocks jump over is none.
    fn nights(self, now: Moment, days: RangeInclusive<i64>) -> impl Iterator<Item = (UtcTime, UtcTime)> {
        let Self { from, to } = self;
        let today = now.wall().date();
        let dates = days.filter_map(move |day| today.checked_add_signed(TimeDelta::days(day)));
        let nights = dates.filter_map(move |date| {
            let last = if from < to { date } else { date.checked_add_days(Days::new(1))? };
            Some((now.shown(date, from)?.0, now.shown(last, to)?.1))
        });
        nights.filter(|(begins, ends)| begins < ends)
    }
}

#[cfg(test)]
mod tests {
    use chrono_tz::America::Santiago;
    use chrono_tz::Asia::Shanghai;
    use chrono_tz::Europe::Berlin;
    use kernel::time::UtcTime;

    use super::{Moment, Night, Tz};

    fn at(text: &str, zone: Tz) -> Moment {
        Moment { at: UtcTime::parse_rfc3339(text).expect("a time"), zone }
    }

    fn hours(began: UtcTime, ends: UtcTime) -> i64 {
        ends.seconds_since(began) / 3_600
    }

    #[test]
    fn the_day_begins_at_four_by_the_clocks_of_the_room() {
        // The same moment: a quarter to six in the evening in Shanghai, a quarter to eleven in the morning in Berlin.
        let text = "2026-11-27T09:45:00Z";
        for (zone, began) in [(Shanghai, "2026-11-26T20:00:00.000Z"), (Berlin, "2026-11-27T03:00:00.000Z")] {
            let now = at(text, zone);
            assert_eq!((now.day_began().to_rfc3339(), hours(now.day_began(), now.day_ends())), (began.to_owned(), 24));
            let begins = Moment { at: now.day_began(), zone };
            assert_eq!((begins.day(), begins.day_began()), (now.day(), now.day_began()));
            let before = Moment { at: begins.at.plus_seconds(-1), zone };
            assert_eq!((before.day(), before.day_ends()), (now.day() - 1, begins.at));
        }
        // As it was counted for all rooms before they had zones.
        assert_eq!(at("1970-01-01T20:00:00Z", Shanghai).day(), 1);
        assert_eq!(at("1970-01-01T19:59:59Z", Shanghai).day(), 0);
    }

    #[test]
    fn days_are_shorter_and_longer_where_clocks_are_changed() {
        for (text, wanted) in [("2026-03-28T12:00:00Z", 23), ("2026-10-24T12:00:00Z", 25), ("2026-10-25T12:00:00Z", 24)]
        {
            let day = at(text, Berlin);
            assert_eq!(hours(day.day_began(), day.day_ends()), wanted, "{text}");
        }
    }

    #[test]
    fn a_night_goes_by_the_clocks_of_the_room() {
        let night = Night { from: 23 * 60, to: 7 * 60 };
        // Midnight in Shanghai is five in the afternoon in Berlin.
        let text = "2026-11-27T16:00:00Z";
        assert!(night.has(at(text, Shanghai)) && !night.has(at(text, Berlin)));
        assert_eq!(night.next(at(text, Berlin)).to_rfc3339(), "2026-11-27T22:00:00.000Z");
        let ends = |zone| night.ends(at(text, zone)).map(UtcTime::to_rfc3339);
        assert_eq!((ends(Shanghai).as_deref(), ends(Berlin)), (Some("2026-11-27T23:00:00.000Z"), None));
    }

    #[test]
    fn a_night_begins_and_ends_where_clocks_jump_over_it_when_they_have() {
        let night = Night { from: 2 * 60 + 30, to: 6 * 60 };
        // There is no half past two: at two it is three.
        let evening = at("2026-03-28T23:00:00Z", Berlin);
        let begins = night.next(evening);
        assert_eq!(begins.to_rfc3339(), "2026-03-29T01:00:00.000Z");
        assert!(night.has(Moment { at: begins, zone: Berlin }));
        assert!(!night.has(Moment { at: begins.plus_seconds(-1), zone: Berlin }));
        let early = Night { from: 60, to: night.from };
        assert_eq!(early.ends(at("2026-03-29T00:30:00Z", Berlin)), Some(begins));
        // A day that begins at one o'clock.
        let midnight = Night { from: 0, to: 5 * 60 };
        let begins_there = midnight.next(at("2026-09-06T02:00:00Z", Santiago));
        assert_eq!(begins_there.to_rfc3339(), "2026-09-06T04:00:00.000Z");

        // All of it is jumped over: nobody is told that it begins, and the next one is that of the day after.
        let short = Night { from: 2 * 60 + 10, to: 2 * 60 + 50 };
        assert!(!short.has(Moment { at: begins, zone: Berlin }));
        assert_eq!(short.next(evening).to_rfc3339(), "2026-03-30T00:10:00.000Z");
    }

    #[test]
    fn a_night_that_begins_or_ends_when_clocks_show_twice_is_one() {
        // Half past two is there at half past midnight UTC, and an hour later again; at one o'clock UTC it is two.
        let late = Night { from: 2 * 60 + 30, to: 6 * 60 };
        assert_eq!(late.next(at("2026-10-24T23:00:00Z", Berlin)).to_rfc3339(), "2026-10-25T00:30:00.000Z");
        let early = Night { from: 23 * 60, to: 2 * 60 + 30 };
        for (night, begins, ends) in [
            (late, "2026-10-25T00:30:00Z", "2026-10-25T05:00:00Z"),
            (early, "2026-10-24T21:00:00Z", "2026-10-25T01:30:00Z"),
        ] {
            let (begins, ends) = (at(begins, Berlin), at(ends, Berlin));
            let within = ["2026-10-25T00:45:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:15:00Z"];
            for now in within.map(|text| at(text, Berlin)).into_iter().chain([begins]) {
                assert_eq!(night.ends(now), Some(ends.at), "{now:?}");
            }
            let before = Moment { at: begins.at.plus_seconds(-1), zone: Berlin };
            assert!(!night.has(before) && !night.has(ends));
            assert_eq!(night.next(before), begins.at);
        }
        assert_eq!(early.next(at("2026-10-25T01:30:00Z", Berlin)).to_rfc3339(), "2026-10-25T22:00:00.000Z");
    }
}
