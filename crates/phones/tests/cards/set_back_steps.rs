//! Phones that are set back to an older copy of their own, with a test that acts as the agent: off, they come with that when they are
//! wanted; on a card, they leave it with a fresh copy, and come back with the older one.

use entity::backup::{self, BackupState};
use entity::card::Occupancy;
use entity::operation_task::{TaskEffect, TaskStep};
use entity::phone::UseType;
use entity::saga::{SagaKind, SagaState};
use futures::future::join_all;
use phones::connect::Seen;
use phones::saga_round;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, put_on};

use super::by_rule::run;
use super::cleared::{profile, try_out};
use super::connect_steps::{application, connects};
use super::copied::{BACKUPS, copies};
use super::copy_steps::on;
use super::image_steps::made_with;
use super::lost_steps::{is_backed_up, nothing, stands};
use super::off_steps::{clearing, goes_off, is_copied, take_off};
use super::put_on::{card, row};
use super::shrunk_steps::of;

const DAY: i64 = 86_400;

/// Whether a copy is kept for fourteen days from now on.
fn is_safe(app: &TestApp, copy: &backup::Model) -> bool {
    let left = copy.safe_until.map(|until| until.seconds_since(app.app.clock.now()));
    left.is_some_and(|left| (14 * DAY - 600..=14 * DAY).contains(&left))
}

/// Asks that a phone is set back to this copy.
async fn set_back(app: &TestApp, clerk: &Caller<'_>, copy: &backup::Model) -> Value {
    let made = clerk.post(&format!("{BACKUPS}/{}/set-back", copy.id), json!({ "reason": "要昨天的" })).await.data();
    fleet::operation::round(&app.app).await.unwrap();
    made["id"].clone()
}

/// What is said to whoever asks that, where it cannot be.
async fn refused(clerk: &Caller<'_>, copy: &backup::Model) -> (u16, i64) {
    clerk.post(&format!("{BACKUPS}/{}/set-back", copy.id), json!({})).await.brief()
}

/// Why the only task of an operation did not succeed.
async fn why(app: &TestApp, clerk: &Caller<'_>, operation: &Value) -> Value {
    fleet::operation::round(&app.app).await.unwrap();
    clerk.get(&format!("{OPERATIONS}/{operation}/tasks?pageSize=9")).await.data()["list"][0]["code"].clone()
}

/// A hand, and a phone that is on its card and was copied before.
async fn here(app: &TestApp, clerk: &Caller<'_>) -> (Hand, i64) {
    let (mut hand, phones) = Box::pin(on(app, clerk, 1)).await;
    is_backed_up(app, &mut hand, clerk, phones[0]).await;
    (hand, phones[0])
}

/// The same; then it has left its card, with this id, and lives by a second copy.
async fn off(app: &TestApp, clerk: &Caller<'_>) -> (Hand, i64, i64) {
    let (mut hand, phone) = Box::pin(here(app, clerk)).await;
    let tried = profile(app, hand.cards[0]).await;
    try_out(clerk, tried).await;
    take_off(app, clerk, phone).await;
    let id = goes_off(app, &mut hand, "boot-1", 'b').await;
    assert_eq!(card(app, id).await.occupancy, Occupancy::Sealed);
    (hand, phone, id)
}

/// A hand, and a phone that was asked to be set back to its copy and has left its card for it; that copy, and the operation.
async fn has_left(app: &TestApp, clerk: &Caller<'_>) -> (Hand, i64, backup::Model, Value) {
    let (mut hand, phone) = Box::pin(here(app, clerk)).await;
    let older = copies(app).await.remove(0);
    let operation = set_back(app, clerk, &older).await;
    goes_off(app, &mut hand, "boot-1", 'b').await;
    (hand, phone, older, operation)
}

/// It comes on a card with this copy.
async fn comes_with(app: &TestApp, hand: &mut Hand, snapshot: char) {
    for kind in ["check", "claim", "apps"] {
        hand.does(app, kind).await;
    }
    let restore = hand.does(app, "restore").await;
    assert_eq!(restore["act"]["snapshot"], snapshot.to_string().repeat(64), "{restore}");
    hand.does(app, "boot").await;
    hand.does(app, "health").await;
}

db_test! {
    async fn a_phone_that_is_off_comes_with_the_copy_that_was_chosen(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(off(&app, &clerk)).await;
        let all = copies(&app).await;
        let (older, newer) = (&all[0], &all[1]);
        let limited = app.operator("limited", &["backup:list", "backup:apps", "phone:acceptCopy"]).await;
        assert_eq!(refused(&limited, older).await.1, 4003);
        assert_eq!(refused(&clerk, newer).await, (409, 4009), "it lives by that one");
        let hasty = clerk.post(&format!("{BACKUPS}/{}/set-back", older.id), json!({ "now": true })).await;
        assert_eq!(hasty.errors(), ["reason required"]);

        let operation = set_back(&app, &clerk, older).await;
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
        let after = row(&app, phone).await;
        assert_eq!((after.use_type, after.kept_id), (UseType::Off, Some(older.id)));
        let both = copies(&app).await;
        let (first, second) = (&both[0], &both[1]);
        assert_eq!((first.left_at, second.left_at.is_some(), second.state), (None, true, BackupState::Verified));
        assert!(is_safe(&app, second), "what it had is safe: {second:?}");
        let trail = app.audit_trail().await;
        for wanted in ["admin backup_set_back 0", "admin phone_went_back 0"] {
            assert!(trail.contains(&wanted.to_owned()), "{trail:?}");
        }
        // It does not come back to what is on the card that it has left.
        let wipe = hand.does(&app, "clear").await;
        assert_eq!((&wipe["card"], &wipe["act"]["bootId"]), (&json!(id), &json!("boot-1")), "{wipe}");
        hand.says(&app, "prove", "boot-2").await;
        hand.does(&app, "markClean").await;
        // Nor by itself to the newer copy, if somebody has that read back.
        clerk.post(&format!("{BACKUPS}/{}/verify", newer.id), json!({})).await.data();
        hand.does(&app, "verify").await;
        assert_eq!(row(&app, phone).await.kept_id, Some(older.id));

        put_on(&clerk, &[phone]).await;
        fleet::operation::round(&app.app).await.unwrap();
        comes_with(&app, &mut hand, 'a').await;
        let on = row(&app, phone).await;
        assert_eq!((on.use_type, on.kept_id), (UseType::On, Some(older.id)));
    }

    async fn what_it_was_set_back_from_can_be_chosen_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phone, _) = Box::pin(off(&app, &clerk)).await;
        let all = copies(&app).await;
        set_back(&app, &clerk, &all[0]).await;
        app.app.clock.advance_seconds(DAY);
        let clerk = clerk.again().await;
        set_back(&app, &clerk, &all[1]).await;
        assert_eq!(row(&app, phone).await.kept_id, Some(all[1].id));
        let both = copies(&app).await;
        let (first, second) = (&both[0], &both[1]);
        assert_eq!((first.left_at, second.left_at), (None, None), "it comes of that one");
        assert!(is_safe(&app, first), "{first:?}");
        let seen = clerk.get(&format!("{BACKUPS}/{}", all[1].id)).await.data();
        assert_eq!((&seen["isKept"], &seen["leftAt"]), (&json!(true), &Value::Null), "{seen}");
    }

    async fn a_phone_that_is_on_leaves_its_card_with_a_fresh_copy_and_comes_back_with_the_chosen_one(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone) = Box::pin(here(&app, &clerk)).await;
        let older = copies(&app).await.remove(0);
        let operation = set_back(&app, &clerk, &older).await;
        assert_eq!(stands(&clerk, phone).await.0, json!(SagaKind::TakeOff.code()));
        let told = clerk.get(&format!("{PHONES}/{phone}/sagas")).await.data();
        assert_eq!(told[0]["backToAt"], json!(older.began_at), "{told}");
        // Nobody takes it for one that somebody wants to stay.
        let again = clerk.post(&format!("{PHONES}/put-on"), json!({ "selection": { "ids": [phone] } })).await.data();
        assert_eq!(why(&app, &clerk, &again["id"]).await, "already_so");
        goes_off(&app, &mut hand, "boot-1", 'b').await;

        // All of it at once: whoever dies now finds it off, living by the older one, and on its way.
        let after = row(&app, phone).await;
        assert_eq!((after.use_type, after.kept_id), (UseType::Off, Some(older.id)));
        let (kind, state, _) = stands(&clerk, phone).await;
        assert_eq!((kind, state), (json!(SagaKind::PutOn.code()), json!(SagaState::Waiting.code())));
        let fresh = copies(&app).await.remove(1);
        assert_eq!((fresh.state, fresh.left_at.is_some()), (BackupState::Verified, true));
        assert!(is_safe(&app, &fresh), "{fresh:?}");
        assert_eq!((&get(&clerk, &operation).await["succeeded"], clearing(&app).await.code), (&json!(0), "no_profile".to_owned()));
        hand.goes(&app).await;
        saga_round(&app.app).await.unwrap();
        hand.comes_back(wire::PROTOCOL, &[]).await;
        comes_with(&app, &mut hand, 'a').await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
        assert_eq!(row(&app, phone).await.use_type, UseType::On);

        // Back to what it had: what it has become since is kept, too.
        let operation = set_back(&app, &clerk, &fresh).await;
        goes_off(&app, &mut hand, "boot-1", 'c').await;
        comes_with(&app, &mut hand, 'b').await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
        let left: Vec<bool> = copies(&app).await.iter().map(|copy| copy.left_at.is_some()).collect();
        assert_eq!((left, row(&app, phone).await.kept_id), (vec![false, false, true], Some(fresh.id)));
    }

    async fn a_phone_that_has_lost_most_of_what_it_had_is_set_back_without_a_question(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone) = Box::pin(here(&app, &clerk)).await;
        let older = copies(&app).await.remove(0);
        set_back(&app, &clerk, &older).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        hand.says(&app, "copy", &of('b', 1, 10)).await;
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        let after = row(&app, phone).await;
        assert_eq!((after.use_type, after.kept_id), (UseType::Off, Some(older.id)));
        let less = copies(&app).await.remove(1);
        assert!(less.is_shrunk && less.left_at.is_some() && is_safe(&app, &less), "{less:?}");
    }

    async fn an_operation_that_expires_in_the_middle_leaves_no_phone_off(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, _, operation) = Box::pin(has_left(&app, &clerk)).await;
        run(&app, &format!("UPDATE operation SET expires_at = 0 WHERE id = {operation}")).await;
        saga_round(&app.app).await.unwrap();
        comes_with(&app, &mut hand, 'a').await;
        assert_eq!(row(&app, phone).await.use_type, UseType::On);
    }

    async fn who_asked_is_not_told_that_nothing_was_done_if_it_was_set_back_and_does_not_come(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phone, older, operation) = Box::pin(has_left(&app, &clerk)).await;
        clerk.post(&format!("{OPERATIONS}/{operation}/cancel"), json!({})).await.data();
        saga_round(&app.app).await.unwrap();
        fleet::operation::round(&app.app).await.unwrap();
        let task = clerk.get(&format!("{OPERATIONS}/{operation}/tasks?pageSize=9")).await.data()["list"][0].clone();
        assert_eq!((&task["state"], &task["effect"]), (&json!(TaskStep::Cancelled.code()), &json!(TaskEffect::Proved.code())), "{task}");
        assert_eq!(row(&app, phone).await.kept_id, Some(older.id));
    }

    async fn of_two_who_ask_at_once_one_is_served(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone) = Box::pin(here(&app, &clerk)).await;
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let all = copies(&app).await;
        let ask = async |copy: &backup::Model| {
            clerk.post(&format!("{BACKUPS}/{}/set-back", copy.id), json!({})).await
        };
        let mut served = Vec::new();
        for (copy, answer) in all.iter().zip(join_all(all.iter().map(ask)).await) {
            // Whoever comes second sees that at once, or in his task.
            if answer.brief() != (409, 4009) && why(&app, &clerk, &answer.data()["id"]).await != "phone_under_way" {
                served.push(copy.id);
            }
        }
        let [chosen] = served[..] else { panic!("{served:?}") };
        assert_eq!(refused(&clerk, &all[1]).await, (409, 4009), "it is under way by now");
        goes_off(&app, &mut hand, "boot-1", 'b').await;
        assert_eq!(row(&app, phone).await.kept_id, Some(chosen));
    }

    async fn a_phone_stays_where_it_is_if_the_chosen_copy_is_damaged_meanwhile(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone) = Box::pin(here(&app, &clerk)).await;
        let older = copies(&app).await.remove(0);
        let harm = async |damage: &str| {
            run(&app, &format!("UPDATE backup SET damage = '{damage}' WHERE id = {}", older.id)).await;
        };
        // Before anything was done.
        let operation = set_back(&app, &clerk, &older).await;
        harm("a pack is gone").await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(why(&app, &clerk, &operation).await, "copy_unfit");
        assert_eq!((stands(&clerk, phone).await, copies(&app).await.len()), (nothing(), 1), "nothing has moved");
        assert_eq!(refused(&clerk, &older).await, (409, 4009));
        // In the middle of it.
        harm("").await;
        let operation = set_back(&app, &clerk, &older).await;
        is_copied(&app, &mut hand, "boot-1", 'b').await;
        harm("a pack is gone").await;
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        hand.does(&app, "start").await;
        assert_eq!(why(&app, &clerk, &operation).await, "copy_unfit");
        let after = row(&app, phone).await;
        let fresh = copies(&app).await.remove(1);
        assert_eq!((after.use_type, after.kept_id, fresh.left_at), (UseType::On, Some(fresh.id), None));
        assert_eq!(stands(&clerk, phone).await, nothing());
    }

    async fn nothing_moves_where_no_card_runs_the_image_of_the_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phone) = Box::pin(here(&app, &clerk)).await;
        let older = copies(&app).await.remove(0);
        made_with(&app, "a/third/image").await;
        assert_eq!(refused(&clerk, &older).await, (409, 4009));
        // The image goes between the question and its turn.
        made_with(&app, "an/image").await;
        let operation = set_back(&app, &clerk, &older).await;
        made_with(&app, "a/third/image").await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(why(&app, &clerk, &operation).await, "image_gone");
        assert_eq!((stands(&clerk, phone).await, row(&app, phone).await.use_type), (nothing(), UseType::On));
    }

    async fn what_is_on_the_last_card_alone_is_not_given_up_for_an_older_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phone, id) = Box::pin(off(&app, &clerk)).await;
        let all = copies(&app).await;
        run(&app, &format!("UPDATE backup SET damage = 'a pack is gone' WHERE id = {}", all[1].id)).await;
        assert_eq!(refused(&clerk, &all[0]).await, (409, 4009));
        assert_eq!((row(&app, phone).await.kept_id, card(&app, id).await.occupancy), (Some(all[1].id), Occupancy::Sealed));
    }

    async fn whoever_connects_meanwhile_waits_and_does_not_turn_it_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone) = Box::pin(here(&app, &clerk)).await;
        let by = application(&clerk).await;
        let older = copies(&app).await.remove(0);
        let operation = set_back(&app, &clerk, &older).await;
        let seen = connects(&app, by, phone).await.0;
        assert!(matches!(seen, Seen::Coming { .. }), "{seen:?}");
        goes_off(&app, &mut hand, "boot-1", 'b').await;
        let seen = connects(&app, by, phone).await.0;
        assert!(matches!(seen, Seen::Queued { .. }), "{seen:?}");
        comes_with(&app, &mut hand, 'a').await;
        assert!(matches!(connects(&app, by, phone).await.0, Seen::Ready(_)));
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
    }
}
