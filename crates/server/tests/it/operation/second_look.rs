//! Cards that phones are on: judged when a task is written down, and again when an agent is about to get it.

use entity::card_busy::{self, Book};
use entity::{CardId, card::Occupancy};
use fleet::Session;
use fleet::operation::{claim, record_results, resume, round};
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, EntityTrait as _, PaginatorTrait as _};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, phone};
use testroom::site::{CARDS, settings};
use wire::{Effect, Outcome, Reason};

use super::files::send;
use super::gone::returned;
use super::{result, shell, up};
use crate::fleet::state;

/// Puts a phone on a card, as a put-on will.
pub async fn put_on(app: &TestApp, phone: i64, card: i64) {
    let mut tx = app.app.db.begin_write().await.unwrap();
    let row = entity::phone::Entity::find_by_id(entity::PhoneId(phone)).one(&*tx).await.unwrap().unwrap();
    let held = phones::Held { image: "A11-3.8.2".to_owned(), used_bytes: 5 << 30 };
    phones::hold(&mut tx, &row, CardId(card), held, app.app.clock.now()).await.unwrap();
    tx.commit().await.unwrap();
}

/// Lets an agent do all that it is given; the cards that it was given.
async fn carry_out(app: &TestApp, session: &Session) -> Vec<i64> {
    let mut cards = Vec::new();
    loop {
        let given = claim(&app.app, session).await.unwrap();
        if given.is_empty() {
            cards.sort_unstable();
            return cards;
        }
        cards.extend(given.iter().map(|task| task.card));
        let said: Vec<_> = given.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
        record_results(&app.app, session, &said).await.unwrap();
    }
}

async fn busy(app: &TestApp) -> u64 {
    card_busy::Entity::find().count(app.app.db.read()).await.unwrap()
}

fn forced(kind: &str) -> Value {
    json!({ "force": true, "reason": format!("test of {kind}") })
}

db_test! {
    async fn a_reset_is_skipped_on_a_card_that_was_taken_after_it_was_scheduled(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let phone = phone(&app, &clerk, session.room.0).await;
        let soon = app.app.clock.now().plus_seconds(60);
        let mut scheduled = Vec::new();
        for kind in ["wipe", "factoryReset"] {
            let options = json!({ "force": true, "reason": "清空", "notBefore": soon });
            let body = json!({ "selection": { "ids": cards[..3] }, "act": { "kind": kind }, "options": options });
            scheduled.push(clerk.post(OPERATIONS, body).await.data());
        }
        assert!(scheduled.iter().all(|made| made["pending"] == 3), "{scheduled:?}");
        put_on(&app, phone, cards[0]).await;
        app.app.clock.advance_seconds(61);
        while round(&app.app).await.unwrap() {}
        let given = carry_out(&app, &session).await;
        assert!(!given.contains(&cards[0]), "an agent was told to destroy a customer's phone: {given:?}");
        for made in &scheduled {
            let ended = get(&clerk, &made["id"]).await;
            assert_eq!((&ended["state"], &ended["succeeded"], &ended["skipped"]), (&json!(7), &json!(2), &json!(1)), "{ended}");
            assert_eq!((&ended["reasons"][0]["code"], &ended["reasons"][0]["words"]), (&json!("holds_phone"), &json!("卡上有云手机，请先下机")));
        }
        // Seen from both sides.
        let card = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data();
        assert_eq!(card["phone"], json!({ "id": phone, "name": "CP-0000001" }));
        let view = clerk.get(&format!("{PHONES}/{phone}")).await.data();
        assert_eq!(view["card"]["id"], cards[0]);
    }

    async fn nothing_is_installed_on_a_phone_that_holds_more_than_its_disk(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let phone = phone(&app, &clerk, session.room.0).await;
        put_on(&app, phone, cards[0]).await;
        let apk = send(&clerk, "game.apk", &testkit::apk::package("com.example.game", "2.1", 21, 3_000)).await.data();
        let install = async |options: Value| {
            let act = json!({ "kind": "install", "fileId": apk["id"] });
            let body = json!({ "selection": { "ids": cards[..2] }, "act": act, "options": options });
            clerk.post(OPERATIONS, body).await.data()
        };
        let soon = app.app.clock.now().plus_seconds(60);
        let scheduled = install(json!({ "notBefore": soon })).await;
        assert_eq!(scheduled["pending"], 2, "it has space: {scheduled}");
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE phone SET used_bytes = CAST(disk_gb AS BIGINT) * 1073741824 + 1").await.unwrap();
        tx.commit().await.unwrap();
        let made = install(forced("install")).await;
        let seen = get(&clerk, &made["id"]).await;
        assert_eq!((&seen["pending"], &seen["reasons"][0]["code"]), (&json!(1), &json!("phone_disk_over")), "{seen}");
        app.app.clock.advance_seconds(61);
        while round(&app.app).await.unwrap() {}
        let given = carry_out(&app, &session).await;
        assert!(!given.contains(&cards[0]) && given.contains(&cards[1]), "{given:?}");
        let seen = get(&clerk, &scheduled["id"]).await;
        assert_eq!((&seen["succeeded"], &seen["reasons"][0]["code"]), (&json!(1), &json!("phone_disk_over")), "{seen}");
    }

    async fn whoever_reaches_into_a_phone_has_to_force_it_and_none_can_destroy_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let phone = phone(&app, &clerk, session.room.0).await;
        put_on(&app, phone, cards[0]).await;
        let one = json!({ "ids": [cards[0]] });
        let begin = async |act: Value, options: Value| {
            let body = json!({ "selection": one, "act": act, "options": options });
            let made = clerk.post(OPERATIONS, body).await.data();
            let code = get(&clerk, &made["id"]).await["reasons"][0]["code"].clone();
            (made["pending"].clone(), code)
        };
        let waits = (json!(1), Value::Null);
        let left_out = |code: &str| (json!(0), json!(code));
        let script = json!({ "kind": "shell", "script": "id" });
        let why = json!({ "reason": "检查" });
        assert_eq!(begin(script.clone(), json!({})).await, left_out("busy"));
        assert_eq!(begin(json!({ "kind": "reboot" }), why).await, left_out("busy"));
        for kind in ["wipe", "factoryReset"] {
            assert_eq!(begin(json!({ "kind": kind }), forced(kind)).await, left_out("holds_phone"));
        }
        assert_eq!(begin(script, forced("shell")).await, waits);
        assert_eq!(begin(json!({ "kind": "screenshot" }), json!({})).await, waits);
        carry_out(&app, &session).await;
        // Its card neither leaves its place nor the books.
        let frame = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data()["frameId"].clone();
        let other = clerk.post("/api/fleet/v1/frames", json!({ "roomId": session.room, "name": "B-09", "slots": 4 })).await.data();
        let body = json!({ "selection": one, "act": { "kind": "move", "frameId": other["id"] } });
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!(get(&clerk, &made["id"]).await["reasons"][0]["code"], "holds_phone");
        let retired = clerk.post(&format!("{CARDS}/retire"), json!({ "selection": one, "reason": "报废" })).await.data();
        assert_eq!(retired["changed"], 0, "{retired}");
        let card = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data();
        assert_eq!((&card["frameId"], &card["phone"]["id"]), (&frame, &json!(phone)));
    }

    async fn a_card_is_worked_on_by_one_book_at_a_time(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let step = card_busy::ActiveModel { card_id: Set(CardId(cards[0])), book: Set(Book::Phone), task_id: Set(7) };
        let tx = app.app.db.begin_write().await.unwrap();
        card_busy::Entity::insert(step.clone()).exec_without_returning(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        let tx = app.app.db.begin_write().await.unwrap();
        let again = card_busy::Entity::insert(card_busy::ActiveModel { task_id: Set(8), ..step });
        again.exec_without_returning(&*tx).await.unwrap_err();
        drop(tx);
        let made = clerk.post(OPERATIONS, shell(&cards)).await.data();
        assert_eq!(carry_out(&app, &session).await, cards[1..]);
        assert_eq!(get(&clerk, &made["id"]).await["pending"], 1, "it waits, and fails for nothing");
        let tx = app.app.db.begin_write().await.unwrap();
        card_busy::Entity::delete_by_id(CardId(cards[0])).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(carry_out(&app, &session).await, cards[..1]);
        assert_eq!(get(&clerk, &made["id"]).await["state"], 7);
    }

    async fn whichever_way_a_task_ends_its_card_is_free_again(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        settings(&clerk, "stopAtFailedPercent", 100).await;
        clerk.post(OPERATIONS, shell(&cards)).await.data();
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!((given.len(), busy(&app).await), (8, 8));
        let ends = [Outcome::Succeeded, Outcome::failed(Reason::ExitCode, "").with(Effect::Proved), Outcome::Cancelled];
        let said: Vec<_> = given.iter().zip(ends).map(|(task, end)| result(task.key, end)).collect();
        record_results(&app.app, &session, &said).await.unwrap();
        assert_eq!(busy(&app).await, 5);
        // An agent that holds none of them after all: they wait again.
        let session = returned(&app, &session).await;
        resume(&app.app, &session, &[]).await.unwrap();
        assert_eq!(busy(&app).await, 0);
        assert_eq!(claim(&app.app, &session).await.unwrap().len(), 5);
        // Revoked: they end without a result.
        clerk.post(&format!("/api/fleet/v1/agents/{}/revoke", session.agent), json!({})).await.data();
        round(&app.app).await.unwrap();
        assert_eq!(busy(&app).await, 0);
        // A card that somebody uses without a phone is as it was.
        state::set_occupancy(&app, cards[0], Occupancy::InUse).await;
        assert_eq!(clerk.get(&format!("{CARDS}/{}", cards[0])).await.data()["phone"], Value::Null);
    }
}
