//! Looks at customers' phones: each leaves a line in the phone's history when it begins.

use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, done};
use testroom::phone::phone as new_phone;
use testroom::room::{console, hurry, until_online};
use testroom::site::CARDS;

use super::shell_record::Place;
use crate::operation::second_look::put_on;

/// The looks at a phone that its history tells of, oldest first.
async fn looks(clerk: &Caller<'_>, phone: i64) -> Vec<String> {
    let asked = json!({ "objectKind": "phone", "objectId": phone.to_string(), "pageNum": 1, "pageSize": 50 });
    let log = clerk.post("/api/user/v1/operation/log/list", asked).await.data();
    let lines = log["list"].as_array().unwrap().iter().rev().map(|line| line["action"].as_str().unwrap().to_owned());
    lines.filter(|action| ["phone_screen", "phone_files"].contains(&&**action)).collect()
}

/// What was fetched from the card is shown.
async fn fetched(clerk: &Caller<'_>, card: &Value, act: Value) -> Value {
    let made = clerk.post(OPERATIONS, json!({ "selection": { "ids": [card] }, "act": act })).await.data();
    assert_eq!(done(clerk, &made["id"]).await["succeeded"], 1);
    clerk.get(&format!("{OPERATIONS}/{}/tasks", made["id"])).await.data()["list"][0]["id"].clone()
}

db_test! {
    async fn at_a_screen_and_at_files_once_an_open_page(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let console = console(&app).await;
        let place = Place::of(&app, &clerk, &console, 38).await;
        until_online(&clerk, 8).await;
        let card = &place.card["id"];
        let folder = async |path: &str| clerk.get(&format!("{CARDS}/{card}/files?path={path}")).await.data();
        let shown = async |task: &Value| clerk.get(&format!("/api/operation/v1/tasks/{task}/file")).await.bytes.len();
        // Nobody's phone is on the card.
        folder("/sdcard").await;
        let before = fetched(&clerk, card, json!({ "kind": "screenshot" })).await;
        let phone = new_phone(&app, &clerk, place.room_id).await;
        put_on(&app, phone, card.as_i64().unwrap()).await;
        assert!(shown(&before).await > 0);
        assert!(looks(&clerk, phone).await.is_empty(), "that was no customer's screen");

        for path in ["/sdcard", "/sdcard/Download", "/sdcard"] {
            folder(path).await;
        }
        assert_eq!(looks(&clerk, phone).await, ["phone_files"]);
        for _ in 0..2 {
            let screen = fetched(&clerk, card, json!({ "kind": "screenshot" })).await;
            assert!(shown(&screen).await > 0);
        }
        assert_eq!(looks(&clerk, phone).await, ["phone_files", "phone_screen"]);
        // Somebody else, to whom it is told by a download alone.
        let other = app.operator("other", &["device:files", "operation:list", "device:list"]).await;
        let file = fetched(&clerk, card, json!({ "kind": "pull", "path": "/system/build.prop" })).await;
        assert!(other.get(&format!("/api/operation/v1/tasks/{file}/file")).await.bytes.len() > 1);
        assert_eq!(looks(&clerk, phone).await, ["phone_files", "phone_screen", "phone_files"]);
    }
}
