//! What is altered, late, unknown or revoked is not let in, and is told why and no more.

use http::Method;
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;

use super::{APPS, SELF, Said, application, ask, clerk, form, headed, is, key_of, now, told};

const LIST: &str = "/open/v1/phones?limit=2&user=1";

db_test! {
    async fn a_call_that_is_signed_is_answered_and_one_that_was_altered_is_not(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let own = ask(&app, &key, SELF).await.data();
        assert_eq!((&own["id"], &own["name"]), (&json!(key.app.to_string()), &json!("后台")));
        assert_eq!((&own["key"]["code"], &own["scopes"]), (&json!(key.code), &json!(["user", "phone"])));

        let said = Said::get(&app, LIST);
        let signature = said.signature(&key);
        let sends = |signature: &str| headed(app.anybody(), &key.code, said.time, signature);
        assert_eq!(sends(&signature).get(LIST).await.status(), 0);
        assert_eq!(sends(&signature).get("/open/v1/phones?user=1&limit=2").await.status(), 0, "sorted, it is the same");
        assert_eq!(sends(&signature).header("x-sky-nonce", "").get(LIST).await.status(), 0, "an empty one is none");
        for target in [
            "/open/v1/users?limit=2&user=1",
            "/open/v1/phones?limit=3&user=1",
            "/open/v1/phones?limit=2&user=2",
            "/open/v1/phones?limit=2",
            "/open/v1/phones",
            "/open/v1/phones?limit=2&user=1&after=1",
            "/open/v1/phones?limit=2&user=%31",
        ] {
            let refused = sends(&signature).get(target).await;
            assert!(is(&refused, 401, "signature"), "{target}: {:?}", told(&refused));
        }
        let said_with_body = sends(&signature).call(Method::GET, LIST, Some(json!({}))).await;
        assert!(is(&said_with_body, 401, "signature"), "a body that was not signed");
        let head = sends(&signature).begin(Method::HEAD, LIST, "application/json", axum::body::Body::empty()).await;
        assert_eq!(head.status().as_u16(), 401, "another method");
        for (header, value) in [("x-sky-nonce", "0123456789abcdef"), ("idempotency-key", "1")] {
            let refused = sends(&signature).header(header, value).get(LIST).await;
            assert!(is(&refused, 401, "signature"), "{header}: {:?}", told(&refused));
        }
        let moved = headed(app.anybody(), &key.code, said.time - 1, &signature).get(LIST).await;
        assert!(is(&moved, 401, "signature"), "another time");
        let last = if signature.ends_with('0') { "1" } else { "0" };
        for wrong in [format!("{}{last}", &signature[..63]), signature.to_uppercase(), signature[..32].to_owned(), String::new()] {
            assert!(is(&sends(&wrong).get(LIST).await, 401, "signature"), "{wrong}");
        }
        let twice = sends(&signature).header("x-sky-signature", signature.as_str()).get(LIST).await;
        assert!(is(&twice, 401, "signature"), "two of a header are none");
    }

    async fn one_body_tells_of_all_that_is_not_signed_as_it_should_be(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let said = Said::get(&app, SELF);
        let signature = said.signature(&key);
        let nobody = headed(app.anybody(), "SKY0123456789ABCDEF0123", said.time, &signature).get(SELF).await;
        let forged = headed(app.anybody(), &key.code, said.time, &"0".repeat(64)).get(SELF).await;
        let (mut one, mut other) = (nobody.json(), forged.json());
        assert_eq!((one["reason"].take(), other["reason"].take()), (json!("unknown_key"), json!("signature")));
        assert_eq!(one, other);
        assert_eq!((nobody.brief(), &one["code"], &one["data"]), ((401, 6401), &json!("unauthorized"), &json!(null)));
        let english = headed(app.anybody().lang("en"), &key.code, said.time, "0").get(SELF).await.json();
        assert!(english["msg"].as_str().unwrap().starts_with("The signature was not accepted"));
        assert!(is(&app.anybody().get(SELF).await, 401, "unknown_key"));
        assert!(is(&app.anybody().header("x-sky-key", "' OR 1=1 --").get(SELF).await, 401, "unknown_key"));

        // Neither door knows who comes through the other.
        assert!(is(&clerk.get(SELF).await, 401, "unknown_key"));
        assert_eq!(said.by(app.anybody(), &key).get(APPS).await.brief(), (401, 6014));
        let console = app.anybody().get("/api/openapi.json").await;
        assert!(!String::from_utf8(console.bytes).unwrap().contains("/open/v1"));
        let document = app.anybody().get("/open/openapi.json").await.json();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, call) in item.as_object().unwrap() {
                assert!(path.starts_with("/open/v1/") && call["security"][0]["signature"].is_array(), "{method} {path}");
                let headers = call["parameters"].as_array().into_iter().flatten().filter(|one| one["in"] == "header").count();
                let wanted = match (method.as_str(), path.rsplit('/').next()) {
                    // A ticket is drawn once, by whichever call asks for it.
                    ("get", Some("connect")) => 1,
                    ("get", _) => 0,
                    // What is told again every few seconds needs no key to be told once.
                    (_, Some("heartbeats")) => 1,
                    _ => 2,
                };
                assert_eq!(headers, wanted, "{method} {path}");
            }
        }
        assert_eq!(app.anybody().get("/open/v1/nothing").await.brief(), (404, 4004));
    }

    async fn what_is_late_or_early_is_refused(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let at = async |seconds: i64| {
            let said = Said { time: now(&app) + seconds, ..Said::get(&app, SELF) };
            told(&said.by(app.anybody(), &key).get(SELF).await).1
        };
        // A second or two may pass in between.
        for (seconds, word) in [(-295, ""), (295, ""), (-301, "clock"), (304, "clock"), (-86_400, "clock")] {
            assert_eq!(at(seconds).await, word, "{seconds}");
        }
        let said = Said::get(&app, SELF);
        let replayed = said.by(app.anybody(), &key);
        assert_eq!(replayed.get(SELF).await.status(), 0);
        assert_eq!(replayed.get(SELF).await.status(), 0, "a read that is repeated shows nothing new");
        app.app.clock.advance_seconds(301);
        assert!(is(&replayed.get(SELF).await, 401, "clock"));
        let signature = said.signature(&key);
        for time in ["", "soon", "1e9", "99999999999999999999"] {
            let caller = app.anybody().header("x-sky-key", key.code.as_str()).header("x-sky-time", time);
            assert!(is(&caller.header("x-sky-signature", signature.as_str()).get(SELF).await, 401, "clock"), "{time}");
        }
        for nonce in ["short", "x".repeat(65).as_str(), "0123456789 abcdef"] {
            let said = Said { nonce, ..Said::get(&app, SELF) };
            let refused = said.by(app.anybody(), &key).header("x-sky-nonce", nonce).get(SELF).await;
            assert!(is(&refused, 401, "nonce"), "{nonce}");
        }
        let said = Said { nonce: "0123456789abcdef", ..Said::get(&app, SELF) };
        assert_eq!(said.by(app.anybody(), &key).header("x-sky-nonce", said.nonce).get(SELF).await.status(), 0);
    }

    async fn keys_are_replaced_without_a_gap_and_a_revoked_one_opens_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let first = application(&clerk, form("后台", 1)).await;
        let keys = format!("{APPS}/{}/keys", first.app);
        let second = key_of(&clerk, first.app).await;
        for key in [&first, &second] {
            assert_eq!(ask(&app, key, SELF).await.status(), 0);
        }
        assert_eq!(clerk.post(&keys, json!({})).await.brief(), (409, 4009), "two at most");
        clerk.delete(&format!("{keys}/{}", first.id), json!({})).await.data();
        assert!(is(&ask(&app, &first, SELF).await, 401, "unknown_key"));
        assert_eq!(ask(&app, &second, SELF).await.status(), 0);
        assert_eq!(clerk.delete(&format!("{keys}/{}", first.id), json!({})).await.brief(), (404, 4004));
        let third = key_of(&clerk, first.app).await;
        let shown = clerk.get(&format!("{APPS}/{}", first.app)).await.data();
        let codes: Vec<&str> = shown["keys"].as_array().unwrap().iter().map(|key| key["code"].as_str().unwrap()).collect();
        assert_eq!(codes, [second.code.as_str(), third.code.as_str()]);

        let other = application(&clerk, form("别家", 2)).await;
        let foreign = clerk.delete(&format!("{keys}/{}", other.id), json!({})).await;
        assert_eq!(foreign.brief(), (404, 4004), "a key is revoked where it belongs");

        // Sealed in the database, and opened again by the next process.
        let app = app.restarted().await;
        assert_eq!(ask(&app, &second, SELF).await.status(), 0);
        assert!(is(&ask(&app, &first, SELF).await, 401, "unknown_key"));
    }

    async fn a_secret_is_shown_once_and_stands_nowhere(db) {
        use sea_orm::{ConnectionTrait as _, Statement};
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        ask(&app, &key, SELF).await.data();
        open::flush(&app.app).await.unwrap();
        for path in [APPS.to_owned(), format!("{APPS}/{}", key.app), format!("{APPS}/file?format=csv"), "/open/v1/app".to_owned()] {
            let shown = clerk.get(&path).await.bytes;
            assert!(!String::from_utf8_lossy(&shown).contains(&key.secret), "{path}");
        }
        let db = app.app.db.read();
        for (table, columns) in [
            ("operation_log", "COALESCE(\"before\", '') || COALESCE(\"after\", '') || message"),
            ("open_call", "key_code || path || code || ip"),
            ("open_key", "code || created_by"),
        ] {
            let text = format!("SELECT {columns} AS told FROM {table}");
            let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), text)).await.unwrap();
            assert!(!rows.is_empty(), "{table}");
            for row in rows {
                let told: String = row.try_get("", "told").unwrap();
                assert!(!told.contains(&key.secret), "{table}: {told}");
            }
        }
        let named = format!("SELECT id FROM operation_log WHERE action = 'open_key_create' AND \"after\" LIKE '%{}%'", key.code);
        let named = db.query_all_raw(Statement::from_string(db.get_database_backend(), named)).await.unwrap();
        assert_eq!(named.len(), 1, "the log says which key was made");
    }
}
