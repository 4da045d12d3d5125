//! The permission matrix, generated from the router: every route with every kind of caller, and the
//! world unchanged after a refusal.

use axum::body::Body;
use base::access::need::Route;
use base::http::Need;
use entity::{group_menu, menu};
use http::Method;
use http_body_util::BodyExt as _;
use platform::task::PruneTasks;
use queue::Creator;
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait as _, ConnectionTrait as _, DbBackend, EntityTrait as _, QueryFilter as _, Statement};
use testapp::{CODES, Caller, TestApp};
use testkit::db_test;

/// A path with its parameters filled in.
pub fn concrete(path: &str) -> String {
    let mut filled = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        filled.push('1');
        rest = after.split_once('}').unwrap().1;
    }
    filled + rest
}

pub async fn call(caller: &Caller<'_>, route: &Route) -> (u16, i64) {
    ask_for(caller, route, "{}").await
}

/// What a route may be asked for: the log's name of it, the code that it needs, and a body.
fn asks(route: &Route) -> Vec<(&'static str, Option<&'static str>, &'static str)> {
    match route.need {
        Need::Nothing | Need::Session | Need::AnySession => vec![(route.action(), None, "{}")],
        Need::Code(code) => vec![(route.action(), Some(code), "{}")],
        Need::OneOf(cases) => cases.iter().map(|case| (case.action, Some(case.code), case.sample)).collect(),
    }
}

async fn ask_for(caller: &Caller<'_>, route: &Route, body: &'static str) -> (u16, i64) {
    let body = if route.method == Method::GET { Body::empty() } else { Body::from(body) };
    let answer = caller.begin(route.method.clone(), &concrete(&route.path), "application/json", body).await;
    let http = answer.status().as_u16();
    // An open stream proves the permission; it would not end.
    if answer.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream") {
        return (http, 0);
    }
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    let json = serde_json::from_slice::<serde_json::Value>(&bytes).ok();
    (http, json.and_then(|json| json["status"].as_i64()).unwrap_or(0))
}

/// Tables that a refusal may change: the log that it is written to, with its counters, and when a session was last seen.
const MAY_CHANGE: [&str; 3] = ["operation_log", "kept_count", "session"];

/// What a request could have changed: every table of the database except [`MAY_CHANGE`]; and the active sessions.
pub async fn world(app: &TestApp) -> Vec<String> {
    let mut rows = Vec::new();
    for table in tables(app).await {
        if !MAY_CHANGE.contains(&table.as_str()) {
            rows.push(format!("{table}: {}", contents(app, &table).await));
        }
    }
    rows.push(ask(app, "SELECT CAST(count(*) AS TEXT) AS answer FROM session WHERE ended_at IS NULL").await.concat());
    assert!(rows.len() > 30, "the database has more tables than these: {}", rows.len());
    rows
}

/// The database's own list of its tables. Those in which SQLite keeps a search index are written with what they index.
async fn tables(app: &TestApp) -> Vec<String> {
    let sql = if app.app.db.backend() == DbBackend::Sqlite {
        "SELECT name AS answer FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' \
         AND instr(name, '_search') = 0 ORDER BY name"
    } else {
        "SELECT table_name AS answer FROM information_schema.tables \
         WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name"
    };
    ask(app, sql).await
}

/// Every row of a table, as text.
async fn contents(app: &TestApp, table: &str) -> String {
    if app.app.db.backend() != DbBackend::Sqlite {
        return ask(app, &format!("SELECT t::text AS answer FROM {table} t ORDER BY 1")).await.join("\n");
    }
    let columns =
        ask(app, &format!("SELECT 'quote(' || name || ')' AS answer FROM pragma_table_info('{table}')")).await;
    ask(app, &format!("SELECT {} AS answer FROM {table} ORDER BY 1", columns.join(" || ',' || "))).await.join("\n")
}

async fn ask(app: &TestApp, sql: &str) -> Vec<String> {
    let db = app.app.db.read();
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), sql)).await.unwrap();
    rows.iter().map(|row| row.try_get("", "answer").unwrap()).collect()
}

/// Gives the group of `who` a permission, or takes it away; it takes effect at once.
async fn assign(app: &TestApp, who: &Caller<'_>, code: &str, held: bool) {
    let tx = app.app.db.begin_write().await.unwrap();
    let button = menu::Entity::find().filter(menu::Column::Code.eq(code)).one(&*tx).await.unwrap().unwrap().id;
    let group = who.group.unwrap();
    if held {
        let row = group_menu::ActiveModel { group_id: Set(group), menu_id: Set(button) };
        group_menu::Entity::insert(row).exec_without_returning(&*tx).await.unwrap();
    } else {
        group_menu::Entity::delete_by_id((group, button)).exec(&*tx).await.unwrap();
    }
    tx.commit().await.unwrap();
    app.app.sessions.forget();
}

fn name_of(route: &Route) -> String {
    format!("{} {} ({})", route.method, route.path, route.operation)
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
            let name = name_of(route);
            if route.need == Need::Nothing {
                continue;
            }
            assert_eq!(call(&nobody, route).await, (401, 6014), "{name} without a token");
            assert_eq!(call(&forged, route).await, (401, 6014), "{name} with a forged token");
            for (action, code, body) in asks(route) {
                let Some(code) = code else { continue };
                assert_eq!(ask_for(&none, route, body).await, (200, 4003), "{name}, {action} without {code}");
                assert_eq!(call(&none, route).await, (200, 4003), "{name} with an empty body");
            }
        }
        assert_eq!(world(&app).await, before, "a refusal changed something");
    }

    async fn the_right_code_opens_a_route_and_all_others_do_not(db) {
        let app = TestApp::new(db).await;
        // The paths name the first of everything, and neither of the two who ask is that.
        app.operator("somebody", &[]).await;
        let (wrong, right) = (app.operator("wrong", &CODES).await, app.operator("right", &[]).await);
        let routes = server::router::surface().routes;
        for code in CODES.iter().copied() {
            assign(&app, &wrong, code, false).await;
            assign(&app, &right, code, true).await;
            for route in &routes {
                for (action, _, body) in asks(route).into_iter().filter(|(_, needed, _)| *needed == Some(code)) {
                    let name = format!("{}, {action}", name_of(route));
                    assert_eq!(ask_for(&wrong, route, body).await, (200, 4003), "{name} with every code but {code}");
                    if route.acts {
                        let last = app.audit_trail().await.pop();
                        assert_eq!(last, Some(format!("wrong {action} 4003")), "{name} is refused without a line");
                    }
                    let (http, status) = ask_for(&right, route, body).await;
                    assert!(status != 4003 && http != 401 && http != 403, "{name} with {code}: {http} {status}");
                    assert!(http < 500, "{name} fails with {http} {status} on {body}");
                }
            }
            assign(&app, &wrong, code, true).await;
            assign(&app, &right, code, false).await;
        }
    }

    async fn who_lacks_a_required_second_factor_holds_no_code_on_any_route(db) {
        let app = TestApp::new(db).await;
        let somebody = app.operator("somebody", &[]).await.operator.unwrap();
        let (all, none) = (app.operator("all", &CODES).await, app.operator("none", &[]).await);
        let lacking = app.operator("lacking", &CODES).await;
        app.require_second_factor_of("lacking").await;
        let before = world(&app).await;
        let (coded, own): (Vec<Route>, Vec<Route>) = server::router::surface()
            .routes
            .into_iter()
            // It ends the caller's session.
            .filter(|route| route.need != Need::Nothing && route.operation != "session_end")
            .partition(|route| !route.need.codes().is_empty());
        for route in &coded {
            for (action, _, body) in asks(route) {
                assert_eq!(ask_for(&lacking, route, body).await, (200, 4003), "{}, {action}", name_of(route));
            }
        }
        assert_eq!(world(&app).await, before, "a refusal changed something");

        let mut told_apart = 0;
        for route in &own {
            let heard = call(&lacking, route).await;
            assert_eq!(heard, call(&none, route).await, "{} tells more than to who holds no code", name_of(route));
            told_apart += usize::from(heard != call(&all, route).await);
        }
        assert!(told_apart >= 2, "hardly a route without a code asks for one inside: this proves nothing");

        // What the walk cannot name: things of others behind calls that need no code.
        let theirs = format!("/api/user/v1/login/record?userId={somebody}");
        let tx = app.app.db.begin_write().await.unwrap();
        let by = Creator::operator(somebody, "somebody");
        let task = app.app.queue.enqueue(&tx, &PruneTasks {}, &by).await.unwrap();
        tx.commit().await.unwrap();
        for path in [theirs, format!("/api/task/v1/tasks/{}", task.0), format!("/api/v1.0/users/{somebody}/")] {
            assert_eq!(all.get(&path).await.status(), 0, "{path}");
            assert_ne!(lacking.get(&path).await.status(), 0, "{path}");
        }
    }
}

#[test]
fn every_route_is_documented_and_has_an_operation_of_its_own() {
    let document = server::router::document();
    let routes = server::router::surface().routes;
    let mut operations = std::collections::HashSet::new();
    for route in &routes {
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
    for code in CODES.iter() {
        let needs =
            |route: &Route| route.need.codes().contains(code) || route.also.iter().any(|need| need.code() == *code);
        assert!(routes.iter().any(needs), "no route needs {code}");
    }
    for route in &routes {
        for need in route.also {
            assert!(CODES.contains(&need.code()), "{} also needs {need:?}, which nobody can be given", route.operation);
        }
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
