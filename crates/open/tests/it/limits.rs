//! Who signs well and is refused all the same: switched off, from elsewhere, without the scope, in the clear, too often.

use chrono::Datelike as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::{APPS, Key, SELF, Said, application, ask, clerk, form, is, run, told};

const DOOR: &str = "/api/platform/v1/settings/open-door";

fn with(mut form: Value, field: &str, value: Value) -> Value {
    form[field] = value;
    form
}

async fn change(clerk: &Caller<'_>, key: &Key, form: Value) {
    clerk.put(&format!("{APPS}/{}", key.app), form).await.data();
}

db_test! {
    async fn each_rule_of_an_application_holds_from_the_next_call_on(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let enabled = format!("{APPS}/{}/enabled", key.app);
        assert_eq!(ask(&app, &key, SELF).await.status(), 0);
        clerk.post(&enabled, json!({ "enabled": false })).await.data();
        let off = ask(&app, &key, SELF).await;
        assert!(is(&off, 403, "app_off"));
        assert_eq!(off.status(), 4003);
        let forged = Said { time: 0, ..Said::get(&app, SELF) }.by(app.anybody(), &key).get(SELF).await;
        assert!(is(&forged, 401, "clock"), "whoever does not sign is not told that it is off");
        clerk.post(&enabled, json!({ "enabled": true })).await.data();
        assert_eq!(ask(&app, &key, SELF).await.status(), 0);

        change(&clerk, &key, with(form("后台", 1), "scopes", json!(["phone"]))).await;
        assert!(is(&ask(&app, &key, "/open/v1/users").await, 403, "scope_missing"));
        assert!(is(&ask(&app, &key, "/open/v1/users/1").await, 403, "scope_missing"));
        assert_eq!(ask(&app, &key, "/open/v1/phones").await.status(), 0);
        change(&clerk, &key, with(form("后台", 1), "scopes", json!(["user"]))).await;
        for path in ["/open/v1/phones", "/open/v1/phones/1", "/open/v1/users/1/phones"] {
            assert!(is(&ask(&app, &key, path).await, 403, "scope_missing"), "{path}");
        }

        change(&clerk, &key, with(form("后台", 1), "ips", json!("10.1.0.0/16, 192.168.7.7\n172.16.0.1"))).await;
        assert!(is(&ask(&app, &key, SELF).await, 403, "ip_not_allowed"));
        open_to_plain_http(&clerk, true).await;
        let from = async |ip: &str| told(&Said::get(&app, SELF).by(app.anybody().from(ip), &key).get(SELF).await).1;
        for (ip, word) in [
            ("10.1.200.3", ""),
            ("192.168.7.7", ""),
            ("172.16.0.1", ""),
            ("10.2.0.1", "ip_not_allowed"),
            ("192.168.7.8", "ip_not_allowed"),
        ] {
            assert_eq!(from(ip).await, word, "{ip}");
        }
    }

    async fn other_machines_call_encrypted_unless_a_setting_says_otherwise(db) {
        let app = TestApp::with(db, |config| config.trusted_proxies = vec!["10.0.0.1".parse().unwrap()]).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let signed = |caller| Said::get(&app, SELF).by(caller, &key);
        assert_eq!(signed(app.anybody()).get(SELF).await.status(), 0, "this machine");
        let plain = signed(app.anybody().from("10.0.0.9")).get(SELF).await;
        assert!(is(&plain, 403, "plain_http"));
        for header in ["x-forwarded-for", "forwarded", "via"] {
            let handed_on = signed(app.anybody().header(header, "for=203.0.113.9")).get(SELF).await;
            assert!(is(&handed_on, 403, "plain_http"), "a proxy on this machine that nobody has told of: {header}");
        }
        let proxied = |proto: &str| {
            let caller = app.anybody().from("10.0.0.1").header("x-forwarded-for", "203.0.113.9");
            signed(caller.header("x-forwarded-proto", proto))
        };
        assert_eq!(proxied("https").get(SELF).await.status(), 0);
        assert!(is(&proxied("http").get(SELF).await, 403, "plain_http"));
        open_to_plain_http(&clerk, true).await;
        assert_eq!(signed(app.anybody().from("10.0.0.9")).get(SELF).await.status(), 0);
        open_to_plain_http(&clerk, false).await;
        assert!(is(&signed(app.anybody().from("10.0.0.9")).get(SELF).await, 403, "plain_http"));
    }

    async fn so_many_calls_a_second_and_no_more(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, with(form("后台", 1), "perSecond", json!(1))).await;
        let other = application(&clerk, form("别家", 2)).await;
        // A second may begin anew among them, and another one hardly.
        let mut refused = None;
        for _ in 0..6 {
            let answer = ask(&app, &key, SELF).await;
            if answer.http.as_u16() == 429 {
                refused = Some(answer);
            }
        }
        let refused = refused.expect("six calls within a moment");
        assert!(is(&refused, 429, "too_many"));
        assert_eq!((refused.status(), refused.headers["retry-after"].to_str().unwrap()), (4029, "1"));
        assert_eq!(ask(&app, &other, SELF).await.status(), 0, "nobody else pays for it");
        app.app.clock.advance_seconds(1);
        let own = ask(&app, &key, SELF).await.data();
        assert_eq!((&own["limits"]["perSecond"], &own["limits"]["leftInSecond"]), (&json!(1), &json!(0)));
        // What is not signed uses nothing up.
        app.app.clock.advance_seconds(1);
        for _ in 0..3 {
            let forged = crate::headed(app.anybody(), &key.code, crate::now(&app), "00").get(SELF).await;
            assert!(is(&forged, 401, "signature"));
        }
        assert_eq!(ask(&app, &key, SELF).await.status(), 0);
    }

    async fn so_many_calls_a_day_and_a_restart_forgives_none(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, with(form("后台", 1), "perDay", json!(1))).await;
        let zone = app.app.config.zone();
        let today = app.app.clock.now().to_chrono().with_timezone(&zone).num_days_from_ce();
        run(&app, &format!("UPDATE open_app SET day = {today}, day_calls = 998 WHERE id = {}", key.app)).await;
        let own = ask(&app, &key, SELF).await.data();
        assert_eq!(own["limits"]["callsToday"], 999);
        assert_eq!((&own["limits"]["perDay"], &own["limits"]["leftInDay"]), (&json!(1000), &json!(1)));
        assert_eq!(ask(&app, &key, SELF).await.status(), 0);
        let refused = ask(&app, &key, SELF).await;
        assert!(is(&refused, 429, "too_many"));
        let wait: i64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((1..=86_400).contains(&wait), "{wait}");

        open::flush(&app.app).await.unwrap();
        let app = app.restarted().await;
        assert!(is(&ask(&app, &key, SELF).await, 429, "too_many"));
        app.app.clock.advance_seconds(86_400);
        assert_eq!(ask(&app, &key, SELF).await.data()["limits"]["leftInDay"], 999);
    }
}

async fn open_to_plain_http(clerk: &Caller<'_>, open: bool) {
    let mut document = clerk.get(DOOR).await.data();
    document["plainHttp"] = json!(open);
    for said in ["updatedAt", "updatedBy"] {
        document.as_object_mut().unwrap().remove(said);
    }
    clerk.put(DOOR, document).await.data();
}
