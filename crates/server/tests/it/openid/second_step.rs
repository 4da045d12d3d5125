//! The second factor of who signs in with a provider: the provider's own, or the code of the console.

use serde_json::{Value, json};
use testapp::{Answer, Caller, PASSWORD, TestApp};
use testkit::db_test;
use totp_rs::{Builder, Secret};

use super::{BASE, ME, clerk, cookie_of, go_through, link, location, with_provider};

/// Every cookie that an answer sets, as a browser sends them back.
fn cookies_of(answer: &Answer) -> String {
    let set = answer.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    set.filter(|cookie| !cookie.contains("Max-Age=0"))
        .map(|cookie| cookie.split(';').next().unwrap())
        .collect::<Vec<_>>()
        .join("; ")
}

/// Turns the second factor of who asks on, and answers its seed.
async fn enrol(caller: &Caller<'_>, app: &TestApp) -> String {
    let mine = "/api/user/v1/me/second-factor";
    let secret = caller.post(mine, json!({})).await.data()["secret"].as_str().unwrap().to_owned();
    caller.post(&format!("{mine}/confirm"), json!({ "code": totp(app, &secret) })).await.data();
    secret
}

fn totp(app: &TestApp, secret: &str) -> String {
    let totp = Builder::new().with_secret(Secret::try_from_base32(secret).unwrap()).build().unwrap();
    totp.generate((app.app.clock.now().millis() / 1000).unsigned_abs()).to_string()
}

db_test! {
    async fn who_has_a_second_factor_is_asked_for_his_code_unless_the_provider_proves_one(db) {
        let (app, provider) = with_provider(db).await;
        link(&app, &provider, "person-1").await;
        let secret = enrol(&clerk(&app).await, &app).await;
        app.app.clock.advance_seconds(60);
        let code_url = format!("{BASE}/code");

        for (claims, proves) in [
            (json!({}), false),
            (json!({ "amr": ["pwd"], "acr": "urn:corp:weak" }), false),
            (json!({ "amr": "mfa", "acr": ["urn:corp:strong"] }), false),
            (json!({ "amr": ["pwd", "otp"] }), true),
            (json!({ "amr": ["pin", "hwk"] }), true),
            (json!({ "amr": ["fpt", "swk"] }), true),
            (json!({ "amr": ["mfa"] }), true),
            (json!({ "amr": ["hwk"] }), false),
            (json!({ "amr": ["sms"] }), false),
            (json!({ "amr": ["otp"] }), false),
            (json!({ "amr": ["sms", "otp", "tel"] }), false),
            (json!({ "amr": ["pwd", "kba", "user", "mca", "geo"] }), false),
            (json!({ "amr": ["pwd"], "acr": "urn:corp:strong" }), true),
        ] {
            provider.claim(claims.clone());
            let answer = go_through(&app, &provider, "person-1").await;
            assert_eq!((answer.contains_key("token"), answer.contains_key("codeFor")), (proves, !proves), "{claims}");
        }

        provider.claim(json!({}));
        let browser = app.anybody();
        let started = browser.get(&format!("{BASE}/start")).await;
        let back = provider.consent(&location(&started), "person-1");
        let proved = browser.clone().header("cookie", cookie_of(&started)).get(&format!("{BASE}/callback?{back}")).await;
        let browser = browser.header("cookie", cookies_of(&proved));
        let missing = browser.post(&code_url, json!({})).await;
        assert_eq!((missing.brief(), missing.errors()), ((200, 4007), vec!["authCode totpRequired".to_owned()]));
        let right = totp(&app, &secret);
        let wrong = if right == "000000" { "111111" } else { "000000" };
        assert_eq!(browser.post(&code_url, json!({ "authCode": wrong })).await.errors(), ["authCode totpWrong"]);
        assert_eq!(app.anybody().post(&code_url, json!({ "authCode": right })).await.brief(), (200, 4001), "the code alone is nothing");
        let elsewhere = format!("{}/other/code", BASE.trim_end_matches("/corp"));
        assert_eq!(browser.post(&elsewhere, json!({ "authCode": right })).await.status(), 4001, "nor is it good for another provider");

        let entered = browser.post(&code_url, json!({ "authCode": right })).await;
        let session = app.anybody().token(entered.data()["token"].as_str().unwrap());
        assert_eq!(session.get("/api/user/v1/me/sessions").await.data()[0]["method"], 4);
        assert_eq!(browser.post(&code_url, json!({ "authCode": right })).await.errors(), ["authCode totpWrong"], "a code works once");
        app.app.clock.advance_seconds(300);
        let late = totp(&app, &secret);
        assert_eq!(browser.post(&code_url, json!({ "authCode": late })).await.status(), 4001, "the proof is good for five minutes");
    }

    async fn codes_after_a_provider_are_counted_with_all_others(db) {
        let (app, provider) = with_provider(db).await;
        link(&app, &provider, "person-1").await;
        let secret = enrol(&clerk(&app).await, &app).await;
        app.app.clock.advance_seconds(60);
        for n in 0..5 {
            // Proved again each time, from another address.
            let browser = app.anybody().from(&format!("10.3.0.{n}"));
            let started = browser.get(&format!("{BASE}/start")).await;
            let back = provider.consent(&location(&started), "person-1");
            let proved = browser.clone().header("cookie", cookie_of(&started)).get(&format!("{BASE}/callback?{back}")).await;
            let wrong = if totp(&app, &secret) == "000000" { "111111" } else { "000000" };
            let refused = browser.header("cookie", cookies_of(&proved)).post(&format!("{BASE}/code"), json!({ "authCode": wrong })).await;
            assert_eq!(refused.errors(), ["authCode totpWrong"], "{n}");
        }
        let refused = app.anybody().from("10.3.0.9").sign_in("clerk", PASSWORD, &totp(&app, &secret)).await;
        assert_eq!(refused.brief(), (429, 4029), "and so the next one with the password waits");
    }

    async fn a_second_factor_at_the_provider_is_the_one_that_the_settings_want(db) {
        let (app, provider) = with_provider(db).await;
        link(&app, &provider, "person-1").await;
        app.require_second_factor_of("clerk").await;
        let list = "/api/user/v5/user/getPageUserInfo";
        for (claims, status, reason) in [(json!({}), 4003, json!("enrolSecondFactor")), (json!({ "amr": ["mfa"] }), 0, Value::Null)] {
            provider.claim(claims.clone());
            let token = go_through(&app, &provider, "person-1").await["token"].clone();
            let caller = app.anybody().token(token);
            assert_eq!(caller.post(list, json!({})).await.status(), status, "{claims}");
            assert_eq!(caller.post(ME, json!({})).await.data()["reason"], reason, "{claims}");
        }
    }
}
