//! Copies with far less than those before them, with a test that acts as the agent: no phone leaves its card by one before a person
//! has seen that, and the copy before is safe for a while.

use axum::body::Body;
use entity::backup::{self, BackupState};
use entity::phone::UseType;
use entity::saga::SagaState;
use http::Method;
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;

use super::copy_steps::{back_up, last, made, on};
use super::held_steps::leaves;
use super::live_steps::is_done;
use super::lost_steps::{is_backed_up, passes};
use super::off_steps::take_off;
use super::put_on::row;

const HOUR: i64 = 3_600;
const TWO_WEEKS: i64 = 14 * 86_400;

/// What an agent says of a copy of so many files and bytes.
pub fn of(snapshot: char, files: u64, bytes: u64) -> String {
    let mut told: Value = serde_json::from_str(&made(snapshot)).unwrap();
    (told["files"], told["bytes"]) = (json!(files), json!(bytes));
    told.to_string()
}

/// The next step copies the phone, in which a game has so many files and bytes.
async fn copies(app: &TestApp, hand: &mut Hand, snapshot: char, (files, bytes): (u64, u64)) {
    let step = hand.step(app).await;
    assert_eq!(step["act"]["kind"], "copy", "{step}");
    let game = json!({ "name": "com.game", "amount": { "files": files, "bytes": bytes } });
    let paper = json!({ "manifest": { "version": 1, "packages": [game] }, "packs": ["a".repeat(64)] });
    let agent = app.anybody().token(format!("Bearer {}", hand.identity.credential));
    let path = format!("/agent/v1/tasks/phone/{}/1/paper", step["task"]);
    assert_eq!(agent.send(Method::PUT, &path, "application/json", Body::from(paper.to_string())).await.http, 204);
    is_done(hand, &step, &made(snapshot)).await;
}

async fn copy(app: &TestApp, id: entity::BackupId) -> backup::Model {
    backup::Entity::find_by_id(id).one(app.app.db.read()).await.unwrap().unwrap()
}

async fn seen(clerk: &Caller<'_>, copy: &backup::Model) -> (Value, Value) {
    let seen = clerk.get(&format!("/api/storage/v1/backups/{}", copy.id)).await.data();
    (seen["isShrunk"].clone(), seen["safeUntil"].clone())
}

db_test! {
    async fn a_phone_with_less_than_half_of_its_copy_stays_until_a_person_accepts_that(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let before = last(&app).await;
        take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-2").await;
        hand.says(&app, "copy", &of('b', 3, 1_999)).await;
        assert_eq!((leaves(&app).await.state, &*leaves(&app).await.code), (SagaState::GoingBack, "shrunk"));
        hand.does(&app, "start").await;
        let held = leaves(&app).await;
        assert_eq!((held.state, &*held.code, held.retry_at), (SagaState::Held, "shrunk", None));
        let less = last(&app).await;
        assert_eq!((less.state, less.is_shrunk), (BackupState::Uploaded, true), "there is such a copy");
        let its = row(&app, phone).await;
        assert_eq!((its.use_type, its.kept_id), (UseType::On, Some(before.id)), "and it does not live by it");
        passes(&app, 2 * HOUR).await;
        assert_eq!(leaves(&app).await.state, SagaState::Held, "not by itself");

        let leaver = app.operator("leaver", &["phone:retry", "phone:takeOff"]).await;
        let refused = leaver.post(&format!("/api/phone/v1/sagas/{}/retry", held.id), json!({})).await;
        assert_eq!(refused.status(), 4003, "who may let a phone leave may not accept that far less is left of it");
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        let retry = format!("/api/phone/v1/sagas/{}/retry", held.id);
        assert_eq!(clerk.post(&retry, json!({})).await.errors(), ["reason required"], "whoever misses the data has to find why");
        assert_eq!(leaves(&app).await.state, SagaState::Held);
        clerk.post(&retry, json!({ "reason": "用户已清理相册" })).await.data();
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-3").await;
        hand.says(&app, "copy", &of('c', 1, 4_000)).await;
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        let (its, now) = (row(&app, phone).await, last(&app).await);
        assert_eq!((its.use_type, its.kept_id, now.is_shrunk), (UseType::Off, Some(now.id), true));
        let safe = copy(&app, before.id).await.safe_until.unwrap().seconds_since(app.app.clock.now());
        assert!((TWO_WEEKS - 60..=TWO_WEEKS).contains(&safe), "{safe}");
        assert_eq!(seen(&clerk, &now).await, (json!(true), Value::Null));
        assert_eq!(seen(&clerk, &before).await.0, false);
        assert!(seen(&clerk, &before).await.1.is_string());
    }

    async fn an_app_with_less_than_half_of_what_it_had_marks_the_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let mut kept = Vec::new();
        for (turn, (snapshot, amount, is_shrunk)) in
            [('a', (10, 1_000), false), ('b', (5, 500), false), ('c', (2, 900), true)].into_iter().enumerate()
        {
            back_up(&app, &clerk, &phones).await;
            hand.does(&app, "packages").await;
            hand.says(&app, "stop", "boot-1").await;
            copies(&app, &mut hand, snapshot, amount).await;
            hand.does(&app, "start").await;
            hand.does(&app, "verify").await;
            let copy = last(&app).await;
            assert_eq!((copy.is_shrunk, row(&app, phone).await.kept_id), (is_shrunk, Some(copy.id)), "{turn}");
            kept.push(copy.id);
        }
        let mut safe = Vec::new();
        for id in kept {
            safe.push(copy(&app, id).await.safe_until.is_some());
        }
        assert_eq!(safe, [false, true, false], "the one before that has more");

        // It leaves its card, since the whole phone has what it had.
        take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-2").await;
        copies(&app, &mut hand, 'd', (0, 0)).await;
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        assert_eq!((row(&app, phone).await.use_type, last(&app).await.is_shrunk), (UseType::Off, true));
    }
}
