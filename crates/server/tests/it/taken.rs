//! What is taken is a conflict at its field, for everything that may exist only once: the schema says what that is.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait as _, DbBackend, Statement};
use serde_json::{Value, json};
use testkit::db_test;

use crate::fleet::{CARDS, FRAMES, HOSTS, PLANS, ROOMS, kind, site};
use crate::staff::menu_id;
use crate::support::{Caller, PASSWORD, TestApp};

const BMCS: &str = "/api/fleet/v1/bmcs";
const USERS: &str = "/api/user/v1/client-users";
const GROUPS: &str = "/api/user/v1/designjet/permissions/group";
const OPERATORS: &str = "/api/user/v1/designjet/user";

/// Indexes that no input of a person can break, or that are tested elsewhere because more belongs to it.
const NOT_HERE: [(&str, &str); 19] = [
    ("operator_oidc_subject", "needs a provider: openid.rs"),
    ("logout_request_open", "is told by the record that stands in the way: client_user/closing.rs"),
    ("setting_history_version", "a version that was changed meanwhile: settings.rs"),
    ("session_token_hash", "drawn at random"),
    ("room_agent_credential_hash", "drawn at random"),
    ("join_token_token_hash", "drawn at random"),
    ("phone_code", "given by the console"),
    ("card_model_model", "found by the console"),
    ("finding_kind", "found by agents"),
    ("operation_task_card", "made by the console"),
    ("task_lane_running", "of the queue"),
    ("task_fire", "of the queue"),
    ("placement_holder", "of the console's own work on phones"),
    ("placement_card", "of the console's own work on phones"),
    ("placement_phone", "of the console's own work on phones"),
    ("repo_phone", "of the console's own work on phones"),
    ("repo_folder", "of the console's own work on phones"),
    ("backup_kept", "of the console's own work on phones"),
    ("store_node_name", "no call writes it yet"),
];

/// A body that breaks the rule of an index, and what is answered at which field.
struct Case {
    index: &'static str,
    url: String,
    body: Value,
    error: &'static str,
}

fn case(index: &'static str, url: &str, body: Value, error: &'static str) -> Case {
    Case { index, url: url.to_owned(), body, error }
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

async fn cases(clerk: &Caller<'_>) -> Vec<Case> {
    let here = site(clerk, 1).await;
    let card = |change: Value| {
        let mut body = kind(json!({ "roomId": here.room }));
        for (field, value) in change.as_object().unwrap() {
            body[field] = value.clone();
        }
        body
    };
    let first = json!({ "hostId": here.hosts[0], "position": 1, "intranetIp": "10.1.0.1", "serial": "SN1" });
    clerk.post(CARDS, card(first)).await.data();
    let bmc =
        json!({ "roomId": here.room, "address": "10.250.0.1", "username": "root", "password": "s3cret", "ranges": [] });
    clerk.post(BMCS, bmc.clone()).await.data();
    let user = clerk.post(USERS, json!({ "name": "张三", "phone": "13800000001" })).await.data();
    clerk.post(GROUPS, json!({ "groupName": "permitted" })).await.data();
    let operator = json!({ "username": "admin", "password": clerk.encrypted(PASSWORD).await, "groupId": clerk.group,
        "accountType": "normal", "email": "", "phone": "", "remark": "", "enabled": true });
    let plan = json!({ "roomId": here.room, "name": "卡网段", "intranet": { "startIp": "10.1.6.1", "startPort": 5555 },
        "extranet": { "startIp": "203.0.113.9", "startPort": 1 } });
    let host = |change: Value| {
        let mut body = json!({ "frameId": here.frame, "name": "x", "positions": 4, "slot": 3 });
        for (field, value) in change.as_object().unwrap() {
            body[field] = value.clone();
        }
        body
    };
    let lines = json!([{ "carrier": 1, "name": "a", "mbit": 1 }, { "carrier": 1, "name": "a", "mbit": 1 }]);
    vec![
        case("room_name", ROOMS, json!({ "name": "机房 1", "city": "杭州" }), "name taken"),
        // Taken by a neighbour in the same input, which is no conflict with others.
        case("room_line_name", ROOMS, json!({ "name": "x", "city": "x", "lines": lines }), "lines keys.duplicate"),
        case("frame_name", FRAMES, json!({ "roomId": here.room, "name": "A-01", "slots": 1 }), "name taken"),
        case("host_slot", HOSTS, host(json!({ "slot": 1 })), "slot taken"),
        case("host_blade_address", HOSTS, host(json!({ "bladeAddress": "10.1.9.1" })), "bladeAddress taken"),
        case("address_plan_name", PLANS, plan, "name taken"),
        case("bmc_address", BMCS, bmc, "address taken"),
        case("card_serial", CARDS, card(json!({ "intranetIp": "10.1.0.2", "serial": "SN1" })), "serial taken"),
        case("card_intranet_ip", CARDS, card(json!({ "intranetIp": "10.1.0.1", "serial": "SN2" })), "intranetIp taken"),
        case(
            "card_position",
            CARDS,
            card(json!({ "hostId": here.hosts[0], "position": 1, "intranetIp": "10.1.0.2" })),
            "position taken",
        ),
        case(
            "card_extranet_ip",
            CARDS,
            card(json!({ "intranetIp": "10.7.0.1", "extranetIp": "203.0.113.1", "extranetPort": 20001 })),
            "extranetIp taken",
        ),
        case("client_user_phone", USERS, json!({ "name": "李四", "phone": "13800000001" }), "phone taken"),
        case(
            "client_user_ident_code",
            USERS,
            json!({ "name": "李四", "identCode": user["identCode"] }),
            "identCode taken",
        ),
        case("permission_group_name", GROUPS, json!({ "groupName": "permitted" }), "groupName taken"),
        case(
            "menu_code",
            "/v1/menus/create",
            json!({ "name": "x", "parentId": menu_id(clerk, "menus").await, "code": "group:list" }),
            "code taken",
        ),
        case("operator_username", OPERATORS, operator, "username taken"),
    ]
}

db_test! {
    async fn whatever_may_exist_once_is_a_conflict_at_its_field(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let cases = cases(&clerk).await;
        let here = cases.iter().map(|case| case.index);
        let known: BTreeSet<String> = here.chain(NOT_HERE.iter().map(|(index, _)| *index)).map(str::to_owned).collect();
        assert_eq!(indexes(&app).await, known, "a unique index needs a case here, or a reason why nobody can break it");
        for Case { index, url, body, error } in cases {
            let answer = clerk.post(&url, body).await;
            let brief = if error.ends_with(" taken") { (409, 4009) } else { (400, 4000) };
            assert_eq!((answer.brief(), answer.errors()), (brief, vec![error.to_owned()]), "{index}");
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
