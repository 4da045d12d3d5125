//! Settings documents: whole, versioned, in force at once, and without their secrets.

use base::fault::Fault;
use base::http::Meta;
use base::http::ops::OpCtx;
use base::settings::{self, Field, SettingsDoc, SettingsInput, SignIn, field};
use http::{HeaderMap, Method};
use kernel::rules::{Check, max_chars};
use kernel::text::text;
use sea_orm::EntityTrait as _;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use utoipa::ToSchema;

const URL: &str = "/api/platform/v1/settings/sign-in";

fn document(version: i32, change: impl FnOnce(&mut Value)) -> Value {
    let mut body = json!({
        "version": version, "singleSession": true, "idleMinutes": 30, "absoluteHours": 12,
        "captchaAfter": 3, "passwordMaxAgeDays": 0, "secondFactorForPower": false,
    });
    change(&mut body);
    body
}

#[test]
fn limits_labels_and_units_of_the_fields_are_in_the_document() {
    let document = serde_json::to_value(server::router::document()).unwrap();
    let schema = &document["components"]["schemas"]["SignIn"];
    assert_eq!(
        (&schema["properties"]["idleMinutes"]["minimum"], &schema["properties"]["idleMinutes"]["maximum"]),
        (&json!(5), &json!(1440))
    );
    let said = &schema["x-settings"];
    assert_eq!(said["title"], json!(["登录安全", "Sign-in security"]));
    assert_eq!(
        said["fields"][1],
        json!({ "name": "idleMinutes", "label": ["无操作自动退出", "Sign out when idle for"], "unit": ["分钟", "min"] })
    );
}

/// A document with a secret.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
struct Mail {
    host: String,
}

impl SettingsDoc for Mail {
    const NAME: &'static str = "testMail";
    const SECRETS: &'static [&'static str] = &["password"];

    fn fields() -> Vec<Field<Self>> {
        vec![field("host", text("主机", "Host")).of_its_type()]
    }

    fn check(&self, check: &mut Check) {
        check.field("host", max_chars(&self.host, 5));
    }
}

async fn ctx(app: &TestApp, caller: &Caller<'_>) -> OpCtx {
    let session = app.app.sessions.find(&app.app, caller.token.as_ref().unwrap()).await.unwrap();
    OpCtx {
        app: app.app.clone(),
        session,
        meta: Meta::of(&app.app, None, &HeaderMap::new()),
        action: "mail_setting_update",
    }
}

fn input(body: Value) -> SettingsInput<Mail> {
    serde_json::from_value(body).unwrap()
}

db_test! {
    async fn a_document_begins_with_its_defaults_and_keeps_every_version(db) {
        let app = TestApp::new(db).await;
        let keeper = app.operator("keeper", &["signInSetting:get", "signInSetting:update"]).await;
        let first = keeper.get(URL).await.data();
        assert_eq!((&first["version"], &first["idleMinutes"], &first["updatedBy"]), (&json!(0), &json!(30), &Value::Null));

        for (version, minutes) in [(0, 45), (1, 60)] {
            let saved = keeper.put(URL, document(version, |body| body["idleMinutes"] = minutes.into())).await.data();
            assert_eq!((&saved["version"], &saved["idleMinutes"]), (&json!(version + 1), &json!(minutes)));
        }

        let now = keeper.get(URL).await.data();
        assert_eq!((&now["version"], &now["updatedBy"]), (&json!(2), &json!("keeper")));
        let history = keeper.get(&format!("{URL}/history?pageSize=10")).await.data();
        let seen: Vec<(i64, i64)> = history["list"].as_array().unwrap().iter()
            .map(|row| (row["version"].as_i64().unwrap(), row["document"]["idleMinutes"].as_i64().unwrap()))
            .collect();
        assert_eq!(seen, [(2, 60), (1, 45)]);
        assert_eq!(app.audit_trail().await, ["keeper sign_in_setting_update 0", "keeper sign_in_setting_update 0"]);
    }

    async fn who_saves_over_somebody_elses_change_is_told(db) {
        let app = TestApp::new(db).await;
        let keeper = app.operator("keeper", &["signInSetting:get", "signInSetting:update"]).await;
        keeper.put(URL, document(0, |_| ())).await.data();
        for stale in [0, 7] {
            let late = keeper.put(URL, document(stale, |body| body["idleMinutes"] = 99.into())).await;
            assert_eq!(late.brief(), (409, 4009), "version {stale}");
        }
        assert_eq!(keeper.get(URL).await.data()["idleMinutes"], 30);
        assert_eq!(keeper.get(&format!("{URL}/history")).await.data()["total"], 1);
    }

    async fn bad_values_are_named_at_their_fields_and_nothing_is_saved(db) {
        let app = TestApp::new(db).await;
        let keeper = app.operator("keeper", &["signInSetting:get", "signInSetting:update"]).await;
        let bad = keeper.put(URL, document(0, |body| {
            body["idleMinutes"] = 4.into();
            body["absoluteHours"] = 169.into();
            body["captchaAfter"] = 11.into();
            body["passwordMaxAgeDays"] = json!(-1);
        })).await;
        assert_eq!(bad.brief(), (400, 4000));
        assert_eq!(bad.errors(), [
            "idleMinutes integer.range", "absoluteHours integer.range", "captchaAfter integer.range", "passwordMaxAgeDays integer.range",
        ]);
        let wrong = keeper.put(URL, document(0, |body| body["singleSession"] = "yes".into())).await;
        assert_eq!(wrong.errors(), ["singleSession type.wrong"]);
        let unknown = keeper.put(URL, document(0, |body| body["secrets"] = json!({ "x": "y" }))).await;
        assert_eq!(unknown.errors(), ["secrets.x field.unknown"]);
        assert_eq!(keeper.call(Method::PUT, URL, Some(json!({}))).await.errors(), ["version required"]);
        assert_eq!(keeper.get(URL).await.data()["version"], 0);
    }

    async fn a_saved_document_is_in_force_at_once(db) {
        let app = TestApp::new(db).await;
        let keeper = app.operator("keeper", &["signInSetting:get", "signInSetting:update"]).await;
        assert!(app.app.settings.get::<SignIn>(&app.app).await.unwrap().single_session);

        keeper.put(URL, document(0, |body| {
            body["idleMinutes"] = 5.into();
            body["singleSession"] = false.into();
        })).await.data();

        assert!(!app.app.settings.get::<SignIn>(&app.app).await.unwrap().single_session);
        app.app.clock.advance_seconds(5 * 60);
        app.app.sessions.forget();
        assert_eq!(keeper.get(URL).await.brief(), (200, 6014), "five minutes of silence end the session now");
    }

    async fn an_old_password_must_be_changed_before_anything_else(db) {
        let app = TestApp::new(db).await;
        let keeper = app.operator("keeper", &["signInSetting:get", "signInSetting:update"]).await;
        let asks = "/api/user/v5/user/checkUpdatePsw";
        keeper.put(URL, document(0, |body| { body["passwordMaxAgeDays"] = 90.into(); body["absoluteHours"] = 168.into(); })).await.data();
        assert_eq!(keeper.post(asks, json!({})).await.data(), json!({ "needUpdate": false, "reason": null }));

        let tx = app.app.db.begin_write().await.unwrap();
        sea_orm::ConnectionTrait::execute_unprepared(&*tx, "UPDATE operator SET password_set_at = password_set_at - 7776000000").await.unwrap();
        tx.commit().await.unwrap();
        app.app.sessions.forget();

        assert_eq!(keeper.get(URL).await.brief(), (200, 4010));
        assert_eq!(keeper.post(asks, json!({})).await.data(), json!({ "needUpdate": true, "reason": "expired" }));
    }

    async fn a_power_user_without_a_second_factor_may_only_get_one(db) {
        let app = TestApp::new(db).await;
        let keeper = app.operator("keeper", &["signInSetting:get", "signInSetting:update"]).await;
        let power = app.operator("power", &["signInSetting:get"]).await;
        let tx = app.app.db.begin_write().await.unwrap();
        sea_orm::ConnectionTrait::execute_unprepared(&*tx, "UPDATE operator SET account_type = 1 WHERE username = 'power'").await.unwrap();
        tx.commit().await.unwrap();
        power.get(URL).await.data();

        keeper.put(URL, document(0, |body| body["secondFactorForPower"] = true.into())).await.data();

        let refused = power.clone().lang("en").get(URL).await;
        assert_eq!(refused.brief(), (200, 4003));
        assert!(refused.json()["msg"].as_str().unwrap().contains("two-step verification"));
        power.get("/api/user/v1/me/second-factor").await.data();
        assert_eq!(keeper.get(URL).await.status(), 0, "others are not concerned");

        let tx = app.app.db.begin_write().await.unwrap();
        sea_orm::ConnectionTrait::execute_unprepared(&*tx, "UPDATE operator SET totp_enabled_at = 1 WHERE username = 'power'").await.unwrap();
        tx.commit().await.unwrap();
        app.app.sessions.forget();
        power.get(URL).await.data();
    }

    async fn the_captcha_comes_after_as_many_failures_as_the_setting_says(db) {
        let app = TestApp::new(db).await;
        let keeper = app.operator("keeper", &["signInSetting:get", "signInSetting:update"]).await;
        keeper.put(URL, document(0, |body| body["captchaAfter"] = 4.into())).await.data();
        app.give_password(keeper.operator.unwrap()).await;

        let mut asked = Vec::new();
        for _ in 0..5 {
            let answer = app.anybody().sign_in("keeper", "Wrong123", "").await;
            asked.push(answer.errors() == ["authCode captchaRequired"]);
        }
        assert_eq!(asked, [false, false, false, false, true]);
    }

    async fn a_secret_of_a_document_is_set_replaced_removed_and_never_shown(db) {
        let app = TestApp::new(db).await;
        let ctx = ctx(&app, &app.operator("keeper", &[]).await).await;

        let saved = settings::save(&ctx, input(json!({ "version": 0, "host": "mail", "secrets": { "password": "canary-77aa" } }))).await.unwrap();
        let view = &saved.secrets["password"];
        assert!(view.set && view.set_by.as_deref() == Some("keeper") && view.fingerprint.as_ref().unwrap().len() == 8);
        let kept = settings::save(&ctx, input(json!({ "version": 1, "host": "smtp" }))).await.unwrap();
        assert_eq!(kept.secrets["password"], *view, "left out, it stays");
        let secret = settings::secret::<Mail>(&app.app, "password").await.unwrap().unwrap();
        assert_eq!(secret.expose_text(), Some("canary-77aa"));

        let history = settings::history::<Mail>(&ctx, kernel::page::PageQuery::default()).await.unwrap();
        let log = entity::operation_log::Entity::find().all(app.app.db.read()).await.unwrap();
        let shown = format!("{} {} {log:?}", serde_json::to_string(&saved).unwrap(), serde_json::to_string(&history).unwrap());
        assert!(!shown.contains("canary"), "{shown}");
        assert!(shown.contains("secrets: password"), "the log knows that it was set");

        let removed = settings::save(&ctx, input(json!({ "version": 2, "host": "smtp", "secrets": { "password": "" } }))).await.unwrap();
        assert!(!removed.secrets["password"].set);
        assert!(settings::secret::<Mail>(&app.app, "password").await.unwrap().is_none());

        let late = settings::save(&ctx, input(json!({ "version": 1, "host": "x", "secrets": { "password": "late" } }))).await;
        assert!(matches!(late, Err(Fault::Conflict(_))));
        assert!(settings::secret::<Mail>(&app.app, "password").await.unwrap().is_none(), "a refused save sets no secret");
    }
}
