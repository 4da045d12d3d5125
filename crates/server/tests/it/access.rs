//! The permission matrix, generated from the router: every route with every kind of caller, and the
//! world unchanged after a refusal.

use axum::body::Body;
use http::Method;
use http_body_util::BodyExt as _;
use sea_orm::{ConnectionTrait as _, Statement};
use server::access::catalog::CODES;
use server::http::Need;
use server::http::guard::Route;
use testkit::db_test;

use crate::support::{Caller, TestApp};

/// A path with its parameters filled in.
fn concrete(path: &str) -> String {
    let mut filled = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        filled.push('1');
        rest = after.split_once('}').unwrap().1;
    }
    filled + rest
}

async fn call(caller: &Caller<'_>, route: &Route) -> (u16, i64) {
    let body = if route.method == Method::GET { Body::empty() } else { Body::from("{}") };
    let answer = caller.begin(route.method.clone(), &concrete(&route.path), "application/json", body).await;
    let http = answer.status().as_u16();
    // An open stream is leave enough; its end would be waited for in vain.
    if answer.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream") {
        return (http, 0);
    }
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    let json = serde_json::from_slice::<serde_json::Value>(&bytes).ok();
    (http, json.and_then(|json| json["status"].as_i64()).unwrap_or(0))
}

/// What a call could have changed, but for the log that refusals are written to.
async fn world(app: &TestApp) -> Vec<String> {
    let db = app.app.db.read();
    let mut counts = Vec::new();
    for table in [
        "client_user",
        "operator",
        "permission_group",
        "menu",
        "group_menu",
        "setting",
        "logout_request",
        "import_file",
        "client_error",
        "room",
        "frame",
        "host",
        "card",
        "card_event",
        "address_plan",
        "bmc",
        "room_agent",
        "join_token",
        "finding",
    ] {
        let statement = Statement::from_string(
            db.get_database_backend(),
            format!("SELECT CAST(count(*) AS BIGINT) AS n FROM {table}"),
        );
        let n: i64 = db.query_one_raw(statement).await.unwrap().unwrap().try_get("", "n").unwrap();
        counts.push(format!("{table} {n}"));
    }
    let live = Statement::from_string(
        db.get_database_backend(),
        "SELECT CAST(count(*) AS BIGINT) AS n FROM session WHERE ended_at IS NULL",
    );
    let n: i64 = db.query_one_raw(live).await.unwrap().unwrap().try_get("", "n").unwrap();
    counts.push(format!("live sessions {n}"));
    counts
}

db_test! {
    async fn every_route_admits_only_who_brings_what_it_needs(db) {
        let app = TestApp::new(db).await;
        let routes = server::router::surface().routes;
        assert!(routes.len() > 10, "the access table is empty");
        let nobody = app.anybody();
        let forged = app.anybody().token("not-a-token-of-ours");
        let none = app.operator("none", &[]).await;
        let before = world(&app).await;

        for route in &routes {
            let name = format!("{} {} ({})", route.method, route.path, route.operation);
            match route.need {
                Need::Nothing => continue,
                Need::Session | Need::AnySession => {
                    assert_eq!(call(&nobody, route).await, (401, 6014), "{name} without a token");
                    assert_eq!(call(&forged, route).await, (401, 6014), "{name} with a forged token");
                }
                Need::Code(code) => {
                    assert_eq!(call(&nobody, route).await, (401, 6014), "{name} without a token");
                    assert_eq!(call(&forged, route).await, (401, 6014), "{name} with a forged token");
                    assert_eq!(call(&none, route).await, (200, 4003), "{name} without {code}");
                }
            }
        }
        assert_eq!(world(&app).await, before, "a refusal changed something");
    }

    async fn the_right_code_opens_a_route_and_all_others_do_not(db) {
        let app = TestApp::new(db).await;
        for route in server::router::surface().routes {
            let Need::Code(code) = route.need else { continue };
            let name = format!("{} {} ({})", route.method, route.path, route.operation);
            let others: Vec<&str> = CODES.iter().copied().filter(|other| *other != code).collect();
            let wrong = app.operator(&format!("not_{}", route.operation), &others).await;
            assert_eq!(call(&wrong, &route).await, (200, 4003), "{name} with every code but {code}");
            let right = app.operator(&format!("only_{}", route.operation), &[code]).await;
            let (http, status) = call(&right, &route).await;
            assert!(status != 4003 && http != 401 && http != 403, "{name} with {code}: {http} {status}");
            assert!(http < 500, "{name} fails with {http} {status} on an empty body");
        }
    }
}

#[test]
fn every_route_is_documented_and_has_an_operation_of_its_own() {
    let document = server::router::document();
    let mut operations = std::collections::HashSet::new();
    for route in server::router::surface().routes {
        assert!(operations.insert(route.operation), "{} names two routes", route.operation);
        let item = document.paths.paths.get(&route.path).unwrap_or_else(|| panic!("{} is not documented", route.path));
        let operation = match route.method {
            Method::GET => &item.get,
            Method::POST => &item.post,
            Method::PUT => &item.put,
            Method::PATCH => &item.patch,
            _ => &item.delete,
        };
        let operation = operation.as_ref().unwrap();
        assert!(operation.summary.is_some(), "{} has no sentence", route.operation);
    }
    for code in CODES {
        let used = server::router::surface().routes.iter().any(|route| route.need == Need::Code(code));
        assert!(used, "no route needs {code}");
    }
}

#[test]
fn what_is_given_as_a_table_is_documented_in_every_format() {
    let document = serde_json::to_value(server::router::document()).unwrap();
    let tables = ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "text/csv"];
    let mut found = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let Some(content) = operation["responses"]["200"]["content"].as_object() else { continue };
            let named = tables.iter().filter(|table| content.contains_key(**table)).count();
            assert!(named == 0 || named == tables.len(), "{method} {path} names one format of two");
            found += usize::from(named > 0);
        }
    }
    assert!(found >= 6, "only {found} calls give a table");
}
