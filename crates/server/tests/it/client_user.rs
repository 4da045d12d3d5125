//! Customers: the list, its counters, and what may be done to them.

mod closing;
pub mod files;
mod import;

use db::kept::{List, counted_anew};
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;

const LIST: &str = "/api/user/v5/user/getPageUserInfo";

fn names(page: &Value) -> Vec<&str> {
    page["list"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

db_test! {
    async fn a_customer_is_found_by_any_part_of_what_is_searched(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:create"]).await;
        for (name, phone) in [("张三丰", "13800000001"), ("李小龙", "13800000002"), ("Alice 50%_off", "13912345678")] {
            clerk.post("/api/user/v1/client-users", json!({ "name": name, "phone": phone })).await.data();
        }

        for (text, found) in [
            ("三丰", vec!["张三丰"]),
            ("张", vec!["张三丰"]),
            ("小龙", vec!["李小龙"]),
            ("1234567", vec!["Alice 50%_off"]),
            ("aLiCe", vec!["Alice 50%_off"]),
            ("50%_", vec!["Alice 50%_off"]),
            ("%", vec!["Alice 50%_off"]),
            ("0000", vec!["李小龙", "张三丰"]),
            ("王五", vec![]),
        ] {
            let page = clerk.post(LIST, json!({ "keyWord": text })).await.data();
            assert_eq!(names(&page), found, "{text}");
            assert_eq!(page["total"], found.len(), "{text}");
        }
    }

    async fn a_long_list_is_filtered_and_sorted_as_a_short_one(db) {
        let app = TestApp::new(db).await;
        // Enough of them to be followed in their order instead of by the indexes of what is filtered.
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared(
            "INSERT INTO client_user (name, phone, email, ident_code, login_method, device_name, register_ip, client_type, \
             client_version, status, star_coins, phone_count, remark, registered_at, last_login_at, updated_at) \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8000) \
             SELECT CAST(100000 - i AS VARCHAR(8)), '', '', CAST(i AS VARCHAR(8)), 1 + i % 2, '', '', 1 + i % 4, '', \
             CASE i % 10 WHEN 0 THEN 2 ELSE 1 END, 0, 0, '', i * 1000, CASE i % 5 WHEN 0 THEN NULL ELSE i END, 0 FROM n",
        )
        .await
        .unwrap();
        for text in counted_anew(List(1), "client_user", "(status * 10 + login_method) * 10 + client_type") {
            tx.execute_unprepared(&text).await.unwrap();
        }
        tx.commit().await.unwrap();

        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:export"]).await;
        for (wanted, total, first) in [
            (json!({ "status": 1 }), 7200, [7999, 7998, 7997]),
            (json!({ "status": 1, "order": "asc" }), 7200, [1, 2, 3]),
            (json!({ "status": 1, "clientType": 2, "order": "asc" }), 2000, [1, 5, 9]),
            (json!({ "status": 1, "sort": "name", "order": "asc" }), 7200, [7999, 7998, 7997]),
            (json!({ "status": 1, "sort": "lastLoginAt" }), 7200, [7999, 7998, 7997]),
            (json!({ "sort": "lastLoginAt", "order": "asc", "endTime": "1970-01-01T02:00:00Z" }), 7200, [1, 2, 3]),
            (json!({ "endTime": "1970-01-01T02:00:00Z" }), 7200, [7200, 7199, 7198]),
        ] {
            let page = clerk.post(LIST, wanted.clone()).await.data();
            assert_eq!(page["total"], total, "{wanted}");
            let codes: Vec<&str> =
                page["list"].as_array().unwrap().iter().take(3).map(|row| row["identCode"].as_str().unwrap()).collect();
            assert_eq!(codes, first.map(|code| code.to_string()), "{wanted}");
        }
    }

    async fn an_update_is_audited_with_before_and_after_and_moves_the_search(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:create", "clientUser:update", "clientUser:get"]).await;
        let made = clerk.post("/api/user/v1/client-users", json!({ "name": "旧名字", "phone": "13800000001" })).await.data();

        let url = format!("/api/user/v1/client-users/{}", made["id"]);
        let after = clerk.put(&url, json!({ "name": "新名字", "phone": "13800000009" })).await.data();

        assert_eq!(after["identCode"], made["identCode"]);
        assert_eq!(names(&clerk.post(LIST, json!({ "keyWord": "旧名字" })).await.data()), Vec::<&str>::new());
        assert_eq!(names(&clerk.post(LIST, json!({ "keyWord": "新名字" })).await.data()), ["新名字"]);
        assert_eq!(app.audit_trail().await, ["clerk client_user_create 0", "clerk client_user_update 0"]);
        assert_eq!(db::journal::verify(app.app.db.read()).await.unwrap(), Ok(2));
    }

    async fn a_taken_phone_is_an_error_at_its_field_and_leaves_nothing_behind(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:create"]).await;
        let body = json!({ "name": "张三", "phone": "13800000001" });
        clerk.post("/api/user/v1/client-users", body.clone()).await.data();

        let again = clerk.post("/api/user/v1/client-users", body).await;

        assert_eq!((again.brief(), again.errors()), ((409, 4009), vec!["phone taken".to_owned()]));
        assert_eq!(clerk.post(LIST, json!({})).await.data()["total"], 1);
        assert_eq!(app.audit_trail().await, ["clerk client_user_create 0"]);
    }

    async fn disabling_by_filter_moves_the_counters(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:create", "clientUser:disable"]).await;
        for n in 0..5 {
            clerk.post("/api/user/v1/client-users", json!({ "name": format!("客户{n}"), "phone": format!("1380000000{n}") })).await.data();
        }

        let change = json!({ "selection": { "filter": { "keyWord": "客户" } }, "status": 2, "reason": "测试" });
        let first = clerk.post("/api/user/v1/client-users/status", change.clone()).await.data();
        let second = clerk.post("/api/user/v1/client-users/status", change).await.data();

        assert_eq!((&first["changed"], &second["changed"]), (&json!(5), &json!(0)));
        for (filter, total) in [(json!({ "status": 1 }), 0), (json!({ "status": 2 }), 5), (json!({ "status": 2, "loginMethod": 6 }), 5), (json!({}), 5)] {
            assert_eq!(clerk.post(LIST, filter.clone()).await.data()["total"], total, "{filter}");
        }
    }

    async fn the_log_of_one_account_says_who_disabled_it_and_why(db) {
        let app = TestApp::new(db).await;
        let rights = ["clientUser:list", "clientUser:create", "clientUser:disable", "operationLog:list"];
        let clerk = app.operator("clerk", &rights).await;
        let made = clerk.post("/api/user/v1/client-users", json!({ "name": "客户", "phone": "13800000000" })).await.data();
        let change = json!({ "selection": { "ids": [made["id"]] }, "status": 2, "reason": "恶意退款" });
        clerk.post("/api/user/v1/client-users/status", change).await.data();

        let of_it = json!({ "objectKind": "clientUser", "objectId": made["id"].to_string() });
        let log = clerk.post("/api/user/v1/operation/log/list", of_it).await.data();

        assert_eq!(log["total"], 2);
        assert_eq!((&log["list"][0]["operatorName"], &log["list"][0]["message"]), (&json!("clerk"), &json!("恶意退款")));
    }

    async fn a_selection_that_means_nothing_or_too_much_is_refused(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:disable"]).await;
        let many: Vec<i64> = (1..=10_001).collect();
        for (selection, errors) in [
            (json!({ "ids": [] }), ["selection.ids list.empty"]),
            (json!({ "ids": many }), ["selection.ids list.tooMany"]),
            (json!({ "filter": { "keyWord": "x".repeat(65) } }), ["selection.filter.keyWord text.tooLong"]),
        ] {
            let refused = clerk.post("/api/user/v1/client-users/status", json!({ "selection": selection, "status": 2 })).await;
            assert_eq!(refused.errors(), errors);
        }
    }

    async fn bad_input_is_named_field_by_field_in_the_callers_language(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:create"]).await.lang("en");

        let bad = clerk.post("/api/user/v1/client-users", json!({ "name": "", "phone": "138", "email": "x" })).await;
        assert_eq!(bad.brief(), (400, 4000));
        assert_eq!(bad.errors(), ["name required", "phone phone.format", "email email.format"]);
        assert_eq!(bad.json()["errors"][1]["message"], "A phone number has 11 digits");

        for (body, error) in [
            (json!({ "status": "x" }), "status type.wrong"),
            (json!({ "status": 9 }), "status type.wrong"),
            (json!({ "pageNum": 0 }), "pageNum integer.range"),
            (json!({ "pageSize": 501 }), "pageSize integer.range"),
            (json!({ "startTime": "yesterday" }), "startTime type.wrong"),
            (json!({ "sort": "password" }), "sort type.wrong"),
            (json!([]), "body type.wrong"),
        ] {
            let answer = clerk.post(LIST, body.clone()).await;
            assert_eq!((answer.brief(), answer.errors()), ((400, 4000), vec![error.to_owned()]), "{body}");
        }
    }
}
