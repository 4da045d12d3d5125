//! The second factor: enrolling, signing in with it, recovery, and its end.

use accounts::auth::Auth;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entity::operator;
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use testapp::{Answer, Caller, PASSWORD, TestApp};
use testkit::{TestDb, db_test};
use totp_rs::{Builder, Secret};
use vault::{Source, Vault};

const MINE: &str = "/api/user/v1/me/second-factor";
const ME: &str = "/api/user/v5/user/checkUpdatePsw";

/// The code that an authenticator shows, some steps from now.
fn code(app: &TestApp, secret: &str, steps: i64) -> String {
    let totp = Builder::new().with_secret(Secret::try_from_base32(secret).unwrap()).build().unwrap();
    let at = app.app.clock.now().millis() / 1000 + 30 * steps;
    totp.generate(at.unsigned_abs()).to_string()
}

/// A code that is certainly wrong now.
fn wrong_code(app: &TestApp, secret: &str) -> String {
    let near: Vec<String> = (-1..=1).map(|steps| code(app, secret, steps)).collect();
    (0..).map(|n| format!("{n:06}")).find(|code| !near.contains(code)).unwrap()
}

async fn sign_in(app: &TestApp, code: &str) -> Answer {
    app.anybody().sign_in("clerk", PASSWORD, code).await
}

async fn signed_in<'a>(app: &'a TestApp, code: &str) -> Caller<'a> {
    let token = sign_in(app, code).await.data()["token"].as_str().unwrap().to_owned();
    app.anybody().token(token)
}

/// Enrols and confirms; answers the seed and the recovery codes. The step that confirms is used up.
async fn enrolled(app: &TestApp, clerk: &Caller<'_>) -> (String, Vec<String>) {
    let secret = clerk.post(MINE, json!({})).await.data()["secret"].as_str().unwrap().to_owned();
    let confirmed = clerk.post(&format!("{MINE}/confirm"), json!({ "code": code(app, &secret, 0) })).await.data();
    let codes: Vec<String> = serde_json::from_value(confirmed["recoveryCodes"].clone()).unwrap();
    (secret, codes)
}

async fn with_clerk(db: TestDb) -> TestApp {
    let app = TestApp::new(db).await;
    let who = app.operator("clerk", &["clientUser:list"]).await.operator.unwrap();
    app.give_password(who).await;
    app
}

db_test! {
    async fn enrolling_takes_a_first_code_and_then_every_sign_in_takes_one(db) {
        let app = with_clerk(db).await;
        let clerk = signed_in(&app, "").await;
        assert_eq!(clerk.get(MINE).await.data(), json!({ "enabled": false, "enabledAt": null, "recoveryCodesLeft": 0 }));

        let enrolment = clerk.post(MINE, json!({})).await.data();
        let secret = enrolment["secret"].as_str().unwrap();
        let uri = enrolment["otpauthUri"].as_str().unwrap();
        assert!(uri.starts_with("otpauth://totp/Skyrack:clerk?") && uri.contains(&format!("secret={secret}")), "{uri}");
        assert!(enrolment["qr"].as_str().unwrap().starts_with("data:image/svg+xml,"));
        assert_eq!(sign_in(&app, "").await.status(), 0, "it counts from its confirmation on");

        let clerk = signed_in(&app, "").await;
        let refused = clerk.post(&format!("{MINE}/confirm"), json!({ "code": wrong_code(&app, secret) })).await;
        assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec!["code totpWrong".to_owned()]));
        let confirmed = clerk.post(&format!("{MINE}/confirm"), json!({ "code": code(&app, secret, 0) })).await.data();
        assert_eq!(confirmed["recoveryCodes"].as_array().unwrap().len(), 10);
        assert_eq!(clerk.post(ME, json!({})).await.status(), 0, "the session that confirmed goes on");
        assert_eq!(clerk.get(MINE).await.data()["recoveryCodesLeft"], 10);

        assert_eq!(sign_in(&app, "").await.errors(), ["authCode totpRequired"]);
        assert_eq!(sign_in(&app, "").await.brief(), (200, 4007));
        assert_eq!(sign_in(&app, &wrong_code(&app, secret)).await.errors(), ["authCode totpWrong"]);
        assert_eq!(sign_in(&app, &code(&app, secret, 0)).await.errors(), ["authCode totpWrong"], "the confirming code is used up");
        assert_eq!(sign_in(&app, &code(&app, secret, 1)).await.status(), 0, "a clock half a minute ahead is fine");
        app.app.clock.advance_seconds(60);
        assert_eq!(sign_in(&app, &code(&app, secret, -1)).await.errors(), ["authCode totpWrong"], "a step that was used");
        let right = code(&app, secret, 0);
        assert_eq!(sign_in(&app, &right).await.status(), 0);
        assert_eq!(sign_in(&app, &right).await.errors(), ["authCode totpWrong"], "a second time");
    }

    async fn the_seed_is_sealed_and_bound_to_its_operator(db) {
        let app = with_clerk(db).await;
        let clerk = signed_in(&app, "").await;
        let (secret, _) = enrolled(&app, &clerk).await;
        let raw = Secret::try_from_base32(&secret).unwrap();
        let rows = operator::Entity::find().all(app.app.db.read()).await.unwrap();
        let row = rows.iter().find(|row| row.username == "clerk").unwrap();
        let sealed = row.totp_secret.clone().unwrap();
        assert!(!sealed.windows(20).any(|window| window == raw.as_bytes()));
        assert!(app.app.vault.unseal("operator.totp", &row.id.to_string(), &sealed).is_ok());
        assert!(app.app.vault.unseal("operator.totp", "999", &sealed).is_err());
    }

    async fn a_recovery_code_works_once(db) {
        let app = with_clerk(db).await;
        let (secret, codes) = enrolled(&app, &signed_in(&app, "").await).await;

        let clerk = signed_in(&app, &codes[0].to_uppercase()).await;
        assert_eq!(sign_in(&app, &codes[0]).await.errors(), ["authCode totpWrong"]);
        assert_eq!(clerk.get(MINE).await.data()["recoveryCodesLeft"], 9);

        let renewed = clerk.post(&format!("{MINE}/recovery-codes"), json!({ "code": code(&app, &secret, 1) })).await.data();
        assert_eq!(sign_in(&app, &codes[1]).await.errors(), ["authCode totpWrong"], "the old ones are void");
        let fresh: Vec<String> = serde_json::from_value(renewed["recoveryCodes"].clone()).unwrap();
        assert_eq!(sign_in(&app, &fresh[0].replace('-', "")).await.status(), 0);
    }

    async fn it_is_turned_off_with_password_and_code_only(db) {
        let app = with_clerk(db).await;
        let (secret, codes) = enrolled(&app, &signed_in(&app, "").await).await;
        let clerk = signed_in(&app, &codes[0]).await;
        let off = format!("{MINE}/disable");
        let (right, wrong) = (code(&app, &secret, 1), wrong_code(&app, &secret));

        let refused = clerk.post(&off, json!({ "password": clerk.encrypted("Wrong123").await, "code": right })).await;
        assert_eq!(refused.errors(), ["password password.wrong"]);
        let refused = clerk.post(&off, json!({ "password": clerk.encrypted(PASSWORD).await, "code": wrong })).await;
        assert_eq!(refused.errors(), ["code totpWrong"]);
        assert_eq!(clerk.post(&off, json!({ "password": "", "code": "" })).await.errors(), ["password required", "code required"]);
        assert_eq!(clerk.post(MINE, json!({})).await.brief(), (409, 4009), "another device needs the first one off");

        let done = clerk.post(&off, json!({ "password": clerk.encrypted(PASSWORD).await, "code": right })).await;
        assert_eq!(done.status(), 0, "{:?}", done.json());
        assert_eq!(clerk.post(&off, json!({ "password": "x", "code": "000000" })).await.brief(), (409, 4009));
        assert_eq!(sign_in(&app, "").await.status(), 0);
    }

    async fn an_old_session_enrols_with_the_password(db) {
        let app = with_clerk(db).await;
        let clerk = signed_in(&app, "").await;
        app.app.clock.advance_seconds(301);
        assert_eq!(clerk.post(MINE, json!({})).await.brief(), (409, 4009));
        let wrong = clerk.post(MINE, json!({ "password": clerk.encrypted("Wrong123").await })).await;
        assert_eq!(wrong.errors(), ["password password.wrong"]);
        assert_eq!(clerk.post(MINE, json!({ "password": clerk.encrypted(PASSWORD).await })).await.status(), 0);
    }

    async fn wrong_codes_are_counted_for_the_account_whatever_changes_around_them(db) {
        let app = with_clerk(db).await;
        let (secret, _) = enrolled(&app, &signed_in(&app, "").await).await;
        for n in 0..5 {
            // Another address, a right password each time, and a restart in between.
            let caller = app.anybody().from(&format!("10.0.0.{n}"));
            let refused = caller.sign_in("clerk", PASSWORD, &wrong_code(&app, &secret)).await;
            let expected = if n < 3 { "authCode totpWrong" } else { "authCode captchaWrong" };
            assert_eq!(refused.errors(), [expected], "{n}");
        }
        let app = app.restarted().await;
        app.app.clock.advance_seconds(60);
        let right = code(&app, &secret, 0);
        let refused = app.anybody().from("10.0.0.99").sign_in("clerk", PASSWORD, &right).await;
        assert_eq!(refused.brief(), (429, 4029));
        let seconds: i64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
        assert!(seconds > 600, "{seconds}");

        app.app.clock.advance_seconds(900);
        let all_at_once = sign_in(&app, &code(&app, &secret, 0)).await;
        assert_eq!(all_at_once.status(), 0, "a right code stands in for the captcha");
    }

    async fn the_captcha_does_not_say_who_has_a_second_factor(db) {
        let app = with_clerk(db).await;
        enrolled(&app, &signed_in(&app, "").await).await;
        let plain = app.operator("plain", &["clientUser:list"]).await.operator.unwrap();
        app.give_password(plain).await;
        let mut heard: Vec<Vec<Value>> = Vec::new();
        for (n, name) in ["clerk", "plain", "nobody"].into_iter().enumerate() {
            let caller = app.anybody().from(&format!("10.2.0.{n}"));
            let mut answers = Vec::new();
            for code in ["", "", "", "", "123456", "ZZZZZ"] {
                answers.push(caller.sign_in(name, "Wrong123", code).await.json());
            }
            heard.push(answers);
        }
        assert_eq!(heard[0], heard[1]);
        assert_eq!(heard[0], heard[2]);
        // With the right password a guessed code does not say it either.
        let caller = app.anybody().from("10.2.0.0");
        app.app.clock.advance_seconds(900);
        assert_eq!(caller.sign_in("clerk", PASSWORD, "123456").await.errors(), ["authCode captchaWrong"]);
        assert_eq!(app.anybody().from("10.2.0.1").sign_in("plain", PASSWORD, "123456").await.errors(), ["authCode captchaWrong"]);
        // A captcha, and then the code.
        app.app.clock.advance_seconds(900);
        caller.post("/api/user/v1/client/login/captcha", json!({ "username": STANDARD.encode("clerk") })).await.data();
        let text = app.app.part::<Auth>().captchas.peek("clerk", caller.ip).unwrap();
        assert_eq!(caller.sign_in("clerk", PASSWORD, &text).await.errors(), ["authCode totpRequired"]);
    }

    async fn an_admin_resets_it_but_not_upward(db) {
        let app = with_clerk(db).await;
        let clerk = signed_in(&app, "").await;
        enrolled(&app, &clerk).await;
        let id = operator::Entity::find().all(app.app.db.read()).await.unwrap().iter().find(|row| row.username == "clerk").unwrap().id;
        let url = format!("/api/user/v1/operators/{id}/second-factor/reset");

        let weaker = app.operator("weaker", &["operator:resetSecondFactor"]).await;
        assert_eq!(weaker.post(&url, json!({})).await.brief(), (409, 4009));
        assert_eq!(app.operator("other", &["clientUser:list"]).await.post(&url, json!({})).await.brief(), (200, 4003));
        assert_eq!(sign_in(&app, "").await.errors(), ["authCode totpRequired"]);

        let admin = app.admin().await;
        let own = format!("/api/user/v1/operators/{}/second-factor/reset", admin.operator.unwrap());
        assert_eq!(admin.post(&own, json!({})).await.brief(), (409, 4009));
        assert_eq!(admin.post("/api/user/v1/operators/9999/second-factor/reset", json!({})).await.brief(), (404, 4004));
        assert_eq!(admin.post(&url, json!({})).await.status(), 0);
        assert_eq!(clerk.post(ME, json!({})).await.brief(), (200, 6014), "his sessions end");
        assert_eq!(admin.post(&url, json!({})).await.brief(), (409, 4009));
        assert_eq!(sign_in(&app, "").await.status(), 0);
    }

    async fn own_password_and_code_are_not_guessed_faster_with_a_session(db) {
        let app = with_clerk(db).await;
        let clerk = signed_in(&app, "").await;
        let url = "/api/user/v1/designjet/login/updatePassword";
        let mut statuses = Vec::new();
        for n in 0..6 {
            let old = clerk.encrypted(&format!("Wrong12{n}")).await;
            let new = clerk.encrypted("Better456").await;
            statuses.push(clerk.post(url, json!({ "password": new, "confirmPassword": new, "oldPassword": old })).await.brief());
        }
        assert_eq!(statuses, [(400, 4000), (400, 4000), (400, 4000), (400, 4000), (400, 4000), (429, 4029)]);
        let code = json!({ "password": clerk.encrypted(PASSWORD).await });
        assert_eq!(clerk.post(MINE, code).await.brief(), (429, 4029), "one limiter for all of them");
        assert_eq!(sign_in(&app, "").await.status(), 0, "the owner still signs in");
        let trail = app.audit_trail().await;
        assert_eq!(trail.iter().filter(|line| *line == "clerk own_password_update 4000").count(), 5);
    }

    async fn a_new_master_key_takes_the_seeds_along(db) {
        let app = with_clerk(db).await;
        let clerk = signed_in(&app, "").await;
        enrolled(&app, &clerk).await;
        let held = operator::Entity::find().filter(operator::Column::TotpSecret.is_not_null());
        let who = held.one(app.app.db.read()).await.unwrap().unwrap().id;
        let (id, wrapped) = server::admin::rotate_key(&app.app.db, &app.app.config, &app.app.clock).await.unwrap();
        assert!(id == 2 && wrapped >= 2, "the pepper and the seed: {wrapped}");
        let file = std::fs::read_to_string(app.app.config.data_dir.join("master.key")).unwrap();
        let newest = Vault::open(&Source::Given(file.lines().last().unwrap().to_owned().into())).unwrap();
        let row = operator::Entity::find_by_id(who).one(app.app.db.read()).await.unwrap().unwrap();
        newest.unseal("operator.totp", &row.id.to_string(), &row.totp_secret.unwrap()).unwrap();
    }

    async fn a_lost_master_key_takes_the_second_factor_off(db) {
        let app = with_clerk(db).await;
        let clerk = signed_in(&app, "").await;
        enrolled(&app, &clerk).await;
        let (db, config, clock) = (&app.app.db, &app.app.config, &app.app.clock);
        let held = || operator::Entity::find().filter(operator::Column::TotpSecret.is_not_null()).count(db.read());
        let nothing = server::admin::forget_secrets(db, config, clock, true).await.unwrap();
        assert!(nothing.secrets.is_empty() && nothing.second_factors.is_empty());

        std::fs::remove_file(config.data_dir.join("master.key")).unwrap();
        let told = server::admin::forget_secrets(db, config, clock, false).await.unwrap();
        assert_eq!((told.second_factors.len(), held().await.unwrap()), (1, 1), "nothing is changed unless it is meant");
        let lost = server::admin::forget_secrets(db, config, clock, true).await.unwrap();
        assert_eq!((lost.second_factors, held().await.unwrap()), (told.second_factors, 0));
        assert!(lost.secrets.contains(&"sign_in.pepper".to_owned()) && lost.passwords == ["clerk"], "{:?}", lost.passwords);
        let again = server::admin::forget_secrets(db, config, clock, true).await.unwrap();
        assert!(again.secrets.is_empty(), "once is enough");
    }
}
