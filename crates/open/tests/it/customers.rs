//! Customers who come by an application: registered, changed, and whose they are.

use http::Method;
use serde_json::{Value, json};
use testapp::{Answer, TestApp};
use testkit::db_test;

use super::{C1, Key, USERS, act, application, ask, clerk, customer, form, is, number, registered, registration, room};

const STATUS: &str = "/api/user/v1/client-users/status";
const DETAIL: &str = "/api/user/v1/designjet/client_info";
const C2: &str = "/api/user/v1/client-users/records";

/// Everything that an application may do to one customer.
fn all_acts(user: i64) -> [(Method, String, Value); 5] {
    let one = format!("{USERS}/{user}");
    let sign_in = json!({ "loginMethod": 1, "clientType": 1 });
    [
        (Method::PATCH, one.clone(), json!({ "name": "别人" })),
        (Method::POST, format!("{one}/sign-ins"), sign_in),
        (Method::POST, format!("{one}/sign-outs"), json!({})),
        (Method::POST, format!("{one}/closing"), json!({})),
        (Method::DELETE, format!("{one}/closing"), Value::Null),
    ]
}

/// What each of them is answered.
async fn answers(app: &TestApp, key: &Key, user: i64) -> Vec<Answer> {
    let mut all = Vec::new();
    for (method, target, body) in all_acts(user) {
        all.push(act(app, key, method, &target, body).await);
    }
    all
}

fn codes(answers: &[Answer]) -> Vec<String> {
    answers.iter().map(|answer| super::told(answer).1).collect()
}

db_test! {
    async fn whoever_registers_is_seen_with_the_application_that_brought_them(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let company = application(&clerk, form("后台", 1)).await;
        let agent = application(&clerk, form("代理", 2)).await;
        let made = act(&app, &agent, Method::POST, USERS, registration(13_800_000_001)).await;
        let (id, told) = (number(&made), made.data());
        assert_eq!((&told["phone"], &told["status"], &told["lastLoginAt"]), (&json!("13800000001"), &json!(1), &Value::Null));
        assert_eq!(told["identCode"].as_str().unwrap().len(), 10, "{told}");
        let ours = registered(&app, &company, 13_800_000_002).await;

        let seen = clerk.get(&format!("{DETAIL}?id={id}")).await.data();
        for (field, value) in [
            ("name", json!("客户13800000001")),
            ("identCode", told["identCode"].clone()),
            ("loginMethod", json!(1)),
            ("clientType", json!(1)),
            ("clientVersion", json!("5.2.0")),
            ("deviceName", json!("Xiaomi 14")),
            ("registerIp", json!("203.0.113.7")),
            ("app", json!({ "id": agent.app, "name": "代理" })),
        ] {
            assert_eq!(seen[field], value, "{field}");
        }
        assert_eq!(clerk.get(&format!("{DETAIL}?id={ours}")).await.data()["app"], Value::Null);
        let found = clerk.post(C1, json!({ "appId": agent.app })).await.data();
        assert_eq!((&found["total"], &found["list"][0]["id"]), (&json!(1), &json!(id)));
        assert_eq!(found["list"][0]["app"]["name"], "代理");
        assert_eq!(clerk.post(C1, json!({ "appId": agent.app, "status": 2 })).await.data()["total"], 0);
        assert_eq!(clerk.post(C1, json!({ "appId": company.app })).await.data()["total"], 0, "the company's are nobody's");
        assert_eq!(clerk.post(C1, json!({ "keyWord": "13800000001" })).await.data()["total"], 1, "the search knows them");
        assert_eq!(clerk.post(C1, json!({ "status": 1, "clientType": 1 })).await.data()["total"], 2, "so do the counters");
        let file = clerk.get(&format!("{DETAIL}/excel?format=csv&appId={}", agent.app)).await.table();
        assert!(file.len() == 2 && file[1].contains(&"代理".to_owned()), "{file:?}");

        let records = clerk.get(&format!("{C2}?kind=1")).await.data();
        assert_eq!((&records["total"], &records["list"][1]["user"]["id"]), (&json!(2), &json!(id)));
        assert_eq!((&records["list"][1]["ip"], &records["list"][1]["clientVersion"]), (&json!("203.0.113.7"), &json!("5.2.0")));
        assert!(app.audit_trail().await.contains(&"Open API · 代理 open_user_create 0".to_owned()));
        assert!(is(&ask(&app, &company, &format!("{USERS}/{id}")).await, 200, ""), "the company sees them all");
        assert!(is(&ask(&app, &agent, &format!("{USERS}/{ours}")).await, 404, "not_found"));
    }

    async fn a_registration_is_judged_as_the_form_is_and_a_taken_number_says_no_more(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let company = application(&clerk, form("后台", 1)).await;
        let agent = application(&clerk, form("代理", 2)).await;
        let with = |field: &str, value: Value| {
            let mut input = registration(13_800_000_009);
            input[field] = value;
            input
        };
        for (field, value, error) in [
            ("name", json!(" 张"), "name text.leadingSpace"),
            ("name", json!("x".repeat(65)), "name text.tooLong"),
            ("phone", json!("1380000"), "phone phone.format"),
            ("phone", json!(""), "phone required"),
            ("email", json!("nobody"), "email email.format"),
            ("identCode", json!("x".repeat(26)), "identCode text.tooLong"),
            ("loginMethod", json!(7), "loginMethod type.wrong"),
            ("clientType", Value::Null, "clientType type.wrong"),
            ("clientVersion", json!("x".repeat(33)), "clientVersion text.tooLong"),
            ("deviceName", json!("a\nb"), "deviceName text.control"),
            ("ip", json!("203.0.113"), "ip ip.format"),
            ("status", json!(1), "status field.unknown"),
            ("appId", json!(1), "appId field.unknown"),
        ] {
            let refused = act(&app, &agent, Method::POST, USERS, with(field, value)).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec![error.to_owned()]), "{field}");
        }
        let mut known_elsewhere = with("phone", json!(""));
        known_elsewhere["loginMethod"] = json!(3);
        assert_eq!(act(&app, &agent, Method::POST, USERS, known_elsewhere).await.status(), 0);
        assert_eq!(act(&app, &agent, Method::POST, USERS, with("ip", json!("2001:db8::7"))).await.status(), 0);

        registered(&app, &company, 13_800_000_001).await;
        let own = act(&app, &agent, Method::POST, USERS, registration(13_800_000_009)).await;
        let foreign = act(&app, &agent, Method::POST, USERS, registration(13_800_000_001)).await;
        assert!(is(&own, 409, "user_exists"));
        assert_eq!((own.http, own.bytes), (foreign.http, foreign.bytes), "nothing of whose it is");
        let code = |number, code: &str| {
            let mut input = registration(number);
            input["identCode"] = json!(code);
            input
        };
        assert_eq!(act(&app, &company, Method::POST, USERS, code(13_800_000_011, "VIP-1")).await.data()["identCode"], "VIP-1");
        assert!(is(&act(&app, &agent, Method::POST, USERS, code(13_800_000_012, "VIP-1")).await, 409, "ident_code_taken"));
    }

    async fn a_profile_is_not_changed_all_the_time(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("代理", 2)).await;
        let (id, other) = (registered(&app, &key, 13_800_000_001).await, registered(&app, &key, 13_800_000_002).await);
        let change = async |id: i64, name: String| {
            act(&app, &key, Method::PATCH, &format!("{USERS}/{id}"), json!({ "name": name })).await
        };
        let mut told = Vec::new();
        // A minute may begin anew among them, and another one hardly.
        for n in 0..21 {
            told.push(change(id, format!("名字{n}")).await.http.as_u16());
        }
        assert!(told.contains(&429) && told[..10].iter().all(|http| *http == 200), "{told:?}");
        assert_eq!(change(other, "另一位".to_owned()).await.status(), 0);
        let history = json!({ "objectKind": "openApp", "objectId": key.app.to_string() });
        let history = clerk.post("/api/user/v1/operation/log/list", history).await.json().to_string();
        assert!(history.contains("open_user_update"), "it is in the application's history: {history}");
        app.app.clock.advance_seconds(60);
        assert_eq!(change(id, "后来".to_owned()).await.status(), 0);
    }

    async fn what_is_left_out_of_a_profile_stays(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("代理", 2)).await;
        let (id, _) = (registered(&app, &key, 13_800_000_001).await, registered(&app, &key, 13_800_000_002).await);
        let one = format!("{USERS}/{id}");
        let change = async |body: Value| act(&app, &key, Method::PATCH, &one, body).await;
        let told = change(json!({ "email": "a@example.com" })).await.data();
        assert_eq!((&told["name"], &told["email"]), (&json!("客户13800000001"), &json!("a@example.com")));
        let told = change(json!({ "name": "新", "phone": "13900000000" })).await.data();
        assert_eq!((&told["email"], &told["phone"]), (&json!("a@example.com"), &json!("13900000000")));
        assert_eq!(clerk.post(C1, json!({ "keyWord": "13900000000" })).await.data()["total"], 1, "the search knows it");
        assert_eq!(change(json!({ "phone": "" })).await.data()["phone"], "");
        let lines = app.audit_trail().await.len();
        change(json!({})).await.data();
        assert_eq!(app.audit_trail().await.len(), lines, "what changes nothing is not logged");
        assert!(is(&change(json!({ "phone": "13800000002" })).await, 409, "user_exists"));
        for (body, error) in [
            (json!({ "name": "" }), "name required"),
            (json!({ "email": "x" }), "email email.format"),
            (json!({ "remark": "x" }), "remark field.unknown"),
            (json!({ "status": 1 }), "status field.unknown"),
        ] {
            assert_eq!(change(body).await.errors(), [error]);
        }
    }

    async fn somebody_elses_answers_as_one_that_is_not_there(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (agent, company) =
            (application(&clerk, form("代理", 2)).await, application(&clerk, form("后台", 1)).await);
        let partner = application(&clerk, form("伙伴", 3)).await;
        let room = room(&clerk).await;
        let ours = customer(&app, &clerk, room, 13_800_000_001, None).await.id;
        let theirs = registered(&app, &partner, 13_800_000_002).await;
        let absent = answers(&app, &agent, 987_654).await;
        assert!(absent.iter().all(|answer| is(answer, 404, "not_found")));
        for foreign in [ours, theirs] {
            for (foreign, absent) in answers(&app, &agent, foreign).await.iter().zip(&absent) {
                assert_eq!((foreign.http, &foreign.bytes), (absent.http, &absent.bytes));
            }
            assert!(is(&ask(&app, &agent, &format!("{USERS}/{foreign}/closing")).await, 404, "not_found"));
        }
        assert!(is(&act(&app, &agent, Method::PATCH, "/open/v1/users/abc", json!({})).await, 404, "not_found"));
        let seen = clerk.get(&format!("{DETAIL}?id={theirs}")).await.data();
        assert_eq!((&seen["name"], &seen["lastLoginAt"]), (&json!("客户13800000002"), &Value::Null), "nothing of it was done");
        assert_eq!(codes(&answers(&app, &company, theirs).await), [""; 5], "the company's keys may");

        // Without the scope there is nothing at all.
        let mut phones_only = form("只看手机", 1);
        phones_only["scopes"] = json!(["phone"]);
        let key = application(&clerk, phones_only).await;
        assert_eq!(codes(&answers(&app, &key, theirs).await), ["scope_missing"; 5]);
    }

    async fn a_disabled_and_a_closed_account_are_told_apart(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("代理", 2)).await;
        let id = registered(&app, &key, 13_800_000_001).await;
        clerk.post(STATUS, json!({ "selection": { "ids": [id] }, "status": 2, "reason": "x" })).await.data();
        let disabled = codes(&answers(&app, &key, id).await);
        assert_eq!(disabled, ["user_disabled", "user_disabled", "", "", ""], "out, and away, may go whoever is disabled");
        crate::run(&app, &format!("UPDATE client_user SET status = 3 WHERE id = {id}")).await;
        let closed = codes(&answers(&app, &key, id).await);
        assert_eq!(closed, ["user_closed", "user_closed", "", "user_closed", "user_closed"]);
        assert_eq!(ask(&app, &key, &format!("{USERS}/{id}")).await.data()["status"], 3);
    }
}
