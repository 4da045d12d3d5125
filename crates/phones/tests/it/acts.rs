//! What is done to a selection of phones.

use kernel::time::UtcTime;
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;

use super::{DAY, PHONES, check_counters, lives, make, put_on, world};

/// `changed`, and the reasons with their numbers.
fn told(answer: &Value) -> (i64, Vec<(String, i64)>) {
    let left = answer["left"].as_array().unwrap().iter();
    let left = left.map(|one| (one["code"].as_str().unwrap().to_owned(), one["count"].as_i64().unwrap())).collect();
    (answer["changed"].as_i64().unwrap(), left)
}

db_test! {
    async fn each_phone_of_a_selection_is_changed_or_left_for_a_reason(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 4).await;
        put_on(&app, &clerk, room, ids[0], "10.9.0.7").await;
        let act = |name: &str, mut body: Value| {
            body["selection"] = json!({ "ids": ids });
            let (clerk, path) = (clerk.clone(), format!("{PHONES}/{name}"));
            async move { told(&clerk.post(&path, body).await.data()) }
        };
        let one = |code: &str, count: i64| (code.to_owned(), count);
        assert_eq!(act("freeze", json!({ "reason": "风控" })).await, (3, vec![one("phone.onMachine", 1)]));
        assert_eq!(lives(&clerk, &ids).await, [2, 3, 3, 3]);
        let frozen = clerk.get(&format!("{PHONES}/{}", ids[1])).await.data();
        assert_eq!(frozen["frozenReason"], "风控");
        assert_eq!(act("thaw", json!({})).await, (3, vec![one("phone.notFrozen", 1)]));
        assert_eq!(act("plan", json!({ "plan": 4 })).await, (3, vec![one("phone.onMachine", 1)]));
        assert_eq!(act("plan", json!({ "plan": 4 })).await, (0, vec![one("phone.onMachine", 1), one("phone.samePlan", 3)]));
        assert_eq!(act("release", json!({ "reason": "退款" })).await, (3, vec![one("phone.onMachine", 1)]));
        assert_eq!(lives(&clerk, &ids).await, [2, 5, 5, 5]);
        assert_eq!(act("renew", json!({ "days": 10 })).await, (1, vec![one("phone.released", 3)]));
        assert_eq!(act("restore", json!({})).await, (3, vec![one("phone.notReleased", 1)]));
        assert_eq!(lives(&clerk, &ids).await, [2, 2, 2, 2]);
        check_counters(&app).await;

        // Each phone has its own history.
        let asked = json!({ "objectKind": "phone", "objectId": ids[1].to_string(), "pageNum": 1, "pageSize": 20 });
        let log = clerk.post("/api/user/v1/operation/log/list", asked).await.data();
        assert_eq!(log["total"], 5, "freeze, thaw, plan, release, restore: {log}");
        let refused = clerk.post(&format!("{PHONES}/freeze"), json!({ "selection": { "ids": ids }, "reason": "" })).await;
        assert_eq!(refused.errors(), ["reason required"]);
        let told = clerk.post(&format!("{PHONES}/plan"), json!({ "selection": { "ids": [ids[0]] }, "plan": 4 })).await.data();
        assert_eq!((&told["left"][0]["examples"], told["left"][0]["message"].as_str().unwrap()), (&json!(["CP-0000001"]), "云手机正在上机，请先下机"));
    }

    async fn a_filter_selects_more_than_one_step(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = world(&clerk).await;
        make(&clerk, &app, here, 3, 2200).await;
        make(&clerk, &app, here, 30, 5).await;
        let body = json!({ "selection": { "filter": { "expiresSoon": true } }, "days": 30 });
        assert_eq!(told(&clerk.post(&format!("{PHONES}/renew"), body.clone()).await.data()), (2200, vec![]));
        assert_eq!(told(&clerk.post(&format!("{PHONES}/renew"), body).await.data()), (0, vec![]), "none of them expires soon any more");
        let page = clerk.get(&format!("{PHONES}?sort=expiresAt&pageSize=1")).await.data();
        let expires = UtcTime::parse_rfc3339(page["list"][0]["expiresAt"].as_str().unwrap()).unwrap();
        assert!((expires.seconds_since(app.app.clock.now()) - 33 * DAY).abs() < 60, "{expires:?}");
        assert_eq!(app.audit_trail().await.iter().filter(|line| line.contains("phone_renew 0")).count(), 3);
        check_counters(&app).await;
    }
}
