//! Sessions, sign-ins, and what operators do about themselves.

use kernel::time::UtcTime;
use serde_json::json;
use testapp::{Caller, PASSWORD, TestApp};
use testkit::db_test;

const RECORD: &str = "/api/user/v1/login/record";

db_test! {
    async fn sessions_are_listed_and_ended_one_by_one_or_all(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let url = "/api/platform/v1/settings/sign-in";
        let mut setting = admin.get(url).await.data();
        setting["singleSession"] = json!(false);
        for told in ["updatedAt", "updatedBy"] {
            setting.as_object_mut().unwrap().remove(told);
        }
        admin.put(url, setting).await.data();
        let clerk = app.operator("clerk", &["operator:list"]).await;
        app.give_password(clerk.operator.unwrap()).await;
        let token = admin.sign_in("clerk", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();
        let elsewhere = app.anybody().token(token);
        let url = format!("/api/user/v1/operators/{}", clerk.operator.unwrap());

        let sessions = admin.get(&format!("{url}/sessions")).await.data();
        assert_eq!(sessions.as_array().unwrap().len(), 2);
        assert_eq!(sessions[0]["device"], "火狐浏览器");
        let own = clerk.get("/api/user/v1/me/sessions").await.data();
        assert_eq!((&own[0]["current"], &own[1]["current"]), (&json!(false), &json!(true)));

        admin.delete(&format!("{url}/sessions/{}", sessions[0]["id"]), json!({})).await.data();
        assert_eq!(elsewhere.get("/api/user/v1/me").await.brief(), (200, 6014));
        assert_eq!(clerk.get("/api/user/v1/me").await.brief(), (200, 0));
        assert_eq!(admin.delete(&format!("{url}/sessions/{}", sessions[0]["id"]), json!({})).await.brief(), (404, 4004));

        assert_eq!(admin.post(&format!("{url}/signOut"), json!({})).await.data(), json!({ "ended": 1 }));
        assert_eq!(clerk.get("/api/user/v1/me").await.brief(), (200, 6014));
    }

    async fn nobody_ends_anothers_session_as_his_own(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &[]).await;
        let other = app.operator("other", &[]).await;
        let theirs = other.get("/api/user/v1/me/sessions").await.data();
        assert_eq!(clerk.delete(&format!("/api/user/v1/me/sessions/{}", theirs[0]["id"]), json!({})).await.brief(), (404, 4004));
        assert_eq!(other.get("/api/user/v1/me").await.brief(), (200, 0));
        other.delete(&format!("/api/user/v1/me/sessions/{}", theirs[0]["id"]), json!({})).await.data();
        assert_eq!(other.get("/api/user/v1/me").await.brief(), (200, 6014));
    }

    async fn a_session_that_ran_out_is_not_listed(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &[]).await;
        app.app.clock.advance_seconds(31 * 60);
        let admin = app.admin().await;
        let url = format!("/api/user/v1/operators/{}/sessions", clerk.operator.unwrap());
        assert_eq!(admin.get(&url).await.data(), json!([]));
    }

    async fn a_clock_that_is_set_hides_no_session_and_saves_none(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &[]).await;
        let idle = app.operator("idle", &[]).await;
        assert_eq!(clerk.get("/api/user/v1/me").await.brief(), (200, 0));
        app.app.clock.jump_seconds(13 * 3600);
        let admin = app.admin().await;
        let now = app.app.clock.now();
        let url = |who: &Caller<'_>| format!("/api/user/v1/operators/{}", who.operator.unwrap());

        // One that this process has seen at work is alive, whatever the stored times say.
        let found = admin.get(&format!("{}/sessions", url(&clerk))).await.data();
        let at = |field: &str| serde_json::from_value::<UtcTime>(found[0][field].clone()).unwrap();
        assert!(now.seconds_since(at("seenAt")) < 60 && at("expiresAt") > now, "{found}");
        admin.delete(&format!("{}/sessions/{}", url(&clerk), found[0]["id"]), json!({})).await.data();
        assert_eq!(clerk.get("/api/user/v1/me").await.brief(), (200, 6014));

        // One that it has not seen looks as if it had run out. It is ended all the same, and does not come back.
        assert_eq!(admin.get(&format!("{}/sessions", url(&idle))).await.data(), json!([]));
        assert_eq!(admin.post(&format!("{}/signOut", url(&idle)), json!({})).await.data(), json!({ "ended": 0 }));
        app.app.clock.jump_seconds(-13 * 3600);
        assert_eq!(idle.get("/api/user/v1/me").await.brief(), (200, 6014));
    }

    async fn everybody_is_signed_out_at_once_after_the_clock_was_set(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &[]).await;
        assert_eq!(clerk.get("/api/user/v1/me").await.brief(), (200, 0));
        app.app.clock.jump_seconds(13 * 3600);
        let admin = app.admin().await;
        let path = format!("/api/user/v1/operators/{}/signOut", clerk.operator.unwrap());
        assert_eq!(admin.post(&path, json!({})).await.data(), json!({ "ended": 1 }));
        assert_eq!(clerk.get("/api/user/v1/me").await.brief(), (200, 6014));
    }

    async fn sign_ins_are_recorded_and_everybody_sees_his_own(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &[]).await;
        let other = app.operator("other", &[]).await;
        let overseer = app.operator("overseer", &["operator:get"]).await;
        for who in [&clerk, &other] {
            app.give_password(who.operator.unwrap()).await;
        }
        clerk.sign_in("clerk", "Wrong1234", "").await;
        let token = clerk.sign_in("clerk", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();
        clerk.from("10.1.2.3").sign_in("other", PASSWORD, "").await.data();
        let clerk = app.anybody().token(token);

        let own = clerk.get(RECORD).await.data();
        let outcomes: Vec<_> = own["list"].as_array().unwrap().iter().map(|row| (row["username"].clone(), row["outcome"].clone())).collect();
        assert_eq!(outcomes, [(json!("clerk"), json!(1)), (json!("clerk"), json!(2))], "what failed on his name is his to know");
        assert_eq!(own["list"][0]["claimedIp"], "10.0.0.9");
        assert_eq!(own["list"][0]["device"], "火狐浏览器");
        let theirs = format!("{RECORD}?userId={}", other.operator.unwrap());
        assert_eq!(clerk.get(&theirs).await.brief(), (200, 4003));

        // A file of them has no more, and needs a permission of its own.
        let file = |question: &str| format!("{RECORD}/file?format=csv{question}");
        assert_eq!(clerk.get(&file("")).await.brief(), (200, 4003));
        let exporter = app.operator("exporter", &["operator:export"]).await;
        assert_eq!(exporter.get(&file("")).await.table().len(), 1, "nobody tried the exporter's name");
        assert_eq!(exporter.get(&file(&format!("&userId={}", other.operator.unwrap()))).await.brief(), (200, 4003));
        let last = app.audit_trail().await.pop();
        assert_eq!(last.as_deref(), Some("exporter sign_in_export 4003"), "who asks for others' is told of in the log");
        let both = app.operator("both", &["operator:get", "operator:export"]).await;
        assert_eq!(both.get(&file("")).await.table().len(), 1 + 3);

        assert_eq!(overseer.get(RECORD).await.data()["total"], 3);
        let oldest = overseer.get(&format!("{RECORD}?sort=at&order=asc")).await.data();
        assert_eq!(oldest["list"][0]["outcome"], 2);
        let found = overseer.get(&theirs).await.data();
        assert_eq!((&found["total"], &found["list"][0]["ip"]), (&json!(1), &json!("10.1.2.3")));
        assert_eq!(overseer.get(&format!("{RECORD}?keyWord=10.1.2")).await.data()["total"], 1);
        assert_eq!(overseer.get(&format!("{RECORD}?startTime=2999-01-01T00:00:00Z")).await.data()["total"], 0);
        assert_eq!(overseer.get(&format!("{RECORD}?endTime=2999-01-01T00:00:00Z&pageSize=2&pageNum=2")).await.data()["list"].as_array().unwrap().len(), 1);
        assert_eq!(overseer.get(&format!("{RECORD}?startTime=yesterday")).await.errors(), ["startTime type.wrong"]);
    }

    async fn an_operator_writes_about_himself_and_no_more(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &[]).await;
        let me = clerk.get("/api/user/v1/me").await.data();
        let after = clerk.put("/api/user/v1/me", json!({ "email": "me@example.com", "phone": "13800138000", "remark": "你好" })).await.data();
        assert_eq!((&after["email"], &after["phone"], &after["remark"]), (&json!("me@example.com"), &json!("13800138000"), &json!("你好")));
        for (field, value) in [("groupId", json!(1)), ("username", json!("admin")), ("accountType", json!("power")), ("enabled", json!(true))] {
            let answer = clerk.put("/api/user/v1/me", json!({ field: value })).await;
            assert_eq!(answer.errors(), [format!("{field} field.unknown")]);
        }
        let now = clerk.get("/api/user/v1/me").await.data();
        assert_eq!((&now["groupId"], &now["username"], &now["email"]), (&me["groupId"], &me["username"], &json!("me@example.com")));
    }
}
