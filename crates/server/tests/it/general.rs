//! Dashboard, about, reported errors, quick search, public settings.

use entity::{client_user, client_user_record, logout_request};
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use server::demo;
use testapp::TestApp;
use testkit::db_test;
use testroom::site::{HOSTS, PLANS, kind, site};

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
        let disabled = client_user::Entity::find().filter(client_user::Column::Status.eq(client_user::ClientUserStatus::Disabled)).count(read).await.unwrap();
        assert_eq!(counts["clientUsersDisabled"], disabled);
        let open = logout_request::Entity::find().filter(logout_request::Column::Status.eq(logout_request::LogoutStatus::Requested)).count(read).await.unwrap();
        assert_eq!((&counts["logoutRequestsOpen"], &counts["operatorsOnline"], &counts["tasksRunning"]), (&json!(open), &json!(1), &json!(0)));

        let trend = month["trend"].as_array().unwrap();
        assert_eq!(trend.len(), 30);
        let sum = |field: &str| trend.iter().map(|day| day[field].as_u64().unwrap()).sum::<u64>();
        let begin = kernel::time::UtcTime::parse_rfc3339(&format!("{}T00:00:00+08:00", trend[0]["day"].as_str().unwrap())).unwrap();
        assert_eq!(sum("registrations"), client_user::Entity::find().filter(client_user::Column::RegisteredAt.gte(begin)).count(read).await.unwrap());
        let sign_ins = client_user_record::Entity::find()
            .filter(client_user_record::Column::Kind.eq(client_user_record::RecordKind::SignIn))
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

        let total = async |filter: &str| judge.get(&format!("{ERRORS}?{filter}")).await.data()["total"].clone();
        assert_eq!((total("keyWord=REPORTER7").await, total("keyWord=clientUser").await), (json!(30), json!(200)));
        assert_eq!((total("keyWord=nowhere").await, total("startTime=2999-01-01T00:00:00Z").await), (json!(0), json!(0)));
        let sorted = judge.get(&format!("{ERRORS}?sort=username&order=desc")).await.data();
        assert_eq!(sorted["list"][0]["username"], "reporter7");
        assert_eq!(judge.get(&format!("{ERRORS}/file?format=csv")).await.brief().1, 4003, "a file has a code of its own");

        judge.delete(ERRORS, json!({})).await.data();
        assert_eq!(judge.get(ERRORS).await.data()["total"], 0);
        assert_eq!(app.audit_trail().await, ["judge client_error_export 4003", "judge client_error_clear 0"]);
    }

    async fn quick_search_finds_customers_for_operators_who_may_see_them(db) {
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
        assert_eq!(other.get("/api/general/v1/search?q=00001234").await.data(), json!([]));
    }

    async fn quick_search_finds_places_cards_and_operators_what_is_meant_exactly_first(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        // Beside .1 to .8: enough that the wanted one is not among the newest.
        let body = json!({ "roomId": here.room, "name": "第二段",
            "intranet": { "startIp": "10.9.0.1", "endIp": "10.9.0.40", "startPort": 5555 },
            "extranet": { "startIp": "203.0.113.99", "startPort": 20001, "endPort": 20040 } });
        let plan = clerk.post(PLANS, body).await.data()["id"].clone();
        clerk.post("/api/fleet/v1/cards/range", kind(json!({ "planId": plan, "count": 40 }))).await.data();

        let hits = clerk.get("/api/general/v1/search?q=10.9.0.1").await.data();
        let cards: Vec<&str> = hits.as_array().unwrap().iter().map(|hit| hit["title"].as_str().unwrap()).collect();
        assert_eq!((cards[0], cards.len()), ("10.9.0.1", 8), "{cards:?}");
        assert!(cards[1..].iter().all(|title| title.starts_with("10.9.0.1") && *title != "10.9.0.1"), "{cards:?}");

        for slot in 3..=4 {
            let name = ["blade", "blade-100"][slot - 3];
            clerk.post(HOSTS, json!({ "frameId": here.frame, "slot": slot, "name": name, "positions": 4 })).await.data();
        }
        let hits = clerk.get("/api/general/v1/search?q=BLADE").await.data();
        let found: Vec<[&str; 2]> =
            hits.as_array().unwrap().iter().map(|hit| ["title", "subtitle"].map(|field| hit[field].as_str().unwrap())).collect();
        let place = "机房 1 · A-01";
        assert_eq!(found, [["blade", place], ["blade-1", place], ["blade-2", place], ["blade-100", place]]);
        assert_eq!(hits[1]["path"], format!("/device/management?hostId={}", here.hosts[0]));

        let kinds = async |text: &str| {
            let hits = clerk.get(&format!("/api/general/v1/search?q={text}")).await.data();
            let kind = |hit: &Value| hit["kind"].as_str().unwrap().to_owned();
            hits.as_array().unwrap().iter().map(kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds("A-0").await, ["frame"]);
        assert_eq!(kinds("%E6%9C%BA%E6%88%BF").await, ["room"]);
        app.operator("gatekeeper", &[]).await;
        assert_eq!(kinds("gatekee").await, ["operator"]);
        assert_eq!(kinds("g").await, [""; 0], "one letter is in almost every name");
        let other = app.operator("other", &["dashboard:view"]).await;
        assert_eq!(other.get("/api/general/v1/search?q=blade").await.data(), json!([]));
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
