//! Phones that go off their cards and come back, over a real agent and simulated cards: with every byte, whoever dies in
//! between, and reading only what has changed.

use entity::backup::{self, BackupState};
use entity::card::Occupancy;
use entity::phone::UseType;
use sea_orm::{EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, done};
use testroom::phone::put_on;
use testroom::room::{until, until_online};

use super::cleared::try_out;
use super::copied::{BACKUPS, Scene, copies, restic};
use super::put_on::{card, row, walked};
use super::restored::{Had, OTHER, play};

const PHONES: &str = "/api/phone/v1/phones";
const IMAGES: &str = "/api/fleet/v1/images?board=RK_3399";

/// Begins to take the phone of a scene off; the operation.
pub async fn take_off(clerk: &Caller<'_>, phone: i64) -> Value {
    let body = json!({ "selection": { "ids": [phone] } });
    clerk.post(&format!("{PHONES}/take-off"), body).await.data()["id"].clone()
}

/// How it has ended: succeeded, and why not.
pub async fn ended(clerk: &Caller<'_>, operation: &Value) -> (i64, Vec<String>) {
    let ended = done(clerk, operation).await;
    let tasks = clerk.get(&format!("{OPERATIONS}/{operation}/tasks?pageSize=9")).await.data();
    let codes = tasks["list"].as_array().unwrap().iter().map(|task| task["code"].as_str().unwrap().to_owned());
    (ended["succeeded"].as_i64().unwrap(), codes.filter(|code| !code.is_empty()).collect())
}

/// The clean card of the image of the scene's first card is read from the other one that runs it, and tried.
pub async fn profile(app: &TestApp, clerk: &Caller<'_>, first: i64, cards: u64) {
    let image = card(app, first).await.image_id;
    let all = entity::card::Entity::find().order_by_asc(entity::card::Column::Id).all(app.app.db.read()).await.unwrap();
    let other = all.into_iter().find(|card| card.image_id == image && card.id.0 != first).unwrap().id.0;
    let body =
        json!({ "selection": { "ids": [other] }, "act": { "kind": "profile" }, "options": { "reason": "采集" } });
    let made = clerk.post(OPERATIONS, body).await.data();
    assert_eq!(ended(clerk, &made["id"]).await, (1, vec![]));
    let list = clerk.get(IMAGES).await.data();
    let read = list["list"].as_array().unwrap().iter().find(|image| image["profile"].is_object()).unwrap();
    try_out(clerk, read["profile"]["id"].as_i64().unwrap()).await;
    until_online(clerk, cards).await;
}

/// A scene whose phone has been used, on a card that can be wiped, and the card.
pub async fn used<'a>(app: &'a TestApp, clerk: &'a Caller<'a>, number: u8) -> (Scene<'a>, i64) {
    let scene = Scene::with(app, clerk, number, 4).await;
    play(&scene);
    let seen = clerk.get(&format!("{PHONES}/{}", scene.phone)).await.data();
    let first = seen["card"]["id"].as_i64().unwrap();
    profile(app, clerk, first, 4).await;
    (scene, first)
}

pub async fn comes_back(clerk: &Caller<'_>, phone: i64) {
    let made = put_on(clerk, &[phone]).await;
    assert_eq!(ended(clerk, &made["id"]).await, (1, vec![]), "{:?}", walked(clerk, phone).await);
}

/// All cards but this one are for phones, or none of them is: then this one is needed as soon as its phone has left it.
async fn others_are_free(app: &TestApp, clerk: &Caller<'_>, but: i64, are_so: bool) {
    let all = entity::card::Entity::find().all(app.app.db.read()).await.unwrap();
    for card in all.iter().filter(|card| card.id.0 != but) {
        assignable(clerk, card.id.0, are_so).await;
    }
}

pub async fn assignable(clerk: &Caller<'_>, card: i64, is_so: bool) {
    let body = json!({ "selection": { "ids": [card] }, "assignable": is_so });
    clerk.post("/api/fleet/v1/cards/flags", body).await.data();
}

db_test! {
    async fn a_phone_goes_off_and_comes_back_on_another_card_with_every_byte(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (scene, first) = used(&app, &clerk, 61).await;
        let phone = scene.phone;
        let had = Had::of(&scene.room().cards[0]);
        others_are_free(&app, &clerk, first, false).await;
        let steps = walked(&clerk, phone).await.len();
        let operation = take_off(&clerk, phone).await;
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]), "{:?}", walked(&clerk, phone).await);
        let gone = row(&app, phone).await;
        let copy = copies(&app).await.pop().unwrap();
        assert_eq!((gone.use_type, gone.holds_id, gone.kept_id), (UseType::Off, None, Some(copy.id)));
        until("its card is wiped", async || card(&app, first).await.occupancy == Occupancy::Free).await;
        let took: Vec<String> = walked(&clerk, phone).await[steps..].to_vec();
        assert_eq!(took, ["12 1 3 ", "13 1 3 ", "14 1 3 ", "15 1 3 ", "17 1 3 ", "21 1 3 ", "22 1 3 ", "23 1 3 "]);
        let there = &scene.room().cards[0];
        assert!(!there.state().packages.contains_key("com.game"), "nothing of it is left");
        assert!(there.find("/data/media/0/DCIM", false).is_err() && there.find("/data/data/com.game", false).is_err());
        let opened = clerk.post(&format!("{BACKUPS}/{}/reveal", copy.id), json!({})).await.data();
        let repository = scene.repository().await;
        let code = opened["code"].as_str().unwrap();
        assert!(restic(&repository, code, &["check", "--read-data"]).contains("no errors were found"));

        // Another card that runs its image.
        others_are_free(&app, &clerk, first, true).await;
        assignable(&clerk, first, false).await;
        comes_back(&clerk, phone).await;
        let other = &scene.room().cards[OTHER];
        had.has_come_to(other);
        let back = row(&app, phone).await;
        assert_eq!((back.use_type, back.kept_id), (UseType::On, Some(copy.id)));

        // What has not changed since is not read again, though all of it was written a moment ago.
        other.put_file("/data/media/0/DCIM", "2.jpg", b"taken here").unwrap();
        assignable(&clerk, first, true).await;
        let operation = take_off(&clerk, phone).await;
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]), "{:?}", walked(&clerk, phone).await);
        let next = copies(&app).await.pop().unwrap();
        assert!(next.read_files < 12 && next.files > 45, "{} of {} files were read", next.read_files, next.files);
        assert_eq!(next.parent_id, Some(copy.id));
        assert!(restic(&repository, code, &["check", "--read-data"]).contains("no errors were found"));
        // Nobody has needed that card: the phone comes back to it, and nothing is moved.
        let (boots, steps) = (other.boots(), walked(&clerk, phone).await.len());
        comes_back(&clerk, phone).await;
        assert_eq!(walked(&clerk, phone).await[steps..], ["16 1 3 ", "8 1 3 "]);
        assert_eq!((other.boots(), other.is_stopped()), (boots, false));
        assert!(other.find("/data/media/0/DCIM/2.jpg", false).is_ok());
    }

    async fn whoever_dies_in_between_nothing_is_lost(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (scene, first) = used(&app, &clerk, 62).await;
        scene.room().cards[0].plant("/data/media/0/long.mp4", 9, 64 << 20).unwrap();
        let had = Had::of(&scene.room().cards[0]);
        let operation = take_off(&clerk, scene.phone).await;
        until("it is being copied", async || copies(&app).await.iter().any(|copy| copy.state == BackupState::Running)).await;
        scene.stop_agent().await;
        scene.start_agent().await;
        // Its card loses power, and its apps run.
        until("it is being copied again, or was", async || {
            let all = walked(&clerk, scene.phone).await;
            all.iter().any(|step| step.starts_with("14 ") && step.contains(" 2 ")) || all.iter().any(|step| step.starts_with("15 "))
        })
        .await;
        scene.room().cards[0].restart();
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        assert_eq!(row(&app, scene.phone).await.use_type, UseType::Off);
        assignable(&clerk, first, false).await;
        comes_back(&clerk, scene.phone).await;
        had.has_come_to(&scene.room().cards[OTHER]);
    }

    async fn a_card_that_restarts_before_its_phone_comes_back_is_copied_before_it_is_wiped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (scene, first) = used(&app, &clerk, 63).await;
        let had = Had::of(&scene.room().cards[0]);
        let operation = take_off(&clerk, scene.phone).await;
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]), "{:?}", walked(&clerk, scene.phone).await);
        assert_eq!(card(&app, first).await.occupancy, Occupancy::Sealed);
        scene.room().cards[0].restart();
        scene.room().cards[0].put_file("/data/media/0", "written.jpg", b"by an app that ran").unwrap();
        until_online(&clerk, 4).await;
        comes_back(&clerk, scene.phone).await;
        had.has_come_to(&scene.room().cards[OTHER]);
        // What was written meanwhile is in a copy by which the phone does not live, and only then gone from the card.
        until("it is wiped", async || card(&app, first).await.occupancy == Occupancy::Free).await;
        assert!(scene.room().cards[0].find("/data/media/0/written.jpg", false).is_err(), "it is wiped");
        let (all, kept) = (copies(&app).await, row(&app, scene.phone).await.kept_id);
        let kept = all.iter().find(|copy| Some(copy.id) == kept).unwrap();
        let further: Vec<&backup::Model> = all.iter().filter(|copy| copy.is_salvaged).collect();
        assert_eq!(further.len(), 1, "{all:?}");
        assert_eq!((further[0].state, kept.is_salvaged), (BackupState::Verified, false));
        assert!(further[0].safe_until.is_some() && further[0].files > kept.files, "{all:?}");
        assert_eq!(row(&app, scene.phone).await.use_type, UseType::On);
    }
}
