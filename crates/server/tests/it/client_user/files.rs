//! Customers' lists as files.

use customers::{self, NewClientUser};
use serde_json::{Value, json};
use server::demo;
use testapp::{Answer, TestApp};
use testkit::db_test;

const LIST: &str = "/api/user/v5/user/getPageUserInfo";
const FILE: &str = "/api/user/v1/designjet/client_info/excel";

fn header<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
}

db_test! {
    async fn a_file_holds_what_the_list_shows_in_its_order(db) {
        let app = TestApp::new(db).await;
        assert!(demo::fill(&app.app, 700, 0).await.unwrap());
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:export"]).await;

        for (query, filter) in [
            ("", json!({ "pageSize": 500 })),
            ("&status=2", json!({ "pageSize": 500, "status": 2 })),
            ("&keyWord=%E7%8E%8B", json!({ "pageSize": 500, "keyWord": "王" })),
        ] {
            let mut listed: Vec<Value> = Vec::new();
            for page_num in 1..=2 {
                let mut filter = filter.clone();
                filter["pageNum"] = json!(page_num);
                listed.extend(clerk.post(LIST, filter).await.data()["list"].as_array().unwrap().iter().cloned());
            }
            for format in ["xlsx", "csv"] {
                let answer = clerk.get(&format!("{FILE}?format={format}{query}")).await;
                let rows = answer.table();
                assert_eq!(rows[0][..5], ["ID", "姓名", "手机号", "邮箱", "识别码"].map(str::to_owned), "{format}{query}");
                assert_eq!(rows.len() - 1, listed.len(), "{format}{query}");
                for (cells, row) in rows[1..].iter().zip(&listed) {
                    assert_eq!(cells[0], row["id"].to_string());
                    assert_eq!([&cells[1], &cells[2], &cells[4]], [&row["name"], &row["phone"], &row["identCode"]].map(|v| v.as_str().unwrap()));
                }
                let name = format!("filename*=UTF-8''%E7%94%A8%E6%88%B7%E4%BF%A1%E6%81%AF.{format}");
                assert!(header(&answer, "content-disposition").ends_with(&name));
            }
        }
        let trail = app.audit_trail().await;
        assert_eq!(trail.iter().filter(|line| *line == "clerk client_user_export 0").count(), 6);
    }

    async fn a_file_is_in_the_language_of_who_asks_and_holds_no_formula(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:create", "clientUser:export"]).await.lang("en");
        clerk.post("/api/user/v1/client-users", json!({ "name": "=cmd|' /C calc'!A0", "remark": "+1,\"x\"" })).await.data();

        let csv = clerk.get(&format!("{FILE}?format=csv")).await;
        let text = String::from_utf8(csv.bytes.clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("\u{feff}ID,Name,Phone,"), "{text}");
        assert!(lines[1].contains(",'=cmd|' /C calc'!A0,") && lines[1].ends_with(",\"'+1,\"\"x\"\"\""), "{text}");
        assert!(lines[1].contains(",Invited guest,"), "{text}");
        assert_eq!(header(&csv, "content-type"), "text/csv; charset=utf-8");

        let xlsx = clerk.get(FILE).await;
        assert_eq!(xlsx.table()[1][1], "=cmd|' /C calc'!A0");
        let bad = clerk.get(&format!("{FILE}?startTime=2026-02-01T00:00:00Z&endTime=2026-01-01T00:00:00Z")).await;
        assert_eq!((bad.brief(), bad.errors()), ((400, 4000), vec!["endTime time.endBeforeStart".to_owned()]));
    }

    async fn a_long_list_becomes_a_task_with_a_result_file(db) {
        let app = TestApp::with(db, |config| config.export_rows = 5000).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:export"]).await;
        fill(&app, 5001).await;
        let work = app.work().await;

        let begun = clerk.get(&format!("{FILE}?format=csv")).await.data();
        let id = begun["taskId"].as_str().unwrap();
        let task = clerk.finished(id).await;

        assert_eq!((&task["state"], &task["progress"]["done"]), (&json!("succeeded"), &json!(5001)), "{task}");
        assert_eq!(task["result"]["fileName"], "用户信息.csv");
        let file = clerk.get(&format!("/api/task/v1/tasks/{id}/file")).await;
        assert_eq!(file.table().len(), 5002);
        work.stop().await;
    }
}

async fn fill(app: &TestApp, count: u32) {
    let now = app.app.clock.now();
    let mut tx = app.app.db.begin_write().await.unwrap();
    let rows = (0..count)
        .map(|n| NewClientUser {
            name: format!("客户{n}"),
            phone: String::new(),
            email: String::new(),
            ident_code: format!("C{n}"),
            login_method: entity::client_user::LoginMethod::Guest,
            device_name: String::new(),
            register_ip: String::new(),
            client_type: entity::client_user::ClientType::Web,
            client_version: String::new(),
            status: entity::client_user::ClientUserStatus::Active,
            star_coins: 0,
            phone_count: 0,
            remark: String::new(),
            registered_at: now,
            last_login_at: None,
        })
        .collect();
    customers::insert_many(&mut tx, rows, now).await.unwrap();
    tx.commit().await.unwrap();
}
