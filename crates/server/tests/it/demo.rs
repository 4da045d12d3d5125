//! The demo company: its customers, its days and its figures are plausible, and the same every time.

use std::collections::HashSet;

use kernel::rules;
use kernel::time::UtcTime;
use server::demo::calendar::{Calendar, DAYS};
use server::demo::history::{Cards, Incident, incident, point};
use server::demo::people::{CLOSINGS, People};
use server::demo::room::SETTLED;

const CARDS: Cards = Cards { all: 240, in_use: 130, maintenance: 6, fault: 4 };

fn at(time: &str) -> UtcTime {
    UtcTime::parse_rfc3339(time).unwrap()
}

#[test]
fn registrations_ascend_from_eighteen_months_ago_until_now() {
    let now = at("2026-11-20T13:00:00+08:00");
    let day = 86_400;
    let calendar = Calendar::new(now);
    let times: Vec<_> = (0..1000).map(|at| calendar.registration((f64::from(at) + 0.5) / 1000.0)).collect();
    assert!(times.is_sorted());
    assert!(times[0] >= now.plus_seconds(-i64::try_from(DAYS).unwrap() * day));
    assert!(*times.last().unwrap() <= now);
    assert!(times[999] > now.plus_seconds(-2 * day), "the last registrations are fresh");
}

#[test]
fn customers_are_valid_and_unlike_each_other() {
    let people = People::new(5_000, UtcTime(1_795_000_000_000));
    let (mut phones, mut codes) = (HashSet::new(), HashSet::new());
    for index in 0..people.count {
        let person = people.person(index);
        assert_eq!(rules::line(&person.name, 64), Ok(()), "{person:?}");
        assert!(person.phone.is_empty() || rules::phone(&person.phone).is_ok(), "{person:?}");
        assert!(person.email.is_empty() || rules::email(&person.email).is_ok(), "{person:?}");
        assert!(person.phone.is_empty() || phones.insert(person.phone.clone()), "{person:?}");
        assert!(codes.insert(person.ident_code.clone()), "{person:?}");
    }
    assert_eq!((0..people.count).filter(|index| people.closing(*index).is_some()).count(), CLOSINGS.len());
}

#[test]
fn the_same_customer_comes_out_every_time() {
    let people = || People::new(100, UtcTime(1_795_000_000_000));
    assert_eq!(format!("{:?}", people().person(42)), format!("{:?}", people().person(42)));
}

#[test]
fn every_minute_counts_every_card_once() {
    let now = at("2026-11-20T20:00:00+08:00");
    let last = now.millis() / 60_000;
    for ago in (0..30 * 1440).step_by(7) {
        let hit = incident(&SETTLED[0], ago);
        let down = if matches!(hit, Some(Incident::HostDown(_))) { 12 } else { 0 };
        let found = point(CARDS, last - ago, now, down, hit, 7);
        let sum = found.idle + found.in_use + found.maintenance + found.fault + found.offline + found.unknown;
        assert_eq!(sum, 240, "{ago} minutes ago: {found:?}");
        assert_eq!(found, point(CARDS, last - ago, now, down, hit, 7), "the same every time");
    }
}

#[test]
fn it_ends_as_the_cards_are_now_and_nights_are_calm() {
    let now = at("2026-11-20T20:00:00+08:00");
    let last = now.millis() / 60_000;
    let users = |ago: i64| point(CARDS, last - ago, now, 0, None, 7).in_use;
    assert!(users(0).abs_diff(CARDS.in_use) <= 5, "{}", users(0));
    assert!(users(16 * 60) * 2 < users(0), "four in the morning: {}", users(16 * 60));
    let gone = point(CARDS, last, now, 0, Some(Incident::AgentGone), 7);
    assert_eq!((gone.unknown, gone.online), (240, 0));
}
