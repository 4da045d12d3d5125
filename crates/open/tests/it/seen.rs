//! What each application sees: the company's all of it, the others what they brought. What belongs to somebody else answers as
//! what is not there.

use serde_json::{Value, json};
use testapp::{Answer, TestApp};
use testkit::db_test;

use super::{act, application, ask, clerk, customer, form, is, room, run};

fn ids(answer: &Answer) -> Vec<i64> {
    let list = answer.data()["list"].as_array().unwrap().clone();
    list.iter().map(|row| row["id"].as_str().unwrap().parse().unwrap()).collect()
}

/// What a call sends that changes something, so that it is judged by whose it is and not by its form.
fn sent(path: &str, method: &str) -> Value {
    match (method, path.strip_prefix("/open/v1/users/{id}").unwrap_or(path)) {
        ("patch", "") => json!({ "name": "别人" }),
        ("post", "/sign-ins") => json!({ "loginMethod": 1, "clientType": 1 }),
        ("post", "/sign-outs" | "/closing") => json!({}),
        ("post", "/open/v1/phones/{id}/connect" | "/open/v1/phones/{id}/restart") | ("delete", _) => Value::Null,
        ("post", "/open/v1/phones/{id}/renew") => json!({ "days": 30 }),
        ("post", "/open/v1/phones/{id}/restore" | "/open/v1/phones/{id}/accept-copy") => json!({ "backupId": "1" }),
        _ => panic!("{method} {path} is new: say here what it sends"),
    }
}

db_test! {
    async fn whatever_the_document_has_answers_for_a_foreign_id_as_for_an_absent_one(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (own, other) = (application(&clerk, form("代理", 2)).await, application(&clerk, form("伙伴", 3)).await);
        let room = room(&clerk).await;
        let foreign = customer(&app, &clerk, room, 13_800_000_001, Some(&other)).await;
        let mine = customer(&app, &clerk, room, 13_800_000_002, Some(&own)).await;
        let document = serde_json::to_value(open::document()).unwrap();
        let mut tried = 0;
        for (path, methods) in document["paths"].as_object().unwrap().iter().filter(|(path, _)| path.contains('{')) {
            let id_of = |one: &crate::Customer| if path.starts_with("/open/v1/phones/") { one.phones[0] } else { one.id };
            for method in methods.as_object().unwrap().keys().filter(|key| *key != "parameters") {
                let send = async |id: i64| {
                    let target = path.replace("{id}", &id.to_string());
                    assert!(!target.contains('{'), "{path} names more than one thing: say here which");
                    if method == "get" {
                        return ask(&app, &own, &target).await;
                    }
                    let method_of = http::Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
                    act(&app, &own, method_of, &target, sent(path, method)).await
                };
                let (foreign, absent) = (send(id_of(&foreign)).await, send(987_654).await);
                assert!(is(&foreign, 404, "not_found"), "{method} {path}: {}", foreign.json());
                assert_eq!((foreign.http, &foreign.bytes), (absent.http, &absent.bytes), "{method} {path}");
                assert_ne!(send(id_of(&mine)).await.http, 404, "{method} {path}: its own it sees");
                tried += 1;
            }
        }
        assert!(tried >= 12, "{tried}");
    }

    async fn own_foreign_and_absent(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let company = application(&clerk, form("后台", 1)).await;
        let (agent, partner) =
            (application(&clerk, form("代理", 2)).await, application(&clerk, form("伙伴", 3)).await);
        let room = room(&clerk).await;
        let theirs = customer(&app, &clerk, room, 13_800_000_001, Some(&agent)).await;
        let others = customer(&app, &clerk, room, 13_800_000_002, Some(&partner)).await;
        let ours = customer(&app, &clerk, room, 13_800_000_003, None).await;
        let all = [&theirs, &others, &ours];

        for one in all {
            let seen = ask(&app, &company, &format!("/open/v1/users/{}", one.id)).await.data();
            assert_eq!((&seen["phone"], &seen["phoneCount"]), (&json!(one.number), &json!(2)));
            assert_eq!(ids(&ask(&app, &company, &format!("/open/v1/users/{}/phones", one.id)).await), one.phones);
            let phone = ask(&app, &company, &format!("/open/v1/phones/{}", one.phones[0])).await.data();
            assert_eq!(phone["userId"], json!(one.id.to_string()));
        }
        assert_eq!(ids(&ask(&app, &company, "/open/v1/users").await), all.map(|one| one.id));
        assert_eq!(ids(&ask(&app, &company, "/open/v1/phones").await).len(), 6);

        // The agent's.
        assert_eq!(ids(&ask(&app, &agent, "/open/v1/users").await), [theirs.id]);
        assert_eq!(ids(&ask(&app, &agent, "/open/v1/phones").await), theirs.phones);
        assert_eq!(ask(&app, &agent, &format!("/open/v1/phones/{}", theirs.phones[1])).await.status(), 0);
        for foreign in [&others, &ours] {
            let (user, phone) = (foreign.id, foreign.phones[0]);
            for (path, absent) in [
                (format!("/open/v1/users/{user}"), "/open/v1/users/987654"),
                (format!("/open/v1/users/{user}/phones"), "/open/v1/users/987654/phones"),
                (format!("/open/v1/phones/{phone}"), "/open/v1/phones/987654"),
                (format!("/open/v1/users?phone={}", foreign.number), "/open/v1/users?phone=13900000000"),
                (format!("/open/v1/users?identCode=C{}", foreign.number), "/open/v1/users?identCode=C9"),
                (format!("/open/v1/phones?user={user}"), "/open/v1/phones?user=987654"),
            ] {
                let (foreign, absent) = (ask(&app, &agent, &path).await, ask(&app, &agent, absent).await);
                assert_eq!((foreign.http, &foreign.bytes), (absent.http, &absent.bytes), "{path}");
                assert!(foreign.status() == 4004 || foreign.data()["list"] == json!([]), "{path}");
            }
        }
        let nothing = ask(&app, &agent, "/open/v1/phones/abc").await;
        assert!(is(&nothing, 404, "not_found"), "what is no id belongs to nothing");

        // Found by number and by code, the whole of it.
        for asked in [format!("phone={}", theirs.number), format!("identCode=C{}", theirs.number)] {
            assert_eq!(ids(&ask(&app, &agent, &format!("/open/v1/users?{asked}")).await), [theirs.id]);
        }
        assert!(ids(&ask(&app, &agent, "/open/v1/users?phone=1380000000").await).is_empty());

        // It changes hands.
        run(&app, &format!("UPDATE client_user SET app_id = {} WHERE id = {}", partner.app, theirs.id)).await;
        assert!(is(&ask(&app, &agent, &format!("/open/v1/users/{}", theirs.id)).await, 404, "not_found"));
    }

    async fn a_phone_is_told_as_a_back_end_shows_it(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let room = room(&clerk).await;
        let user = customer(&app, &clerk, room, 13_800_000_001, None).await;
        let path = format!("/open/v1/phones/{}", user.phones[0]);
        let phone = ask(&app, &key, &path).await.data();
        for (field, value) in [
            ("code", json!("CP-0000001")),
            ("plan", json!(2)),
            ("planName", json!("VIP")),
            ("board", json!("RK_3399")),
            ("life", json!(2)),
            ("lifeName", json!("正常")),
            ("useType", json!(2)),
            ("underWay", Value::Null),
            ("diskGb", json!(32)),
            ("usedBytes", json!(0)),
            ("hasCopy", json!(false)),
            ("lastUsedAt", Value::Null),
            ("lastBackupAt", Value::Null),
            ("withheldApps", json!([])),
        ] {
            assert_eq!(phone[field], value, "{field}");
        }
        let english = crate::Said::get(&app, &path).by(app.anybody().lang("en"), &key).get(&path).await.data();
        assert_eq!((&english["lifeName"], &english["useTypeName"]), (&json!("Active"), &json!("Off the machine")));

        clerk.post("/api/phone/v1/phones/put-on", json!({ "selection": { "ids": [user.phones[0]] } })).await.data();
        fleet::operation::round(&app.app).await.unwrap();
        let waits = ask(&app, &key, &path).await.data()["underWay"].clone();
        assert_eq!((&waits["kind"], &waits["kindName"], &waits["position"]), (&json!(1), &json!("上机"), &json!(1)));
    }

    async fn lists_are_read_on_from_the_last_row(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let room = room(&clerk).await;
        let mut made = Vec::new();
        for number in 13_800_000_001..13_800_000_006 {
            made.push(customer(&app, &clerk, room, number, None).await.id);
        }
        let (mut read, mut target) = (Vec::new(), "/open/v1/users?limit=2".to_owned());
        loop {
            let part = ask(&app, &key, &target).await;
            read.extend(ids(&part));
            let Some(next) = part.data()["next"].as_str().map(str::to_owned) else { break };
            assert_eq!(next, read.last().unwrap().to_string());
            target = format!("/open/v1/users?limit=2&after={next}");
        }
        assert_eq!(read, made);
        for bad in ["limit=0", "limit=501", "limit=x", "after=x", "after=-1"] {
            let refused = ask(&app, &key, &format!("/open/v1/users?{bad}")).await;
            assert!(is(&refused, 400, "invalid"), "{bad}");
            assert_eq!(refused.json()["errors"].as_array().unwrap().len(), 1, "{bad}");
        }
        assert!(is(&ask(&app, &key, "/open/v1/phones?user=x").await, 400, "invalid"));
    }
}
