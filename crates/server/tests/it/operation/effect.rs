//! The effect of a failed task on its card: reported, listed, and confirmed before a retry.

use fleet::operation::{claim, record_results, round};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::site::settings;
use wire::{Effect, Outcome, Reason};

use super::{result, shell, up};

fn count(of: &Value) -> [i64; 4] {
    ["count", "neverBegan", "proved", "unknown"].map(|field| of[field].as_i64().unwrap())
}

db_test! {
    async fn a_failure_says_whether_the_card_was_touched_and_what_may_have_run_is_asked_about(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let mut body = shell(&cards);
        body["options"] = json!({ "stopAtPercent": 100 });
        let made = clerk.post(OPERATIONS, body).await.data();
        let given = claim(&app.app, &session).await.unwrap();
        let ends = [
            Outcome::failed(Reason::AdbRefused, "").with(Effect::NeverBegan),
            Outcome::failed(Reason::AdbTimeout, "").with(Effect::NeverBegan),
            Outcome::failed(Reason::AdbTimeout, ""),
            Outcome::failed(Reason::ExitCode, "").with(Effect::Proved),
            // An agent of before does not say.
            serde_json::from_value(json!({ "end": "failed", "code": "exit_code", "reason": "" })).unwrap(),
            Outcome::Succeeded,
            Outcome::Succeeded,
            Outcome::Cancelled,
        ];
        let said: Vec<_> = given.iter().zip(ends).map(|(task, end)| result(task.key, end)).collect();
        record_results(&app.app, &session, &said).await.unwrap();

        let ended = get(&clerk, &made["id"]).await;
        assert_eq!((&ended["failed"], &ended["mayHaveRun"]), (&json!(5), &json!(3)));
        let reasons = ended["reasons"].as_array().unwrap();
        let of = |code: &str| count(reasons.iter().find(|group| group["code"] == code).unwrap());
        assert_eq!(of("adb_refused"), [1, 1, 0, 0]);
        assert_eq!(of("adb_timeout"), [2, 1, 0, 1]);
        assert_eq!(of("exit_code"), [2, 0, 1, 1]);
        let path = format!("{OPERATIONS}/{}/tasks", made["id"]);
        for (effect, tasks) in [(1, 3), (2, 1), (3, 2)] {
            let page = clerk.get(&format!("{path}?effect={effect}")).await.data();
            assert_eq!((&page["total"], &page["list"][0]["effect"]), (&json!(tasks), &json!(effect)), "{page}");
        }
        let succeeded = clerk.get(&format!("{path}?state=3")).await.data();
        assert_eq!(succeeded["list"][0]["effect"], Value::Null);
        let file = clerk.get(&format!("{path}/file?format=csv&effect=3")).await;
        let text = String::from_utf8(file.bytes).unwrap();
        assert_eq!(text.matches("可能已执行，结果未知").count(), 2, "{text}");

        let retry = format!("{OPERATIONS}/{}/retry", made["id"]);
        let refused = clerk.clone().lang("en").post(&retry, json!({})).await;
        assert_eq!(refused.brief(), (409, 4009));
        assert!(refused.json()["msg"].as_str().unwrap().contains("run again: 3"), "{}", refused.json());
        assert_eq!(clerk.post(&retry, json!({ "code": "adb_timeout" })).await.brief(), (409, 4009));
        assert_eq!(get(&clerk, &made["id"]).await["failed"], 5, "nothing was turned");
        clerk.post(&retry, json!({ "effect": 1 })).await.data();
        assert_eq!(get(&clerk, &made["id"]).await["pending"], 2, "what never began is not asked about");
        clerk.post(&retry, json!({ "confirmed": true })).await.data();
        assert_eq!(get(&clerk, &made["id"]).await["pending"], 5);

        // What waits for another attempt and is cancelled keeps what the last one did.
        clerk.post(&format!("{OPERATIONS}/{}/cancel", made["id"]), json!({})).await.data();
        let called_off = clerk.get(&format!("{path}?state=7&effect=3")).await.data();
        assert_eq!(called_off["total"], 2, "{called_off}");
    }

    async fn an_attempt_that_never_began_does_not_hide_what_an_earlier_one_may_have_done(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let mut body = shell(&cards[..2]);
        body["options"] = json!({ "stopAtPercent": 100 });
        let made = clerk.post(OPERATIONS, body).await.data();
        let retry = format!("{OPERATIONS}/{}/retry", made["id"]);
        let ends = [
            Outcome::failed(Reason::AdbTimeout, ""),
            Outcome::failed(Reason::AdbRefused, "").with(Effect::NeverBegan),
            Outcome::Cancelled,
        ];
        for end in ends {
            let given = claim(&app.app, &session).await.unwrap();
            assert_eq!(given.len(), 2);
            let never = Outcome::failed(Reason::AdbRefused, "").with(Effect::NeverBegan);
            let said = [result(given[0].key, end), result(given[1].key, never)];
            record_results(&app.app, &session, &said).await.unwrap();
            let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks", made["id"])).await.data();
            let effects: Vec<&Value> = tasks["list"].as_array().unwrap().iter().map(|task| &task["effect"]).collect();
            assert_eq!(effects, [&json!(3), &json!(1)], "{tasks}");
            // What was cancelled is not tried again.
            if tasks["list"][0]["state"] == 4 {
                assert_eq!(clerk.post(&retry, json!({})).await.brief(), (409, 4009), "one may have run");
                clerk.post(&retry, json!({ "confirmed": true })).await.data();
            }
        }
    }

    async fn an_operation_of_which_most_has_expired_ends_as_expired(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        for (at_once, state) in [(2, 9), (6, 7)] {
            settings(&clerk, "tasksPerRoom", at_once).await;
            let mut body = shell(&cards);
            body["options"] = json!({ "expiresAt": app.app.clock.now().plus_seconds(60) });
            let made = clerk.post(OPERATIONS, body).await.data();
            let given = claim(&app.app, &session).await.unwrap();
            app.app.clock.advance_seconds(61);
            round(&app.app).await.unwrap();
            assert_eq!(get(&clerk, &made["id"]).await["state"], 4, "what is under way comes to its end");
            let said: Vec<_> = given.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
            record_results(&app.app, &session, &said).await.unwrap();
            let ended = get(&clerk, &made["id"]).await;
            assert_eq!((&ended["succeeded"], &ended["state"]), (&json!(at_once), &json!(state)), "{ended}");
        }
    }
}
