//! What expired is tried again as what failed is: with its time anew, and not around the second operator.

use fleet::operation::{claim, record_results, round};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::site::settings;
use wire::{Outcome, Reason};

use super::{result, shell, up};

/// `state, pending, running, succeeded, failed, expired`.
fn brief(of: &Value) -> [i64; 6] {
    ["state", "pending", "running", "succeeded", "failed", "expired"].map(|field| of[field].as_i64().unwrap())
}

db_test! {
    async fn what_expired_is_tried_again_by_its_reason_or_with_what_failed(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        settings(&clerk, "tasksPerRoom", 2).await;
        let mut body = shell(&cards);
        body["options"] = json!({ "expiresAt": app.app.clock.now().plus_seconds(200), "stopAtPercent": 100 });
        let made = clerk.post(OPERATIONS, body).await.data();
        let retry = format!("{OPERATIONS}/{}/retry", made["id"]);
        let given = claim(&app.app, &session).await.unwrap();
        let ends = [Outcome::Succeeded, Outcome::failed(Reason::NoSpace, "full")];
        let said: Vec<_> = given.iter().zip(ends).map(|(task, end)| result(task.key, end)).collect();
        record_results(&app.app, &session, &said).await.unwrap();
        app.app.clock.advance_seconds(201);
        round(&app.app).await.unwrap();
        let over = get(&clerk, &made["id"]).await;
        assert_eq!((brief(&over), &over["mayHaveRun"]), ([9, 0, 0, 1, 1, 6], &json!(1)), "{over}");

        // Alone: these never began, and nobody has to confirm them.
        let again = clerk.post(&retry, json!({ "code": "expired" })).await.data();
        assert_eq!((brief(&again), &again["finishedAt"]), ([4, 6, 0, 1, 1, 0], &Value::Null));
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [4, 6, 0, 1, 1, 0], "they have the same time as before");
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!((given.len(), given[0].key.attempt), (2, 1), "it is their first attempt");
        let said: Vec<_> = given.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
        record_results(&app.app, &session, &said).await.unwrap();
        app.app.clock.advance_seconds(201);
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [9, 0, 0, 3, 1, 4]);

        // With what failed, which may have run.
        assert_eq!(clerk.post(&retry, json!({})).await.brief(), (409, 4009));
        clerk.post(&retry, json!({ "confirmed": true })).await.data();
        settings(&clerk, "tasksPerRoom", 8).await;
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 5);
        let said: Vec<_> = given.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
        record_results(&app.app, &session, &said).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [7, 0, 0, 8, 0, 0]);
        assert_eq!(clerk.post(&retry, json!({})).await.brief(), (409, 4009), "nothing is left");
    }

    async fn what_nobody_approved_in_time_is_not_begun_by_a_retry(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        settings(&clerk, "approvalAbove", 5).await;
        let mut body = shell(&cards);
        body["options"] = json!({ "expiresAt": app.app.clock.now().plus_seconds(60) });
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!(made["state"], 2);
        app.app.clock.advance_seconds(61);
        round(&app.app).await.unwrap();
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [9, 0, 0, 0, 0, 8]);
        let retry = format!("{OPERATIONS}/{}/retry", made["id"]);
        assert_eq!(clerk.post(&retry, json!({})).await.brief(), (409, 4009));
        assert_eq!(brief(&get(&clerk, &made["id"]).await), [9, 0, 0, 0, 0, 8]);
        assert!(claim(&app.app, &session).await.unwrap().is_empty());
    }
}
