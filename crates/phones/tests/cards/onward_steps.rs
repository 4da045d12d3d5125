//! What waits of many phones until a person says so goes on by one operation, with a test that acts as the agent.

use entity::saga::{self, SagaKind, SagaState};
use phones::pass;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::OPERATIONS;
use testroom::phone::PHONES;

use super::cleared::{give_up, profile, try_out};
use super::copy_steps::on;
use super::lost_steps::{is_backed_up, quarantined};
use super::off_steps::{clearing, take_off};
use super::quarantine_steps::{ran, says_whose};
use super::shrunk_steps::of;

/// The newest take-off of a phone.
pub async fn leaves(app: &TestApp, phone: i64) -> saga::Model {
    let its = saga::Entity::find().filter(saga::Column::PhoneId.eq(phone));
    let its = its.filter(saga::Column::Kind.eq(SagaKind::TakeOff)).order_by_desc(saga::Column::Id);
    its.one(app.app.db.read()).await.unwrap().unwrap()
}

/// Somebody lets everything go on that waits; the operation.
async fn all_go_on(clerk: &Caller<'_>, accept_shrunk: bool) -> Value {
    let body =
        json!({ "selection": { "filter": { "held": true } }, "acceptShrunk": accept_shrunk, "reason": "已查看" });
    clerk.post(&format!("{PHONES}/go-on"), body).await.data()
}

fn codes(groups: &Value) -> Vec<&str> {
    groups.as_array().unwrap().iter().map(|group| group["code"].as_str().unwrap()).collect()
}

db_test! {
    async fn each_goes_on_by_the_right_that_its_own_act_needs(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 3)).await;
        let (locked, less, other) = (phones[0], phones[1], phones[2]);
        is_backed_up(&app, &mut hand, &clerk, less).await;
        take_off(&app, &clerk, less).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-2").await;
        hand.says(&app, "copy", &of('b', 3, 1_999)).await;
        hand.does(&app, "start").await;
        take_off(&app, &clerk, locked).await;
        hand.fails(&app, "packages", "locked", "neverBegan").await;
        for (phone, code) in [(less, "shrunk"), (locked, "locked")] {
            let saga = leaves(&app, phone).await;
            assert_eq!((saga.state, &*saga.code), (SagaState::Held, code));
        }

        // Whatever he says that he may.
        let narrow = app.operator("narrow", &["phone:list", "phone:retry"]).await;
        let act = json!({ "kind": "goOn", "acceptShrunk": true, "takeOff": true });
        let body = json!({ "selection": { "filter": { "held": true } }, "act": act });
        let judged = narrow.post(&format!("{PHONES}/preview"), body).await.data();
        assert_eq!((&judged["total"], &judged["willRun"]), (&json!(2), &json!(0)), "{judged}");
        assert_eq!(codes(&judged["leftOut"]), ["needs_right", "shrunk"]);
        let body = json!({ "selection": { "ids": [less] }, "acceptShrunk": true });
        assert_eq!(clerk.post(&format!("{PHONES}/go-on"), body.clone()).await.errors(), ["reason required"]);
        let body = json!({ "selection": { "ids": [less] }, "acceptShrunk": true, "reason": "已查看" });
        assert_eq!(narrow.post(&format!("{PHONES}/go-on"), body).await.status(), 4003);
        assert_eq!(all_go_on(&narrow, false).await["skipped"], 2);
        assert_eq!((leaves(&app, less).await.state, leaves(&app, locked).await.state), (SagaState::Held, SagaState::Held));

        let leaver = app.operator("leaver", &["phone:list", "phone:retry", "phone:takeOff", "operation:control"]).await;
        let made = all_go_on(&leaver, false).await;
        assert_eq!((&made["succeeded"], &made["skipped"]), (&json!(1), &json!(1)), "{made}");
        assert_eq!(codes(&made["reasons"]), ["shrunk"], "nobody has accepted that");
        hand.fails(&app, "packages", "locked", "neverBegan").await;
        assert_eq!(leaves(&app, locked).await.state, SagaState::Held);

        let made = all_go_on(&clerk, true).await;
        assert_eq!((&made["total"], &made["succeeded"]), (&json!(2), &json!(2)), "{made}");
        let (less, locked) = (leaves(&app, less).await, leaves(&app, locked).await);
        assert!(less.state != SagaState::Held && locked.state != SagaState::Held, "{less:?} {locked:?}");
        assert!(less.is_accepted && !locked.is_accepted);
        assert!(app.audit_trail().await.iter().any(|line| line.contains("phone_gone_on")));
        let body = json!({ "selection": { "ids": [other] } });
        let made = clerk.post(&format!("{PHONES}/go-on"), body).await.data();
        assert_eq!(codes(&made["reasons"]), ["nothing_held"], "{made}");

        // Whoever lets it go on has what it uses.
        let made = all_go_on(&clerk, true).await;
        let retry = format!("{OPERATIONS}/{}/retry", made["id"]);
        assert_eq!(leaver.post(&retry, json!({})).await.status(), 4003);
        assert_eq!(clerk.post(&retry, json!({})).await.status(), 4009, "there is nothing to retry");
    }

    async fn what_is_in_quarantine_is_copied_at_once_and_not_wiped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(ran(&app, &clerk)).await;
        says_whose(&app).await;
        hand.does(&app, "start").await;
        hand.fails(&app, "packages", "not_covered", "neverBegan").await;
        phones::saga_round(&app.app).await.unwrap();
        let held = clearing(&app).await;
        assert_eq!((held.state, &*held.code, held.phone_id.0), (SagaState::Held, "not_covered", phone));
        assert!(held.retry_at.is_some_and(|at| at > app.app.clock.now()), "it would wait");
        let retrier = app.operator("retrier", &["phone:list", "phone:retry"]).await;
        assert_eq!(all_go_on(&retrier, false).await["succeeded"], 1);
        assert_eq!(hand.does(&app, "start").await["card"], id);
        assert!(quarantined(&app).await[0]);
    }

    async fn many_are_wiped_only_after_a_profile_that_was_tried(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 1).await;
        hand.is_put_on(&app).await;
        give_up(&app, &clerk, id).await;
        pass(&app.app).await.unwrap();
        assert_eq!((clearing(&app).await.state, &*clearing(&app).await.code), (SagaState::Held, "no_profile"));
        let untried = profile(&app, hand.cards[0]).await;
        let made = all_go_on(&clerk, false).await;
        assert_eq!(codes(&made["reasons"]), ["no_profile"], "{made}");
        assert_eq!(clearing(&app).await.state, SagaState::Held);
        try_out(&clerk, untried).await;
        assert_eq!(all_go_on(&clerk, false).await["succeeded"], 1);
        hand.does(&app, "clear").await;
    }
}
