//! What phones have left on cards in quarantine, and what may be in no copy, with a test that acts as the agent.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use entity::backup::{self, BackupState};
use entity::card::Occupancy;
use entity::phone::UseType;
use entity::saga::{self, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{BackupId, GroupId};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, put_on};

use super::back_steps::left;
use super::by_rule::run;
use super::cleared::{give_up, profile, try_out};
use super::copy_steps::{last, made, on};
use super::lost_steps::{PACE, ask, is_backed_up, is_found, lose, quarantined};
use super::off_steps::{clearing, goes_off, is_copied, take_off};
use super::put_on::{card, row};

/// Two operators say that nobody needs what a phone has left: it is wiped without a copy. The operation.
pub async fn wipe_left(app: &TestApp, group: GroupId, phone: i64) -> Value {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let pair = NEXT.fetch_add(1, Relaxed);
    let first = app.signed_in(&format!("says{pair}"), group).await;
    let (operation, _) = ask(&first, "wipe-left", json!({ "reason": "nobody needs it" }), phone).await;
    let second = app.signed_in(&format!("agrees{pair}"), group).await;
    second.post(&format!("{OPERATIONS}/{operation}/approve"), json!({ "approved": true })).await.data();
    fleet::operation::round(&app.app).await.unwrap();
    operation
}

/// The cards that phones have left, and that are not wiped yet, say whose they are.
pub async fn says_whose(app: &TestApp) {
    let mark = "UPDATE card SET mark = (SELECT p.phone_id || '.' || p.id FROM placement p WHERE p.card_id = card.id AND p.role = 3) \
        WHERE id IN (SELECT card_id FROM placement WHERE role = 3)";
    run(app, mark).await;
}

/// No card carries a mark.
pub async fn says_nothing(app: &TestApp) {
    run(app, "UPDATE card SET mark = '-'").await;
}

/// What is on the card is copied, up to the last look; that one is still to come.
async fn is_salvaged(app: &TestApp, hand: &mut Hand, boot: &str, snapshot: char) {
    hand.does(app, "start").await;
    is_copied(app, hand, boot, snapshot).await;
    hand.does(app, "verify").await;
}

async fn copy(app: &TestApp, id: BackupId) -> backup::Model {
    backup::Entity::find_by_id(id).one(app.app.db.read()).await.unwrap().unwrap()
}

/// How the clearing stands, and why.
async fn stands(app: &TestApp) -> (SagaState, String) {
    let saga = clearing(app).await;
    (saga.state, saga.code)
}

/// A phone has left a card, on which its apps have run since; the card.
pub async fn ran(app: &TestApp, clerk: &Caller<'_>) -> (Hand, i64, i64) {
    let (mut hand, phone, id) = Box::pin(left(app, clerk)).await;
    put_on(clerk, &[phone]).await;
    fleet::operation::round(&app.app).await.unwrap();
    hand.fails(app, "start", "apps_ran", "neverBegan").await;
    assert_ne!(hand.comes_with_copy(app).await, id);
    (hand, phone, id)
}

db_test! {
    async fn what_is_in_no_copy_is_wiped_by_the_word_of_two_alone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let group = clerk.group.unwrap();
        let (mut hand, phone, id) = Box::pin(ran(&app, &clerk)).await;

        // One says so and gives a reason: that waits for another one, who has the right to it.
        let first = app.signed_in("first", group).await;
        let body = json!({ "selection": { "ids": [phone] }, "reason": "" });
        assert!(first.post(&format!("{PHONES}/wipe-left"), body).await.errors()[0].starts_with("reason"));
        let body = json!({ "selection": { "ids": [phone] }, "act": { "kind": "wipeLeft" } });
        let judged = first.post(&format!("{PHONES}/preview"), body).await.data();
        assert_eq!((&judged["willRun"], &judged["needsApproval"]), (&json!(1), &json!(true)), "{judged}");
        let limited = app.operator("limited", &["phone:list", "phone:retry", "phone:giveUp"]).await;
        let body = json!({ "selection": { "ids": [phone] }, "reason": "x" });
        assert_eq!(limited.post(&format!("{PHONES}/wipe-left"), body).await.status(), 4003);
        let (operation, _) = ask(&first, "wipe-left", json!({ "reason": "x" }), phone).await;
        assert_eq!(get(&first, &operation).await["state"], 2, "one alone does not");
        let approve = format!("{OPERATIONS}/{operation}/approve");
        assert_eq!(first.post(&approve, json!({ "approved": true })).await.http, 409, "nor his own word twice");
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!((clearing(&app).await.state, &*clearing(&app).await.code), (SagaState::Held, "apps_ran"));
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Wiping);

        let operation = wipe_left(&app, group, phone).await;
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
        let trail = app.audit_trail().await;
        assert!(trail.iter().any(|line| line.contains("phone_left_wiped")), "{trail:?}");
        let wipe = hand.does(&app, "clear").await;
        assert_eq!((&wipe["card"], &wipe["act"]["bootId"]), (&json!(id), &Value::Null), "{wipe}");
        hand.says(&app, "prove", "boot-9").await;
        hand.does(&app, "markClean").await;
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Free);
        assert!(row(&app, phone).await.holds_id.is_some(), "the phone goes on where it is");

        // There is nothing any more of which anybody could say so.
        let again = app.signed_in("again", group).await;
        assert_eq!(ask(&again, "wipe-left", json!({ "reason": "x" }), phone).await.1, "nothing_left");
    }

    async fn a_card_that_does_not_say_whose_it_is_is_neither_copied_nor_wiped_whoever_asks(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _, id) = Box::pin(ran(&app, &clerk)).await;
        let held = clearing(&app).await;
        assert!(held.retry_at.is_some(), "it is tried by itself");
        for seconds in [0, 3_600] {
            app.app.clock.advance_seconds(seconds);
            phones::saga_round(&app.app).await.unwrap();
            assert_eq!(stands(&app).await, (SagaState::Held, "apps_ran".to_owned()));
        }
        // One alone has it copied, once it says so; he does not have it wiped.
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        clerk.post(&format!("/api/phone/v1/sagas/{}/retry", held.id), json!({})).await.data();
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!((stands(&app).await.0, quarantined(&app).await[0]), (SagaState::Held, true));
        // It carries the mark of another stay.
        run(&app, &format!("UPDATE card SET mark = '999.999' WHERE id = {id}")).await;
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&app).await.0, SagaState::Held);
        is_found(&mut hand, id, false).await;
        says_whose(&app).await;
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&app).await.0, SagaState::Held, "it does not answer");
        is_found(&mut hand, id, true).await;
        assert_eq!(hand.does(&app, "start").await["card"], id);
    }

    async fn what_apps_wrote_is_in_a_further_copy_before_it_is_wiped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(ran(&app, &clerk)).await;
        let before = row(&app, phone).await;
        says_whose(&app).await;
        let start = hand.does(&app, "start").await;
        assert_eq!((&start["card"], &start["act"]["bootId"]), (&json!(id), &Value::Null), "{start}");
        assert_eq!(clearing(&app).await.state, SagaState::Running);
        is_copied(&app, &mut hand, "boot-7", 'b').await;
        hand.does(&app, "verify").await;
        assert!(quarantined(&app).await[0], "not before it was seen to be still");
        let still = hand.does(&app, "still").await;
        assert_eq!((&still["act"]["bootId"], &still["act"]["listing"]), (&json!("boot-7"), &json!("d".repeat(64))), "{still}");

        // The phone goes on where it is, and lives by what it lived by.
        let further = last(&app).await;
        assert_eq!((further.state, further.is_salvaged, further.card_id.0), (BackupState::Verified, true, id));
        let seconds = further.safe_until.unwrap().seconds_since(app.app.clock.now());
        assert!((13 * 86_400..=14 * 86_400).contains(&seconds), "{seconds}");
        let after = row(&app, phone).await;
        assert_eq!((after.use_type, after.holds_id), (UseType::On, before.holds_id));
        assert_eq!((after.kept_id, after.last_backup_at, after.used_bytes), (before.kept_id, before.last_backup_at, before.used_bytes));
        let seen = clerk.get(&format!("/api/storage/v1/backups/{}", further.id)).await.data();
        assert_eq!((&seen["isSalvaged"], &seen["isKept"]), (&json!(true), &json!(false)), "{seen}");
        // Somebody reads it back later: that changes nothing.
        clerk.post(&format!("/api/storage/v1/backups/{}/verify", further.id), json!({})).await.data();
        let mut kinds = Vec::new();
        for _ in 0..2 {
            let step = hand.step(&app).await;
            if step["act"]["kind"] == "clear" {
                assert_eq!((&step["card"], &step["act"]["bootId"]), (&json!(id), &json!("boot-7")), "{step}");
            }
            kinds.push(step["act"]["kind"].as_str().unwrap().to_owned());
            hand.tell(&step, json!({ "end": "succeeded" })).await;
        }
        kinds.sort();
        assert_eq!(kinds, ["clear", "verify"]);
        assert_eq!(row(&app, phone).await.kept_id, before.kept_id);
        hand.says(&app, "prove", "boot-8").await;
        hand.does(&app, "markClean").await;
        assert_eq!((card(&app, id).await.occupancy, quarantined(&app).await[0]), (Occupancy::Free, false));
        let trail = app.audit_trail().await;
        assert!(trail.iter().any(|line| line.contains("phone_left_copied")), "{trail:?}");
        // The next copy of the phone is not compared with it.
        take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-9").await;
        let order = hand.step(&app).await;
        assert_eq!(order["act"]["parent"], "a".repeat(64), "{order}");
    }

    async fn a_card_that_restarts_is_copied_once_more_also_after_its_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _, _) = Box::pin(ran(&app, &clerk)).await;
        says_whose(&app).await;
        hand.does(&app, "start").await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-7").await;
        hand.fails(&app, "copy", "interrupted", "neverBegan").await;
        let first = last(&app).await.id;
        is_salvaged(&app, &mut hand, "boot-8", 'b').await;
        assert_eq!(last(&app).await.id, first, "nothing was made of the first try");
        hand.fails(&app, "still", "interrupted", "neverBegan").await;
        is_salvaged(&app, &mut hand, "boot-9", 'c').await;
        hand.does(&app, "still").await;
        hand.fails(&app, "clear", "apps_ran", "neverBegan").await;
        assert_eq!((stands(&app).await, quarantined(&app).await[0]), ((SagaState::Held, "apps_ran".to_owned()), true));
        app.app.clock.advance_seconds(61);
        is_salvaged(&app, &mut hand, "boot-10", 'f').await;
        hand.does(&app, "still").await;
        let wipe = hand.does(&app, "clear").await;
        assert_eq!(wipe["act"]["bootId"], "boot-10", "{wipe}");
        let copies = backup::Entity::find().filter(backup::Column::IsSalvaged.eq(true)).all(app.app.db.read()).await.unwrap();
        assert!(copies.len() == 3 && copies.iter().all(|copy| copy.state == BackupState::Verified), "{copies:?}");
    }

    async fn it_gives_way_to_what_is_copied_of_the_phone_itself(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(ran(&app, &clerk)).await;
        says_whose(&app).await;
        hand.does(&app, "start").await;
        let packages = hand.step(&app).await;
        assert_eq!((&packages["act"]["kind"], &packages["card"]), (&json!("packages"), &json!(id)));
        take_off(&app, &clerk, phone).await;
        phones::saga_round(&app.app).await.unwrap();
        hand.hear("cancel").await;
        assert_eq!(stands(&app).await, (SagaState::Held, "preempted".to_owned()));
        // What it says after all counts for nothing.
        hand.tell(&packages, json!({ "end": "succeeded" })).await;
        assert_eq!(stands(&app).await, (SagaState::Held, "preempted".to_owned()));
        let failed = clearing(&app).await.backup_id.unwrap();
        assert_eq!(copy(&app, failed).await.state, BackupState::Failed);
        let next = hand.does(&app, "packages").await;
        assert_ne!(next["card"], id, "{next}");
        hand.says(&app, "stop", "boot-1").await;
        app.app.clock.advance_seconds(301);
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&app).await.0, SagaState::Held, "in a repository one copy at a time is made");
        hand.says(&app, "copy", &made('b')).await;
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        assert_eq!(row(&app, phone).await.use_type, UseType::Off);
        assert_eq!(hand.does(&app, "start").await["card"], id, "then it goes on by itself");
    }

    async fn a_card_that_was_lost_is_copied_at_a_persons_word_and_stopped_again_if_that_fails(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        let id = lose(&app, &mut hand, &clerk, phone).await;
        ask(&clerk, "accept-copy", json!({ "answeredFor": true, "reason": "x" }), phone).await;
        hand.comes_with_copy(&app).await;
        says_whose(&app).await;
        is_found(&mut hand, id, true).await;
        app.app.clock.advance_seconds(PACE);
        hand.does(&app, "halt").await;
        let lost = (SagaState::Held, "card_was_lost".to_owned());
        app.app.clock.advance_seconds(3_600);
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&app).await, lost, "its phone runs elsewhere: nobody starts it by himself");

        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        let retry = format!("/api/phone/v1/sagas/{}/retry", clearing(&app).await.id);
        clerk.post(&retry, json!({})).await.data();
        hand.does(&app, "start").await;
        hand.fails(&app, "packages", "not_covered", "neverBegan").await;
        assert_eq!(hand.does(&app, "halt").await["card"], id);
        assert_eq!((stands(&app).await, clearing(&app).await.retry_at), (lost, None));
        clerk.post(&retry, json!({})).await.data();
        is_salvaged(&app, &mut hand, "boot-7", 'b').await;
        hand.does(&app, "still").await;
        let wipe = hand.does(&app, "clear").await;
        assert_eq!((&wipe["card"], &wipe["act"]["bootId"]), (&json!(id), &json!("boot-7")), "{wipe}");
        assert!(last(&app).await.is_salvaged);
    }

    async fn a_lost_card_is_stopped_before_it_is_copied_whoever_has_said_so_meanwhile(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let id = lose(&app, &mut hand, &clerk, phone).await;
        ask(&clerk, "accept-copy", json!({ "answeredFor": true, "reason": "x" }), phone).await;
        hand.comes_with_copy(&app).await;
        says_whose(&app).await;
        let away = (SagaState::Held, "card_away".to_owned());
        assert_eq!(stands(&app).await, away);
        let retry = format!("/api/phone/v1/sagas/{}/retry", clearing(&app).await.id);
        clerk.post(&retry, json!({})).await.data();
        is_found(&mut hand, id, true).await;
        // Nobody has looked yet which lost cards are back.
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&app).await, away, "it may run, and its phone runs elsewhere");
        app.app.clock.advance_seconds(PACE);
        assert_eq!(hand.does(&app, "halt").await["card"], id);
        assert_eq!(hand.does(&app, "start").await["card"], id, "then as was said");
    }

    async fn what_an_erased_phone_has_left_in_quarantine_is_wiped_without_a_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(ran(&app, &clerk)).await;
        says_whose(&app).await;
        hand.does(&app, "start").await;
        hand.fails(&app, "packages", "not_covered", "neverBegan").await;
        let held = clearing(&app).await;
        assert_eq!((held.state, held.backup_id.is_some()), (SagaState::Held, true), "a copy was begun");
        take_off(&app, &clerk, phone).await;
        goes_off(&app, &mut hand, "boot-9", 'b').await;
        give_up(&app, &clerk, phone).await;
        // What waits there keeps nobody from erasing it.
        assert_eq!(phones::pass(&app.app).await.unwrap().erased, 1);
        let mut wipes = Vec::new();
        for _ in 0..2 {
            wipes.push(hand.does(&app, "clear").await);
        }
        let left = wipes.iter().find(|wipe| wipe["card"] == id).unwrap();
        assert_eq!(left["act"]["bootId"], Value::Null, "{left}");
        assert!(!quarantined(&app).await[0]);
    }

    async fn many_cards_go_on_by_themselves_a_few_at_a_time(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 6)).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        for (phone, snapshot) in phones.iter().zip('1'..) {
            take_off(&app, &clerk, *phone).await;
            goes_off(&app, &mut hand, "boot-1", snapshot).await;
            phones::saga_round(&app.app).await.unwrap();
        }
        // They have restarted, and are needed one after the other.
        says_whose(&app).await;
        hand.keep(&clerk, 1).await;
        let mut begun = Vec::new();
        for _ in 0..10 {
            let step = hand.step(&app).await;
            match step["act"]["kind"].as_str().unwrap() {
                "clear" => {
                    let why = json!({ "end": "failed", "code": "apps_ran", "reason": "as the test says", "effect": "neverBegan" });
                    hand.tell(&step, why).await;
                }
                "start" => begun.push(step),
                other => panic!("{other}: {step}"),
            }
        }
        let count = async |which: SagaState| {
            let all = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::Clear)).all(app.app.db.read()).await.unwrap();
            all.iter().filter(|saga| saga.state == which).count()
        };
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!((begun.len(), count(SagaState::Running).await, count(SagaState::Held).await), (4, 4, 2));
        // One that does not go makes room for the next, and comes after those that were not tried yet.
        let why = json!({ "end": "failed", "code": "not_ours", "reason": "as the test says", "effect": "neverBegan" });
        hand.tell(&begun[0], why).await;
        app.app.clock.advance_seconds(301);
        let next = hand.step(&app).await;
        assert_eq!(next["act"]["kind"], "start", "{next}");
        assert!(begun.iter().all(|step| step["card"] != next["card"]), "{next}");
        let waits = clearing_at(&app, StepName::Wipe).await;
        assert_eq!(waits.len(), 2, "{waits:?}");
    }
}

/// The clearings that are held before this step.
async fn clearing_at(app: &TestApp, step: StepName) -> Vec<saga::Model> {
    let all = saga::Entity::find().filter(saga::Column::State.eq(SagaState::Held)).filter(saga::Column::Step.eq(step));
    all.all(app.app.db.read()).await.unwrap()
}
