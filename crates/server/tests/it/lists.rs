//! What every list has: an order for each column that it names, and a file of what its filter matches.

use std::net::Ipv4Addr;
use std::sync::LazyLock;

use base::access::need::Route;
use base::http::Need;
use entity::bmc::{self, BmcState};
use entity::finding::{self, FindingKind};
use entity::{image_known, room_agent};
use http::Method;
use kernel::ip4::Ip4;
use phones::{DemoNode, demo_node};
use platform::task::PruneTasks;
use queue::Creator;
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, EntityTrait as _};
use serde_json::{Value, json};
use server::demo;
use testapp::{CODES, Caller, TestApp};
use testkit::db_test;

/// Lists whose files stand elsewhere than at `<list>/file`: the paths are the specification's. Where a list is asked for
/// by POST, its filter is the body.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("GET", "/api/user/v1/menus/findAll", "/api/user/v1/menus/file"),
    ("POST", "/api/user/v1/designjet/user/list", "/api/user/v1/operators/file"),
    ("POST", "/api/user/v1/designjet/permissions/group/list", "/api/user/v1/groups/file"),
    ("POST", "/api/user/logout/qryPageLogoutUser", "/api/user/v1/client-users/logout-requests/file"),
    ("POST", "/api/user/v5/user/getPageUserInfo", "/api/user/v1/designjet/client_info/excel"),
];

/// Every list with the call that gives it as a file: `(method, list, file)`, an id in a path being 1.
pub static LISTS: LazyLock<Vec<(&'static str, String, String)>> = LazyLock::new(|| {
    let routes = server::router::surface().routes;
    let beside = routes.iter().filter_map(|route| {
        let list = route.path.strip_suffix("/file")?;
        routes.iter().any(|other| other.method == Method::GET && other.path == list).then(|| {
            let [list, file] = [list, &route.path].map(|path| path.replace("{id}", "1"));
            ("GET", list, file)
        })
    });
    let elsewhere = ELSEWHERE.iter().map(|(method, list, file)| (*method, (*list).to_owned(), (*file).to_owned()));
    let (tables, path) = (tables(), |file: &str| file.replace("/1/", "/{id}/"));
    let is_list = |file: &str| tables.contains(&path(file)) && !OTHERS.contains(&&*path(file));
    beside.filter(|(_, _, file)| is_list(file)).chain(elsewhere).collect()
});

/// The calls that give a table.
fn tables() -> Vec<String> {
    let document = serde_json::to_value(server::router::document()).unwrap();
    let gives = |item: &Value| {
        let calls = item.as_object().unwrap().values();
        calls.into_iter().any(|call| call["responses"]["200"]["content"].get("text/csv").is_some())
    };
    document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, item)| gives(item))
        .map(|(path, _)| path.clone())
        .collect()
}

/// Calls with a table that are no list: what an import starts from, and what it leaves; the log, which is exported by POST; and what was
/// typed in a shell, which is a part of the log.
const OTHERS: [&str; 11] = [
    "/api/fleet/v1/shell-records/{id}/file",
    "/api/fleet/v1/cards/import/{importId}/bad",
    "/api/fleet/v1/hosts/import/{importId}/bad",
    "/api/user/v1/client-users/import/{importId}/bad",
    "/api/phone/v1/phones/import/{importId}/bad",
    "/api/fleet/v1/cards/import/template",
    "/api/fleet/v1/hosts/import/template",
    "/api/user/v1/client-users/import/template",
    "/api/phone/v1/phones/import/template",
    "/api/user/v1/operation/log/export",
    "/v1/operation/log/export",
];

/// What is alike in rows that came into being together is made different: an order of equal values is any order.
const DIFFERENT: [&str; 17] = [
    "UPDATE room SET updated_at = updated_at + id",
    "UPDATE frame SET name = name || id, location = location || id, slots = slots + id, updated_at = updated_at + id",
    "UPDATE host SET positions = positions + id, updated_at = updated_at + id",
    "UPDATE address_plan SET name = name || id, updated_at = updated_at + id",
    "UPDATE address_plan SET span = span - 1, end_ip = end_ip - 1, extranet_end_port = extranet_end_port - 1 WHERE id = 1",
    "UPDATE room_agent SET version = version || id, connected_at = enrolled_at + id, disconnected_at = enrolled_at + id",
    "UPDATE join_token SET created_by = created_by || id, used_at = created_at + id",
    "UPDATE finding SET seen_at = seen_at + id",
    "UPDATE operation SET state = 2 + id % 2, created_by = created_by || id, finished_at = created_at + id",
    "UPDATE store_node SET place = place || id, state = 1 + id % 3, capacity_bytes = capacity_bytes + id, used_bytes = id,
     free_bytes = 1000 - id, days_to_full = id, partitions = partitions + id, checked_at = created_at + id, updated_at = created_at + 9 - id",
    "UPDATE phone SET last_backup_at = created_at + id",
    "INSERT INTO repo (phone_id, node_id, folder, created_at) SELECT id, (SELECT MIN(id) FROM store_node), 'p' || id, 0 FROM phone ORDER BY id LIMIT 3",
    "INSERT INTO backup (phone_id, repo_id, snapshot, kind, card_id, image, board, state, damage, is_live, files, bytes, added_bytes,
     manifest, code, restores, millis, began_at, verified_at)
     SELECT phone_id, id, '', 1 + id % 3, (SELECT MIN(id) FROM card), 'image ' || id, 'RK_3399', 3 + id % 3, '', false, id, 9 - id, id,
     '', '', 0, 9 - id, made + id, made + 9 - id FROM (SELECT repo.*, phone.created_at AS made FROM repo JOIN phone ON phone.id = repo.phone_id) AS r",
    "UPDATE client_error SET operator_name = operator_name || id, browser = browser || id",
    "UPDATE task SET started_at = created_at, finished_at = created_at",
    "UPDATE task SET state = 3, created_by_name = 'somebody', created_at = created_at - 60000 WHERE id = (SELECT MIN(id) FROM task)",
    "UPDATE task SET started_at = created_at, finished_at = created_at WHERE state = 3",
];

pub async fn ask(caller: &Caller<'_>, method: &str, path: &str, question: &Value) -> Value {
    if method == "POST" {
        return caller.post(path, question.clone()).await.data();
    }
    let pairs = question
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    caller.get(&format!("{path}?{query}")).await.data()
}

/// The demo company with one of everything that only a running room would bring.
pub async fn company(app: &TestApp) -> Caller<'_> {
    assert!(demo::fill(&app.app, 320, 60).await.unwrap());
    let clerk = app.operator("clerk", &CODES).await;
    let room = clerk.get("/api/fleet/v1/rooms").await.data()["list"][0]["id"].clone();
    for (address, username) in [("10.250.0.1", "root"), ("10.250.0.9", "admin"), ("10.250.0.10", "")] {
        let ranges =
            json!([{ "startSlot": 1, "endSlot": 2, "startIp": format!("{address}0"), "endIp": format!("{address}1") }]);
        let ranges = if username.is_empty() { json!([]) } else { ranges };
        let bmc =
            json!({ "roomId": room, "address": address, "username": username, "password": "s3cret", "ranges": ranges });
        clerk.post("/api/fleet/v1/bmcs", bmc).await.data();
    }
    let cards = clerk.get("/api/fleet/v1/cards?pageSize=3").await.data();
    let ids: Vec<&Value> = cards["list"].as_array().unwrap().iter().map(|card| &card["id"]).collect();
    for hours in [1, 24, 48] {
        clerk.post("/api/fleet/v1/join-tokens", json!({ "roomId": room, "hours": hours })).await.data();
    }
    for kind in ["reboot", "drain"] {
        let wanted =
            json!({ "selection": { "ids": ids }, "act": { "kind": kind }, "options": { "reason": "a bad disk" } });
        clerk.post("/api/operation/v1/operations", wanted).await.data();
    }
    for number in 0..3 {
        let error = json!({ "message": format!("error {number}"), "component": format!("part {number}"),
            "address": format!("http://console/page{number}"), "stack": "at main" });
        clerk.post("/api/general/v1/client-errors", error).await;
    }
    let (now, tx) = (app.app.clock.now(), app.app.db.begin_write().await.unwrap());
    for (number, version) in ["", "3.2.1", "3.2.2"].into_iter().enumerate() {
        let adopted_at = (!version.is_empty()).then(|| now.plus_seconds(number as i64));
        let row = image_known::ActiveModel {
            board: Set(format!("RK_{number}")),
            fingerprint: Set(format!("vendor/image/{number}")),
            version: Set(version.to_owned()),
            adopted_at: Set(adopted_at),
            adopted_by: Set(format!("operator {version}")),
            found_at: Set(now.plus_seconds(-(number as i64))),
            ..Default::default()
        };
        image_known::Entity::insert(row).exec(&*tx).await.unwrap();
    }
    let room = entity::RoomId(room.as_i64().unwrap());
    for (number, kind) in [FindingKind::New, FindingKind::Missing, FindingKind::Ghost].into_iter().enumerate() {
        let agent = room_agent::ActiveModel {
            room_id: Set(room),
            name: Set(format!("agent {number}")),
            version: Set("3.2.1".to_owned()),
            address: Set(format!("10.0.0.{number}")),
            credential_hash: Set(format!("hash {number}")),
            enrolled_at: Set(now.plus_seconds(number as i64)),
            revoked_by: Set(String::new()),
            ..Default::default()
        };
        room_agent::Entity::insert(agent).exec_without_returning(&*tx).await.unwrap();
        let finding = finding::ActiveModel {
            room_id: Set(room),
            kind: Set(kind),
            serial: Set(format!("SERIAL{number}")),
            intranet_ip: Set(Ip4(0x0a09_0000 + number as i64)),
            adb_port: Set(5555),
            manufacturer: Set("Rockchip".to_owned()),
            model: Set("RK3588".to_owned()),
            board: Set("RK_3399".to_owned()),
            found_at: Set(now.plus_seconds(number as i64)),
            seen_at: Set(now),
            ignored_by: Set(String::new()),
            ..Default::default()
        };
        finding::Entity::insert(finding).exec_without_returning(&*tx).await.unwrap();
    }
    let agents = room_agent::Entity::find().all(&*tx).await.unwrap();
    for (number, agent) in agents.into_iter().enumerate() {
        let (name, city) = (format!("node {number}"), format!("city {number}"));
        let at = DemoNode { name: &name, city: &city, latitude: 30.0 + number as f64, longitude: 120.0 };
        demo_node(&*tx, agent.id, at, now.plus_seconds(number as i64)).await.unwrap();
    }
    let bmcs = bmc::Entity::find().all(&*tx).await.unwrap();
    for (number, (row, state)) in bmcs.into_iter().zip([BmcState::Refused, BmcState::Reachable]).enumerate() {
        let asked = now.plus_seconds(number as i64);
        let change = bmc::ActiveModel {
            id: Set(row.id),
            state: Set(state),
            state_since: Set(Some(asked)),
            asked_at: Set(Some(asked)),
            ..Default::default()
        };
        bmc::Entity::update(change).exec(&*tx).await.unwrap();
    }
    for _ in 0..2 {
        let creator = Creator::operator(clerk.operator.unwrap(), "clerk");
        app.app.queue.enqueue(&tx, &PruneTasks {}, &creator).await.unwrap();
    }
    for statement in DIFFERENT {
        tx.execute_unprepared(statement).await.unwrap();
    }
    tx.commit().await.unwrap();
    clerk
}

/// The sort keys that the document names for a call, in its query or its body.
fn sort_keys(method: &str, path: &str) -> Vec<String> {
    let document = serde_json::to_value(server::router::document()).unwrap();
    let path = path.replace("/1/", "/{id}/");
    let call = &document["paths"][&path][method.to_lowercase()];
    let inline = call["parameters"].as_array().into_iter().flatten().find(|one| one["name"] == "sort");
    let found = match inline {
        Some(parameter) => parameter["schema"]["enum"].clone(),
        None => in_body(&document, &call["requestBody"]["content"]["application/json"]["schema"]),
    };
    found.as_array().into_iter().flatten().map(|key| key.as_str().unwrap().to_owned()).collect()
}

/// What `sort` may be in a body that is put together from several parts.
fn in_body(document: &Value, schema: &Value) -> Value {
    if let Some(name) = schema["$ref"].as_str() {
        return in_body(document, &document["components"]["schemas"][name.rsplit('/').next().unwrap()]);
    }
    let sort = &schema["properties"]["sort"];
    let parts = if sort.is_null() { &schema["allOf"] } else { &sort["oneOf"] };
    if !sort["$ref"].is_null() {
        return in_body(document, sort);
    }
    if schema["enum"].is_array() {
        return schema["enum"].clone();
    }
    parts
        .as_array()
        .into_iter()
        .flatten()
        .map(|part| in_body(document, part))
        .find(Value::is_array)
        .unwrap_or(Value::Null)
}

/// Whether `one` may stand before `next`: numbers and addresses by their size, moments and texts by their characters.
fn ordered(one: &Value, next: &Value) -> bool {
    if let (Some(one), Some(next)) = (one.as_f64(), next.as_f64()) {
        return one <= next;
    }
    let [one, next] = [one, next].map(|value| value.as_str().unwrap_or_else(|| panic!("{value} is no text")));
    match (one.parse::<Ipv4Addr>(), next.parse::<Ipv4Addr>()) {
        (Ok(one), Ok(next)) => one <= next,
        _ => one <= next,
    }
}

/// The code that a call needs.
fn code_of(path: &str) -> &'static str {
    let path = path.replace("/1/", "/{id}/");
    let routes = server::router::surface().routes;
    let code = |route: &Route| if let Need::Code(code) = route.need { Some(code) } else { None };
    let found = routes.iter().filter(|route| route.path == path).find_map(code);
    found.unwrap_or_else(|| panic!("{path} needs no code"))
}

/// Waits until the result file of an export's task is there.
async fn file_of(clerk: &Caller<'_>, started: &Value) -> Value {
    let id = started["taskId"].as_str().unwrap_or_else(|| panic!("no task: {started}"));
    clerk.finished(id).await
}

db_test! {
    async fn every_list_is_a_file_of_what_its_filter_matches(db) {
        let app = TestApp::new(db).await;
        let clerk = company(&app).await;
        for (method, list, file) in &*LISTS {
            let total = ask(&clerk, method, list, &json!({ "pageSize": 1 })).await["total"].as_u64().unwrap();
            assert!(total > 0, "{list} is empty");
            let zh = clerk.get(&format!("{file}?format=csv")).await.table();
            let en = clerk.clone().lang("en").get(&format!("{file}?format=xlsx")).await.table();
            assert_eq!((zh.len() - 1, en.len() - 1), (total as usize, total as usize), "{file}");
            assert_ne!(zh[0], en[0], "{file}");
            for heading in zh[0].iter().chain(&en[0]) {
                assert!(!heading.is_empty(), "{file} has a column without a heading");
            }
            for row in &zh {
                assert_eq!(row.len(), zh[0].len(), "{file}: {row:?}");
            }
            let nothing = match list.as_str() {
                "/api/fleet/v1/bmcs" => "keyWord=203.0.113.9",
                "/api/fleet/v1/join-tokens" => "roomId=999999",
                "/api/operation/v1/operations" => "createdBy=nobody",
                _ => "keyWord=no-such-thing",
            };
            let none = clerk.get(&format!("{file}?format=csv&{nothing}")).await;
            assert_eq!(none.table().len(), 1, "{file} does not heed its filter");
        }
        let trail = app.audit_trail().await;
        for (_, _, file) in &*LISTS {
            let routes = server::router::surface().routes;
            let path = file.replace("/1/", "/{id}/");
            let act = routes.iter().find(|route| route.path == path).unwrap().operation;
            assert_eq!(trail.iter().filter(|line| **line == format!("clerk {act} 0")).count(), 3, "{act}");
        }
    }

    async fn a_list_goes_up_and_down_by_each_column_that_it_names(db) {
        let app = TestApp::new(db).await;
        let clerk = company(&app).await;
        let (mut keys, mut alike) = (0, Vec::new());
        for (method, list, _) in &*LISTS {
            for key in sort_keys(method, list) {
                keys += 1;
                let mut ways = Vec::new();
                for order in ["asc", "desc"] {
                    let question = json!({ "sort": key, "order": order, "pageSize": 500 });
                    let page = ask(&clerk, method, list, &question).await;
                    let rows = page["list"].as_array().unwrap().clone();
                    // Rows without a value are last, whichever way it goes.
                    let empty = |row: &Value| row.get(&key).is_none_or(Value::is_null);
                    assert!(rows.is_sorted_by_key(empty), "{list} {key} {order}");
                    ways.push(rows.into_iter().filter(|row| !empty(row)).collect::<Vec<_>>());
                }
                let [up, mut down] = <[Vec<Value>; 2]>::try_from(ways).unwrap();
                if up.len() < 500 {
                    down.reverse();
                    assert_eq!(up, down, "{list} by {key}");
                }
                let values: Vec<Value> = up.iter().map(|row| row[&key].clone()).collect();
                assert!(values.is_sorted_by(ordered), "{list} by {key}: {values:?}");
                if values.first() == values.last() {
                    alike.push(format!("{list} {key}"));
                }
            }
        }
        assert!(keys > 40, "{keys} keys");
        assert_eq!(alike, [""; 0], "an order of equal values is any order: see DIFFERENT");
        let bad = clerk.get("/api/fleet/v1/rooms?sort=remark").await;
        assert_eq!((bad.brief(), bad.errors()), ((400, 4000), vec!["sort type.wrong".to_owned()]));
    }

    async fn the_first_octets_of_an_address_find_what_has_it(db) {
        let app = TestApp::new(db).await;
        let clerk = company(&app).await;
        let found = async |list: &str, word: &str| {
            let page = clerk.get(&format!("/api/fleet/v1/{list}?keyWord={word}")).await.data();
            page["total"].as_u64().unwrap()
        };
        assert_eq!((found("findings", "10.9").await, found("findings", "10.9.0.1").await), (3, 1));
        assert_eq!((found("findings", "10.8").await, found("findings", "serial2").await), (0, 1));
        assert_eq!((found("bmcs", "10.250.0.").await, found("bmcs", "10.250.0.1").await), (3, 1));
        let cards = found("cards", "").await;
        assert_eq!((found("cards", "10").await, found("cards", "9.").await), (cards, 0), "short of the index");
        let card = clerk.get("/api/fleet/v1/cards?pageSize=1").await.data()["list"][0].clone();
        let address = card["intranetIp"].as_str().unwrap();
        let hits = clerk.get(&format!("/api/general/v1/search?q={address}")).await.data();
        let hit = hits.as_array().unwrap().iter().find(|hit| hit["title"] == address).unwrap();
        assert_eq!((&hit["kind"], &hit["path"]), (&json!("card"), &json!(format!("/device/management?detail={}", card["id"]))));
        let stranger = app.operator("stranger", &["clientUser:list"]).await;
        assert_eq!(stranger.get(&format!("/api/general/v1/search?q={address}")).await.data(), json!([]));
        let plans = found("address-plans", "").await;
        assert_eq!((found("address-plans", "10.").await, found("address-plans", "9.").await), (plans, 0));
        let bad = clerk.get("/api/fleet/v1/bmcs?keyWord=x").await;
        assert_eq!((bad.brief(), bad.errors()), ((400, 4000), vec!["keyWord ip.format".to_owned()]));
    }

    async fn every_long_list_becomes_a_task_that_some_job_runs(db) {
        let app = TestApp::with(db, |config| config.export_rows = 0).await;
        let clerk = company(&app).await;
        let work = app.work().await;
        let viewer = app.operator("viewer", &["task:list"]).await;
        for (_, _, file) in &*LISTS {
            let task = file_of(&clerk, &clerk.get(&format!("{file}?format=csv")).await.data()).await;
            assert_eq!(task["state"], "succeeded", "{file}: {task}");
            let result = format!("/api/task/v1/tasks/{}/file", task["id"].as_str().unwrap());
            assert_eq!(clerk.get(&result).await.http.as_u16(), 200, "{file}");
            let needed = code_of(file);
            let refused = viewer.get(&result).await;
            assert_eq!(refused.brief(), (200, 4003), "{file} is had by who lacks {needed}");
            assert!(refused.json()["msg"].as_str().unwrap().contains(needed), "{file} needs {needed}: {refused:?}");
        }
        work.stop().await;
    }
}

#[test]
fn every_call_that_gives_a_table_is_a_list_here() {
    assert!(LISTS.len() >= 18, "{} lists", LISTS.len());
    for path in tables() {
        let known = LISTS.iter().any(|(_, _, file)| file.replace("/1/", "/{id}/") == path);
        assert!(known || OTHERS.contains(&path.as_str()), "{path} is not tried");
    }
}
