//! The steps of a take-off, with a test that acts as the agent: a phone is off once it lives by a copy of everything that
//! was on its card, and goes on there if anything fails before that.

use entity::backup::{self, BackupState};
use entity::card::Occupancy;
use entity::phone::UseType;
use entity::placement::{self, Role};
use entity::saga::{self, SagaKind, SagaState};
use entity::saga_step::StepName;
use sea_orm::{ActiveValue::Set, EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::get;
use testroom::phone::put_on;

use super::cleared::{profile, try_out};
use super::copy_steps::{last, made, on};
use super::held_steps::is_held;
use super::lost_steps::{held, stands};
use super::put_on::{card, roles, row};
use super::quarantine_steps::wipe_left;

const PHONES: &str = "/api/phone/v1/phones";

pub async fn take_off(app: &TestApp, clerk: &Caller<'_>, phone: i64) -> Value {
    let made = clerk.post(&format!("{PHONES}/take-off"), json!({ "selection": { "ids": [phone] } })).await.data();
    fleet::operation::round(&app.app).await.unwrap();
    made["id"].clone()
}

/// The same at once: whoever uses it is not warned.
pub async fn take_off_now(app: &TestApp, clerk: &Caller<'_>, phone: i64) -> Value {
    let body = json!({ "selection": { "ids": [phone] }, "now": true, "reason": "机房检修" });
    let made = clerk.post(&format!("{PHONES}/take-off"), body).await.data();
    fleet::operation::round(&app.app).await.unwrap();
    made["id"].clone()
}

/// The steps from the packages to the copy are done.
pub async fn is_copied(app: &TestApp, hand: &mut Hand, boot: &str, snapshot: char) {
    hand.does(app, "packages").await;
    hand.says(app, "stop", boot).await;
    hand.says(app, "copy", &made(snapshot)).await;
}

/// All steps of a take-off are done; the card that the phone has left.
pub async fn goes_off(app: &TestApp, hand: &mut Hand, boot: &str, snapshot: char) -> i64 {
    is_copied(app, hand, boot, snapshot).await;
    hand.does(app, "verify").await;
    hand.does(app, "still").await["card"].as_i64().unwrap()
}

/// The operation has failed for this, and the phone is on its card.
async fn goes_on(app: &TestApp, clerk: &Caller<'_>, operation: &Value, phone: i64, code: &str) {
    fleet::operation::round(&app.app).await.unwrap();
    let ended = get(clerk, operation).await;
    assert_eq!((&ended["failed"], &ended["running"]), (&json!(1), &json!(0)), "{ended}");
    let tasks = clerk.get(&format!("/api/operation/v1/operations/{operation}/tasks?pageSize=9")).await.data();
    assert_eq!(tasks["list"][0]["code"], code, "{tasks}");
    let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
    assert_eq!((&seen["useType"], &seen["underWay"]), (&json!(1), &Value::Null), "{seen}");
    assert_eq!(card(app, seen["card"]["id"].as_i64().unwrap()).await.occupancy, Occupancy::InUse);
    assert_eq!(roles(app).await, [Role::Holds]);
}

/// The newest saga that clears a card.
pub async fn clearing(app: &TestApp) -> saga::Model {
    let all = saga::Entity::find().order_by_desc(saga::Column::Id).all(app.app.db.read()).await.unwrap();
    all.into_iter().find(|saga| saga.kind == SagaKind::Clear).unwrap()
}

db_test! {
    async fn a_phone_goes_off_and_comes_back_with_its_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let before = row(&app, phone).await;
        // No other card is free: its own is needed as soon as it has left it.
        hand.keep(&clerk, 1).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        let operation = take_off(&app, &clerk, phone).await;
        is_copied(&app, &mut hand, "boot-1", 'a').await;
        hand.does(&app, "verify").await;
        let seen = row(&app, phone).await;
        assert_eq!((seen.use_type, seen.holds_id), (UseType::On, before.holds_id), "not before it was seen to be still");
        assert_eq!((last(&app).await.state, roles(&app).await), (BackupState::Verified, vec![Role::Holds]));
        let still = hand.does(&app, "still").await;
        assert_eq!((&still["act"]["bootId"], &still["act"]["listing"]), (&json!("boot-1"), &json!("d".repeat(64))), "{still}");
        let gone = row(&app, phone).await;
        let copy = last(&app).await;
        assert_eq!((gone.use_type, gone.holds_id, gone.kept_id), (UseType::Off, None, Some(copy.id)));
        assert_eq!(gone.endpoint_rev, before.endpoint_rev + 1, "whoever was connected is not any more");
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
        let trail = app.audit_trail().await;
        assert!(trail.contains(&"admin phone_taken_off 0".to_owned()), "{trail:?}");

        // Its card is wiped, if it has not restarted since.
        let id = still["card"].as_i64().unwrap();
        assert_eq!((card(&app, id).await.occupancy, roles(&app).await), (Occupancy::Sealed, vec![Role::Outgoing]));
        let wipe = hand.does(&app, "clear").await;
        assert_eq!((&wipe["act"]["bootId"], &wipe["card"]), (&json!("boot-1"), &json!(id)), "{wipe}");
        hand.says(&app, "prove", "boot-2").await;
        hand.does(&app, "markClean").await;
        assert_eq!((card(&app, id).await.occupancy, roles(&app).await), (Occupancy::Free, vec![Role::Ended]));

        // It comes back with what its copy holds.
        let operation = put_on(&clerk, &[phone]).await["id"].clone();
        fleet::operation::round(&app.app).await.unwrap();
        for kind in ["check", "claim", "apps"] {
            hand.does(&app, kind).await;
        }
        let restore = hand.does(&app, "restore").await;
        assert_eq!(restore["act"]["snapshot"], "a".repeat(64), "{restore}");
        hand.does(&app, "boot").await;
        let health = hand.does(&app, "health").await;
        assert_eq!(health["act"]["restored"], true, "it is to be there as it was left: {health}");
        assert_eq!(health["act"]["launcher"], true, "{health}");
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
        let back = row(&app, phone).await;
        assert_eq!((back.use_type, back.kept_id, back.used_bytes), (UseType::On, Some(copy.id), 4_000));
        assert_eq!(last(&app).await.restores, 1);

        // The next copy is compared with the one that it came with, and the agent hears of it.
        take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-3").await;
        let order = hand.step(&app).await;
        assert_eq!((&order["act"]["parent"], &order["act"]["restored"]), (&json!("a".repeat(64)), &json!("a".repeat(64))), "{order}");
    }

    async fn whatever_fails_before_that_leaves_the_phone_on_its_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let asked = take_off(&app, &clerk, phone).await;
        hand.fails(&app, "packages", "wrong_store", "neverBegan").await;
        goes_on(&app, &clerk, &asked, phone, "wrong_store").await;

        let asked = take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.fails(&app, "stop", "device_fail", "unknown").await;
        hand.does(&app, "start").await;
        goes_on(&app, &clerk, &asked, phone, "device_fail").await;

        // An agent that was lost may have stopped it, whatever the next try finds.
        let asked = take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        assert_eq!(hand.step(&app).await["act"]["kind"], "stop");
        hand.comes_back(wire::PROTOCOL, &[]).await;
        hand.fails(&app, "stop", "wrong_store", "neverBegan").await;
        hand.does(&app, "start").await;
        goes_on(&app, &clerk, &asked, phone, "wrong_store").await;

        let asked = take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot").await;
        hand.fails(&app, "copy", "store_refused", "neverBegan").await;
        hand.does(&app, "start").await;
        goes_on(&app, &clerk, &asked, phone, "store_refused").await;
        assert_eq!(last(&app).await.state, BackupState::Failed);

        // The store lets nobody in: the copy stays, and is read back when somebody asks for it.
        let asked = take_off(&app, &clerk, phone).await;
        is_copied(&app, &mut hand, "boot", 'a').await;
        hand.fails(&app, "verify", "store_refused", "neverBegan").await;
        app.app.clock.advance_seconds(60);
        hand.fails(&app, "verify", "store_refused", "neverBegan").await;
        hand.does(&app, "start").await;
        goes_on(&app, &clerk, &asked, phone, "store_refused").await;
        assert_eq!(last(&app).await.state, BackupState::Uploaded);

        let asked = take_off(&app, &clerk, phone).await;
        is_copied(&app, &mut hand, "boot", 'b').await;
        hand.fails(&app, "verify", "copy_damaged", "neverBegan").await;
        hand.does(&app, "start").await;
        goes_on(&app, &clerk, &asked, phone, "copy_damaged").await;
        assert_eq!(last(&app).await.state, BackupState::Failed);

        let asked = take_off(&app, &clerk, phone).await;
        is_copied(&app, &mut hand, "boot", 'c').await;
        hand.does(&app, "verify").await;
        hand.fails(&app, "still", "not_ours", "neverBegan").await;
        hand.fails(&app, "start", "not_ours", "neverBegan").await;
        // Nobody can start it there: it waits for a person.
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!((get(&clerk, &asked).await["failed"].clone(), stands(&clerk, phone).await), (json!(1), held("not_ours")));
        assert_eq!(row(&app, phone).await.kept_id, Some(last(&app).await.id), "it is a copy of that moment");
    }

    async fn a_phone_whose_android_is_down_is_started_and_leaves_a_minute_later(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        take_off(&app, &clerk, phones[0]).await;
        hand.fails(&app, "packages", "unhealthy", "neverBegan").await;
        // Nobody else would start it, and its customer looks at a dead screen.
        hand.does(&app, "start").await;
        is_held(&app, phones[0], "unhealthy").await;
        app.app.clock.advance_seconds(60);
        goes_off(&app, &mut hand, "boot", 'a').await;
        assert_eq!(row(&app, phones[0]).await.use_type, UseType::Off);
    }

    async fn a_card_that_restarts_in_between_is_copied_once_more(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let operation = take_off(&app, &clerk, phones[0]).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        hand.fails(&app, "copy", "interrupted", "neverBegan").await;
        let first = last(&app).await.id;
        is_copied(&app, &mut hand, "boot-2", 'a').await;
        assert_eq!(last(&app).await.id, first, "nothing was made of the first try");
        hand.does(&app, "verify").await;
        hand.fails(&app, "still", "interrupted", "neverBegan").await;
        is_copied(&app, &mut hand, "boot-3", 'b').await;
        hand.does(&app, "verify").await;
        let still = hand.does(&app, "still").await;
        assert_eq!(still["act"]["bootId"], "boot-3");
        let second = last(&app).await;
        let gone = row(&app, phones[0]).await;
        assert_eq!((gone.use_type, gone.kept_id, &*second.snapshot), (UseType::Off, Some(second.id), &*"b".repeat(64)));
        let earlier = backup::Entity::find_by_id(first).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((earlier.state, second.parent_id), (BackupState::Verified, Some(first)), "that is a copy as well");
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
    }

    async fn a_card_that_never_stands_still_keeps_its_phone_for_now(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        take_off(&app, &clerk, phones[0]).await;
        for snapshot in ['a', 'b', 'c', 'd', 'e'] {
            is_copied(&app, &mut hand, "boot", snapshot).await;
            hand.does(&app, "verify").await;
            hand.fails(&app, "still", "interrupted", "neverBegan").await;
        }
        hand.does(&app, "start").await;
        let now = row(&app, phones[0]).await;
        assert_eq!((stands(&clerk, phones[0]).await, now.use_type), ((json!(6), json!(6), json!("interrupted")), UseType::On));
    }

    async fn what_apps_wrote_after_the_copy_is_wiped_by_the_word_of_two_alone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        hand.keep(&clerk, 1).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        take_off(&app, &clerk, phones[0]).await;
        let on = goes_off(&app, &mut hand, "boot-1", 'a').await;
        // It was out of reach first: then it is asked again, for the same start.
        hand.fails(&app, "clear", "adb_unreachable", "neverBegan").await;
        app.app.clock.advance_seconds(60);
        let given = hand.fails(&app, "clear", "apps_ran", "neverBegan").await;
        assert_eq!(given["act"]["bootId"], "boot-1", "{given}");
        let held = clearing(&app).await;
        assert_eq!((held.state, &*held.code), (SagaState::Held, "apps_ran"));
        let stay = placement::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        assert!(stay.is_quarantined && stay.role == Role::Outgoing);
        assert_eq!(card(&app, on).await.occupancy, Occupancy::Wiping);
        assert_eq!(row(&app, phones[0]).await.use_type, UseType::Off);
        wipe_left(&app, clerk.group.unwrap(), phones[0]).await;
        let wipe = hand.does(&app, "clear").await;
        assert_eq!(wipe["act"]["bootId"], Value::Null, "{wipe}");
        hand.says(&app, "prove", "boot-9").await;
        hand.does(&app, "markClean").await;
        assert_eq!(card(&app, on).await.occupancy, Occupancy::Free);
    }

    async fn a_phone_whose_copy_is_damaged_is_not_put_on(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        take_off(&app, &clerk, phones[0]).await;
        goes_off(&app, &mut hand, "boot", 'a').await;
        assert_eq!(clearing(&app).await.step, StepName::Wipe);
        let copy = last(&app).await.id;
        let damaged = async |damage: &str| {
            let tx = app.app.db.begin_write().await.unwrap();
            let change = backup::ActiveModel { id: Set(copy), damage: Set(damage.to_owned()), ..Default::default() };
            backup::Entity::update(change).exec(&*tx).await.unwrap();
            tx.commit().await.unwrap();
        };
        damaged("a pack is gone").await;
        // The card that it has left is wiped: it does not come back there.
        let tx = app.app.db.begin_write().await.unwrap();
        let (state, ended_at) = (Set(SagaState::Cancelled), Set(Some(app.app.clock.now())));
        let change = saga::ActiveModel { id: Set(clearing(&app).await.id), state, ended_at, ..Default::default() };
        saga::Entity::update(change).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        let made = put_on(&clerk, &phones).await;
        fleet::operation::round(&app.app).await.unwrap();
        let refused = get(&clerk, &made["id"]).await;
        assert_eq!((&refused["skipped"], &refused["reasons"][0]["code"]), (&json!(1), &json!("copy_damaged")), "{refused}");
        damaged("").await;
        put_on(&clerk, &phones).await;
        fleet::operation::round(&app.app).await.unwrap();
        hand.does(&app, "check").await;
    }

    async fn an_agent_that_cannot_look_whether_a_card_is_still_is_not_asked(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        hand.speaks(&app, wire::COPIES).await;
        let asked = take_off(&app, &clerk, phones[0]).await;
        phones::saga_round(&app.app).await.unwrap();
        goes_on(&app, &clerk, &asked, phones[0], "agent_too_old").await;
    }

    async fn a_phone_on_no_card_cannot_be_taken_off_and_one_under_way_not_twice(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        take_off(&app, &clerk, phones[0]).await;
        hand.does(&app, "packages").await;
        let twice = take_off(&app, &clerk, phones[0]).await;
        let told = get(&clerk, &twice).await;
        assert_eq!((&told["skipped"], &told["reasons"][0]["code"]), (&json!(1), &json!("phone_under_way")), "{told}");
        hand.says(&app, "stop", "boot").await;
        hand.says(&app, "copy", &made('a')).await;
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        let again = take_off(&app, &clerk, phones[0]).await;
        let told = get(&clerk, &again).await;
        assert_eq!((&told["skipped"], &told["reasons"][0]["code"]), (&json!(1), &json!("phone_off_machine")), "{told}");
    }

    async fn a_phone_that_somebody_wants_back_in_time_stays(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let both = async |off: &Value, back: &Value| {
            fleet::operation::round(&app.app).await.unwrap();
            let (off, back) = (get(&clerk, off).await, get(&clerk, back).await);
            assert_eq!((&back["succeeded"], &back["running"], &off["running"]), (&json!(1), &json!(0), &json!(0)), "{off} {back}");
            let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
            assert_eq!((&seen["useType"], &seen["underWay"]), (&json!(1), &Value::Null), "{seen}");
            assert_eq!(roles(&app).await, [Role::Holds]);
        };
        let back = async || {
            let made = put_on(&clerk, &phones).await;
            fleet::operation::round(&app.app).await.unwrap();
            made["id"].clone()
        };
        // It waits in the queue.
        let off = take_off(&app, &clerk, phone).await;
        let asked = back().await;
        phones::saga_round(&app.app).await.unwrap();
        both(&off, &asked).await;

        // Nobody has begun with the next step.
        let off = take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        let asked = back().await;
        hand.does_instead(&app, "start").await;
        both(&off, &asked).await;

        // Whoever is at it is told to stop, and what he has done counts.
        let off = take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot").await;
        let copying = hand.step(&app).await;
        let asked = back().await;
        phones::saga_round(&app.app).await.unwrap();
        hand.hear("cancel").await;
        hand.tell(&copying, json!({ "end": "failed", "code": "interrupted", "reason": "it was called off", "effect": "neverBegan" })).await;
        hand.does(&app, "start").await;
        both(&off, &asked).await;
        assert_eq!(last(&app).await.state, BackupState::Failed);

        // At the last moment.
        let off = take_off(&app, &clerk, phone).await;
        is_copied(&app, &mut hand, "boot", 'a').await;
        hand.does(&app, "verify").await;
        let still = hand.step(&app).await;
        let asked = back().await;
        hand.tell(&still, json!({ "end": "succeeded" })).await;
        hand.does(&app, "start").await;
        both(&off, &asked).await;
        assert_eq!(row(&app, phone).await.kept_id, Some(last(&app).await.id), "the copy stays");

        // Too late: it is off, and comes back to its card.
        take_off(&app, &clerk, phone).await;
        goes_off(&app, &mut hand, "boot", 'b').await;
        back().await;
        hand.does(&app, "start").await;
        hand.does(&app, "health").await;
        assert_eq!(row(&app, phone).await.use_type, UseType::On);
    }

    async fn two_who_want_the_same_phone_back_get_it_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        take_off(&app, &clerk, phones[0]).await;
        hand.does(&app, "packages").await;
        let (one, two) = (put_on(&clerk, &phones).await, put_on(&clerk, &phones).await);
        fleet::operation::round(&app.app).await.unwrap();
        hand.does_instead(&app, "start").await;
        fleet::operation::round(&app.app).await.unwrap();
        let ended = [get(&clerk, &one["id"]).await, get(&clerk, &two["id"]).await];
        let sum = |field: &str| ended.iter().map(|told| told[field].as_i64().unwrap()).sum::<i64>();
        assert_eq!((sum("succeeded"), sum("failed") + sum("skipped"), sum("running")), (1, 1, 0), "{ended:?}");
    }
}
