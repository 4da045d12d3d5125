//! Customers: the list, its counters, and what may be done to them.

mod closing;
pub mod files;
mod import;

use serde_json::{Value, json};
use testkit::db_test;

use crate::support::TestApp;

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

        assert_eq!((again.brief(), again.errors()), ((400, 4000), vec!["phone taken".to_owned()]));
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
