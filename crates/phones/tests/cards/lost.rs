//! A card that is lost while a phone is on it, over a real agent and simulated cards: the phone goes on elsewhere with its
//! copy, and what runs on the card that comes back after all is stopped, and stays.

use entity::card::{NetworkStatus, Occupancy};
use entity::phone::UseType;
use entity::saga::{self, SagaState};
use sea_orm::EntityTrait as _;
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::done;
use testroom::room::until;

use super::copied::Scene;
use super::put_on::{card, row, walked};
use super::restored::{Had, OTHER, play};

const PHONES: &str = "/api/phone/v1/phones";

db_test! {
    async fn a_phone_goes_on_elsewhere_and_its_card_does_not_run_it_twice(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::with(&app, &clerk, 64, 4).await;
        play(&scene);
        let phone = scene.phone;
        let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
        let first = seen["card"]["id"].as_i64().unwrap();
        assert_eq!(scene.backed_up().await, (1, vec![]), "{:?}", walked(&clerk, phone).await);
        let had = Had::of(&scene.room().cards[0]);
        let there = &scene.room().cards[0];
        there.put_file("/data/media/0", "since.jpg", b"after the copy").unwrap();

        // It loses its power, and nobody has told the console to do that.
        there.power(false);
        until("the card is silent", async || card(&app, first).await.network_status == NetworkStatus::Offline).await;
        let waits = async |code: &str| {
            let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
            seen["underWay"]["code"] == code
        };
        // By then it was seen to be silent at least once.
        tokio::time::sleep(std::time::Duration::from_secs(6)).await;
        app.app.clock.advance_seconds(600);
        until("it is lost", async || waits("card_lost").await).await;
        let body = json!({ "selection": { "ids": [phone] }, "answeredFor": true, "reason": "pulled out" });
        let made = clerk.post(&format!("{PHONES}/accept-copy"), body).await.data();
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!(ended["succeeded"], 1, "{:?}", walked(&clerk, phone).await);
        let other = &scene.room().cards[OTHER];
        had.has_come_to(other);
        assert!(other.find("/data/media/0/since.jpg", false).is_err(), "that is in no copy");
        assert_eq!(row(&app, phone).await.use_type, UseType::On);

        // Somebody puts it back: it starts, with everything of the phone.
        there.power(true);
        let held = async || {
            let all = saga::Entity::find().all(app.app.db.read()).await.unwrap();
            all.into_iter().find(|saga| saga.state == SagaState::Held).map(|saga| saga.code).unwrap_or_default()
        };
        until("what runs there is stopped", async || there.is_stopped() && held().await == "card_was_lost").await;
        assert!(there.find("/data/media/0/since.jpg", false).is_ok(), "nobody has wiped it");
        assert_eq!(card(&app, first).await.occupancy, Occupancy::Wiping, "it is nobody else's");
        assert!(!other.is_stopped(), "the phone goes on where it is");
    }
}
