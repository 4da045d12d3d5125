//! The key that passwords are encrypted with: rotation, restart, replay. And what a new password must not be.

use base::settings::SignIn;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entity::operator;
use sea_orm::{ConnectionTrait as _, EntityTrait as _};
use serde_json::{Value, json};
use testapp::{Answer, Caller, PASSWORD, TestApp};
use testkit::{TestDb, db_test};

const KEY: &str = "/api/user/v1/client/login/getPbKey";
const SIGN_IN: &str = "/api/user/v1/designjet/login";
const OWN: &str = "/api/user/v1/designjet/login/updatePassword";
const ME: &str = "/api/user/v5/user/checkUpdatePsw";

async fn with_clerk(db: TestDb) -> TestApp {
    let app = TestApp::new(db).await;
    let who = app.operator("clerk", &["clientUser:list"]).await.operator.unwrap();
    app.give_password(who).await;
    app
}

async fn public_key(app: &TestApp) -> Value {
    app.anybody().post(KEY, json!({})).await.data()["publicKey"].clone()
}

async fn send(app: &TestApp, ciphertext: &str) -> Answer {
    app.anybody().post(SIGN_IN, json!({ "username": STANDARD.encode("clerk"), "password": ciphertext })).await
}

/// Signs in again and changes the password without the old one.
async fn change(app: &TestApp, old: &str, new: &str) -> Answer {
    let token = app.anybody().sign_in("clerk", old, "").await.data()["token"].as_str().unwrap().to_owned();
    let clerk = app.anybody().token(token);
    change_as(&clerk, new).await
}

async fn change_as(clerk: &Caller<'_>, new: &str) -> Answer {
    let once = clerk.encrypted(new).await;
    clerk.post(OWN, json!({ "password": once, "confirmPassword": once })).await
}

async fn with_policy(app: &TestApp, change: impl FnOnce(&mut SignIn)) {
    let mut document = SignIn::default();
    change(&mut document);
    let mut body = serde_json::to_value(document).unwrap();
    body["version"] = json!(0);
    let admin = app.admin().await;
    let saved = admin.put("/api/platform/v1/settings/sign-in", body).await;
    assert_eq!(saved.status(), 0, "{:?}", saved.json());
}

db_test! {
    async fn a_key_is_rotated_without_breaking_a_sign_in_under_way(db) {
        let app = with_clerk(db).await;
        let first = public_key(&app).await;
        let under_way = app.anybody().encrypted(PASSWORD).await;
        app.app.clock.advance_seconds(601);
        assert_ne!(public_key(&app).await, first);
        assert_eq!(send(&app, &under_way).await.status(), 0);

        let too_late = app.anybody().encrypted(PASSWORD).await;
        app.app.clock.advance_seconds(1201);
        assert_eq!(send(&app, &too_late).await.status(), 4001);
    }

    async fn a_restart_keeps_the_key_and_what_was_accepted(db) {
        let app = with_clerk(db).await;
        let key = public_key(&app).await;
        let (used, under_way) = (app.anybody().encrypted(PASSWORD).await, app.anybody().encrypted(PASSWORD).await);
        assert_eq!(send(&app, &used).await.status(), 0);
        assert_eq!(send(&app, &used).await.status(), 4001, "replayed");

        let app = app.restarted().await;
        assert_eq!(public_key(&app).await, key);
        assert_eq!(send(&app, &used).await.status(), 4001, "replayed after a restart");
        assert_eq!(send(&app, &under_way).await.status(), 0);
    }

    async fn the_kept_keys_are_sealed(db) {
        let app = with_clerk(db).await;
        let public = STANDARD.decode(public_key(&app).await.as_str().unwrap()).unwrap();
        let sql = db::sql::statement(app.app.db.backend(), "SELECT sealed FROM secret WHERE name = 'signIn.keys'", []);
        let sealed: Vec<u8> = app.app.db.read().query_one_raw(sql).await.unwrap().unwrap().try_get("", "sealed").unwrap();
        // The modulus stands in both halves of a key pair.
        let modulus = &public[40..72];
        assert!(!sealed.windows(modulus.len()).any(|window| window == modulus));
        let kept = vault::store::get(app.app.db.read(), &app.app.vault, "signIn.keys").await.unwrap().unwrap();
        assert_eq!(kept.expose_text().unwrap().lines().count(), 1);
    }

    async fn whatever_is_malformed_is_a_wrong_password(db) {
        let app = with_clerk(db).await;
        public_key(&app).await;
        let used = app.anybody().encrypted(PASSWORD).await;
        assert_eq!(send(&app, &used).await.status(), 0);
        let no_padding = STANDARD.encode([7; 256]);
        let short = STANDARD.encode([7; 10]);
        let mut heard = Vec::new();
        for (n, password) in ["%%%", "", &no_padding, &short, &used].into_iter().enumerate() {
            let body = json!({ "username": STANDARD.encode("clerk"), "password": password });
            heard.push(app.anybody().from(&format!("10.5.0.{n}")).post(SIGN_IN, body).await);
            // A success in between: what is compared is the answer, not the count.
            assert_eq!(app.anybody().sign_in("clerk", PASSWORD, "").await.status(), 0);
        }
        for answer in &heard {
            assert_eq!(answer.brief(), (200, 4001));
            assert_eq!(answer.json(), heard[0].json());
        }
    }

    async fn a_common_password_is_refused(db) {
        let app = with_clerk(db).await;
        for common in ["Password1", "a123456", "Skyrack2026", "qwerty123"] {
            let refused = change(&app, PASSWORD, common).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec!["password password.common".to_owned()]), "{common}");
        }
    }

    async fn a_password_of_ones_own_name_is_refused(db) {
        let app = with_clerk(db).await;
        for own in ["clerk1", "Clerk2026", "123clerk", "clerk@123", "clerk_01"] {
            let refused = change(&app, PASSWORD, own).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec!["password password.userName".to_owned()]), "{own}");
        }
        let admin = app.admin().await;
        let users = "/api/user/v1/designjet/user";
        let once = admin.encrypted("newcomer88").await;
        let body = json!({ "username": "newcomer", "password": once, "groupId": admin.group, "accountType": "normal", "email": "", "phone": "", "remark": "", "enabled": true });
        assert_eq!(admin.post(users, body).await.errors(), ["password password.userName"]);
        let clerk = operator::Entity::find().all(app.app.db.read()).await.unwrap().into_iter().find(|row| row.username == "clerk").unwrap();
        let once = admin.encrypted("clerk888").await;
        let reset = admin.put(&format!("{users}/password"), json!({ "id": clerk.id, "password": once, "confirmPassword": once })).await;
        assert_eq!(reset.errors(), ["password password.userName"]);
    }

    async fn the_last_passwords_are_refused(db) {
        let app = with_clerk(db).await;
        let mut now = PASSWORD.to_owned();
        for n in 1..=6 {
            let next = format!("kotu-{n}mebi2");
            let changed = change(&app, &now, &next).await;
            assert_eq!(changed.status(), 0, "{n}: {:?}", changed.json());
            now = next;
        }
        assert_eq!(change(&app, &now, &now).await.errors(), ["password password.unchanged"]);
        for n in 1..=5 {
            assert_eq!(change(&app, &now, &format!("kotu-{n}mebi2")).await.errors(), ["password password.reused"], "{n}");
        }
        let rows = entity::operator_old_password::Entity::find().all(app.app.db.read()).await.unwrap();
        assert_eq!(rows.len(), 5, "older ones are forgotten");
    }

    async fn an_expired_password_must_be_changed_first(db) {
        let app = with_clerk(db).await;
        with_policy(&app, |policy| policy.password_max_age_days = 30).await;
        app.app.clock.advance_seconds(31 * 24 * 3600);
        let token = app.anybody().sign_in("clerk", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();
        let clerk = app.anybody().token(token);
        assert_eq!(clerk.post(ME, json!({})).await.data(), json!({ "needUpdate": true, "reason": "expired" }));
        let mine = "/api/user/v1/me/second-factor";
        assert_eq!(clerk.get(mine).await.brief(), (200, 4010));
        assert_eq!(change_as(&clerk, "kotu-9mebi2").await.status(), 0);
        let token = app.anybody().sign_in("clerk", "kotu-9mebi2", "").await.data()["token"].as_str().unwrap().to_owned();
        assert_eq!(app.anybody().token(token).get(mine).await.status(), 0);
    }

    async fn the_settings_may_want_a_second_factor_and_more_patience(db) {
        let app = with_clerk(db).await;
        with_policy(&app, |policy| {
            policy.second_factor_for_power = true;
            policy.captcha_after = 5;
        })
        .await;
        let clerk = async || app.anybody().token(app.anybody().sign_in("clerk", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned());
        assert_eq!(clerk().await.post(ME, json!({})).await.data(), json!({ "needUpdate": false, "reason": null }));
        let id = operator::Entity::find().all(app.app.db.read()).await.unwrap().iter().find(|row| row.username == "clerk").unwrap().id;
        let tx = app.app.db.begin_write().await.unwrap();
        let power = operator::ActiveModel {
            id: sea_orm::ActiveValue::Set(id),
            account_type: sea_orm::ActiveValue::Set(operator::AccountType::Power),
            ..Default::default()
        };
        operator::Entity::update(power).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(clerk().await.post(ME, json!({})).await.data(), json!({ "needUpdate": false, "reason": "enrolSecondFactor" }));
        for _ in 0..4 {
            assert_eq!(app.anybody().sign_in("clerk", "Wrong123", "").await.status(), 4001);
        }
    }
}
