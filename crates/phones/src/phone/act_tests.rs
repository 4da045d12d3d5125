use entity::phone::{Life as L, Model, Plan, UseType};
use entity::{BackupId, PlacementId};
use kernel::time::UtcTime;
use wire::Reason;

use super::{Act, DAY, turn};
use crate::samples;
use crate::settings::PhoneLife;

const NOW: UtcTime = UtcTime(1_800_000_000_000);
const RULES: PhoneLife = PhoneLife { stay: 3, step_days: 90 };

fn days(count: i64) -> UtcTime {
    NOW.plus_seconds(count * DAY)
}

fn phone(life: L) -> Model {
    Model {
        is_blank: true,
        endpoint_rev: 0,
        expires_at: if life == L::Expired { days(-2) } else { days(10) },
        frozen_reason: if life == L::Frozen { "风控".to_owned() } else { String::new() },
        stays_until: (life == L::Released).then(|| days(1)),
        ..samples::phone(life, UseType::Off)
    }
}

fn on(life: L) -> Model {
    Model { use_type: UseType::On, holds_id: Some(PlacementId(1)), is_blank: false, ..phone(life) }
}

/// The state after it, or what stands in the way.
fn told(row: &Model, act: &Act) -> Result<L, Reason> {
    turn(row, act, NOW, &RULES).map(|row| row.life)
}

#[test]
fn each_act_fits_some_states_and_says_why_it_fits_no_other() {
    let freeze = Act::Freeze { reason: "风控".to_owned() };
    let lives = [L::Creating, L::Active, L::Frozen, L::Expired, L::Released, L::Erased];
    let (creating, released, erased) =
        (Err(Reason::PhoneCreating), Err(Reason::PhoneReleased), Err(Reason::PhoneErased));
    let already = Err(Reason::AlreadySo);
    for (act, wanted) in [
        (Act::Renew { days: 1 }, [creating, Ok(L::Active), Ok(L::Frozen), Ok(L::Active), released, erased]),
        (Act::ChangePlan(Plan::Svip), [creating, Ok(L::Active), Ok(L::Frozen), Ok(L::Expired), released, erased]),
        (freeze, [creating, Ok(L::Frozen), already, Err(Reason::PhoneExpired), released, erased]),
        (
            Act::Thaw,
            [
                Err(Reason::PhoneNotFrozen),
                Err(Reason::PhoneNotFrozen),
                Ok(L::Active),
                Err(Reason::PhoneNotFrozen),
                Err(Reason::PhoneNotFrozen),
                Err(Reason::PhoneNotFrozen),
            ],
        ),
        (Act::Release, [creating, Ok(L::Released), Ok(L::Released), Ok(L::Released), already, erased]),
        (
            Act::Restore,
            [
                Err(Reason::PhoneNotReleased),
                Err(Reason::PhoneNotReleased),
                Err(Reason::PhoneNotReleased),
                Err(Reason::PhoneNotReleased),
                Ok(L::Active),
                Err(Reason::PhoneNotReleased),
            ],
        ),
    ] {
        assert_eq!(lives.map(|life| told(&phone(life), &act)), wanted, "{act:?}");
    }
}

#[test]
fn a_renewal_counts_from_now_or_from_the_expiry_whichever_is_later() {
    let renewed = |row: &Model| turn(row, &Act::Renew { days: 30 }, NOW, &RULES).expect("it is allowed").expires_at;
    assert_eq!(renewed(&phone(L::Active)), days(40));
    assert_eq!(renewed(&phone(L::Expired)), days(30));
    assert_eq!(renewed(&Model { expires_at: days(-1), ..phone(L::Frozen) }), days(30));
}

#[test]
fn a_phone_on_the_machine_keeps_its_plan() {
    let row = on(L::Active);
    assert_eq!(told(&row, &Act::Renew { days: 1 }), Ok(L::Active));
    assert_eq!(told(&row, &Act::ChangePlan(Plan::Svip)), Err(Reason::PhoneOnMachine));
    // It leaves its card by rule.
    let frozen = turn(&row, &Act::Freeze { reason: "风控".to_owned() }, NOW, &RULES).expect("it is allowed");
    assert_eq!((frozen.life, frozen.use_type, frozen.holds_id), (L::Frozen, UseType::On, Some(PlacementId(1))));
    // It stays on its card while it can be had back, and leaves it when it is erased.
    let released = turn(&row, &Act::Release, NOW, &RULES).expect("it is allowed");
    assert_eq!((released.life, released.use_type, released.holds_id), (L::Released, UseType::On, Some(PlacementId(1))));
    assert_eq!(told(&released, &Act::Restore), Ok(L::Active));
    assert_eq!(told(&released, &Act::Erase), Err(Reason::PhoneNotDue));
    let erased = turn(&Model { stays_until: Some(NOW), ..released }, &Act::Erase, NOW, &RULES).expect("it is due");
    assert_eq!((erased.life, erased.use_type, erased.holds_id), (L::Erased, UseType::Off, None));
}

#[test]
fn a_frozen_phone_expires_and_stays_frozen_whoever_pays() {
    let row = Model { expires_at: NOW, ..phone(L::Frozen) };
    let expired = turn(&row, &Act::Expire, NOW, &RULES).expect("it is due");
    assert_eq!((expired.life, expired.frozen_reason.as_str()), (L::Expired, "风控"));
    let paid = turn(&expired, &Act::Renew { days: 30 }, NOW, &RULES).expect("it is allowed");
    assert_eq!((paid.life, paid.frozen_reason.as_str(), paid.expires_at), (L::Frozen, "风控", days(30)));
    assert_eq!(told(&paid, &Act::Thaw), Ok(L::Active));
    assert_eq!(told(&row, &Act::Thaw), Ok(L::Expired), "its time was up before anybody has looked");
}

#[test]
fn what_a_phone_holds_runs_on_its_board_only() {
    let used = Model { is_blank: false, ..phone(L::Active) };
    assert_eq!(told(&used, &Act::ChangePlan(Plan::Svip)), Err(Reason::PhoneOtherBoard));
    assert_eq!(told(&phone(L::Active), &Act::ChangePlan(Plan::Vip)), Err(Reason::PhoneSamePlan));
    assert_eq!(
        turn(&phone(L::Active), &Act::ChangePlan(Plan::Svip), NOW, &RULES).expect("it is allowed").plan,
        Plan::Svip
    );
}

#[test]
fn a_released_phone_can_be_had_back_for_as_long_as_the_rule_says() {
    let row = turn(&phone(L::Frozen), &Act::Release, NOW, &RULES).expect("it is allowed");
    assert_eq!((row.stays_until, row.frozen_reason.as_str()), (Some(days(3)), ""));
    let at = |at| turn(&row, &Act::Restore, at, &RULES);
    assert_eq!(at(days(2)).expect("it is allowed").stays_until, None);
    assert_eq!(at(days(3)).expect_err("it is refused"), Reason::PhoneStayOver);
    // One whose time was up has its grace anew.
    let late = turn(&phone(L::Expired), &Act::Release, NOW, &RULES).expect("it is allowed");
    let back = turn(&late, &Act::Restore, days(1), &RULES).expect("it is allowed");
    assert_eq!((back.life, back.expires_at), (L::Expired, days(1)));
}

#[test]
fn time_alone_expires_and_erases() {
    assert_eq!(told(&phone(L::Active), &Act::Expire), Err(Reason::PhoneNotDue));
    assert_eq!(told(&Model { expires_at: NOW, ..phone(L::Active) }, &Act::Expire), Ok(L::Expired));
    // One on the machine too: whoever uses it is taken off by rule.
    assert_eq!(told(&Model { expires_at: NOW, ..on(L::Active) }, &Act::Expire), Ok(L::Expired));
    assert_eq!(told(&phone(L::Released), &Act::Erase), Err(Reason::PhoneNotDue));
    let over = Model { stays_until: Some(NOW), ..phone(L::Released) };
    assert_eq!(told(&over, &Act::Erase), Ok(L::Erased));
    let copied = Model { is_blank: false, kept_id: Some(BackupId(7)), ..over };
    let erased = turn(&copied, &Act::Erase, NOW, &RULES).expect("it is due");
    assert_eq!(
        (erased.life, erased.kept_id, erased.is_blank),
        (L::Erased, None, false),
        "it lives by no copy any more"
    );
}
