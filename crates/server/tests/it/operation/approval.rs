//! What one operator may do alone, in however many pieces, and what resuming others' operations needs.

use fleet::operation::{claim, record_results, round};
use serde_json::{Value, json};
use testkit::db_test;
use wire::{Effect, Outcome, Reason};

use super::{OPERATIONS, get, result, settings, shell, up};
use crate::support::{Caller, TestApp};

async fn begin(clerk: &Caller<'_>, cards: &[i64]) -> Value {
    clerk.post(OPERATIONS, shell(cards)).await.data()
}

async fn reboot(clerk: &Caller<'_>, cards: &[i64]) -> Value {
    let body = json!({ "selection": { "ids": cards }, "act": { "kind": "reboot" }, "options": { "reason": "x" } });
    clerk.post(OPERATIONS, body).await.data()
}

db_test! {
    async fn an_operation_in_pieces_needs_the_second_operator_that_the_whole_needs(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, cards) = up(&app, &clerk).await;
        settings(&clerk, "approvalAbove", 4).await;
        settings(&clerk, "approvalMinutes", 5).await;
        let at_once = tokio::join!(reboot(&clerk, &cards[..4]), reboot(&clerk, &cards[2..6]), reboot(&clerk, &cards[4..]));
        let mut states = [&at_once.0, &at_once.1, &at_once.2].map(|made| made["state"].as_i64().unwrap());
        states.sort_unstable();
        assert_eq!(states, [2, 2, 4], "one may begin, the others wait");

        assert_eq!(begin(&clerk, &cards[..1]).await["state"], 2, "a script is one piece more");
        let ask = json!({ "selection": { "ids": cards[..1] }, "kind": 5 });
        assert_eq!(clerk.post(&format!("{OPERATIONS}/preview"), ask.clone()).await.data()["needsApproval"], true);
        let other = app.operator("other", &["device:shell", "device:list", "operation:list"]).await;
        assert_eq!(begin(&other, &cards[..4]).await["state"], 4, "each operator has a count of his own");
        let picture = json!({ "selection": { "ids": cards }, "act": { "kind": "screenshot" } });
        assert_eq!(clerk.post(OPERATIONS, picture).await.data()["state"], 4);

        app.app.clock.advance_seconds(301);
        assert_eq!(clerk.post(&format!("{OPERATIONS}/preview"), ask).await.data()["needsApproval"], false);
        assert_eq!(begin(&clerk, &cards[..2]).await["state"], 4);
        assert_eq!(begin(&clerk, &cards[..2]).await["state"], 4);
        assert_eq!(begin(&clerk, &cards[..1]).await["state"], 2);
        // Kept for one moment, in pieces that were begun one after the other.
        app.app.clock.advance_seconds(301);
        let soon = app.app.clock.now().plus_seconds(900);
        let mut later = Vec::new();
        for piece in cards.chunks(4) {
            let mut body = shell(piece);
            body["options"] = json!({ "notBefore": soon });
            later.push(clerk.post(OPERATIONS, body).await.data());
            app.app.clock.advance_seconds(301);
        }
        assert_eq!(later.iter().map(|made| made["state"].clone()).collect::<Vec<_>>(), [json!(3), json!(3)]);
        app.app.clock.advance_seconds(900);
        round(&app.app).await.unwrap();
        let mut states = Vec::new();
        for made in &later {
            states.push(get(&clerk, &made["id"]).await["state"].clone());
        }
        assert_eq!(states, [json!(4), json!(2)]);
    }

    async fn who_goes_on_with_an_act_or_tries_it_again_needs_its_right(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let made = begin(&clerk, &cards).await;
        let path = |act: &str| format!("{OPERATIONS}/{}/{act}", made["id"]);
        let control = app.operator("control", &["operation:list", "operation:control"]).await;
        let both = app.operator("both", &["operation:list", "operation:control", "device:shell"]).await;
        control.post(&path("pause"), json!({})).await.data();
        assert_eq!(control.post(&path("resume"), json!({})).await.brief(), (200, 4003));
        assert_eq!(get(&clerk, &made["id"]).await["state"], 5);
        both.post(&path("resume"), json!({})).await.data();
        let given = claim(&app.app, &session).await.unwrap();
        let refused = Outcome::failed(Reason::AdbRefused, "").with(Effect::NeverBegan);
        let said: Vec<_> = given.iter().map(|task| result(task.key, refused.clone())).collect();
        record_results(&app.app, &session, &said).await.unwrap();
        assert_eq!(control.post(&path("retry"), json!({})).await.brief(), (200, 4003));
        assert_eq!(get(&clerk, &made["id"]).await["pending"], 0);
        let trail = app.audit_trail().await;
        assert!(trail.contains(&"control operation_retry 4003".to_owned()), "{trail:?}");
        assert!(trail.contains(&"control operation_go_on 4003".to_owned()), "{trail:?}");
        both.post(&path("retry"), json!({})).await.data();
        assert_eq!(get(&clerk, &made["id"]).await["pending"], 8);
        // What failed once does not become more than one may do alone by being tried again, nor does it get around it.
        clerk.post(&path("cancel"), json!({})).await.data();
        settings(&clerk, "approvalAbove", 4).await;
        settings(&clerk, "approvalMinutes", 5).await;
        app.app.clock.advance_seconds(301);
        let first = begin(&clerk, &cards[..4]).await;
        let given = claim(&app.app, &session).await.unwrap();
        let said: Vec<_> = given.iter().map(|task| result(task.key, refused.clone())).collect();
        record_results(&app.app, &session, &said).await.unwrap();
        app.app.clock.advance_seconds(301);
        let second = begin(&clerk, &cards[4..]).await;
        assert_eq!((&first["state"], &second["state"]), (&json!(4), &json!(4)));
        let again = clerk.post(&format!("{OPERATIONS}/{}/retry", first["id"]), json!({})).await;
        assert_eq!(again.brief(), (409, 4009), "four more within some minutes");
        app.app.clock.advance_seconds(301);
        clerk.post(&format!("{OPERATIONS}/{}/retry", first["id"]), json!({})).await.data();
    }

    async fn the_kind_decides_which_permission_is_needed_and_what_the_log_calls_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, cards) = up(&app, &clerk).await;
        let shells = app.operator("shells", &["device:shell"]).await;
        let of = |act: Value| json!({ "selection": { "ids": cards }, "act": act });
        shells.post(OPERATIONS, shell(&cards)).await.data();
        assert_eq!(shells.post(OPERATIONS, of(json!({ "kind": "wipe" }))).await.brief(), (200, 4003));
        let trail = app.audit_trail().await;
        assert!(trail.ends_with(&["shells operation_shell 0".to_owned(), "shells operation_reset 4003".to_owned()]), "{trail:?}");

        // What is wrong with a body is told only to those who may send a better one.
        for (act, wrong) in [
            (json!({ "kind": "shell" }), "act.script required"),
            (json!({ "kind": "shell", "script": " " }), "act.script required"),
            (json!({ "kind": "shell", "script": "id", "order": "on" }), "act.order field.unknown"),
            (json!({ "kind": "reboot", "script": "id" }), "act.script field.unknown"),
            (json!({ "script": "id" }), "act.kind required"),
        ] {
            assert_eq!(shells.post(OPERATIONS, of(act.clone())).await.errors(), [wrong], "{act}");
        }
        assert_eq!(shells.post(OPERATIONS, of(json!({ "kind": "dance" }))).await.brief(), (400, 4000));
        assert_eq!(shells.post(OPERATIONS, json!({})).await.brief(), (400, 4000));
        let none = app.operator("none", &["device:list"]).await;
        assert_eq!(none.post(OPERATIONS, json!({})).await.brief(), (200, 4003));
    }
}
