//! Both sides of each limit of what is thought of gateways.

use std::collections::BTreeMap;

use entity::{PhoneId, RoomId};
use kernel::time::UtcTime;

use super::{Gateway, Judge, Open, Stands, Verdict};

const ROOM: RoomId = RoomId(3);

fn at(second: i64) -> UtcTime {
    UtcTime(second * 1000)
}

fn gateway() -> Gateway {
    Gateway { name: "gw-1".to_owned(), room: Some(ROOM) }
}

/// A judge who has listened for long: he looks four times a minute, and nothing was open.
fn listening(until: i64) -> Judge {
    let mut judge = Judge::default();
    for look in 0..=until / 15 {
        judge.look(&BTreeMap::new(), at(look * 15));
    }
    judge
}

/// What is thought of a gateway whose streams were named last at these seconds.
fn look(judge: &mut Judge, named: &[Option<i64>], second: i64) -> Stands {
    let open = |(phone, named): (i64, &Option<i64>)| Open { phone: PhoneId(phone), room: ROOM, named: named.map(at) };
    let streams: Vec<Open> = (1..).zip(named).map(open).collect();
    judge.look(&BTreeMap::from([(gateway(), streams)]), at(second)).remove(0)
}

/// The same of one of so many streams of which some were named last at second 1000 and the others just now.
fn share(silent: usize, of: usize) -> Verdict {
    let mut judge = listening(1_110);
    let named: Vec<Option<i64>> = (0..of).map(|at| Some(if at < silent { 1_000 } else { 1_120 })).collect();
    look(&mut judge, &named, 1_120).verdict
}

#[test]
fn a_stream_is_silent_after_two_minutes() {
    for (second, silent) in [(1_119, 0), (1_120, 2)] {
        let stands = look(&mut listening(1_110), &[Some(1_000), Some(1_000)], second);
        let verdict = if silent == 0 { Verdict::Speaks } else { Verdict::Silent };
        assert_eq!((stands.silent.len(), stands.verdict, stands.streams), (silent, verdict, 2), "{second}");
        assert_eq!(stands.told_since(at(second)), (silent > 0).then_some(at(1_000)), "{second}");
    }
}

#[test]
fn a_gateway_is_silent_that_says_nothing_of_more_than_a_fifth() {
    for (silent, of, wanted) in [
        (0, 100, Verdict::Speaks),
        (20, 100, Verdict::Speaks),
        (21, 100, Verdict::Silent),
        (2, 10, Verdict::Speaks),
        (3, 10, Verdict::Silent),
        (100, 100, Verdict::Silent),
    ] {
        assert_eq!(share(silent, of), wanted, "{silent} of {of}");
    }
}

#[test]
fn one_customer_whose_line_broke_stops_no_room_and_two_of_a_few_do() {
    for of in 2..=9 {
        assert_eq!((share(1, of), share(2, of)), (Verdict::Speaks, Verdict::Silent), "of {of}");
    }
    assert_eq!(share(1, 1), Verdict::Lone, "it may have died, and its phone is left alone");
    let alone = look(&mut listening(1_110), &[Some(1_000), Some(1_115)], 1_120);
    assert_eq!(alone.silent, [(PhoneId(1), ROOM)], "as that of a stream is of which alone nothing is said");
    assert_eq!(alone.told_since(at(1_120)), None);
}

#[test]
fn who_was_not_heard_since_our_start_is_silent_at_once_and_nobody_is_called_for_two_minutes() {
    let mut judge = Judge::default();
    let stands = look(&mut judge, &[None, None, None], 500);
    assert_eq!((stands.verdict, stands.told_since(at(500))), (Verdict::Silent, None));
    let mut last = None;
    for second in (515..620).step_by(15) {
        last = look(&mut judge, &[None, None, None], second).told_since(at(second));
    }
    assert_eq!(last, None, "at 605");
    assert_eq!(look(&mut judge, &[None, None, None], 620).told_since(at(620)), Some(at(500)));
    // It is heard, and tells of all but one.
    let stands = look(&mut judge, &[Some(625), Some(625), None], 630);
    assert_eq!((stands.verdict, stands.silent.len()), (Verdict::Speaks, 1));
    assert_eq!(look(&mut Judge::default(), &[None], 500).verdict, Verdict::Lone);
}

#[test]
fn a_gateway_is_heard_again_when_few_enough_are_silent() {
    let mut judge = listening(1_110);
    let of_ten =
        |heard: usize| -> Vec<Option<i64>> { (0..10).map(|at| Some(if at < heard { 1_130 } else { 1_000 })).collect() };
    assert_eq!(look(&mut judge, &of_ten(0), 1_125).verdict, Verdict::Silent);
    assert_eq!(look(&mut judge, &of_ten(7), 1_135).verdict, Verdict::Silent);
    let stands = look(&mut judge, &of_ten(8), 1_135);
    assert_eq!((stands.verdict, stands.told_since(at(1_135))), (Verdict::Speaks, None));
}

/// Four of ten are not named any more; the others are, at each look until `second`. What is thought then.
fn forgotten_by(second: i64) -> Stands {
    let mut judge = listening(990);
    let mut stands = None;
    for now in (1_005..second).step_by(15).chain([second]) {
        let named: Vec<Option<i64>> = (0..10).map(|at| Some(if at < 4 { 1_000 } else { now - 1 })).collect();
        stands = Some(look(&mut judge, &named, now));
    }
    stands.expect("it was looked")
}

#[test]
fn a_gateway_that_speaks_of_others_for_ten_minutes_has_forgotten_the_rest_and_is_not_silent() {
    let before = forgotten_by(1_604);
    assert_eq!((before.verdict, before.silent.len(), before.streams), (Verdict::Silent, 4, 10));
    // It has spoken since the first look at it, at 1005.
    let after = forgotten_by(1_605);
    assert_eq!((after.verdict, after.silent.len(), after.streams), (Verdict::Speaks, 0, 6));
}

#[test]
fn the_ten_minutes_count_from_when_it_speaks_again_and_one_that_never_does_forgets_nobody() {
    let mut judge = listening(990);
    let mut second = 1_005;
    while second < 20_000 {
        assert_ne!(look(&mut judge, &[Some(1_000), Some(1_000), Some(1_000)], second).streams, 0, "{second}");
        second += 15;
    }
    assert_eq!(
        look(&mut judge, &[Some(1_000), Some(1_000), Some(1_000)], 20_000).verdict,
        Verdict::Silent,
        "for hours"
    );
    // One customer is back.
    for now in (20_010..20_610).step_by(15) {
        let stands = look(&mut judge, &[Some(1_000), Some(1_000), Some(now)], now);
        assert_eq!(stands.verdict, Verdict::Silent, "{now}");
    }
    let stands = look(&mut judge, &[Some(1_000), Some(1_000), Some(20_610)], 20_610);
    assert_eq!((stands.verdict, stands.streams), (Verdict::Speaks, 1));
}

#[test]
fn a_console_that_has_not_listened_for_a_while_holds_that_against_nobody() {
    let mut judge = listening(990);
    look(&mut judge, &[Some(985), Some(985)], 990);
    // It stood still for an hour.
    let stands = look(&mut judge, &[Some(985), Some(985)], 4_590);
    assert_eq!((stands.verdict, stands.told_since(at(4_590))), (Verdict::Silent, None), "nothing is known");
    assert_eq!(stands.since, Some(at(4_590)));
    assert_eq!(look(&mut judge, &[Some(4_600), Some(4_600)], 4_605).verdict, Verdict::Speaks);
}

#[test]
fn the_rooms_that_stand_still_are_those_of_its_streams() {
    let open = |phone, room| Open { phone: PhoneId(phone), room: RoomId(room), named: Some(at(1_000)) };
    let everywhere = Gateway { name: "gw-1".to_owned(), room: None };
    let all = BTreeMap::from([(everywhere, vec![open(1, 7), open(2, 7), open(3, 8)]), (gateway(), vec![open(4, 3)])]);
    let found = listening(1_110).look(&all, at(1_120));
    let rooms = |at: usize| found[at].rooms.iter().copied().collect::<Vec<_>>();
    assert_eq!((rooms(0), found[0].verdict), (vec![RoomId(7), RoomId(8)], Verdict::Silent));
    assert_eq!((rooms(1), found[1].verdict), (vec![ROOM], Verdict::Lone), "another one that is called the same");
}
