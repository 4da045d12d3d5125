//! Phones with something that nobody has decided about: two operators say that copies may leave it out on the image of their
//! card, and what was held for it goes on.

use entity::saga::{SagaKind, SagaState};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::room::until;

use super::copied::{BACKUPS, Scene, copies};
use super::lost_steps::stands;
use super::put_on::walked;
use super::taken_off::{ended, take_off};

const PHONES: &str = "/api/phone/v1/phones";

/// The newest that was done to a phone.
async fn newest(clerk: &Caller<'_>, phone: i64) -> Value {
    clerk.get(&format!("{PHONES}/{phone}/sagas")).await.data()[0].clone()
}

/// Waits until its take-off is held since something is in a copy's way.
async fn is_held(clerk: &Caller<'_>, phone: i64) {
    let held = (json!(SagaKind::TakeOff.code()), json!(SagaState::Held.code()), json!("not_covered"));
    until("it is held", async || stands(clerk, phone).await == held).await;
}

db_test! {
    async fn a_phone_leaves_once_two_operators_have_said_what_copies_may_leave_out(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 95).await;
        let phone = scene.phone;
        scene.room().cards[0].plant("/data/vendor_game/saves/one", 7, 2 << 20).unwrap();
        let operation = take_off(&clerk, phone).await;
        is_held(&clerk, phone).await;
        let told = newest(&clerk, phone).await["uncovered"].clone();
        assert_eq!(told["path"], "/data/vendor_game/saves");
        let seen = clerk.get(&format!("{PHONES}/{phone}/coverage")).await.data();
        assert_eq!(seen["imageId"], told["imageId"]);
        let open = &seen["found"]["uncovered"][0];
        assert_eq!((&open["path"], &open["mayBeExcluded"]), (&json!("vendor_game/saves"), &json!(true)));

        // By one alone nothing is left out.
        let all = format!("/api/fleet/v1/images/{}/exclusions", told["imageId"]);
        let body = json!({ "path": "/data/vendor_game/*", "reason": "厂商缓存，可重新下载" });
        let named = clerk.post(&all, body).await.data();
        let seen = clerk.get(&format!("{PHONES}/{phone}/coverage")).await.data();
        assert_eq!(seen["code"], "not_covered");
        is_held(&clerk, phone).await;

        let second = app.operator("second", &["systemImage:exclude"]).await;
        second.post(&format!("/api/fleet/v1/exclusions/{}/approve", named["id"]), json!({})).await.data();
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]), "{:?}", walked(&clerk, phone).await);
        assert_eq!(newest(&clerk, phone).await["uncovered"], Value::Null);
        let copy = copies(&app).await.pop().unwrap();
        let detail = clerk.get(&format!("{BACKUPS}/{}", copy.id)).await.data();
        let left: Vec<&Value> =
            detail["manifest"]["dropped"].as_array().unwrap().iter().filter(|one| one["why"] == "allowed").collect();
        let wanted = json!({ "path": "vendor_game/*", "why": "allowed", "amount": { "files": 1, "bytes": 2 << 20 } });
        assert_eq!(left, [&wanted], "the copy names what it lacks");
    }

    async fn what_is_removed_stands_in_the_way_again_and_another_path_helps_nobody(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 96).await;
        let phone = scene.phone;
        scene.room().cards[0].plant("/data/vendor_game/saves/one", 7, 2 << 20).unwrap();
        let image = clerk.get(&format!("{PHONES}/{phone}/coverage")).await.data()["imageId"].clone();
        let all = format!("/api/fleet/v1/images/{image}/exclusions");
        let second = app.operator("second", &["systemImage:exclude"]).await;
        let allow = async |path: &str| {
            let named = clerk.post(&all, json!({ "path": path, "reason": "没有用处" })).await.data();
            let one = format!("/api/fleet/v1/exclusions/{}", named["id"]);
            second.post(&format!("{one}/approve"), json!({})).await.data();
            one
        };
        let first = allow("/data/vendor_game").await;
        let seen = clerk.get(&format!("{PHONES}/{phone}/coverage")).await.data();
        assert_eq!(seen["isCovered"], true, "{seen}");
        assert_eq!(clerk.delete(&first, json!({})).await.status(), 0);
        let operation = take_off(&clerk, phone).await;
        is_held(&clerk, phone).await;
        let steps = walked(&clerk, phone).await.len();
        allow("/data/other_game").await;
        until("it is tried once more", async || walked(&clerk, phone).await.len() > steps).await;
        is_held(&clerk, phone).await;
        let tried = walked(&clerk, phone).await.len();
        for _ in 0..3 {
            phones::saga_round(&app.app).await.unwrap();
        }
        assert_eq!(walked(&clerk, phone).await.len(), tried, "and not again and again");
        // By itself it would be tried in five minutes.
        allow("/data/vendor_game").await;
        assert_eq!(ended(&clerk, &operation).await, (1, vec![]), "{:?}", walked(&clerk, phone).await);
    }
}
