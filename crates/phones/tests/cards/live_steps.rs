//! The first copy of a phone, with a test that acts as the agent: it begins by itself after an hour, the phone goes on
//! whatever becomes of it, and nothing is wiped by its word.

use axum::body::Body;
use base::owned::Owned;
use entity::PhoneId;
use entity::backup::BackupState;
use entity::card::Occupancy;
use entity::phone::UseType;
use entity::saga::{self, SagaKind, SagaState};
use http::Method;
use sea_orm::{ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::room::{hear, say};

use super::copy_steps::{back_up, last, made, on};
use super::off_steps::take_off;
use super::put_on::{card, row, walked};

const PHONES: &str = "/api/phone/v1/phones";
const HOUR: i64 = 3_600;

/// A hand with phones that are on its cards for a moment, as those say themselves.
pub async fn marked(app: &TestApp, clerk: &Caller<'_>, count: i64) -> (Hand, Vec<i64>) {
    let found = Box::pin(on(app, clerk, count)).await;
    let mark = "UPDATE card SET mark = (SELECT p.phone_id || '.' || p.id FROM placement p WHERE p.card_id = card.id AND p.role = 2) \
        WHERE id IN (SELECT card_id FROM placement WHERE role = 2)";
    let tx = app.app.db.begin_write().await.unwrap();
    tx.execute_unprepared(mark).await.unwrap();
    tx.commit().await.unwrap();
    found
}

/// The next look at who has no copy, so many seconds later.
pub async fn later(app: &TestApp, seconds: i64) {
    app.app.clock.advance_seconds(seconds);
    phones::saga_round(&app.app).await.unwrap();
}

/// The copies that were begun of phones that were not to leave their cards, oldest first.
pub async fn begun(app: &TestApp) -> Vec<saga::Model> {
    let select = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::BackUp));
    select.order_by_asc(saga::Column::Id).all(app.app.db.read()).await.unwrap()
}

/// Those that are not over.
async fn open(app: &TestApp) -> usize {
    begun(app).await.iter().filter(|saga| !saga.state.is_over()).count()
}

/// The step is done, and prints something.
pub async fn is_done(hand: &mut Hand, step: &Value, output: &str) {
    let result = json!({ "book": "phone", "task": step["task"], "attempt": 1, "outcome": { "end": "succeeded" },
        "output": output });
    say(&mut hand.socket, &json!({ "type": "results", "results": [result] })).await;
    hand.hear("kept").await;
}

/// The phone is on its card, and nothing is done to it.
async fn goes_on(app: &TestApp, clerk: &Caller<'_>, phone: i64) {
    let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
    assert_eq!((&seen["useType"], &seen["underWay"]), (&json!(1), &Value::Null), "{seen}");
    assert_eq!(card(app, seen["card"]["id"].as_i64().unwrap()).await.occupancy, Occupancy::InUse);
}

async fn without_copy(clerk: &Caller<'_>) -> Value {
    clerk.get(&format!("{PHONES}?noBackup=true")).await.data()["total"].clone()
}

db_test! {
    async fn a_phone_is_copied_after_an_hour_while_it_goes_on_and_leaves_its_card_by_another_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 1)).await;
        let phone = phones[0];
        assert_eq!(without_copy(&clerk).await, 1);
        later(&app, HOUR - 120).await;
        assert!(begun(&app).await.is_empty(), "not before an hour");

        app.app.clock.advance_seconds(121);
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        let packages = hand.step(&app).await;
        assert_eq!(packages["act"]["kind"], "packages", "{packages}");
        let there = card(&app, packages["card"].as_i64().unwrap()).await;
        assert_eq!(there.occupancy, Occupancy::InUse);
        later(&app, 60).await;
        assert_eq!(begun(&app).await.len(), 1, "once");
        assert_eq!(clerk.get(&format!("{PHONES}/{phone}")).await.data()["underWay"]["kind"], 2);
        is_done(&mut hand, &packages, "of these").await;

        // It is not stopped.
        let copy = hand.step(&app).await;
        let act = &copy["act"];
        assert_eq!((&act["kind"], &act["live"], &act["bootId"]), (&json!("copy"), &json!(true), &json!("")), "{copy}");
        assert_eq!(card(&app, there.id.0).await.occupancy, Occupancy::InUse);
        let manifest = json!({ "version": 1, "packages": [], "isLive": true, "changed": ["media/0/a\u{7}.db"], "changedInAll": 7 });
        let paper = json!({ "manifest": manifest, "packs": ["a".repeat(64)] });
        let agent = app.anybody().token(format!("Bearer {}", hand.identity.credential));
        let path = format!("/agent/v1/tasks/phone/{}/1/paper", copy["task"]);
        assert_eq!(agent.send(Method::PUT, &path, "application/json", Body::from(paper.to_string())).await.http, 204);
        let mut told: Value = serde_json::from_str(&made('a')).unwrap();
        told["still"] = json!("");
        is_done(&mut hand, &copy, &told.to_string()).await;
        hand.does(&app, "verify").await;
        goes_on(&app, &clerk, phone).await;
        let live = last(&app).await;
        assert_eq!((live.state, live.is_live, row(&app, phone).await.kept_id), (BackupState::Verified, true, None));
        assert_eq!(begun(&app).await[0].state, SagaState::Done);
        let seen = clerk.get(&format!("/api/storage/v1/backups/{}", live.id)).await.data();
        assert_eq!((&seen["isLive"], &seen["isKept"]), (&json!(true), &json!(false)), "{seen}");
        let manifest = &seen["manifest"];
        assert_eq!((&manifest["changed"], &manifest["changedInAll"]), (&json!(["media/0/a.db"]), &json!(7)), "{seen}");
        assert_eq!(without_copy(&clerk).await, 0);
        later(&app, 3 * HOUR).await;
        assert_eq!(begun(&app).await.len(), 1, "it has one");

        // It does not go off by it.
        let clerk = app.signed_in("third", clerk.group.unwrap()).await;
        take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        let copy = hand.step(&app).await;
        assert_eq!((&copy["act"]["live"], &copy["act"]["parent"]), (&json!(false), &Value::Null), "{copy}");
        is_done(&mut hand, &copy, &made('b')).await;
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        let (gone, kept) = (row(&app, phone).await, last(&app).await);
        assert_eq!((gone.use_type, gone.kept_id, kept.is_live), (UseType::Off, Some(kept.id), false));
        assert_ne!(kept.id, live.id);
    }

    async fn a_first_copy_that_fails_leaves_the_phone_alone_and_is_tried_again_after_an_hour(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 1)).await;
        let phone = phones[0];
        app.app.clock.advance_seconds(HOUR + 1);
        hand.fails(&app, "packages", "locked", "neverBegan").await;
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        goes_on(&app, &clerk, phone).await;
        later(&app, HOUR - 120).await;
        assert_eq!((begun(&app).await.len(), open(&app).await), (1, 0), "not before an hour");

        app.app.clock.advance_seconds(121);
        let clerk = app.signed_in("again", clerk.group.unwrap()).await;
        let before = walked(&clerk, phone).await.len();
        hand.does(&app, "packages").await;
        hand.fails(&app, "copy", "not_readable", "neverBegan").await;
        let clerk = app.signed_in("third", clerk.group.unwrap()).await;
        goes_on(&app, &clerk, phone).await;
        assert_eq!(walked(&clerk, phone).await[before..], ["12 1 3 ", "14 1 4 not_readable"], "nobody has stopped it");
        let failed = last(&app).await;
        assert_eq!((failed.state, failed.is_live, &*failed.code), (BackupState::Failed, true, "not_readable"));
        assert_eq!(without_copy(&clerk).await, 1);

        // What is said of it makes no sense.
        app.app.clock.advance_seconds(HOUR + 1);
        hand.does(&app, "packages").await;
        hand.says(&app, "copy", "{}").await;
        let clerk = app.signed_in("fourth", clerk.group.unwrap()).await;
        goes_on(&app, &clerk, phone).await;
        assert_eq!((last(&app).await.state, open(&app).await), (BackupState::Failed, 0));
    }

    async fn a_first_copy_gives_way_to_what_a_person_asks_for(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 1)).await;
        let phone = phones[0];
        app.app.clock.advance_seconds(HOUR + 1);
        hand.does(&app, "packages").await;
        let copy = hand.step(&app).await;
        assert_eq!(copy["act"]["live"], true, "{copy}");
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        take_off(&app, &clerk, phone).await;
        let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
        assert_eq!(seen["underWay"]["kind"], SagaKind::TakeOff.code(), "{seen}");
        let told = hear(&mut hand.socket, "cancel").await;
        assert_eq!(told["keys"][0]["task"], copy["task"], "the agent is to stop");
        let (failed, first) = (last(&app).await, begun(&app).await.remove(0));
        assert_eq!((failed.state, &*failed.code), (BackupState::Failed, "preempted"));
        assert_eq!((first.state, &*first.code), (SagaState::Failed, "preempted"));
        // The card is the agent's until it says that it has stopped.
        hand.tell(&copy, json!({ "end": "cancelled" })).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        let copy = hand.step(&app).await;
        assert_eq!(copy["act"]["live"], false, "{copy}");
    }

    async fn a_first_copy_gives_way_to_a_customer_who_restarts_the_phone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 1)).await;
        app.app.clock.advance_seconds(HOUR + 1);
        hand.does(&app, "packages").await;
        let copy = hand.step(&app).await;
        assert_eq!(copy["act"]["live"], true, "{copy}");
        let mut tx = app.app.db.begin_write().await.unwrap();
        let found = phones::connect::find(&tx, Owned::everybodys(), PhoneId(phones[0])).await.unwrap().unwrap();
        let restart = phones::own::restart(&app.app, &mut tx, &found, "后台").await.unwrap().unwrap();
        tx.commit().await.unwrap();
        restart.tell(&app.app);
        let told = hear(&mut hand.socket, "cancel").await;
        assert_eq!(told["keys"][0]["task"], copy["task"], "the agent is to stop");
        hand.tell(&copy, json!({ "end": "cancelled" })).await;
        for kind in ["boot", "health"] {
            hand.does(&app, kind).await;
        }
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        goes_on(&app, &clerk, phones[0]).await;
    }

    async fn nobody_is_copied_who_lives_by_a_copy_or_whose_agent_is_older(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 2)).await;
        // One lives by its copy.
        back_up(&app, &clerk, &phones[..1]).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        hand.says(&app, "copy", &made('a')).await;
        hand.does(&app, "start").await;
        hand.does(&app, "verify").await;
        assert!(row(&app, phones[0]).await.kept_id.is_some());

        hand.speaks(&app, wire::RETURNS).await;
        later(&app, HOUR + 1).await;
        assert_eq!(begun(&app).await.len(), 1, "its agent would not do it");
        // It hangs on one card, and somebody is told after another hour.
        let attention = async |name: &str| {
            let clerk = app.signed_in(name, clerk.group.unwrap()).await;
            clerk.get("/api/general/v1/attention").await.data().to_string()
        };
        assert!(!attention("second").await.contains("\"phoneUnsaved\""));
        later(&app, HOUR).await;
        let told = attention("third").await;
        assert!(told.contains("\"phoneUnsaved\"") && told.contains("/cloudPhone/list?noBackup=true"), "{told}");

        hand.speaks(&app, wire::LIVE).await;
        app.app.clock.advance_seconds(60);
        let packages = hand.step(&app).await;
        assert_eq!((&packages["act"]["kind"], &packages["mark"]["phone"]), (&json!("packages"), &json!(phones[1])), "{packages}");
        // Its agent is exchanged for an older one meanwhile.
        is_done(&mut hand, &packages, "of these").await;
        assert_eq!(hand.step(&app).await["act"]["live"], true);
        hand.speaks(&app, wire::RETURNS).await;
        later(&app, 1).await;
        app.app.clock.advance_seconds(121);
        later(&app, 1).await;
        assert_eq!(begun(&app).await.last().unwrap().code, "store_unreachable");
        let clerk = app.signed_in("fourth", clerk.group.unwrap()).await;
        goes_on(&app, &clerk, phones[1]).await;
        assert_eq!(open(&app).await, 0);
    }

    async fn no_phone_leaves_its_card_by_a_copy_that_was_made_while_it_went_on(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 1)).await;
        let phone = phones[0];
        take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        hand.says(&app, "copy", &made('a')).await;
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE backup SET is_live = TRUE").await.unwrap();
        tx.commit().await.unwrap();
        hand.does(&app, "verify").await;
        assert_eq!(row(&app, phone).await.kept_id, None);
        hand.does(&app, "still").await;
        hand.does(&app, "start").await;
        goes_on(&app, &clerk, phone).await;
        let all = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::TakeOff)).all(app.app.db.read()).await.unwrap();
        assert_eq!((all.len(), all[0].state, &*all[0].code), (1, SagaState::Failed, "copy_unfit"));
    }
}
