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
        let other = app.operator("other", &["device:files", "operation:list", "device:list", "phone:files"]).await;
        let file = fetched(&clerk, card, json!({ "kind": "pull", "path": "/system/build.prop" })).await;
        assert!(other.get(&format!("/api/operation/v1/tasks/{file}/file")).await.bytes.len() > 1);
        assert_eq!(looks(&clerk, phone).await, ["phone_files", "phone_screen", "phone_files"]);
    }

    async fn whoever_looks_needs_the_right_to_phones_besides_that_to_cards(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let console = console(&app).await;
        let place = Place::of(&app, &clerk, &console, 39).await;
        until_online(&clerk, 8).await;
        let card = &place.card["id"];
        let cards = ["device:files", "device:install", "device:list", "operation:list", "operation:control"];
        let of_cards = app.operator("cards", &cards).await;
        let of_screens = app.operator("screens", &[&cards[..], &["phone:screen"]].concat()).await;
        let of_files = app.operator("files", &[&cards[..], &["phone:files"]].concat()).await;
        let asked = async |who: &Caller<'_>, act: Value, selection: Value| {
            who.post(OPERATIONS, json!({ "selection": selection, "act": act })).await.status()
        };
        let folder = async |who: &Caller<'_>| who.get(&format!("{CARDS}/{card}/files?path=/sdcard")).await.json();
        let shown = async |who: &Caller<'_>, task: &Value| {
            let answer = who.get(&format!("/api/operation/v1/tasks/{task}/file")).await;
            let json = serde_json::from_slice::<Value>(&answer.bytes).ok();
            json.and_then(|json| json["status"].as_i64()).unwrap_or(0)
        };
        let (screenshot, pull) = (json!({ "kind": "screenshot" }), json!({ "kind": "pull", "path": "/system/build.prop" }));
        // A card without a phone is the company's own.
        assert_eq!(folder(&of_cards).await["status"], 0);
        let before = fetched(&of_cards, card, screenshot.clone()).await;
        let missing = json!({ "kind": "pull", "path": "/sdcard/none" });
        let made = of_cards.post(OPERATIONS, json!({ "selection": { "ids": [card] }, "act": missing })).await.data();
        assert_eq!(done(&of_cards, &made["id"]).await["failed"], 1);

        let phone = new_phone(&app, &clerk, place.room_id).await;
        put_on(&app, phone, card.as_i64().unwrap()).await;
        for who in [&of_cards, &of_screens] {
            let refused = folder(who).await;
            assert_eq!(refused["status"], 4003, "{refused}");
            assert!(refused["msg"].as_str().unwrap().contains("phone:files"), "{refused}");
        }
        assert_eq!(folder(&of_files).await["status"], 0);
        let (one, all) = (json!({ "ids": [card] }), json!({ "filter": { "roomId": place.room_id } }));
        for selection in [&one, &all] {
            assert_eq!(asked(&of_cards, screenshot.clone(), selection.clone()).await, 4003, "{selection}");
            assert_eq!(asked(&of_files, screenshot.clone(), selection.clone()).await, 4003, "{selection}");
            assert_eq!(asked(&of_cards, pull.clone(), selection.clone()).await, 4003, "{selection}");
            assert_eq!(asked(&of_screens, pull.clone(), selection.clone()).await, 4003, "{selection}");
        }
        assert!(app.audit_trail().await.contains(&"screens operation_pull 4003".to_owned()));
        // The others of the room carry nobody's phone.
        let listed = clerk.get(&format!("{CARDS}?pageSize=10&sort=id&order=asc")).await.data();
        assert_eq!(asked(&of_cards, pull.clone(), json!({ "ids": [listed["list"][1]["id"]] })).await, 0);
        // What was begun before is not tried again on what has become a customer's phone.
        let again = format!("{OPERATIONS}/{}/retry", made["id"]);
        assert_eq!(of_screens.post(&again, json!({})).await.status(), 4003);
        assert_eq!(of_files.post(&again, json!({})).await.status(), 0);

        let screen = fetched(&of_screens, card, screenshot).await;
        let file = fetched(&of_files, card, pull).await;
        assert_eq!((shown(&of_cards, &screen).await, shown(&of_files, &screen).await), (4003, 4003));
        assert_eq!((shown(&of_cards, &file).await, shown(&of_screens, &file).await), (4003, 4003));
        assert_eq!((shown(&of_screens, &screen).await, shown(&of_files, &file).await), (0, 0));
        assert_eq!(shown(&of_cards, &before).await, 0, "that was no customer's screen");
        // Of looks that were refused nothing was seen.
        assert_eq!(looks(&clerk, phone).await, ["phone_files", "phone_screen"]);
    }
}
