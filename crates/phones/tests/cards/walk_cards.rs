//! The fault walk where it takes a card to say what is wrong: over a real agent and simulated cards.

use entity::phone::UseType;
use entity::saga::SagaState;
use sea_orm::ConnectionTrait as _;
use serde_json::json;
use sim::Fault;
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::{OPERATIONS, done};
use testroom::phone::PHONES;
use testroom::room::{until, until_online};

use super::apps::next_phone;
use super::copied::{BACKUPS, Scene};
use super::put_on::{row, walked};
use super::restored::{Had, OTHER, play};
use super::taken_off::{ended, take_off};
use super::verified::newest;
use super::whole::are_whole;

/// The first card restarts, and is up again.
async fn restarts(scene: &Scene<'_>) {
    let card = &scene.room().cards[0];
    let before = card.boots();
    card.restart();
    until("it is up again", async || card.boots() > before && card.has_framework()).await;
}

db_test! {
    async fn a_phone_whose_card_has_no_root_or_is_locked_or_another_stays_on_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 91).await;
        let refused = async |code: &str| {
            until_online(&clerk, 2).await;
            let operation = take_off(&clerk, scene.phone).await;
            assert_eq!(ended(&clerk, &operation).await, (0, vec![code.to_owned()]), "{:?}", walked(&clerk, scene.phone).await);
            let last = walked(&clerk, scene.phone).await.pop().unwrap();
            assert_eq!(last, format!("12 1 4 {code}"), "before it was stopped");
            are_whole(&app).await;
            scene.goes_on().await;
        };
        for (fault, code) in [(Fault::Rootless, "not_root"), (Fault::Locked, "locked")] {
            scene.room().set_fault(0, fault, true);
            restarts(&scene).await;
            until_online(&clerk, 2).await;
            let operation = take_off(&clerk, scene.phone).await;
            until("it is held", async || {
                let saga = clerk.get(&format!("{PHONES}/{}/sagas", scene.phone)).await.data()[0].clone();
                saga["state"] == SagaState::Held.code() && saga["code"] == code
            })
            .await;
            assert_eq!(walked(&clerk, scene.phone).await.pop().unwrap(), format!("12 1 4 {code}"), "before it was stopped");
            are_whole(&app).await;
            // It is not wanted any more.
            clerk.post(&format!("{OPERATIONS}/{operation}/cancel"), json!({})).await.data();
            assert_eq!(done(&clerk, &operation).await["cancelled"], 1);
            scene.goes_on().await;
            scene.room().set_fault(0, fault, false);
        }
        restarts(&scene).await;
        // Its user opens the screen.
        assert!(scene.room().cards[0].unlock_user(0));
        // Somebody has put another card in its place.
        let is_called = async |text: &str| {
            let tx = app.app.db.begin_write().await.unwrap();
            tx.execute_unprepared(text).await.unwrap();
            tx.commit().await.unwrap();
        };
        is_called("UPDATE card SET serial = serial || '-before' WHERE occupancy = 4").await;
        refused("wrong_card").await;
        is_called("UPDATE card SET serial = replace(serial, '-before', '')").await;
        let operation = take_off(&clerk, scene.phone).await;
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        assert_eq!(row(&app, scene.phone).await.use_type, UseType::Off);
        are_whole(&app).await;
    }

    async fn a_copy_comes_on_no_card_that_is_full_and_waits_for_another(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::with(&app, &clerk, 92, 4).await;
        play(&scene);
        assert_eq!(scene.backed_up().await, (1, vec![]));
        let copy = newest(&clerk).await;
        let phone = next_phone(&app, &clerk, scene.phone).await;
        let restore = async || {
            let path = format!("{BACKUPS}/{copy}/restore");
            clerk.post(&path, json!({ "phoneId": phone })).await.data()["id"].clone()
        };
        scene.room().set_fault(OTHER, Fault::NoSpace, true);
        let operation = restore().await;
        // It is the only other one that runs its image.
        until("it waits for another", async || {
            let saga = clerk.get(&format!("{PHONES}/{phone}/sagas")).await.data()[0].clone();
            saga["state"] == SagaState::Waiting.code() && walked(&clerk, phone).await == ["3 1 4 no_space"]
        })
        .await;
        are_whole(&app).await;
        clerk.post(&format!("{OPERATIONS}/{operation}/cancel"), json!({})).await.data();
        assert_eq!(done(&clerk, &operation).await["cancelled"], 1, "{:?}", walked(&clerk, phone).await);
        let off = row(&app, phone).await;
        assert_eq!((off.use_type, off.is_blank), (UseType::Off, true));

        scene.room().set_fault(OTHER, Fault::NoSpace, false);
        let operation = restore().await;
        assert_eq!(done(&clerk, &operation).await["succeeded"], 1, "{:?}", walked(&clerk, phone).await);
        Had::of(&scene.room().cards[0]).has_come_to(&scene.room().cards[OTHER]);
        are_whole(&app).await;
    }
}
