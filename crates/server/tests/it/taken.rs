//! What is taken is a conflict at its field, for everything that may exist only once: the schema says what that is.

use std::collections::BTreeSet;

use http::Method;
use sea_orm::{ConnectionTrait as _, DbBackend, Statement};
use serde_json::{Value, json};
use testapp::{Caller, PASSWORD, TestApp};
use testkit::db_test;
use testroom::site::{CARDS, FRAMES, HOSTS, PLANS, ROOMS, Site, kind, site};

use crate::fleet::state;
use crate::staff::menu_id;

const BMCS: &str = "/api/fleet/v1/bmcs";
const USERS: &str = "/api/user/v1/client-users";
const GROUPS: &str = "/api/user/v1/designjet/permissions/group";
const OPERATORS: &str = "/api/user/v1/designjet/user";
const NODES: &str = "/api/storage/v1/nodes";
const APPS: &str = "/api/platform/v1/open-apps";
const ADDRESSES: &str = "/api/platform/v1/service-addresses";
const FORBIDDEN: &str = "/api/storage/v1/forbidden-apps";

/// Indexes that no input of a person can break, or that are tested elsewhere because more belongs to it.
const NOT_HERE: [(&str, &str); 34] = [
    ("operator_oidc_subject", "needs a provider: openid.rs"),
    ("logout_request_open", "is told by the record that stands in the way: client_user/closing.rs"),
    ("setting_history_version", "a version that was changed meanwhile: settings.rs"),
    ("rule_change_version", "a version that was changed meanwhile: crates/phones/tests/it/rules.rs"),
    ("session_token_hash", "drawn at random"),
    ("room_agent_credential_hash", "drawn at random"),
    ("join_token_token_hash", "drawn at random"),
    ("open_key_code", "drawn at random"),
    ("open_key_slot", "two at most: crates/open/tests/it/signed.rs"),
    ("connect_of", "one row is written again: crates/open/tests/it/connect.rs"),
    ("connect_phone", "the later one takes over: crates/open/tests/it/connect.rs"),
    ("connect_ticket", "drawn at random"),
    ("phone_code", "given by the console"),
    ("card_model_model", "found by the console"),
    ("finding_kind", "found by agents"),
    ("image_known_fingerprint", "found by agents"),
    ("image_exclusion_path", "needs an image that an agent has found: fleet/exclusions.rs"),
    ("image_compat_pair", "needs images that an agent has found: fleet/pairs.rs"),
    ("board_trial_question", "is written again: fleet/trials.rs"),
    ("operation_task_card", "made by the console"),
    ("task_lane_running", "of the queue"),
    ("task_fire", "of the queue"),
    ("card_busy_task", "of the console's own work on cards"),
    ("placement_holder", "of the console's own work on phones"),
    ("placement_card", "of the console's own work on phones"),
    ("placement_phone", "of the console's own work on phones"),
    ("phone_session_open", "of the console's own work on phones"),
    ("saga_phone", "of the console's own work on phones"),
    ("saga_step_try", "of the console's own work on phones"),
    ("repo_phone", "of the console's own work on phones"),
    ("repo_folder", "of the console's own work on phones"),
    ("backup_kept", "of the console's own work on phones"),
    ("package_blob_hash", "of the console's own work on phones"),
    ("package_blob_folder", "of the console's own work on phones"),
];

/// A call that breaks the rule of an index, and what is answered at which field.
struct Case {
    index: &'static str,
    method: Method,
    url: String,
    body: Value,
    error: &'static str,
}

/// Something new.
fn case(index: &'static str, url: &str, body: Value, error: &'static str) -> Case {
    Case { index, method: Method::POST, url: url.to_owned(), body, error }
}

/// A change of something that is there.
fn change(index: &'static str, url: String, body: Value, error: &'static str) -> Case {
    Case { index, method: Method::PUT, url, body, error }
}

/// `body` with other values.
fn with(body: &Value, values: Value) -> Value {
    let mut body = body.clone();
    for (field, value) in values.as_object().unwrap() {
        body[field] = value.clone();
    }
    body
}

/// Every unique index of the schema but for the keys, and for the lease of the console, which only PostgreSQL has.
async fn indexes(app: &TestApp) -> BTreeSet<String> {
    let backend = app.app.db.backend();
    let sql = if backend == DbBackend::Sqlite {
        "SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE 'CREATE UNIQUE%'"
    } else {
        "SELECT c.relname::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
         WHERE i.indisunique AND NOT i.indisprimary AND c.relname NOT LIKE 'console_lease%' AND c.relnamespace = current_schema()::regnamespace"
    };
    let rows = app.app.db.read().query_all_raw(Statement::from_string(backend, sql)).await.unwrap();
    rows.iter().map(|row| row.try_get("", "name").unwrap()).collect()
}

/// What is there, and what breaks the rules beside it: with something new, and by a change of something else.
async fn cases(app: &TestApp, clerk: &Caller<'_>) -> Vec<Case> {
    let here = site(clerk, 1).await;
    let mut all = of_places(clerk, &here).await;
    all.extend(of_cards(clerk, &here).await);
    all.extend(of_people(clerk).await);
    all.extend(of_storage(app, clerk, &here).await);
    all.extend(of_services(clerk, &here).await);
    all.extend(of_apps(clerk).await);
    all
}

/// A name stands once in each room, and once among those of all rooms.
async fn of_services(clerk: &Caller<'_>, here: &Site) -> Vec<Case> {
    let there = json!({ "name": "网关 1", "roomId": here.room, "kind": 1, "host": "gw.example.com", "port": 8443, "weight": 10 });
    let everywhere = with(&there, json!({ "roomId": null }));
    for body in [&there, &everywhere] {
        clerk.post(ADDRESSES, body.clone()).await.data();
    }
    let other = clerk.post(ADDRESSES, with(&there, json!({ "name": "网关 2" }))).await.data();
    let url = format!("{ADDRESSES}/{}", other["id"]);
    vec![
        case("service_address_name", ADDRESSES, there.clone(), "name taken"),
        change("service_address_name", url.clone(), there, "name taken"),
        case("service_address_name_all", ADDRESSES, everywhere.clone(), "name taken"),
        change("service_address_name_all", url, everywhere, "name taken"),
    ]
}

async fn of_apps(clerk: &Caller<'_>) -> Vec<Case> {
    let some = json!({ "name": "游戏", "package": "com.example.game", "plan": 2 });
    let all = json!({ "name": "挖矿", "package": "com.example.miner" });
    for body in [&some, &all] {
        clerk.post(FORBIDDEN, body.clone()).await.data();
    }
    let other = clerk.post(FORBIDDEN, with(&some, json!({ "package": "com.example.other" }))).await.data();
    let url = format!("{FORBIDDEN}/{}", other["id"]);
    vec![
        case("forbidden_app_package", FORBIDDEN, some.clone(), "package taken"),
        change("forbidden_app_package", url.clone(), some, "package taken"),
        case("forbidden_app_package_all", FORBIDDEN, all.clone(), "package taken"),
        change("forbidden_app_package_all", url, all, "package taken"),
    ]
}

async fn of_storage(app: &TestApp, clerk: &Caller<'_>, here: &Site) -> Vec<Case> {
    let agent = state::agent(app, clerk, here).await.agent;
    let node = json!({ "name": "杭州-存储-01", "city": "杭州", "place": "copies", "agents": [agent], "capacity": 9,
        "unit": "gb", "partitions": 2 });
    clerk.post(NODES, node.clone()).await.data();
    let free = with(&node, json!({ "name": "杭州-存储-02", "place": "others" }));
    let other = clerk.post(NODES, free.clone()).await.data();
    let taken = with(&free, json!({ "name": "杭州-存储-01" }));
    vec![
        case("store_node_name", NODES, taken.clone(), "name taken"),
        change(
            "store_node_name",
            format!("{NODES}/{}", other["id"]),
            with(&taken, json!({ "version": 1 })),
            "name taken",
        ),
    ]
}

async fn of_places(clerk: &Caller<'_>, here: &Site) -> Vec<Case> {
    let made = async |url: &str, body: &Value| {
        let id = clerk.post(url, body.clone()).await.data()["id"].clone();
        format!("{url}/{id}")
    };
    let line = json!({ "carrier": 1, "name": "a", "mbit": 1 });
    let lines = json!({ "lines": [line, line] });
    let room = json!({ "name": "机房 2", "city": "杭州" });
    let other_room = made(ROOMS, &room).await;
    let frame = json!({ "roomId": here.room, "name": "A-02", "slots": 4 });
    let other_frame = made(FRAMES, &frame).await;
    let host = json!({ "frameId": here.frame, "name": "x", "positions": 4, "slot": 3 });
    let other_host = made(HOSTS, &host).await;
    let plan = json!({ "roomId": here.room, "name": "卡网段 2", "intranet": { "startIp": "10.1.6.1", "startPort": 5555 },
        "extranet": { "startIp": "203.0.113.9", "startPort": 1 } });
    let other_plan = made(PLANS, &plan).await;
    let bmc =
        json!({ "roomId": here.room, "address": "10.250.0.1", "username": "root", "password": "s3cret", "ranges": [] });
    made(BMCS, &bmc).await;
    let other_bmc = made(BMCS, &with(&bmc, json!({ "address": "10.250.0.2" }))).await;
    let (room_taken, frame_taken) = (json!({ "name": "机房 1" }), json!({ "name": "A-01" }));
    let (slot, blade, name) =
        (json!({ "slot": 1 }), json!({ "bladeAddress": "10.1.9.1" }), json!({ "name": "卡网段" }));
    let free_slot = json!({ "slot": 4 });
    let elsewhere = json!({ "intranet": { "startIp": "10.1.7.1", "startPort": 5555 },
        "extranet": { "startIp": "203.0.113.10", "startPort": 1 } });
    vec![
        case("room_name", ROOMS, with(&room, room_taken.clone()), "name taken"),
        change("room_name", other_room.clone(), with(&room, room_taken), "name taken"),
        // Taken by a neighbour in the same input, which is no conflict with others.
        case("room_line_name", ROOMS, with(&room, lines.clone()), "lines keys.duplicate"),
        change("room_line_name", other_room, with(&room, lines), "lines keys.duplicate"),
        case("frame_name", FRAMES, with(&frame, frame_taken.clone()), "name taken"),
        change("frame_name", other_frame, with(&frame, frame_taken), "name taken"),
        case("host_slot", HOSTS, with(&host, slot.clone()), "slot taken"),
        change("host_slot", other_host.clone(), with(&host, slot), "slot taken"),
        case("host_blade_address", HOSTS, with(&with(&host, free_slot), blade.clone()), "bladeAddress taken"),
        change("host_blade_address", other_host, with(&host, blade), "bladeAddress taken"),
        case("address_plan_name", PLANS, with(&with(&plan, elsewhere), name.clone()), "name taken"),
        change("address_plan_name", other_plan, with(&plan, name), "name taken"),
        case("bmc_address", BMCS, bmc.clone(), "address taken"),
        change("bmc_address", other_bmc, bmc, "address taken"),
    ]
}

async fn of_cards(clerk: &Caller<'_>, here: &Site) -> Vec<Case> {
    let card = kind(json!({ "roomId": here.room, "intranetIp": "10.1.0.2" }));
    let place = json!({ "hostId": here.hosts[0], "position": 1 });
    let first = with(&with(&card, place.clone()), json!({ "intranetIp": "10.1.0.1", "serial": "SN1" }));
    clerk.post(CARDS, first).await.data();
    let other = clerk.post(CARDS, with(&card, json!({ "intranetIp": "10.1.0.3", "serial": "SN3" }))).await.data();
    let url = format!("{CARDS}/{}", other["id"]);
    let (serial, address) = (json!({ "serial": "SN1" }), json!({ "intranetIp": "10.1.0.1", "serial": "SN2" }));
    let outside = json!({ "intranetIp": "10.7.0.1", "extranetIp": "203.0.113.1", "extranetPort": 20001 });
    let moved =
        |index, to: Value, error| case(index, &format!("{url}/move"), with(&json!({ "roomId": here.room }), to), error);
    vec![
        case("card_serial", CARDS, with(&card, serial.clone()), "serial taken"),
        change("card_serial", url.clone(), with(&card, serial), "serial taken"),
        case("card_intranet_ip", CARDS, with(&card, address.clone()), "intranetIp taken"),
        change("card_intranet_ip", url.clone(), with(&card, address), "intranetIp taken"),
        moved("card_intranet_ip", json!({ "intranetIp": "10.1.0.1" }), "intranetIp taken"),
        case("card_position", CARDS, with(&card, place.clone()), "position taken"),
        // A card is put elsewhere by a move alone.
        moved("card_position", place, "position taken"),
        case("card_extranet_ip", CARDS, with(&card, outside.clone()), "extranetIp taken"),
        change("card_extranet_ip", url.clone(), with(&card, outside), "extranetIp taken"),
    ]
}

async fn of_people(clerk: &Caller<'_>) -> Vec<Case> {
    let first = clerk.post(USERS, json!({ "name": "张三", "phone": "13800000001" })).await.data();
    let user = clerk.post(USERS, json!({ "name": "王五", "phone": "13800000003" })).await.data();
    let user = format!("{USERS}/{}", user["id"]);
    let (phone, code) =
        (json!({ "name": "李四", "phone": "13800000001" }), json!({ "name": "李四", "identCode": first["identCode"] }));
    clerk.post(GROUPS, json!({ "groupName": "permitted" })).await.data();
    let group = clerk.post(GROUPS, json!({ "groupName": "another" })).await.data();
    let entry = json!({ "name": "x", "parentId": menu_id(clerk, "menus").await, "code": "group:list" });
    let other_entry = clerk.post("/v1/menus/create", with(&entry, json!({ "code": "own:code" }))).await.data();
    let operator = json!({ "username": "admin", "password": clerk.encrypted(PASSWORD).await, "groupId": clerk.group,
        "accountType": "normal", "email": "", "phone": "", "remark": "", "enabled": true });
    let other = clerk.post(OPERATORS, with(&operator, json!({ "username": "another" }))).await.data();
    let app = json!({ "name": "商城", "owner": 1, "scopes": ["user"], "perSecond": 5 });
    clerk.post(APPS, app.clone()).await.data();
    let other_app = clerk.post(APPS, with(&app, json!({ "name": "别家" }))).await.data();
    // Without the password: with one it would be a reset as well.
    let renamed = with(&operator, json!({ "id": other["id"], "password": "" }));
    vec![
        case("client_user_phone", USERS, phone.clone(), "phone taken"),
        change("client_user_phone", user.clone(), phone, "phone taken"),
        case("client_user_ident_code", USERS, code.clone(), "identCode taken"),
        change("client_user_ident_code", user, code, "identCode taken"),
        case("permission_group_name", GROUPS, json!({ "groupName": "permitted" }), "groupName taken"),
        change(
            "permission_group_name",
            GROUPS.to_owned(),
            json!({ "id": group["id"], "groupName": "permitted" }),
            "groupName taken",
        ),
        case("menu_code", "/v1/menus/create", entry.clone(), "code taken"),
        change("menu_code", format!("/v1/menus/update/{}", other_entry["id"]), entry, "code taken"),
        case(
            "operator_username",
            OPERATORS,
            with(&operator, json!({ "password": clerk.encrypted(PASSWORD).await })),
            "username taken",
        ),
        change("operator_username", OPERATORS.to_owned(), renamed, "username taken"),
        case("open_app_name", APPS, app.clone(), "name taken"),
        change("open_app_name", format!("{APPS}/{}", other_app["id"]), app, "name taken"),
    ]
}

db_test! {
    async fn whatever_may_exist_once_is_a_conflict_at_its_field(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let cases = cases(&app, &clerk).await;
        let here = cases.iter().map(|case| case.index);
        let known: BTreeSet<String> = here.chain(NOT_HERE.iter().map(|(index, _)| *index)).map(str::to_owned).collect();
        assert_eq!(indexes(&app).await, known, "a unique index needs a case here, or a reason why nobody can break it");
        let calls = |index: &str| cases.iter().filter(|case| case.index == index).count();
        let once: Vec<&str> = cases.iter().map(|case| case.index).filter(|index| calls(index) < 2).collect();
        assert!(once.is_empty(), "each needs something new and a change: {once:?}");
        for Case { index, method, url, body, error } in cases {
            let answer = if method == Method::PUT { clerk.put(&url, body).await } else { clerk.post(&url, body).await };
            let brief = if error.ends_with(" taken") { (409, 4009) } else { (400, 4000) };
            assert_eq!((answer.brief(), answer.errors()), (brief, vec![error.to_owned()]), "{index}: {method} {url}");
        }
    }

    async fn the_top_of_the_menu_is_called_null_or_0(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        for (number, above) in [json!(null), json!(0)].into_iter().enumerate() {
            let body = json!({ "name": "x", "path": format!("/top{number}"), "parentId": above });
            let made = clerk.post("/v1/menus/create", body).await.data();
            assert_eq!(made["parentId"], Value::Null);
        }
    }
}
