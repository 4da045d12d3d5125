//! Every state of a phone whose stream goes on, against what its gateway is told.

use entity::connect::{ConnectState, Model as Connect};
use entity::phone::{Life, Model as Phone, UseType};
use entity::phone_session::SessionEnd;
use entity::saga::{Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{BackupId, ConnectId, OpenAppId, PhoneId};
use kernel::time::UtcTime;

use super::{Order, StreamId, judge};
use crate::samples::{self, saga};

const ID: StreamId = StreamId { connect: ConnectId(7), number: 3 };
const NOW: UtcTime = UtcTime(1_000_000);

fn phone(life: Life, use_type: UseType) -> Phone {
    Phone { expires_at: NOW.plus_seconds(86_400), ..samples::phone(life, use_type) }
}

fn row(number: i64, is_open: bool, code: &str) -> Connect {
    Connect {
        id: ID.connect,
        app_id: OpenAppId(1),
        phone_id: PhoneId(1),
        saga_id: None,
        state: if is_open { ConnectState::Connected } else { ConnectState::Over },
        code: code.to_owned(),
        ticket_hash: None,
        until: None,
        endpoint_rev: 1,
        asked_at: NOW,
        granted_at: None,
        connected_at: None,
        ended_at: None,
        stream: number,
        stream_at: is_open.then_some(NOW),
        gateway: String::new(),
    }
}

fn told(row: &Connect, phone: &Phone, saga: Option<&Saga>) -> Order {
    judge(ID, Some((row, phone)), (saga, None), NOW)
}

#[test]
fn a_stream_of_a_phone_that_is_there_goes_on_and_is_warned_before_the_phone_expires() {
    let mut here = phone(Life::Active, UseType::On);
    assert_eq!(told(&row(3, true, ""), &here, None), Order::GoesOn);
    for (left, warned) in [(301, false), (300, true), (1, true), (-30, true)] {
        here.expires_at = NOW.plus_seconds(left);
        let wanted = if warned { Order::Warn(here.expires_at) } else { Order::GoesOn };
        assert_eq!(told(&row(3, true, ""), &here, None), wanted, "{left}");
    }
}

#[test]
fn who_has_used_it_for_as_long_as_he_may_is_warned_and_then_ended() {
    let (here, row) = (phone(Life::Active, UseType::On), row(3, true, ""));
    for (left, wanted) in [
        (301, Order::GoesOn),
        (300, Order::Warn(NOW.plus_seconds(300))),
        (1, Order::Warn(NOW.plus_seconds(1))),
        (0, Order::End("daily_hours")),
        (-9, Order::End("daily_hours")),
    ] {
        let limit = Some((NOW.plus_seconds(left), SessionEnd::DailyHours));
        assert_eq!(judge(ID, Some((&row, &here)), (None, limit), NOW), wanted, "{left}");
    }
    // What comes first counts.
    let soon = Phone { expires_at: NOW.plus_seconds(60), ..here };
    let limit = Some((NOW.plus_seconds(90), SessionEnd::NightClose));
    assert_eq!(judge(ID, Some((&row, &soon)), (None, limit), NOW), Order::Warn(soon.expires_at));
}

#[test]
fn one_that_is_unknown_over_or_taken_over_ends() {
    let here = phone(Life::Active, UseType::On);
    assert_eq!(judge(ID, None, (None, None), NOW), Order::End("stream_unknown"));
    for (stands, wanted) in [
        (row(4, true, ""), "taken_over"),
        (row(2, true, ""), "stream_unknown"),
        (row(3, false, ""), "left"),
        (row(3, false, "taken_over"), "taken_over"),
    ] {
        assert_eq!(told(&stands, &here, None), Order::End(wanted), "{stands:?}");
    }
    let off = phone(Life::Active, UseType::Off);
    assert_eq!(told(&row(3, false, ""), &off, None), Order::End("phone_off_machine"));
    let frozen = phone(Life::Frozen, UseType::Off);
    assert_eq!(told(&row(3, false, ""), &frozen, None), Order::End("phone_frozen"));
}

#[test]
fn what_is_done_to_a_phone_ends_its_stream_interrupts_it_or_lets_it_go_on() {
    use SagaKind::{Apps, BackUp, Lost, Restart, TakeOff};
    use SagaState::{GoingBack, Held, Running, Waiting};
    let here = phone(Life::Active, UseType::On);
    let (off, again) = (Order::End("phone_off_machine"), Order::Reconnect("phone_under_way"));
    for (kind, state, step, wanted) in [
        (TakeOff, Waiting, StepName::Packages, Order::GoesOn),
        (TakeOff, Running, StepName::Stop, off),
        (TakeOff, GoingBack, StepName::Start, Order::GoesOn),
        (TakeOff, Held, StepName::Packages, Order::GoesOn),
        (BackUp, Waiting, StepName::Packages, Order::GoesOn),
        (BackUp, Running, StepName::Packages, Order::GoesOn),
        (BackUp, Running, StepName::Copy, again),
        (BackUp, Running, StepName::Verify, Order::GoesOn),
        (Restart, Running, StepName::Boot, again),
        (Apps, Running, StepName::Install, Order::GoesOn),
        (Lost, Held, StepName::Decide, Order::GoesOn),
    ] {
        let saga = saga(kind, state, step);
        assert_eq!(told(&row(3, true, ""), &here, Some(&saga)), wanted, "{kind:?} {state:?} {step:?}");
    }
    let limit = Saga { cause: Some(SessionEnd::LongestSession), ..saga(TakeOff, Running, StepName::Stop) };
    assert_eq!(told(&row(3, true, ""), &here, Some(&limit)), Order::End("longest_session"));
    // It waits for its turn, and whoever uses the phone has no more time for that.
    let waits = saga(TakeOff, Waiting, StepName::Packages);
    let over = (Some(&waits), Some((NOW, SessionEnd::NightClose)));
    assert_eq!(judge(ID, Some((&row(3, true, ""), &here)), over, NOW), Order::End("night_close"));
    // An operator takes it off: whoever uses it is warned, and ended.
    let asked = Saga { warns_user: true, ..saga(TakeOff, Waiting, StepName::Packages) };
    for (left, wanted) in [(300, Order::Warn(NOW.plus_seconds(300))), (0, off)] {
        let limit = Some((NOW.plus_seconds(left), SessionEnd::TakenOff));
        assert_eq!(judge(ID, Some((&row(3, true, ""), &here)), (Some(&asked), limit), NOW), wanted, "{left}");
    }
    let back = Saga { is_wanted_back: true, ..saga(TakeOff, Running, StepName::Copy) };
    assert_eq!(told(&row(3, true, ""), &here, Some(&back)), Order::GoesOn);
    // It is set back to an older copy, and comes back with that.
    let turns = |state| Saga { comes_with_id: Some(BackupId(1)), ..saga(TakeOff, state, StepName::Packages) };
    for (state, wanted) in [(Waiting, Order::GoesOn), (Running, Order::Reconnect("phone_under_way"))] {
        assert_eq!(told(&row(3, true, ""), &here, Some(&turns(state))), wanted, "{state:?}");
    }
}

#[test]
fn nobody_goes_on_using_a_phone_that_nobody_may_use() {
    for (life, code) in
        [(Life::Frozen, "phone_frozen"), (Life::Expired, "phone_expired"), (Life::Released, "phone_released")]
    {
        assert_eq!(told(&row(3, true, ""), &phone(life, UseType::On), None), Order::End(code));
    }
}
