//! Each row of the table, and both sides of each limit.

use chrono_tz::Asia::Shanghai;
use chrono_tz::Europe::Berlin;
use entity::phone::{Life, Plan};
use entity::phone_session::SessionEnd;
use entity::rule_value::{RuleField, YearCardOffline};
use entity::{PhoneId, RoomId};
use kernel::time::UtcTime;
use wire::Reason;

use super::super::moment::Moment;
use super::super::resolve::{Own, Place, Rules};
use super::super::scope::Scope;
use super::{Facts, Night, Stays, Use};

/// 2026-11-27 12:00 in Shanghai.
const NOON: UtcTime = UtcTime(1_795_752_000_000);
const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

fn in_shanghai(at: UtcTime) -> Moment {
    Moment { at, zone: Shanghai }
}

fn off_now(facts: &Facts<'_>, at: UtcTime) -> Result<SessionEnd, Stays> {
    super::off_now(facts, in_shanghai(at))
}

fn ends_at(rules: &Rules, used: Use, at: UtcTime) -> Option<(UtcTime, SessionEnd)> {
    super::ends_at(rules, used, in_shanghai(at))
}

fn closed(rules: &Rules, used: Use, at: UtcTime) -> Option<(UtcTime, SessionEnd)> {
    super::closed(rules, used, in_shanghai(at))
}

/// What a phone was used today, which is the day of noon.
fn today(seconds: i64) -> (i64, i64) {
    (in_shanghai(NOON).day(), seconds)
}

fn rules(values: &[(RuleField, i64)]) -> Rules {
    let mut own = Own::default();
    for (field, value) in values {
        own.set(Scope::Everybody, *field, Some(*value));
    }
    own.rules(Place { phone: PhoneId(1), plan: Plan::Vip, room: RoomId(1) })
}

/// From 23:00 to 07:00.
fn night() -> (RuleField, i64) {
    (RuleField::NightClose, 23 * 60 * 1440 + 7 * 60)
}

fn idle(seconds: i64, at: UtcTime) -> Use {
    let idle_since = at.plus_seconds(-seconds);
    Use { since: None, last_day: (0, 0), idle_since, last_s: 0, last_at: idle_since, is_awaited: false }
}

fn using(seconds: i64, at: UtcTime) -> Use {
    Use { since: Some(at.plus_seconds(-seconds)), ..idle(seconds, at) }
}

fn facts(rules: &Rules, used: Use) -> Facts<'_> {
    let life = Life::Active;
    Facts { is_busy: false, unreachable: None, life, rules, used, term: 30, is_dedicated: false, is_needed: false }
}

#[test]
fn noon_is_noon() {
    let night = Night { from: 12 * 60, to: 12 * 60 + 1 };
    let has = |seconds| night.has(in_shanghai(NOON.plus_seconds(seconds)));
    assert!(has(0) && !has(-1) && has(59) && !has(60));
    assert_eq!(night.next(in_shanghai(NOON.plus_seconds(60))), NOON.plus_seconds(DAY));
    let over = Night { from: 23 * 60, to: 7 * 60 };
    for (hours, is_closed) in [(10, false), (11, true), (12, true), (18, true), (19, false), (-6, true), (-5, false)] {
        assert_eq!(over.has(in_shanghai(NOON.plus_seconds(hours * HOUR))), is_closed, "{hours} hours after noon");
    }
}

#[test]
fn nights_and_days_are_those_of_the_room() {
    let at_night = rules(&[night()]);
    // Half past eleven in the evening in Shanghai, half past four in the afternoon in Berlin.
    let at = NOON.plus_seconds(11 * HOUR + 30 * MINUTE);
    for (zone, wanted) in [(Shanghai, Ok(SessionEnd::NightClose)), (Berlin, Err(Stays::NotYet))] {
        let now = Moment { at, zone };
        assert_eq!(super::off_now(&facts(&at_night, idle(10 * MINUTE, at)), now), wanted, "{zone}");
        assert_eq!(super::closed(&at_night, idle(10 * MINUTE, at), now).is_some(), wanted.is_ok(), "{zone}");
    }
    // At noon in Shanghai, when it is five in Berlin, what was used five hours before was used yesterday there.
    let three_hours = rules(&[(RuleField::DailyHours, 3)]);
    let used = Use { last_day: today(3 * HOUR), ..idle(5 * HOUR, NOON) };
    assert_eq!(closed(&three_hours, used, NOON), Some((NOON.plus_seconds(16 * HOUR), SessionEnd::DailyHours)));
    assert_eq!(super::closed(&three_hours, used, Moment { at: NOON, zone: Berlin }), None, "it has moved there");
}

#[test]
fn the_first_row_that_fits_decides() {
    let rules = rules(&[]);
    // Everything speaks for leaving, and each row above takes it back.
    let all = Facts { is_needed: true, ..facts(&rules, idle(DAY, NOON)) };
    assert_eq!(off_now(&all, NOON), Ok(SessionEnd::Needed));
    let year = Facts { term: 360, ..all.clone() };
    assert_eq!(off_now(&year, NOON), Err(Stays::Guaranteed));
    let grace = Facts { used: idle(299, NOON), ..year.clone() };
    assert_eq!(off_now(&grace, NOON), Err(Stays::Grace));
    let awaited = Facts { used: Use { is_awaited: true, ..idle(DAY, NOON) }, ..year.clone() };
    assert_eq!(off_now(&awaited, NOON), Err(Stays::Grace), "somebody is about to come");
    let streaming = Facts { used: using(HOUR, NOON), ..year.clone() };
    assert_eq!(off_now(&streaming, NOON), Err(Stays::Streaming));
    let limit = Facts { used: using(DAY, NOON), ..year };
    assert_eq!(off_now(&limit, NOON), Ok(SessionEnd::LongestSession));
    for (life, why) in [
        (Life::Frozen, SessionEnd::NotAllowed),
        (Life::Released, SessionEnd::NotAllowed),
        (Life::Expired, SessionEnd::Expired),
    ] {
        assert_eq!(off_now(&Facts { life, ..streaming.clone() }, NOON), Ok(why));
    }
    let away = Facts { unreachable: Some(Reason::CardLost), life: Life::Frozen, ..limit };
    assert_eq!(off_now(&away, NOON), Err(Stays::Unreachable(Reason::CardLost)));
    assert_eq!(off_now(&Facts { is_busy: true, ..away }, NOON), Err(Stays::Busy));
}

#[test]
fn a_phone_leaves_when_it_was_idle_for_long_enough_and_never_where_that_is_no_limit() {
    let usual = rules(&[]);
    for (seconds, wanted) in [
        (5 * MINUTE - 1, Err(Stays::Grace)),
        (5 * MINUTE, Err(Stays::NotYet)),
        (30 * MINUTE - 1, Err(Stays::NotYet)),
        (30 * MINUTE, Ok(SessionEnd::Idle)),
    ] {
        assert_eq!(off_now(&facts(&usual, idle(seconds, NOON)), NOON), wanted, "{seconds}");
    }
    let never = rules(&[(RuleField::IdleMinutes, 0)]);
    assert_eq!(off_now(&facts(&never, idle(30 * DAY, NOON)), NOON), Err(Stays::NotYet));
    // What a shorter idle time than the grace says waits for the grace.
    let short = rules(&[(RuleField::IdleMinutes, 1)]);
    assert_eq!(off_now(&facts(&short, idle(4 * MINUTE, NOON)), NOON), Err(Stays::Grace));
    assert_eq!(off_now(&facts(&short, idle(5 * MINUTE, NOON)), NOON), Ok(SessionEnd::Idle));
}

#[test]
fn at_night_phones_leave_and_streams_end() {
    let closed_at_night = rules(&[night()]);
    let eleven = NOON.plus_seconds(11 * HOUR);
    for (at, wanted) in [(eleven.plus_seconds(-1), Err(Stays::NotYet)), (eleven, Ok(SessionEnd::NightClose))] {
        assert_eq!(off_now(&facts(&closed_at_night, idle(10 * MINUTE, at)), at), wanted);
        let streams = if wanted.is_ok() { wanted } else { Err(Stays::Streaming) };
        assert_eq!(off_now(&facts(&closed_at_night, using(HOUR, at)), at), streams);
    }
    assert_eq!(ends_at(&closed_at_night, using(HOUR, NOON), NOON), Some((eleven, SessionEnd::NightClose)));
}

#[test]
fn year_cards_stay_as_their_rule_says() {
    let eleven = NOON.plus_seconds(11 * HOUR);
    for (offline, by_day, by_night) in [
        (YearCardOffline::Never, Err(Stays::Guaranteed), Err(Stays::Guaranteed)),
        (YearCardOffline::AtNight, Err(Stays::Guaranteed), Ok(SessionEnd::NightClose)),
        (YearCardOffline::AsOthers, Ok(SessionEnd::Idle), Ok(SessionEnd::NightClose)),
    ] {
        let rules = rules(&[night(), (RuleField::YearCardOffline, offline.code().into())]);
        for (at, wanted) in [(NOON, by_day), (eleven, by_night)] {
            let year = Facts { term: 360, ..facts(&rules, idle(HOUR, at)) };
            assert_eq!(off_now(&year, at), wanted, "{offline:?}");
        }
        let less = Facts { term: 359, ..facts(&rules, idle(HOUR, NOON)) };
        assert_eq!(off_now(&less, NOON), Ok(SessionEnd::Idle));
    }
}

#[test]
fn who_has_a_card_for_himself_leaves_it_by_no_rule() {
    let all =
        [night(), (RuleField::DailyHours, 3), (RuleField::YearCardOffline, YearCardOffline::AsOthers.code().into())];
    let (rules, eleven) = (rules(&all), NOON.plus_seconds(11 * HOUR));
    let own = |used, is_dedicated| Facts { is_dedicated, is_needed: true, term: 360, ..facts(&rules, used) };
    let stays = Err(Stays::Guaranteed);
    // Idle, and somebody waits for a card like it; the same at night; by the longest session, the hours of the day and the night.
    for (used, at, shared, dedicated) in [
        (idle(DAY, NOON), NOON, Ok(SessionEnd::Needed), stays),
        (idle(DAY, eleven), eleven, Ok(SessionEnd::Needed), stays),
        (idle(299, NOON), NOON, Err(Stays::Grace), Err(Stays::Grace)),
        (using(HOUR, NOON), NOON, Err(Stays::Streaming), Err(Stays::Streaming)),
        (using(DAY, NOON), NOON, Ok(SessionEnd::LongestSession), Err(Stays::Streaming)),
        (using(4 * HOUR, NOON), NOON, Ok(SessionEnd::DailyHours), Err(Stays::Streaming)),
        (using(HOUR, eleven), eleven, Ok(SessionEnd::NightClose), Err(Stays::Streaming)),
    ] {
        assert_eq!(off_now(&own(used, false), at), shared, "{used:?}");
        assert_eq!(off_now(&own(used, true), at), dedicated, "{used:?}");
    }
    for (is_needed, at, shared) in [(false, NOON, SessionEnd::Idle), (false, eleven, SessionEnd::NightClose)] {
        let used = idle(DAY, at);
        assert_eq!(off_now(&Facts { is_needed, ..own(used, false) }, at), Ok(shared));
        assert_eq!(off_now(&Facts { is_needed, ..own(used, true) }, at), stays);
    }
    // Its use ends for all that, and what nobody may use leaves.
    assert_eq!(ends_at(&rules, using(4 * HOUR, NOON), NOON).map(|(_, why)| why), Some(SessionEnd::DailyHours));
    for (life, why) in [
        (Life::Frozen, SessionEnd::NotAllowed),
        (Life::Released, SessionEnd::NotAllowed),
        (Life::Expired, SessionEnd::Expired),
    ] {
        assert_eq!(off_now(&Facts { life, ..own(idle(DAY, NOON), true) }, NOON), Ok(why));
    }
    let away = Facts { unreachable: Some(Reason::CardLost), ..own(idle(DAY, NOON), true) };
    assert_eq!(off_now(&away, NOON), Err(Stays::Unreachable(Reason::CardLost)));
    assert_eq!(off_now(&Facts { is_busy: true, ..away }, NOON), Err(Stays::Busy));
}

#[test]
fn a_use_ends_by_whichever_limit_comes_first() {
    let usual = rules(&[]);
    assert_eq!(
        ends_at(&usual, using(HOUR, NOON), NOON),
        Some((NOON.plus_seconds(23 * HOUR), SessionEnd::LongestSession)),
        "a whole day a day is no limit"
    );
    assert_eq!(ends_at(&usual, idle(HOUR, NOON), NOON), None);
    let some = rules(&[(RuleField::DailyHours, 3), (RuleField::LongestSession, 120)]);
    let used = |seconds, today_s| Use { last_day: today(today_s), ..using(seconds, NOON) };
    let ends = |used| ends_at(&some, used, NOON).expect("a limit");
    assert_eq!(ends(used(HOUR, 0)), (NOON.plus_seconds(HOUR), SessionEnd::LongestSession));
    assert_eq!(ends(used(HOUR, HOUR + 1)), (NOON.plus_seconds(HOUR - 1), SessionEnd::DailyHours));
    assert_eq!(ends(used(HOUR, 5 * HOUR)), (NOON, SessionEnd::DailyHours), "over already");
    // What was used before four in the morning belongs to the day before.
    let four = NOON.plus_seconds(-8 * HOUR);
    let over_night = using(HOUR, four.plus_seconds(60));
    let long = rules(&[(RuleField::DailyHours, 3)]);
    let ends = ends_at(&long, over_night, four.plus_seconds(60));
    assert_eq!(ends, Some((four.plus_seconds(3 * HOUR), SessionEnd::DailyHours)));
}

#[test]
fn who_was_ended_by_a_limit_comes_back_when_it_is_over() {
    let limits = rules(&[night(), (RuleField::DailyHours, 3), (RuleField::LongestSession, 60)]);
    let after = |last_s, seconds| Use { last_s, ..idle(seconds, NOON) };
    assert_eq!(closed(&limits, after(59 * MINUTE, 1), NOON), None);
    let until = NOON.plus_seconds(599);
    assert_eq!(closed(&limits, after(HOUR, 1), NOON), Some((until, SessionEnd::LongestSession)));
    assert_eq!(closed(&limits, after(HOUR, 600), NOON), None);
    // It has come on a card since: that is no use.
    assert_eq!(closed(&limits, Use { idle_since: NOON, ..after(HOUR, 600) }, NOON), None);
    let played = Use { last_day: today(3 * HOUR), ..idle(HOUR, NOON) };
    let tomorrow = NOON.plus_seconds(16 * HOUR);
    assert_eq!(closed(&limits, played, NOON), Some((tomorrow, SessionEnd::DailyHours)));
    assert_eq!(closed(&limits, Use { last_day: today(3 * HOUR - 1), ..played }, NOON), None);
    let eleven = NOON.plus_seconds(11 * HOUR);
    let seven = NOON.plus_seconds(19 * HOUR);
    assert_eq!(closed(&limits, idle(DAY, eleven), eleven), Some((seven, SessionEnd::NightClose)));
}

#[test]
fn nobody_goes_on_for_ever_by_connecting_anew() {
    let limits = rules(&[(RuleField::DailyHours, 3), (RuleField::LongestSession, 60)]);
    // A break of less than ten minutes, and one of ten.
    for (pause, left) in [(599, 5 * MINUTE), (600, 35 * MINUTE)] {
        let since = NOON.plus_seconds(-25 * MINUTE);
        let again = Use { last_s: 30 * MINUTE, last_at: since.plus_seconds(-pause), ..using(25 * MINUTE, NOON) };
        let ends = ends_at(&limits, again, NOON);
        assert_eq!(ends, Some((NOON.plus_seconds(left), SessionEnd::LongestSession)), "{pause}");
    }
    // Whoever uses it may connect anew while he has time left, and no longer.
    assert_eq!(closed(&limits, using(HOUR - 1, NOON), NOON), None);
    let until = NOON.plus_seconds(600);
    assert_eq!(closed(&limits, using(HOUR, NOON), NOON), Some((until, SessionEnd::LongestSession)));
    let played = Use { last_day: today(3 * HOUR - MINUTE), ..using(MINUTE, NOON) };
    let tomorrow = NOON.plus_seconds(16 * HOUR);
    assert_eq!(closed(&limits, played, NOON), Some((tomorrow, SessionEnd::DailyHours)));
}
