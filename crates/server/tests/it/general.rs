//! Dashboard, about, reported errors, quick search, public settings.

use entity::{client_user, client_user_record, logout_request};
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use server::demo;
use testkit::db_test;

use crate::support::TestApp;

const ERRORS: &str = "/api/general/v1/client-errors";

db_test! {
    async fn the_dashboard_counts_what_is_there(db) {
        let app = TestApp::new(db).await;
        demo::fill(&app.app, 700, 0).await.unwrap();
        let clerk = app.operator("clerk", &["dashboard:view"]).await;
        let read = app.app.db.read();

        let month = clerk.get("/api/general/v1/dashboard?days=30").await.data();
        let counts = &month["counts"];
        assert_eq!(counts["clientUsers"], client_user::Entity::find().count(read).await.unwrap());
        let disabled = client_user::Entity::find().filter(client_user::Column::Status.eq(client_user::Status::Disabled)).count(read).await.unwrap();
        assert_eq!(counts["clientUsersDisabled"], disabled);
        let open = logout_request::Entity::find().filter(logout_request::Column::Status.eq(logout_request::Status::Requested)).count(read).await.unwrap();
        assert_eq!((&counts["logoutRequestsOpen"], &counts["operatorsOnline"], &counts["tasksRunning"]), (&json!(open), &json!(1), &json!(0)));

        let trend = month["trend"].as_array().unwrap();
        assert_eq!(trend.len(), 30);
        let sum = |field: &str| trend.iter().map(|day| day[field].as_u64().unwrap()).sum::<u64>();
        let begin = kernel::time::UtcTime::parse_rfc3339(&format!("{}T00:00:00+08:00", trend[0]["day"].as_str().unwrap())).unwrap();
        assert_eq!(sum("registrations"), client_user::Entity::find().filter(client_user::Column::RegisteredAt.gte(begin)).count(read).await.unwrap());
        let sign_ins = client_user_record::Entity::find()
            .filter(client_user_record::Column::Kind.eq(client_user_record::Kind::SignIn))
            .filter(client_user_record::Column::At.gte(begin));
        assert_eq!(sum("signIns"), sign_ins.count(read).await.unwrap());
        assert_eq!(month["today"]["signIns"], trend[29]["signIns"]);
        let week = clerk.get("/api/general/v1/dashboard").await.data();
        assert_eq!(week["trend"].as_array().unwrap()[..], trend[23..]);
        assert_eq!(clerk.get("/api/general/v1/dashboard?days=31").await.errors(), ["days integer.range"]);
    }

    async fn an_installation_keeps_its_serial_number(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &[]).await;
        let first = clerk.get("/api/general/v1/about").await.data();
        let engine = first["database"].as_str().unwrap();
        assert!(engine.starts_with("SQLite 3.") || engine.starts_with("PostgreSQL "), "{engine}");
        assert_eq!((first["version"].as_str(), &first["demo"]), (Some(env!("CARGO_PKG_VERSION")), &json!(false)));
        assert_eq!(first["serial"].as_str().unwrap().len(), 19);
        assert_eq!(clerk.get("/api/general/v1/about").await.data()["serial"], first["serial"]);
        let token = clerk.token.clone().unwrap();
        let again = app.restarted().await;
        assert_eq!(again.anybody().token(token).get("/api/general/v1/about").await.data()["serial"], first["serial"]);
    }

    async fn reported_errors_are_cut_kept_for_a_while_and_cleared(db) {
        let app = TestApp::new(db).await;
        let judge = app.operator("judge", &["errorLog:list", "errorLog:clear"]).await;
        let long = "x".repeat(20_000);
        for reporter in 0..8 {
            let reporter = app.operator(&format!("reporter{reporter}"), &[]).await.header("user-agent", "Firefox/140");
            for n in 0..30 {
                let body = json!({ "message": format!("错误 {n}\n第二行"), "stack": long, "address": "http://console/clientUser?keyWord=secret" });
                assert_eq!(reporter.post(ERRORS, body).await.brief(), (200, 0));
            }
            let refused = reporter.post(ERRORS, json!({ "message": "one too many" })).await;
            assert_eq!(refused.brief(), (429, 4029));
        }
        let page = judge.get(&format!("{ERRORS}?pageSize=5")).await.data();
        assert_eq!(page["total"], 200);
        let newest: &Value = &page["list"][0];
        assert_eq!((&newest["message"], &newest["username"], &newest["browser"]), (&json!("错误 29\n第二行"), &json!("reporter7"), &json!("Firefox/140")));
        assert_eq!((newest["stack"].as_str().unwrap().len(), &newest["address"]), (8192, &json!("http://console/clientUser")));

        judge.delete(ERRORS, json!({})).await.data();
        assert_eq!(judge.get(ERRORS).await.data()["total"], 0);
        assert_eq!(app.audit_trail().await, ["judge client_error_clear 0"]);
    }

    async fn quick_search_finds_customers_for_who_may_see_them(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:create"]).await;
        let made = clerk.post("/api/user/v1/client-users", json!({ "name": "欧阳娜娜", "phone": "13800001234" })).await.data();
        for text in ["%E6%AC%A7%E9%98%B3", "%E5%A8%9C", "00001234"] {
            let hits = clerk.get(&format!("/api/general/v1/search?q={text}")).await.data();
            assert_eq!(hits[0]["title"], "欧阳娜娜", "{text}");
            assert_eq!(hits[0]["path"], format!("/clientUser?detail={}", made["id"]), "{text}");
        }
        for text in ["", "a", "zzz", "%25%25%25"] {
            assert_eq!(clerk.get(&format!("/api/general/v1/search?q={text}")).await.data(), json!([]), "{text}");
        }
        assert_eq!(clerk.get("/api/general/v1/search?q=%00").await.errors(), ["q text.control"]);
        let other = app.operator("other", &["dashboard:view"]).await;
        assert_eq!(other.get("/api/general/v1/search?q=138").await.brief(), (200, 4003));
    }

    async fn only_listed_settings_are_public(db) {
        let app = TestApp::new(db).await;
        let path = "/api/publics/config/switch/getValue/toJSONObject";
        let anybody = app.anybody();
        assert_eq!(anybody.get(&format!("{path}?configKey=console")).await.data()["timeZone"], "Asia/Shanghai");
        for key in ["", "?configKey=", "?configKey=installation", "?configKey=../secret", "?configKey=signIn"] {
            assert_eq!(anybody.get(&format!("{path}{key}")).await.data(), json!({}), "{key}");
        }
    }
}
