//! Accounts are asked to be closed, kept after all, closed by operators, and their customers come back.

use http::Method;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::{USERS, act, application, ask, clerk, form, is, number, registered, registration};

const C3: &str = "/api/user/logout/qryPageLogoutUser";
const CANCEL: &str = "/api/user/logout/cancelLogoutUser";
const FORM: &str = "/api/user/v1/client-users";

/// The requests that the console shows.
async fn shown(clerk: &Caller<'_>) -> Vec<Value> {
    clerk.post(C3, json!({})).await.data()["list"].as_array().unwrap().clone()
}

async fn complete(clerk: &Caller<'_>, request: &Value) {
    clerk
        .post(&format!("/api/user/v1/client-users/logout-requests/{}/complete", request["id"]), json!({}))
        .await
        .data();
}

db_test! {
    async fn a_request_is_open_once_and_withdrawn_by_whoever_is_first(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("代理", 2)).await;
        let id = registered(&app, &key, 13_800_000_001).await;
        let target = format!("{USERS}/{id}/closing");
        let close = async |reason: &str| act(&app, &key, Method::POST, &target, json!({ "reason": reason })).await;
        let keep = async || act(&app, &key, Method::DELETE, &target, Value::Null).await;
        assert_eq!(ask(&app, &key, &target).await.data(), Value::Null);
        assert!(is(&keep().await, 409, "closing_none"));

        let first = close("用不上了").await.data();
        assert_eq!((&first["status"], &first["reason"], &first["userId"]), (&json!(1), &json!("用不上了"), &json!(id.to_string())));
        assert_eq!(close("还是要注销").await.data(), first, "asked again, it is the open one");
        let rows = shown(&clerk).await;
        assert_eq!((rows.len(), &rows[0]["reason"], &rows[0]["status"]), (1, &json!("用不上了"), &json!(1)));
        assert_eq!((&rows[0]["user"]["id"], &rows[0]["phone"]), (&json!(id), &json!("13800000001")));
        assert_eq!(ask(&app, &key, &format!("{USERS}/{id}")).await.data()["status"], 1, "the account is in use meanwhile");

        assert_eq!(keep().await.data()["status"], 2);
        assert!(is(&keep().await, 409, "closing_none"));
        let rows = shown(&clerk).await;
        assert_eq!((&rows[0]["status"], &rows[0]["handledBy"]), (&json!(2), &json!("Open API · 代理")));

        // An operator is faster.
        let second = close("").await.data();
        assert_ne!(second["id"], first["id"]);
        let open = shown(&clerk).await[0].clone();
        clerk.post(CANCEL, json!({ "id": open["id"] })).await.data();
        assert!(is(&keep().await, 409, "closing_none"));
        assert_eq!(ask(&app, &key, &target).await.data()["status"], 2);
        for (reason, error) in [("x".repeat(257), "reason text.tooLong"), ("a\nb".to_owned(), "reason text.control")] {
            assert_eq!(close(&reason).await.errors(), [error]);
        }
        let acts: Vec<String> = app.audit_trail().await.into_iter().filter(|line| line.contains("closing")).collect();
        let asked = "Open API · 代理 open_user_closing_create 0".to_owned();
        assert_eq!(acts, [asked.clone(), "Open API · 代理 open_user_closing_delete 0".to_owned(), asked]);
    }

    async fn nobody_asks_for_it_all_day_long(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("代理", 2)).await;
        let id = registered(&app, &key, 13_800_000_001).await;
        let target = format!("{USERS}/{id}/closing");
        let close = async || act(&app, &key, Method::POST, &target, json!({})).await;
        for _ in 0..5 {
            assert_eq!(close().await.status(), 0);
            assert_eq!(act(&app, &key, Method::DELETE, &target, Value::Null).await.status(), 0);
        }
        assert!(is(&close().await, 409, "closing_too_often"));
        assert_eq!(shown(&clerk).await.len(), 5);
        app.app.clock.advance_seconds(86_401);
        assert_eq!(close().await.status(), 0);
    }

    async fn whoever_comes_back_with_the_same_number_is_somebody_new(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (agent, partner) = (application(&clerk, form("代理", 2)).await, application(&clerk, form("伙伴", 3)).await);
        let id = registered(&app, &agent, 13_800_000_001).await;
        let target = format!("{USERS}/{id}/closing");
        act(&app, &agent, Method::POST, &target, json!({ "reason": "x" })).await.data();
        let again = act(&app, &agent, Method::POST, USERS, registration(13_800_000_001)).await;
        assert!(is(&again, 409, "user_exists"), "it is open still");
        complete(&clerk, &shown(&clerk).await[0]).await;
        assert_eq!(ask(&app, &agent, &target).await.data()["status"], 3);
        assert_eq!(shown(&clerk).await[0]["reRegistered"], false);
        assert!(is(&act(&app, &agent, Method::POST, &target, json!({})).await, 409, "user_closed"));

        // By another application, at that.
        let made = number(&act(&app, &partner, Method::POST, USERS, registration(13_800_000_001)).await);
        assert_ne!(made, id);
        let row = shown(&clerk).await[0].clone();
        assert_eq!((&row["reRegistered"], &row["user"]["id"]), (&json!(true), &json!(id)));
        let came_back = row["reRegisteredAt"].clone();
        assert!(came_back.is_string(), "{row}");
        let twice = act(&app, &agent, Method::POST, USERS, registration(13_800_000_001)).await;
        assert!(is(&twice, 409, "user_exists"));
        assert_eq!(ask(&app, &agent, &format!("{USERS}/{id}")).await.data()["status"], 3, "the old one stays closed");
        assert_eq!(ask(&app, &partner, &format!("{USERS}?phone=13800000001")).await.data()["list"][0]["id"], json!(made.to_string()));

        // That one goes, too, and comes back by the console's form.
        act(&app, &partner, Method::POST, &format!("{USERS}/{made}/closing"), json!({})).await.data();
        complete(&clerk, &shown(&clerk).await[0]).await;
        let form = json!({ "name": "回头客", "phone": "13800000001" });
        clerk.post(FORM, form.clone()).await.data();
        assert_eq!(clerk.post(FORM, form).await.errors(), ["phone taken"]);
        let rows = shown(&clerk).await;
        assert!(rows.iter().all(|row| row["reRegistered"] == true), "{rows:?}");
        assert_eq!(rows[1]["reRegisteredAt"], came_back, "the first return stays what it was");
    }
}
