//! Sign-ins and sign-outs, one by one and many at once, late and in any order.

use http::Method;
use kernel::time::UtcTime;
use serde_json::{Value, json};
use testapp::{Answer, Caller, TestApp};
use testkit::db_test;

use super::{C1, Key, USERS, act, application, ask, clerk, form, is, registered};

const EVENTS: &str = "/open/v1/sign-events";
const OWN: &str = "/api/user/v5/user/selectUserLoginRecord";
const C2: &str = "/api/user/v1/client-users/records";
const DETAIL: &str = "/api/user/v1/designjet/client_info";

fn before_now(app: &TestApp, seconds: i64) -> UtcTime {
    app.app.clock.now().plus_seconds(-seconds)
}

async fn sign_in(app: &TestApp, key: &Key, user: i64, at: UtcTime, device: &str) -> Answer {
    let body = json!({ "at": at, "loginMethod": 2, "clientType": 2, "clientVersion": "6.0", "deviceName": device, "ip": "203.0.113.8" });
    act(app, key, Method::POST, &format!("{USERS}/{user}/sign-ins"), body).await
}

/// What happened to a customer, newest first.
async fn records(clerk: &Caller<'_>, user: i64) -> Vec<Value> {
    clerk.post(OWN, json!({ "id": user, "pageSize": 100 })).await.data()["list"].as_array().unwrap().clone()
}

fn times(records: &[Value]) -> Vec<String> {
    records.iter().map(|record| record["at"].as_str().unwrap().to_owned()).collect()
}

db_test! {
    async fn a_sign_in_that_is_told_late_does_not_move_the_last_one_back(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("代理", 2)).await;
        let id = registered(&app, &key, 13_800_000_001).await;
        let (early, middle, late) = (before_now(&app, 600), before_now(&app, 400), before_now(&app, 200));

        let told = sign_in(&app, &key, id, middle, "iPhone 17").await.data();
        assert_eq!(told["lastLoginAt"], json!(middle));
        let told = sign_in(&app, &key, id, early, "old one").await.data();
        assert_eq!(told["lastLoginAt"], json!(middle), "that was before");
        let seen = clerk.get(&format!("{DETAIL}?id={id}")).await.data();
        assert_eq!((&seen["deviceName"], &seen["clientType"], &seen["loginMethod"]), (&json!("iPhone 17"), &json!(2), &json!(2)));
        let out = json!({ "at": before_now(&app, 500), "ip": "203.0.113.9" });
        assert_eq!(act(&app, &key, Method::POST, &format!("{USERS}/{id}/sign-outs"), out).await.data()["lastLoginAt"], json!(middle));
        assert_eq!(sign_in(&app, &key, id, late, "").await.data()["lastLoginAt"], json!(late));
        let seen = clerk.get(&format!("{DETAIL}?id={id}")).await.data();
        assert_eq!(seen["deviceName"], "iPhone 17", "nothing is said of the device");

        let own = records(&clerk, id).await;
        let mut sorted = times(&own);
        sorted.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(times(&own), sorted, "in the order in which it happened");
        let kinds: Vec<i64> = own.iter().map(|record| record["kind"].as_i64().unwrap()).collect();
        assert_eq!(kinds, [1, 2, 2, 3, 2], "who is registered now signed in before, at another console");
        assert_eq!((&own[3]["ip"], &own[3]["clientType"]), (&json!("203.0.113.9"), &json!(2)));
        assert_eq!(clerk.get(&format!("{C2}?kind=2")).await.data()["total"], 3);
        for (filter, total) in [(json!({ "clientType": 2, "status": 1 }), 1), (json!({ "clientType": 1 }), 0), (json!({ "loginMethod": 2 }), 1)] {
            assert_eq!(clerk.post(C1, filter.clone()).await.data()["total"], total, "{filter}");
        }
        // What customers do is in their records and in no log of operators.
        assert_eq!(app.audit_trail().await.iter().filter(|line| line.contains("open_user_sign")).count(), 0);
    }

    async fn what_is_to_come_has_not_happened(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("代理", 2)).await;
        let id = registered(&app, &key, 13_800_000_001).await;
        assert_eq!(sign_in(&app, &key, id, before_now(&app, -290), "").await.status(), 0, "clocks differ");
        let refused = sign_in(&app, &key, id, before_now(&app, -400), "").await;
        assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec!["at time.inFuture".to_owned()]));
        let refused = sign_in(&app, &key, id, before_now(&app, 367 * 86_400), "").await;
        assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec!["at time.longAgo".to_owned()]));
        let target = format!("{USERS}/{id}/sign-ins");
        for (body, error) in [
            (json!({ "clientType": 1 }), "loginMethod required"),
            (json!({ "loginMethod": 1, "clientType": 1, "at": "yesterday" }), "at type.wrong"),
            (json!({ "loginMethod": 1, "clientType": 1, "ip": "here" }), "ip ip.format"),
            (json!({ "loginMethod": 1, "clientType": 1, "kind": 3 }), "kind field.unknown"),
        ] {
            assert_eq!(act(&app, &key, Method::POST, &target, body).await.errors(), [error]);
        }
        // Now, if nobody says when.
        let told = act(&app, &key, Method::POST, &target, json!({ "loginMethod": 1, "clientType": 1 })).await;
        assert_eq!(told.status(), 0);
        assert_eq!(records(&clerk, id).await.len(), 3);
    }

    async fn a_call_counts_as_often_as_it_tells_of_something(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("代理", 2)).await;
        let id = registered(&app, &key, 13_800_000_001).await;
        let before = ask(&app, &key, "/open/v1/app").await.data()["limits"]["callsToday"].as_i64().unwrap();
        let event = json!({ "userId": id.to_string(), "kind": 3, "at": before_now(&app, 1) });
        let events = json!({ "events": vec![event; 50] });
        assert_eq!(act(&app, &key, Method::POST, "/open/v1/sign-events", events).await.data()["recorded"], 50);
        let after = ask(&app, &key, "/open/v1/app").await.data()["limits"]["callsToday"].as_i64().unwrap();
        assert_eq!(after - before, 51, "fifty, and the one that asks");
    }

    async fn many_are_told_at_once_and_each_is_taken_or_refused_by_itself(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (agent, partner) = (application(&clerk, form("代理", 2)).await, application(&clerk, form("伙伴", 3)).await);
        let mut users = Vec::new();
        for number in 13_800_000_001..13_800_000_005 {
            users.push(registered(&app, &agent, number).await);
        }
        let foreign = registered(&app, &partner, 13_800_000_009).await;
        crate::run(&app, &format!("UPDATE client_user SET status = 2 WHERE id = {}", users[2])).await;
        crate::run(&app, &format!("UPDATE client_user SET status = 3 WHERE id = {}", users[3])).await;
        let event = |user: String, kind: i64, ago: i64| {
            json!({ "userId": user, "kind": kind, "at": before_now(&app, ago), "loginMethod": 1, "clientType": 1 })
        };
        let of = |place: usize| users[place].to_string();
        let last = event(of(0), 2, 100);
        let events = json!([
            last,
            event(of(0), 2, 300),
            event(of(1), 2, 200),
            event(of(0), 3, 200),
            event(of(2), 2, 50),
            event(of(2), 3, 50),
            event(of(3), 2, 50),
            event(foreign.to_string(), 2, 50),
            event("987654".to_owned(), 3, 50),
            event("abc".to_owned(), 3, 50),
        ]);
        let told = act(&app, &agent, Method::POST, EVENTS, json!({ "events": events })).await.data();
        let refused: Vec<(u64, &str)> = told["refused"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["index"].as_u64().unwrap(), one["code"].as_str().unwrap()))
            .collect();
        assert_eq!(
            refused,
            [(4, "user_disabled"), (6, "user_closed"), (7, "not_found"), (8, "not_found"), (9, "not_found")]
        );
        assert_eq!(told["recorded"], 5);
        assert_eq!(told["refused"][2]["msg"], told["refused"][3]["msg"], "somebody else's is not there");
        assert_eq!(ask(&app, &agent, &format!("{USERS}/{}", users[0])).await.data()["lastLoginAt"], last["at"]);
        assert_eq!(records(&clerk, users[0]).await.len(), 4);
        assert_eq!(records(&clerk, foreign).await.len(), 1);
        assert_eq!(clerk.get(&format!("{C2}?kind=2")).await.data()["total"], 3);
        assert_eq!(clerk.get(&format!("{C2}?kind=3")).await.data()["total"], 2);

        let wrong = |events: Value| json!({ "events": events });
        let mut no_method = event(of(0), 2, 1);
        no_method["loginMethod"] = Value::Null;
        let many: Vec<Value> = (0..201).map(|_| event(of(0), 3, 1)).collect();
        for (body, error) in [
            (wrong(json!([])), "events list.empty"),
            (wrong(json!(many)), "events list.tooMany"),
            (wrong(json!([event(of(0), 3, 1), event(of(0), 1, 1)])), "events[1].kind choice.unknown"),
            (wrong(json!([no_method])), "events[0].loginMethod required"),
            (wrong(json!([event(of(0), 3, 1), event(of(0), 3, -900)])), "events[1].at time.inFuture"),
        ] {
            assert_eq!(act(&app, &agent, Method::POST, EVENTS, body).await.errors(), [error]);
        }
        assert_eq!(clerk.get(&format!("{C2}?kind=3")).await.data()["total"], 2, "of such a call nothing is written");
        let full: Vec<Value> = (0..200).map(|place| event(of(1), 3, place)).collect();
        assert_eq!(act(&app, &agent, Method::POST, EVENTS, wrong(json!(full))).await.data()["recorded"], 200);
        let large = json!({ "events": [{ "userId": "1", "deviceName": "x".repeat(70_000) }] });
        assert!(is(&act(&app, &agent, Method::POST, EVENTS, large).await, 413, "too_large"));
    }
}
