//! What phones have left on cards in quarantine, and what may be in no copy, with a test that acts as the agent.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use entity::GroupId;
use entity::card::Occupancy;
use entity::saga::SagaState;
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, put_on};

use super::back_steps::left;
use super::lost_steps::{ask, quarantined};
use super::off_steps::clearing;
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

/// A phone has left a card, on which its apps have run since; the card.
async fn ran(app: &TestApp, clerk: &testapp::Caller<'_>) -> (Hand, i64, i64) {
    let (mut hand, phone, id) = Box::pin(left(app, clerk)).await;
    put_on(clerk, &[phone]).await;
    fleet::operation::round(&app.app).await.unwrap();
    hand.fails(app, "start", "apps_ran", "neverBegan").await;
    for kind in ["check", "claim", "apps", "restore", "boot", "health"] {
        assert_ne!(hand.does(app, kind).await["card"], id);
    }
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

    async fn what_may_be_in_no_copy_does_not_go_on_by_the_word_of_one(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, _, id) = Box::pin(ran(&app, &clerk)).await;
        let retry = format!("/api/phone/v1/sagas/{}/retry", clearing(&app).await.id);
        assert_eq!(clerk.post(&retry, json!({})).await.http, 409, "nobody wipes it alone");
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!((clearing(&app).await.state, quarantined(&app).await[0]), (SagaState::Held, true));
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Wiping);
    }
}
