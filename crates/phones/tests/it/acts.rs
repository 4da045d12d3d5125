//! What is done to a selection of phones: operations, of which phones are the targets.

use fleet::operation::round;
use kernel::time::UtcTime;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::{DAY, PHONES, check_counters, lives, make, put_on, world};

const OPERATIONS: &str = "/api/operation/v1/operations";

/// Asks for an act on phones; the operation as it is then.
async fn ask(clerk: &Caller<'_>, act: &str, selection: Value, mut body: Value) -> Value {
    body["selection"] = selection;
    clerk.post(&format!("{PHONES}/{act}"), body).await.data()
}

async fn get(clerk: &Caller<'_>, operation: &Value) -> Value {
    clerk.get(&format!("{OPERATIONS}/{}", operation["id"])).await.data()
}

/// How many phones were changed, and the reasons why others were not, with their numbers.
async fn told(clerk: &Caller<'_>, operation: &Value) -> (i64, Vec<(String, i64)>) {
    let now = get(clerk, operation).await;
    assert_eq!(now["state"], 7, "{now}");
    let reasons = now["reasons"].as_array().unwrap().iter();
    let reasons =
        reasons.map(|one| (one["code"].as_str().unwrap().to_owned(), one["count"].as_i64().unwrap())).collect();
    (now["succeeded"].as_i64().unwrap(), reasons)
}

/// Lets the scheduler work until the operation has ended.
async fn ended(app: &TestApp, clerk: &Caller<'_>, operation: &Value) -> Value {
    for _ in 0..100 {
        let now = get(clerk, operation).await;
        if !now["finishedAt"].is_null() {
            return now;
        }
        round(&app.app).await.unwrap();
    }
    panic!("it does not end");
}

fn expiry(phone: &Value) -> UtcTime {
    UtcTime::parse_rfc3339(phone["expiresAt"].as_str().unwrap()).unwrap()
}

db_test! {
    async fn each_phone_of_a_selection_is_changed_or_left_for_a_reason(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 4).await;
        put_on(&app, &clerk, room, ids[0], "10.9.0.7").await;
        // So few are done before the answer comes.
        let act = async |name: &str, body: Value| {
            let made = ask(&clerk, name, json!({ "ids": ids }), body).await;
            assert_eq!((&made["target"], &made["total"]), (&json!(2), &json!(4)));
            told(&clerk, &made).await
        };
        let one = |code: &str, count: i64| (code.to_owned(), count);
        assert_eq!(act("freeze", json!({ "reason": "风控" })).await, (4, vec![]));
        // One on the machine too: it leaves its card by rule.
        assert_eq!(lives(&clerk, &ids).await, [3, 3, 3, 3]);
        let frozen = clerk.get(&format!("{PHONES}/{}", ids[1])).await.data();
        assert_eq!(frozen["frozenReason"], "风控");
        assert_eq!(act("thaw", json!({})).await, (4, vec![]));
        assert_eq!(act("thaw", json!({})).await, (0, vec![one("phone_not_frozen", 4)]));
        assert_eq!(act("plan", json!({ "plan": 4 })).await, (3, vec![one("phone_on_machine", 1)]));
        assert_eq!(act("plan", json!({ "plan": 4 })).await, (0, vec![one("phone_same_plan", 3), one("phone_on_machine", 1)]));
        // One on the machine stays on its card.
        assert_eq!(act("release", json!({ "reason": "退款" })).await, (4, vec![]));
        assert_eq!(lives(&clerk, &ids).await, [5, 5, 5, 5]);
        assert_eq!(clerk.get(&format!("{PHONES}/{}", ids[0])).await.data()["useType"], 1);
        assert_eq!(act("renew", json!({ "days": 10 })).await, (0, vec![one("phone_released", 4)]));
        assert_eq!(act("restore", json!({})).await, (4, vec![]));
        assert_eq!(lives(&clerk, &ids).await, [2, 2, 2, 2]);
        check_counters(&app).await;

        // Each phone has its own history.
        let asked = json!({ "objectKind": "phone", "objectId": ids[1].to_string(), "pageNum": 1, "pageSize": 20 });
        let log = clerk.post("/api/user/v1/operation/log/list", asked).await.data();
        assert_eq!(log["total"], 5, "freeze, thaw, plan, release, restore: {log}");
        let released = log["list"].as_array().unwrap().iter().find(|line| line["action"] == "phone_release").unwrap();
        assert_eq!(released["message"], "退款");
        for act in ["freeze", "release"] {
            for reason in [json!({ "reason": "" }), json!({})] {
                let mut body = json!({ "selection": { "ids": ids } });
                body.as_object_mut().unwrap().extend(reason.as_object().unwrap().clone());
                let refused = clerk.post(&format!("{PHONES}/{act}"), body).await;
                assert!(refused.errors()[0].starts_with("reason"), "{act}");
            }
        }
        assert_eq!(lives(&clerk, &ids).await, [2, 2, 2, 2], "nothing was done without a reason");
        let made = ask(&clerk, "plan", json!({ "ids": [ids[0]] }), json!({ "plan": 4 })).await;
        let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks", made["id"])).await.data();
        let task = &tasks["list"][0];
        assert_eq!((&task["target"]["name"], &task["words"]), (&json!("CP-0000001"), &json!("云手机正在上机，请先下机")));
        let detail = get(&clerk, &made).await;
        assert_eq!((&detail["detail"], &detail["chosen"]["words"]), (&json!("SVIP"), &json!("1 台指定的云手机")));
        // The filters of the list select here as well: only one was ever on a card.
        let made = ask(&clerk, "renew", json!({ "filter": { "image": "A11-3.8.2" } }), json!({ "days": 10 })).await;
        assert_eq!((&made["total"], told(&clerk, &made).await), (&json!(1), (1, vec![])));
        assert_eq!(get(&clerk, &made).await["chosen"]["words"], "镜像版本 A11-3.8.2");
    }

    async fn a_preview_says_what_would_be_done_and_does_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (room, user) = world(&clerk).await;
        let ids = make(&clerk, &app, (room, user), 30, 3).await;
        put_on(&app, &clerk, room, ids[0], "10.9.0.7").await;
        let preview = async |act: Value| {
            let body = json!({ "selection": { "filter": { "userId": user } }, "act": act });
            clerk.post(&format!("{PHONES}/preview"), body).await.data()
        };
        let freeze = preview(json!({ "kind": "freeze", "reason": "风控" })).await;
        assert_eq!((&freeze["total"], &freeze["willRun"], &freeze["needsApproval"]), (&json!(3), &json!(3), &json!(false)));
        let plan = preview(json!({ "kind": "changePlan", "plan": 4 })).await;
        assert_eq!((&plan["leftOut"][0]["code"], &plan["leftOut"][0]["count"]), (&json!("phone_on_machine"), &json!(1)));
        assert_eq!(preview(json!({ "kind": "release" })).await["willRun"], 3);
        assert_eq!(preview(json!({ "kind": "renew", "days": 30 })).await["willRun"], 3);
        assert_eq!(preview(json!({ "kind": "changePlan", "plan": 2 })).await["willRun"], 0);
        assert_eq!(lives(&clerk, &ids).await, [2, 2, 2]);
        let viewer = app.operator("viewer", &["phone:list"]).await;
        let body = json!({ "selection": { "ids": ids }, "act": { "kind": "thaw" } });
        assert_eq!(viewer.post(&format!("{PHONES}/preview"), body.clone()).await.status(), 0);
        assert_eq!(viewer.post(&format!("{PHONES}/thaw"), json!({ "selection": { "ids": ids } })).await.status(), 4003);
    }

    async fn a_filter_selects_more_than_one_step_and_each_is_done_once_whoever_goes_on(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = world(&clerk).await;
        let soon = make(&clerk, &app, here, 3, 2200).await;
        make(&clerk, &app, here, 30, 5).await;
        let made = ask(&clerk, "renew", json!({ "filter": { "expiresSoon": true } }), json!({ "days": 30 })).await;
        assert_eq!((&made["total"], &made["succeeded"], &made["pending"]), (&json!(2200), &json!(500), &json!(1700)), "{made}");
        // As after a kill: another console finds the operation as it stands in the database.
        let group = clerk.group.unwrap();
        let app = app.restarted().await;
        let boss = app.signed_in("boss", group).await;
        // The clock is set an hour forward, then back.
        app.app.clock.jump_seconds(3600);
        round(&app.app).await.unwrap();
        app.app.clock.jump_seconds(-7200);
        let done = ended(&app, &boss, &made).await;
        assert_eq!((&done["succeeded"], &done["failed"]), (&json!(2200), &json!(0)));
        let page = boss.get(&format!("{PHONES}?sort=expiresAt&pageSize=1")).await.data();
        let expires = expiry(&page["list"][0]);
        assert!((expires.seconds_since(app.app.clock.now()) - 33 * DAY).abs() < 3700, "{expires:?}");
        let last = boss.get(&format!("{PHONES}?sort=expiresAt&order=desc&pageSize=1")).await.data();
        assert_eq!(expiry(&last["list"][0]), expires, "none was renewed twice");
        let none = ask(&boss, "renew", json!({ "filter": { "expiresSoon": true } }), json!({ "days": 30 })).await;
        assert_eq!((&none["total"], &none["state"]), (&json!(0), &json!(7)), "none of them expires soon any more");
        assert_eq!(get(&boss, &none).await["chosen"]["words"], "即将到期 是");
        let asked = json!({ "objectKind": "phone", "objectId": soon[2000].to_string(), "pageNum": 1, "pageSize": 20 });
        let log = boss.post("/api/user/v1/operation/log/list", asked).await.data();
        assert_eq!(log["total"], 1, "{log}");
        check_counters(&app).await;
    }

    async fn what_has_become_something_else_meanwhile_fails_and_can_be_tried_again(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let ids = make(&clerk, &app, world(&clerk).await, 30, 600).await;
        let made = ask(&clerk, "renew", json!({ "filter": {} }), json!({ "days": 30 })).await;
        assert_eq!(made["pending"], 100);
        let last = json!({ "ids": ids[590..] });
        ask(&clerk, "release", last.clone(), json!({ "reason": "退款" })).await;
        let done = ended(&app, &clerk, &made).await;
        assert_eq!((&done["succeeded"], &done["failed"]), (&json!(590), &json!(10)), "{done}");
        assert_eq!((&done["reasons"][0]["code"], &done["mayHaveRun"]), (&json!("phone_released"), &json!(0)));

        ask(&clerk, "restore", last, json!({})).await;
        let retry = format!("{OPERATIONS}/{}/retry", made["id"]);
        let rookie = app.operator("rookie", &["operation:control", "operation:list", "phone:list"]).await;
        assert_eq!(rookie.post(&retry, json!({})).await.status(), 4003, "it takes the right to renew");
        clerk.post(&retry, json!({})).await.data();
        let again = ended(&app, &clerk, &made).await;
        assert_eq!((&again["succeeded"], &again["failed"]), (&json!(600), &json!(0)));
        check_counters(&app).await;
    }
}
