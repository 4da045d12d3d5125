//! Cards that phones have left for good: wiped with proof, by a profile that somebody has tried, and never before the
//! marks of the room were read.

use entity::board_profile;
use entity::card::{self, Lifecycle, Occupancy};
use entity::phone::{self, Life, UseType};
use entity::placement::Role;
use entity::saga::{self, SagaKind, SagaState};
use entity::{CardId, ImageId, PhoneId};
use phones::pass;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::{OPERATIONS, done};
use testroom::phone::{another, phone as new_phone, put_on};
use testroom::room::{console, dial, hear, hello, hurry, joined, run_agent, say, simulated, until, until_online};

use super::put_on::{card, roles, row, walked};

const PHONES: &str = "/api/phone/v1/phones";
const IMAGES: &str = "/api/fleet/v1/images";

/// Releases a phone, and lets the time pass in which it can be had back.
pub async fn give_up(app: &TestApp, clerk: &Caller<'_>, id: i64) {
    let body = json!({ "selection": { "ids": [id] }, "reason": "用户退订" });
    let made = clerk.post(&format!("{PHONES}/release"), body).await.data();
    assert_eq!(done(clerk, &made["id"]).await["succeeded"], 1);
    let over =
        phone::ActiveModel { id: Set(PhoneId(id)), stays_until: Set(Some(app.app.clock.now())), ..Default::default() };
    let tx = app.app.db.begin_write().await.unwrap();
    phone::Entity::update(over).exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

async fn clearing(app: &TestApp) -> saga::Model {
    let found = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::Clear));
    found.one(app.app.db.read()).await.unwrap().unwrap()
}

/// A profile of the image of a card, which an agent has sent.
pub async fn profile(app: &TestApp, id: i64) -> i64 {
    let of = card(app, id).await;
    let row = board_profile::ActiveModel {
        image_id: Set(of.image_id.unwrap_or(ImageId(1))),
        card_id: Set(CardId(id)),
        object_key: Set("operation/none".to_owned()),
        size: Set(9),
        sha256: Set("00".repeat(32)),
        things: Set(2),
        partitions: Set(3),
        is_verified: Set(false),
        taken_at: Set(app.app.clock.now()),
        taken_by: Set("admin".to_owned()),
        tried_at: Set(None),
        tried_by: Set(String::new()),
        ..Default::default()
    };
    let tx = app.app.db.begin_write().await.unwrap();
    let made = board_profile::Entity::insert(row).exec(&*tx).await.unwrap().last_insert_id;
    tx.commit().await.unwrap();
    made.0
}

pub async fn try_out(clerk: &Caller<'_>, id: i64) {
    let view = clerk.post(&format!("/api/fleet/v1/profiles/{id}/tried"), json!({})).await.data();
    assert!(view["triedAt"].is_i64() || view["triedAt"].is_string(), "{view}");
}

db_test! {
    async fn a_card_comes_back_clean_from_an_erased_phone_over_a_real_agent(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let _work = app.work().await;
        let console = console(&app).await;
        let (room, here) = simulated(&clerk, 8, 2).await;
        let identity = joined(&app, &clerk, &console, here.room).await;
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(identity, folder.path()).await;
        until_online(&clerk, 2).await;
        // The other one has another board.
        let images = format!("{IMAGES}?board=RK_3399");
        until("its image is known", async || clerk.get(&images).await.data()["total"] == 1).await;
        let image = clerk.get(&images).await.data()["list"][0]["id"].as_i64().unwrap();
        let found = card::Entity::find().filter(card::Column::ImageId.eq(image)).one(app.app.db.read()).await;
        let only = found.unwrap().unwrap().id.0;

        let body = json!({ "selection": { "ids": [only] }, "act": { "kind": "profile" }, "options": { "reason": "采集" } });
        let made = clerk.post(OPERATIONS, body).await.data();
        let ended = done(&clerk, &made["id"]).await;
        let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks?pageSize=10", made["id"])).await.data();
        assert_eq!(ended["succeeded"], 1, "{ended} {tasks}");
        let image = clerk.get(&images).await.data()["list"][0].clone();
        let read = &image["profile"];
        assert_eq!((&read["separates"], &read["triedAt"], &read["takenBy"]), (&json!(true), &Value::Null, &json!("admin")));
        assert!(read["things"].as_i64().unwrap() >= 20, "{read}");
        try_out(&clerk, read["id"].as_i64().unwrap()).await;
        until_online(&clerk, 2).await;

        let id = new_phone(&app, &clerk, here.room).await;
        let made = put_on(&clerk, &[id]).await;
        assert_eq!(done(&clerk, &made["id"]).await["succeeded"], 1, "{:?}", walked(&clerk, id).await);
        room.cards[0].put_file("/data/local/tmp/mine", "secret", b"of the tenant").unwrap();

        give_up(&app, &clerk, id).await;
        assert_eq!((row(&app, id).await.life, row(&app, id).await.use_type), (Life::Released, UseType::On));
        assert_eq!(pass(&app.app).await.unwrap().erased, 1);
        let gone = row(&app, id).await;
        assert_eq!((gone.life, gone.use_type, gone.holds_id), (Life::Erased, UseType::Off, None));
        until("the card is free", async || card(&app, only).await.occupancy == Occupancy::Free).await;
        assert_eq!(walked(&clerk, id).await[4..], ["21 1 3 ", "22 1 3 ", "23 1 3 "]);
        assert_eq!((roles(&app).await, clearing(&app).await.state), (vec![Role::Ended], SagaState::Done));
        assert!(room.cards[0].find("/data/local/tmp/mine", false).is_err(), "what the tenant left is gone");
        until("the card says that it is clean", async || {
            clerk.get(&format!("/api/fleet/v1/cards/{only}")).await.data()["markState"] == 3
        }).await;
        let seen = card(&app, only).await;
        assert_eq!(seen.mark.as_deref(), Some(&*seen.clean_mark));

        // The next phone takes it by that word.
        let next = another(&app, &clerk, here.room).await;
        let made = put_on(&clerk, &[next]).await;
        assert_eq!(done(&clerk, &made["id"]).await["succeeded"], 1, "{:?}", walked(&clerk, next).await);
    }

    async fn without_a_profile_that_was_tried_a_person_decides(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 1).await;
        hand.is_put_on(&app).await;
        let on = hand.cards[0];
        give_up(&app, &clerk, id).await;
        pass(&app.app).await.unwrap();
        let held = clearing(&app).await;
        assert_eq!((held.state, &*held.code), (SagaState::Held, "no_profile"));
        assert_eq!((card(&app, on).await.occupancy, roles(&app).await), (Occupancy::Wiping, vec![Role::Outgoing]));
        let retry = format!("/api/phone/v1/sagas/{}/retry", held.id);
        let refused = clerk.post(&retry, json!({})).await;
        assert_eq!((refused.http.as_u16(), refused.status()), (409, 4009), "nothing is known of its image");

        // At his word it goes by one that nobody has tried.
        profile(&app, on).await;
        assert_eq!(clerk.post(&retry, json!({})).await.errors(), ["reason required"], "nobody has tried that");
        let said = json!({ "reason": "已在该卡上试过" });
        clerk.post(&retry, said.clone()).await.data();
        assert_eq!(clerk.post(&retry, said.clone()).await.http.as_u16(), 409, "it goes on already");
        assert!(app.audit_trail().await.contains(&"admin saga_retry 0".to_owned()));
        hand.does(&app, "clear").await;
        hand.fails(&app, "prove", "wipe_unproved", "proved").await;
        hand.does(&app, "clear").await;
        hand.fails(&app, "prove", "wipe_unproved", "proved").await;
        let (held, seen) = (clearing(&app).await, card(&app, on).await);
        assert_eq!((held.state, &*held.code), (SagaState::Held, "wipe_unproved"));
        assert_eq!((seen.lifecycle, seen.occupancy), (Lifecycle::Faulty, Occupancy::Wiping));

        // Somebody has looked at it. A card that restarts before it is marked proves it again.
        clerk.post(&retry, said).await.data();
        hand.does(&app, "clear").await;
        hand.says(&app, "prove", "boot-7").await;
        let step = hand.fails(&app, "markClean", "interrupted", "neverBegan").await;
        assert_eq!(step["act"]["bootId"], "boot-7");
        hand.says(&app, "prove", "boot-8").await;
        let step = hand.does(&app, "markClean").await;
        let seen = card(&app, on).await;
        assert_eq!(seen.clean_mark, format!("clean {}", step["act"]["seal"].as_str().unwrap()));
        assert_eq!((clearing(&app).await.state, seen.occupancy), (SagaState::Done, Occupancy::Free));
    }

    async fn what_turns_out_to_be_anothers_is_not_wiped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 1).await;
        hand.is_put_on(&app).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        give_up(&app, &clerk, id).await;
        pass(&app.app).await.unwrap();
        hand.fails(&app, "clear", "not_ours", "neverBegan").await;
        let held = clearing(&app).await;
        assert_eq!((held.state, &*held.code), (SagaState::Held, "not_ours"));
        assert_eq!(card(&app, hand.cards[0]).await.occupancy, Occupancy::Wiping);
    }

    async fn a_number_that_nobody_can_have_been_told_uses_up_no_numbers(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        // A tenant with root writes what he likes on his card, and an agent may lie as well.
        hand.socket = dial(&hand.console, &hand.identity.credential).await.unwrap();
        let mut greeting = hello(2);
        greeting["stay"] = json!(i64::MAX);
        say(&mut hand.socket, &greeting).await;
        hear(&mut hand.socket, "welcome").await;
        let marked = json!({ "address": "10.1.0.8:5555", "serial": "SN8", "manufacturer": "瑞芯", "model": "RK3399-Card",
            "board": "RK_3399", "fingerprint": "an/image", "mark": format!("77.{}", i64::MAX) });
        say(&mut hand.socket, &json!({ "type": "sweep", "cards": [marked], "isLast": true })).await;
        let id = new_phone(&app, &clerk, hand.room).await;
        put_on(&clerk, &[id]).await;
        let step = hand.step(&app).await;
        assert_eq!((&step["act"]["kind"], &step["mark"]["placement"]), (&json!("check"), &json!(1)));
    }

    async fn after_a_restored_database_nothing_is_wiped_before_the_marks_were_read(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 2).await;
        hand.is_put_on(&app).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        give_up(&app, &clerk, id).await;
        // Its agent comes back, and knows of more than the books.
        hand.socket = dial(&hand.console, &hand.identity.credential).await.unwrap();
        let mut greeting = hello(2);
        greeting["stay"] = json!(4_000);
        say(&mut hand.socket, &greeting).await;
        hear(&mut hand.socket, "welcome").await;
        assert_eq!(pass(&app.app).await.unwrap().erased, 0, "it is not even erased");
        assert_eq!(row(&app, id).await.life, Life::Released);

        // Its cards were asked whose they are; one of them knows more still.
        let seen = json!({ "address": "10.1.0.2:5555", "serial": "SN2", "manufacturer": "瑞芯", "model": "RK3399-Card",
            "board": "RK_3399", "fingerprint": "an/image", "mark": "77.4005" });
        say(&mut hand.socket, &json!({ "type": "sweep", "cards": [seen], "isLast": true })).await;
        until("it is erased", async || pass(&app.app).await.unwrap().erased == 1).await;
        hand.does(&app, "clear").await;
        hand.says(&app, "prove", "boot-7").await;
        hand.does(&app, "markClean").await;

        // No number of a stay is given a second time.
        let stay = json!({ "address": "10.1.0.1:5555", "serial": "SN1", "manufacturer": "瑞芯", "model": "RK3399-Card",
            "board": "RK_3399", "fingerprint": "an/image", "mark": card(&app, hand.cards[0]).await.clean_mark });
        say(&mut hand.socket, &json!({ "type": "sightings", "cards": [stay] })).await;
        let next = another(&app, &clerk, hand.room).await;
        put_on(&clerk, &[next]).await;
        let step = hand.step(&app).await;
        assert_eq!(step["act"]["kind"], "check");
        assert!(step["mark"]["placement"].as_i64().unwrap() > 4_005, "{step}");
    }
}
