//! The steps of a put-on from a copy, with a test that acts as the agent: what may pass is waited for, what a card has got
//! of the copy is wiped, and what is wrong with the copy itself is not tried on three cards.

use entity::card::Occupancy;
use entity::phone::UseType;
use entity::saga::{self, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{BackupId, backup};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::get;
use testroom::phone::{PHONES, put_on};
use testroom::room::{say, until};

use super::apps::next_phone;
use super::by_rule::run;
use super::copied::BACKUPS;
use super::copy_steps::{back_up, last, made, on};
use super::put_on::{card, row};

/// A hand, a copy of a phone of its cards that is verified, and a blank phone of the same user.
pub async fn copied(app: &TestApp, clerk: &Caller<'_>) -> (Hand, i64, i64) {
    let (mut hand, phones) = Box::pin(on(app, clerk, 1)).await;
    back_up(app, clerk, &phones).await;
    hand.does(app, "packages").await;
    hand.says(app, "stop", "boot").await;
    hand.says(app, "copy", &made('a')).await;
    hand.does(app, "start").await;
    hand.does(app, "verify").await;
    let blank = next_phone(app, clerk, phones[0]).await;
    (hand, last(app).await.id.0, blank)
}

/// Begins to put a phone on from a copy; the operation.
pub async fn restore(app: &TestApp, clerk: &Caller<'_>, copy: i64, phone: i64) -> Value {
    let begun = clerk.post(&format!("{BACKUPS}/{copy}/restore"), json!({ "phoneId": phone })).await.data();
    fleet::operation::round(&app.app).await.unwrap();
    begun["id"].clone()
}

async fn ended(app: &TestApp, clerk: &Caller<'_>, operation: &Value) -> Value {
    fleet::operation::round(&app.app).await.unwrap();
    get(clerk, operation).await
}

/// The newest saga that clears a card.
async fn clearing(app: &TestApp) -> saga::Model {
    let all = saga::Entity::find().order_by_desc(saga::Column::Id).all(app.app.db.read()).await.unwrap();
    all.into_iter().find(|saga| saga.kind == SagaKind::Clear).unwrap()
}

db_test! {
    async fn what_may_pass_is_waited_for_and_a_card_that_does_not_go_is_wiped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        let operation = restore(&app, &clerk, copy, blank).await;
        hand.does(&app, "check").await;
        hand.does(&app, "claim").await;
        hand.fails(&app, "apps", "store_unreachable", "neverBegan").await;
        app.app.clock.advance_seconds(60);
        hand.does(&app, "apps").await;
        let given = hand.fails(&app, "restore", "interrupted", "neverBegan").await;
        assert_eq!((&given["act"]["snapshot"], &given["act"]["bytes"]), (&json!("a".repeat(64)), &json!(4_000)), "{given}");
        assert_eq!(card(&app, given["card"].as_i64().unwrap()).await.occupancy, Occupancy::Restoring);
        app.app.clock.advance_seconds(60);
        // What was written is not what the copy has: on this card.
        let first = hand.fails(&app, "restore", "restore_unproved", "unknown").await["card"].as_i64().unwrap();
        let wipe = clearing(&app).await;
        assert_eq!((wipe.step, wipe.state, &*wipe.code), (StepName::Wipe, SagaState::Held, "no_profile"), "nobody has tried one");
        assert_eq!(card(&app, first).await.occupancy, Occupancy::Wiping);
        assert_ne!(hand.comes_with_copy(&app).await, first);
        assert_eq!(ended(&app, &clerk, &operation).await["succeeded"], 1);
        let phone = row(&app, blank).await;
        assert_eq!((phone.use_type, phone.used_bytes, phone.is_blank), (UseType::On, 4_000, false));
        assert_eq!(last(&app).await.restores, 1);
    }

    async fn a_store_that_stays_away_ends_it_and_nothing_is_wiped_where_nothing_came(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        let operation = restore(&app, &clerk, copy, blank).await;
        hand.does(&app, "check").await;
        let on = hand.does(&app, "claim").await["card"].as_i64().unwrap();
        for wait in [60, 300, 1_800, 3_600, 0] {
            hand.fails(&app, "apps", "store_unreachable", "neverBegan").await;
            app.app.clock.advance_seconds(wait);
        }
        let clerk = clerk.again().await;
        assert_eq!(clearing(&app).await.step, StepName::Unclaim);
        hand.does(&app, "unclaim").await;
        assert_eq!(card(&app, on).await.occupancy, Occupancy::Free);
        let told = ended(&app, &clerk, &operation).await;
        assert_eq!((&told["failed"], &told["running"]), (&json!(1), &json!(0)), "{told}");
        let phone = row(&app, blank).await;
        assert_eq!((phone.use_type, phone.is_blank, last(&app).await.restores), (UseType::Off, true, 0));
        // It is not taken for damaged, and can be asked for again.
        restore(&app, &clerk, copy, blank).await;
        hand.does(&app, "check").await;
    }

    async fn a_copy_that_is_damaged_is_tried_on_one_card_and_read_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        let operation = restore(&app, &clerk, copy, blank).await;
        for kind in ["check", "claim", "apps"] {
            hand.does(&app, kind).await;
        }
        let mut cards = Vec::new();
        for _ in 0..4 {
            // The store may have given something else for a moment.
            cards.push(hand.fails(&app, "restore", "repo_damaged", "unknown").await["card"].clone());
            app.app.clock.advance_seconds(60);
        }
        assert!(cards.iter().all(|card| *card == cards[0]), "it is that for every card: {cards:?}");
        let clerk = clerk.again().await;
        let told = ended(&app, &clerk, &operation).await;
        assert_eq!((&told["failed"], &told["running"]), (&json!(1), &json!(0)), "{told}");
        assert_eq!(clearing(&app).await.step, StepName::Wipe);
        let read = hand.step(&app).await;
        assert_eq!((&read["act"]["kind"], &read["act"]["whole"]), (&json!("verify"), &json!(true)), "{read}");
        assert_eq!(row(&app, blank).await.use_type, UseType::Off);
    }

    async fn what_agents_took_with_them_was_not_tried(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        restore(&app, &clerk, copy, blank).await;
        for kind in ["check", "claim", "apps"] {
            hand.does(&app, kind).await;
        }
        for _ in 0..5 {
            let step = hand.step(&app).await;
            assert_eq!(step["act"]["kind"], "restore", "{step}");
            hand.tell(&step, json!({ "end": "cancelled" })).await;
        }
        hand.fails(&app, "restore", "store_unreachable", "unknown").await;
        app.app.clock.advance_seconds(60);
        for kind in ["restore", "boot", "health"] {
            hand.does(&app, kind).await;
        }
        assert_eq!(row(&app, blank).await.use_type, UseType::On, "the store was away for a minute, no more");
    }

    async fn a_copy_waits_for_a_card_that_runs_its_image(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        let tx = app.app.db.begin_write().await.unwrap();
        let manifest = Set(json!({ "version": 1, "image": "another/image", "later": [] }).to_string());
        let change = backup::ActiveModel { id: Set(BackupId(copy)), manifest, ..Default::default() };
        backup::Entity::update(change).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        restore(&app, &clerk, copy, blank).await;
        phones::saga_round(&app.app).await.unwrap();
        let told = clerk.get(&format!("/api/phone/v1/phones/{blank}/sagas")).await.data();
        assert_eq!((&told[0]["state"], &told[0]["code"]), (&json!(1), &json!("no_card_of_image")), "{told}");
        // It keeps its place, and blocks nobody.
        let user = row(&app, blank).await.user_id;
        let body = json!({ "userId": user, "plan": 2, "roomId": hand.room, "diskGb": 1,
            "expiresAt": app.app.clock.now().plus_seconds(86_400) });
        let other = clerk.post("/api/phone/v1/phones", body).await.data()["firstId"].as_i64().unwrap();
        put_on(&clerk, &[other]).await;
        fleet::operation::round(&app.app).await.unwrap();
        hand.is_put_on(&app).await;
        // The last of the cards gets its image.
        let at = hand.cards.len();
        let flashed = json!({ "address": format!("10.1.0.{at}:5555"), "serial": format!("SN{at}"), "manufacturer": "瑞芯",
            "model": "RK3399-Card", "board": "RK_3399", "fingerprint": "another/image", "mark": "-" });
        say(&mut hand.socket, &json!({ "type": "sightings", "cards": [flashed] })).await;
        let last = hand.cards[at - 1];
        let before = card(&app, hand.cards[at - 2]).await.image_id;
        until("it has said so", async || card(&app, last).await.image_id != before).await;
        let asked = hand.does(&app, "check").await;
        assert_eq!((&asked["card"], &asked["act"]["fingerprint"]), (&json!(last), &json!("another/image")), "{asked}");
    }

    async fn a_hundred_who_fit_no_card_keep_nobody_behind_them_from_one(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        let user = row(&app, blank).await.user_id;
        let many = json!({ "userId": user, "plan": 2, "roomId": hand.room, "diskGb": 1, "count": 130,
            "expiresAt": app.app.clock.now().plus_seconds(86_400) });
        let first = clerk.post(PHONES, many).await.data()["firstId"].as_i64().unwrap();
        let phones: Vec<i64> = (first..first + 130).collect();
        put_on(&clerk, &phones).await;
        fleet::operation::round(&app.app).await.unwrap();
        // All of them come with a copy whose image no card has.
        run(&app, r#"UPDATE backup SET manifest = '{"version":1,"image":"another/image","later":[]}'"#).await;
        run(&app, &format!("UPDATE saga SET backup_id = {copy} WHERE kind = 1 AND state = 1")).await;
        phones::saga_round(&app.app).await.unwrap();
        let waits = async || {
            let all = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::PutOn)).all(app.app.db.read()).await.unwrap();
            all.iter().filter(|saga| saga.state == SagaState::Waiting && saga.code == "no_card_of_image").count()
        };
        assert_eq!(waits().await, 100, "a step at a time");
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(waits().await, 130);
        put_on(&clerk, &[blank]).await;
        fleet::operation::round(&app.app).await.unwrap();
        hand.is_put_on(&app).await;
        assert_eq!((row(&app, blank).await.use_type, waits().await), (UseType::On, 130));
    }

    async fn an_agent_that_is_too_old_is_not_asked(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await.lang("en");
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        hand.speaks(&app, wire::COPIES).await;
        let refused = clerk.post(&format!("{BACKUPS}/{copy}/restore"), json!({ "phoneId": blank })).await;
        assert_eq!(refused.brief().0, 409);
        assert!(refused.json()["msg"].as_str().unwrap().contains("too old"), "{}", refused.json());
    }
}
