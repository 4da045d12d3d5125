//! Signing in as existing clients do.

use accounts::auth::password::{self, Hasher};
use entity::operator;
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde_json::json;
use testapp::{PASSWORD, TestApp};
use testkit::db_test;

const ME: &str = "/api/user/v5/user/checkUpdatePsw";

db_test! {
    async fn a_second_sign_in_displaces_the_first(db) {
        let app = TestApp::new(db).await;
        let who = app.operator("clerk", &["clientUser:list"]).await;
        app.give_password(who.operator.unwrap()).await;

        let first = app.anybody().sign_in("clerk", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();
        let second = app.anybody().sign_in(" clerk ", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();

        assert_eq!(app.anybody().token(first).post(ME, json!({})).await.brief(), (200, 6013));
        assert_eq!(app.anybody().token(format!("Bearer {second}")).post(ME, json!({})).await.brief(), (200, 0));
        assert_eq!(app.anybody().post(ME, json!({})).await.brief(), (401, 6014));
        assert_eq!(app.anybody().token("made-up").post(ME, json!({})).await.brief(), (401, 6014));
    }

    async fn a_hash_of_the_command_line_gets_the_pepper_at_the_first_sign_in(db) {
        let app = TestApp::new(db).await;
        let who = app.operator("clerk", &["clientUser:list"]).await.operator.unwrap();
        let stored = async || {
            let row = operator::Entity::find_by_id(who).one(app.app.db.read()).await.unwrap().unwrap();
            row.password_hash
        };
        let plain = Hasher::plain().unwrap().hash(password::md5_hex(PASSWORD)).await.unwrap();
        let tx = app.app.db.begin_write().await.unwrap();
        let change = operator::ActiveModel { id: Set(who), password_hash: Set(plain.clone()), ..Default::default() };
        operator::Entity::update(change).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();

        app.anybody().sign_in("clerk", "Wrong_2026", "").await;
        assert_eq!(stored().await, plain, "a wrong password changes nothing");
        for _ in 0..2 {
            assert_eq!(app.anybody().sign_in("clerk", PASSWORD, "").await.status(), 0);
            assert!(stored().await.starts_with("pepper1:$argon2id$"));
        }
    }

    async fn a_token_that_was_carried_off_opens_nothing(db) {
        let app = TestApp::new(db).await;
        let who = app.operator("clerk", &["clientUser:list"]).await;
        app.give_password(who.operator.unwrap()).await;
        let signed_in = app.anybody().sign_in("clerk", PASSWORD, "").await;
        let token = signed_in.data()["token"].as_str().unwrap().to_owned();
        let set: Vec<&str> = signed_in.headers.get_all("set-cookie").iter().map(|value| value.to_str().unwrap()).collect();
        let cookie = set.iter().find(|value| value.starts_with("skyrack_session_")).unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict") && cookie.contains("; Path=/;"), "{set:?}");
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let thief = app.anybody().token(token.clone());
        let browser = app.anybody().token(token.clone()).header("cookie", cookie.clone());

        assert_eq!(thief.post(ME, json!({})).await.brief(), (200, 0), "a client without cookies works as ever");
        let sessions = thief.get("/api/user/v1/me/sessions").await.data();
        assert_eq!((&sessions[0]["current"], &sessions[0]["bound"]), (&json!(true), &json!(false)));
        assert_eq!(browser.post(ME, json!({})).await.brief(), (200, 0));
        assert_eq!(thief.post(ME, json!({})).await.brief(), (401, 6014), "the browser has shown the cookie");
        let guess = app.anybody().token(token).header("cookie", format!("{}x", &cookie[..cookie.len() - 1]));
        assert_eq!(guess.post(ME, json!({})).await.brief(), (401, 6014));
        assert_eq!(browser.get("/api/user/v1/me/sessions").await.data()[0]["bound"], true, "its owner goes on");
    }

    async fn an_idle_session_expires(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list"]).await;
        assert_eq!(clerk.post(ME, json!({})).await.brief(), (200, 0));

        app.app.clock.advance_seconds(31 * 60);
        app.app.sessions.forget();

        assert_eq!(clerk.post(ME, json!({})).await.brief(), (200, 6014));
        assert_eq!(clerk.post(ME, json!({})).await.brief(), (200, 6014));
    }

    async fn a_clock_that_is_set_signs_nobody_out_and_keeps_nobody_in(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list"]).await;
        let ask = async || {
            app.app.sessions.forget();
            clerk.post(ME, json!({})).await.brief()
        };
        assert_eq!(ask().await, (200, 0));
        // An hour exceeds the idle limit, thirteen exceed a session, and the last request was just now.
        for jump in [3600, -3600, -3600, 13 * 3600] {
            app.app.clock.jump_seconds(jump);
            assert_eq!(ask().await, (200, 0), "the clock was set by {jump} s");
        }
        app.app.clock.jump_seconds(-24 * 3600);
        app.app.clock.advance_seconds(31 * 60);
        assert_eq!(ask().await, (200, 6014), "half an hour is half an hour, whatever the clock says");
    }

    async fn a_session_ends_in_its_time_though_it_is_used_and_the_clock_is_set_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list"]).await;
        for quarter in 0..48 {
            app.app.sessions.forget();
            assert_eq!(clerk.post(ME, json!({})).await.brief(), (200, 0), "after {quarter} quarters of an hour");
            app.app.clock.advance_seconds(15 * 60);
            app.app.clock.jump_seconds(-15 * 60);
        }
        app.app.sessions.forget();
        assert_eq!(clerk.post(ME, json!({})).await.brief(), (200, 6014), "twelve hours have passed");
    }

    async fn unknown_name_wrong_password_and_garbage_are_one_answer(db) {
        let app = TestApp::new(db).await;
        let who = app.operator("clerk", &["clientUser:list"]).await;
        app.give_password(who.operator.unwrap()).await;

        let wrong = app.anybody().sign_in("clerk", "Wrong123", "").await;
        let unknown = app.anybody().sign_in("nobody", PASSWORD, "").await;
        let garbage = app.anybody().post("/api/user/v1/designjet/login", json!({ "username": "%%%", "password": "%%%" })).await;

        assert_eq!(wrong.brief(), (200, 4001));
        assert_eq!(wrong.json(), unknown.json());
        assert_eq!(wrong.json(), garbage.json());
    }

    async fn changing_ones_password_ends_every_session(db) {
        let app = TestApp::new(db).await;
        let who = app.operator("clerk", &["clientUser:list"]).await;
        app.give_password(who.operator.unwrap()).await;
        let once = who.encrypted("Better456").await;

        let url = "/api/user/v1/designjet/login/updatePassword";
        let old = who.encrypted("Wrong123").await;
        let refused = who.post(url, json!({ "password": once, "confirmPassword": once, "oldPassword": old })).await;
        assert_eq!(refused.errors(), ["oldPassword password.wrong"]);
        let changed = who.post(url, json!({ "password": once, "confirmPassword": once, "oldPassword": who.encrypted(PASSWORD).await })).await;
        assert_eq!(changed.brief(), (200, 0));

        assert_eq!(who.post(ME, json!({})).await.brief(), (200, 6014));
        assert_eq!(app.anybody().sign_in("clerk", PASSWORD, "").await.status(), 4001);
        assert_eq!(app.anybody().sign_in("clerk", "Better456", "").await.status(), 0);
    }
}
