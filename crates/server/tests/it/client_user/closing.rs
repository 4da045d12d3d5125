//! Requests to close an account, and customers' records.

use std::collections::BTreeMap;

use entity::{client_user, client_user_record, logout_request};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};
use serde_json::{Value, json};
use server::demo;
use testapp::TestApp;
use testkit::db_test;

const REQUESTS: &str = "/api/user/logout/qryPageLogoutUser";
const CANCEL: &str = "/api/user/logout/cancelLogoutUser";
const RECORDS: &str = "/api/user/v1/client-users/records";
const CODES: &[&str] = &[
    "clientUser:list",
    "clientUserRecord:list",
    "clientUserLogout:list",
    "clientUserLogout:cancel",
    "clientUserLogout:complete",
];

fn complete(id: &Value) -> String {
    format!("/api/user/v1/client-users/logout-requests/{id}/complete")
}

/// Whatever coins are left are given up.
fn given_up() -> Value {
    json!({ "givenUp": "客服工单 1" })
}

/// Kept counters against a count of the rows, for every filter that they serve.
async fn counters_are_exact(app: &TestApp) {
    let clerk = app.operator(&format!("judge{}", rand::random::<u16>()), &["clientUser:list"]).await;
    let rows = client_user::Entity::find().all(app.app.db.read()).await.unwrap();
    let mut expected = BTreeMap::new();
    for row in &rows {
        for filter in [
            json!({}),
            json!({ "status": row.status }),
            json!({ "status": row.status, "loginMethod": row.login_method }),
            json!({ "clientType": row.client_type }),
        ] {
            *expected.entry(filter.to_string()).or_insert(0) += 1;
        }
    }
    for (filter, count) in expected {
        let total = clerk
            .post("/api/user/v5/user/getPageUserInfo", serde_json::from_str(&filter).unwrap())
            .await
            .data()["total"]
            .clone();
        assert_eq!(total, json!(count), "{filter}");
    }
}

db_test! {
    async fn a_request_is_settled_once_whoever_presses_the_button(db) {
        let app = TestApp::new(db).await;
        demo::fill(&app.app, 320, 0).await.unwrap();
        let (one, other) = (app.operator("one", CODES).await, app.operator("other", CODES).await);
        let open = one.post(REQUESTS, json!({ "status": 1 })).await.data();
        let requests = open["list"].as_array().unwrap().clone();
        assert!(requests.len() >= 2, "{open}");

        let path = complete(&requests[0]["id"]);
        let (first, second) = tokio::join!(one.post(&path, given_up()), other.post(&path, given_up()));
        let mut outcomes = [first.brief(), second.brief()];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [(200, 0), (409, 4009)]);

        let cancelled = one.post(CANCEL, json!({ "id": requests[1]["id"] })).await.data();
        assert_eq!((&cancelled["status"], &cancelled["handledBy"]), (&json!(2), &json!("one")));
        assert_eq!(other.post(&complete(&requests[1]["id"]), given_up()).await.brief(), (409, 4009));
        assert_eq!(other.post(CANCEL, json!({ "id": 999_999 })).await.brief(), (404, 4004));

        let user = |request: &Value| client_user::Entity::find_by_id(entity::ClientUserId(request["user"]["id"].as_i64().unwrap()));
        let status = async |request: &Value| {
            let row = user(request).one(app.app.db.read()).await.unwrap().unwrap();
            (row.status, row.is_closed)
        };
        assert_eq!(status(&requests[0]).await, (client_user::ClientUserStatus::LoggedOut, true), "its number is free");
        assert_eq!(status(&requests[1]).await, (client_user::ClientUserStatus::Active, false));
        counters_are_exact(&app).await;
        let trail = app.audit_trail().await;
        assert_eq!(trail.iter().filter(|line| line.ends_with("logout_request_complete 0") && !line.starts_with("yunying")).count(), 1);
    }

    async fn an_account_with_coins_is_closed_once_they_are_given_up_in_writing(db) {
        let app = TestApp::new(db).await;
        demo::fill(&app.app, 320, 0).await.unwrap();
        let clerk = app.operator("clerk", CODES).await.lang("en");
        let request = clerk.post(REQUESTS, json!({ "status": 1 })).await.data()["list"][0].clone();
        let rich = client_user::ActiveModel {
            id: Set(entity::ClientUserId(request["user"]["id"].as_i64().unwrap())),
            star_coins: Set(30),
            ..Default::default()
        };
        let tx = app.app.db.begin_write().await.unwrap();
        client_user::Entity::update(rich).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        let path = complete(&request["id"]);
        for nothing in [json!({}), json!({ "givenUp": "  " })] {
            let refused = clerk.post(&path, nothing).await;
            assert_eq!(refused.brief(), (409, 4009));
            assert!(refused.json()["msg"].as_str().unwrap().contains("30 star coins"), "{}", refused.json());
        }
        let long = json!({ "givenUp": "x".repeat(257) });
        assert_eq!(clerk.post(&path, long).await.errors(), ["givenUp text.tooLong"]);
        assert_eq!(clerk.post(&path, given_up()).await.data()["status"], 3);
        let line = entity::operation_log::Entity::find().order_by_desc(entity::operation_log::Column::Id);
        let line = line.one(app.app.db.read()).await.unwrap().unwrap();
        assert!(line.message.contains("客服工单 1"), "{line:?}");
    }

    async fn requests_are_found_by_state_and_by_customer(db) {
        let app = TestApp::new(db).await;
        demo::fill(&app.app, 320, 0).await.unwrap();
        let clerk = app.operator("clerk", CODES).await;
        let all = clerk.post(REQUESTS, json!({ "pageSize": 100 })).await.data();
        assert_eq!(all["total"], 14);
        let mut seen = 0;
        for status in 1..=3 {
            let page = clerk.post(REQUESTS, json!({ "status": status })).await.data();
            assert!(page["list"].as_array().unwrap().iter().all(|row| row["status"] == status));
            seen += page["total"].as_u64().unwrap();
        }
        assert_eq!(seen, 14);
        let row = &all["list"][3];
        let found = clerk.post(REQUESTS, json!({ "keyWord": row["user"]["name"] })).await.data();
        assert!(found["list"].as_array().unwrap().iter().any(|other| other["id"] == row["id"]), "{found}");
        assert_eq!(clerk.post(REQUESTS, json!({ "keyWord": "查无此人" })).await.data()["total"], 0);
    }

    async fn records_are_paged_exactly_however_deep(db) {
        let app = TestApp::new(db).await;
        demo::fill(&app.app, 1500, 0).await.unwrap();
        let clerk = app.operator("clerk", CODES).await;
        let read = app.app.db.read();
        for (query, kind) in [("", None), ("&kind=2", Some(client_user_record::RecordKind::SignIn))] {
            let mut select = client_user_record::Entity::find();
            if let Some(kind) = kind {
                select = select.filter(client_user_record::Column::Kind.eq(kind));
            }
            let total = select.clone().count(read).await.unwrap();
            for page_num in [1, 50, total / 100 - 1, total / 100 + 1, total / 100 + 2] {
                let page = clerk.get(&format!("{RECORDS}?pageSize=100&pageNum={page_num}{query}")).await.data();
                let expected: Vec<i64> = select
                    .clone()
                    .order_by_desc(client_user_record::Column::Id)
                    .offset((page_num - 1) * 100)
                    .limit(100)
                    .all(read)
                    .await
                    .unwrap()
                    .iter()
                    .map(|row| row.id)
                    .collect();
                let ids: Vec<i64> = page["list"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
                assert_eq!((page["total"].as_u64().unwrap(), ids), (total, expected), "page {page_num}{query}");
            }
        }
    }

    async fn records_are_found_by_customer_time_and_kind(db) {
        let app = TestApp::new(db).await;
        demo::fill(&app.app, 320, 0).await.unwrap();
        let clerk = app.operator("clerk", CODES).await;
        let some = clerk.get(&format!("{RECORDS}?kind=2&pageSize=1")).await.data()["list"][0].clone();

        let own = clerk.post("/api/user/v5/user/selectUserLoginRecord", json!({ "id": some["user"]["id"], "pageSize": 200 })).await.data();
        assert!(own["list"].as_array().unwrap().iter().all(|row| row["user"]["id"] == some["user"]["id"]));
        assert_eq!(own["list"].as_array().unwrap().last().unwrap()["kind"], 1, "the first thing a customer does is to register");
        let at = some["at"].as_str().unwrap();
        let exact = clerk.get(&format!("{RECORDS}?startTime={at}&endTime={at}&kind=2")).await.data();
        assert!(exact["list"].as_array().unwrap().iter().any(|row| row["id"] == some["id"]));
        let word = url::form_urlencoded::byte_serialize(some["user"]["name"].as_str().unwrap().as_bytes()).collect::<String>();
        let named = clerk.get(&format!("{RECORDS}?keyWord={word}&pageSize=500")).await.data();
        assert!(named["list"].as_array().unwrap().iter().any(|row| row["id"] == some["id"]));
        let bad = clerk.get(&format!("{RECORDS}?kind=9&pageSize=0")).await;
        assert_eq!(bad.brief(), (400, 4000));
        assert_eq!(clerk.post("/api/user/v5/user/selectUserLoginRecord", json!({})).await.errors(), ["id required"]);
    }

    async fn the_demo_company_is_the_same_every_time_and_never_joins_real_data(db) {
        let app = TestApp::new(db).await;
        assert!(demo::fill(&app.app, 320, 0).await.unwrap());
        assert!(!demo::fill(&app.app, 320, 0).await.unwrap(), "a second company");
        counters_are_exact(&app).await;
        // Seven acts of the staff, and whoever is disabled was disabled by somebody.
        assert_eq!(db::journal::verify(app.app.db.read()).await.unwrap(), Ok(14));
        let first = client_user::Entity::find_by_id(entity::ClientUserId(1)).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((first.name.as_str(), first.ident_code.as_str()), ("邓梓怡", "938NKRKAYD"));
        let latest = logout_request::Entity::find().order_by_desc(logout_request::Column::RequestedAt).one(app.app.db.read()).await.unwrap().unwrap();
        assert!(latest.requested_at <= app.app.clock.now() && latest.requested_at > UtcTime(0));
    }
}
