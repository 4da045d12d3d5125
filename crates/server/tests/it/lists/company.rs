//! The company whose lists are tried: the demo's, with some of everything that only a running room would bring. A small
//! function for each list makes its rows: by a call, or straight in the database where a call would need an agent.

use db::WriteTx;
use db::kept::Packed;
use entity::bmc::{self, BmcState};
use entity::card_event::{self, Axis, Source};
use entity::finding::{self, FindingKind};
use entity::operator_sign_in::{self, SignInMethod, SignInOutcome};
use entity::{CardId, RoomId, ShellId, image_known, room_agent, shell_chunk, shell_record};
use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use phones::{DemoNode, demo_node};
use platform::task::PruneTasks;
use queue::Creator;
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, EntityTrait as _};
use serde_json::json;
use server::demo;
use testapp::{CODES, Caller, TestApp};

/// What is alike in rows that came into being together is made different: an order of equal values is any order.
const DIFFERENT: [&str; 20] = [
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
     free_bytes = 1000 - id, days_to_full = id, partitions = partitions + id, strategy = 2 + id % 2,
     checked_at = created_at + id, updated_at = created_at + 9 - id",
    "UPDATE phone SET last_backup_at = created_at + id",
    "UPDATE service_address SET reached = 1 + id % 3, checked_at = created_at + id",
    "INSERT INTO repo (phone_id, node_id, folder, created_at) SELECT id, (SELECT MIN(id) FROM store_node), 'p' || id, 0 FROM phone ORDER BY id LIMIT 3",
    "INSERT INTO backup (phone_id, repo_id, node_id, snapshot, kind, card_id, image, board, state, damage, is_live, files, bytes, added_bytes,
     manifest, code, restores, millis, began_at, verified_at)
     SELECT phone_id, id, node_id, '', 1 + id % 3, (SELECT MIN(id) FROM card), 'image ' || id, 'RK_3399', 3 + id % 3, '', false, id, 9 - id, id,
     '', '', 0, 9 - id, made + id, made + 9 - id FROM (SELECT repo.*, phone.created_at AS made FROM repo JOIN phone ON phone.id = repo.phone_id) AS r",
    // The built-in group has more members than one.
    "UPDATE operator SET group_id = 1 WHERE username <> 'clerk'",
    "UPDATE operator SET last_sign_in_at = created_at + id WHERE id > (SELECT MIN(id) FROM operator)",
    "UPDATE client_error SET operator_name = operator_name || id, browser = browser || id",
    "UPDATE task SET started_at = created_at, finished_at = created_at",
    "UPDATE task SET state = 3, created_by_name = 'somebody', created_at = created_at - 60000 WHERE id = (SELECT MIN(id) FROM task)",
    "UPDATE task SET started_at = created_at, finished_at = created_at WHERE state = 3",
];

/// The demo company with some rows of every list, and a clerk who may do everything.
pub async fn company(app: &TestApp) -> Caller<'_> {
    assert!(demo::fill(&app.app, 320, 60).await.unwrap());
    let clerk = app.operator("clerk", &CODES).await;
    let room = clerk.get("/api/fleet/v1/rooms").await.data()["list"][0]["id"].as_i64().unwrap();
    let cards = clerk.get("/api/fleet/v1/cards?pageSize=3").await.data();
    let cards: Vec<i64> = cards["list"].as_array().unwrap().iter().map(|card| card["id"].as_i64().unwrap()).collect();
    bmcs(&clerk, room).await;
    join_tokens(&clerk, room).await;
    operations(&clerk, &cards).await;
    client_errors(&clerk).await;
    let (now, tx) = (app.app.clock.now(), app.app.db.begin_write().await.unwrap());
    images(&tx, now).await;
    agents_and_nodes(&tx, RoomId(room), now).await;
    findings(&tx, RoomId(room), now).await;
    states_of_bmcs(&tx, now).await;
    shell(&tx, CardId(cards[0]), &clerk, now).await;
    events(&tx, CardId(cards[0]), now).await;
    sign_ins(&tx, &clerk, now).await;
    for _ in 0..2 {
        let creator = Creator::operator(clerk.operator.unwrap(), "clerk");
        app.app.queue.enqueue(&tx, &PruneTasks {}, &creator).await.unwrap();
    }
    let counted = phones::COUNTED.iter().filter(|packed| packed.table == "backup").flat_map(Packed::counted_anew);
    for statement in DIFFERENT.into_iter().map(str::to_owned).chain(counted) {
        tx.execute_unprepared(&statement).await.unwrap();
    }
    tx.commit().await.unwrap();
    clerk
}

async fn bmcs(clerk: &Caller<'_>, room: i64) {
    for (address, username) in [("10.250.0.1", "root"), ("10.250.0.9", "admin"), ("10.250.0.10", "")] {
        let ranges =
            json!([{ "startSlot": 1, "endSlot": 2, "startIp": format!("{address}0"), "endIp": format!("{address}1") }]);
        let ranges = if username.is_empty() { json!([]) } else { ranges };
        let bmc =
            json!({ "roomId": room, "address": address, "username": username, "password": "s3cret", "ranges": ranges });
        clerk.post("/api/fleet/v1/bmcs", bmc).await.data();
    }
}

async fn join_tokens(clerk: &Caller<'_>, room: i64) {
    for hours in [1, 24, 48] {
        clerk.post("/api/fleet/v1/join-tokens", json!({ "roomId": room, "hours": hours })).await.data();
    }
}

/// A script too: what it prints is a list of its own, for those who may see it.
async fn operations(clerk: &Caller<'_>, cards: &[i64]) {
    let reason = json!({ "reason": "a bad disk" });
    for (act, options) in [
        (json!({ "kind": "reboot" }), reason.clone()),
        (json!({ "kind": "drain" }), reason),
        (json!({ "kind": "shell", "script": "id" }), json!({})),
    ] {
        let wanted = json!({ "selection": { "ids": cards }, "act": act, "options": options });
        clerk.post("/api/operation/v1/operations", wanted).await.data();
    }
}

async fn client_errors(clerk: &Caller<'_>) {
    for number in 0..3 {
        let error = json!({ "message": format!("error {number}"), "component": format!("part {number}"),
            "address": format!("http://console/page{number}"), "stack": "at main" });
        clerk.post("/api/general/v1/client-errors", error).await;
    }
}

async fn images(tx: &WriteTx, now: UtcTime) {
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
        image_known::Entity::insert(row).exec(&**tx).await.unwrap();
    }
}

/// A storage node for each agent.
async fn agents_and_nodes(tx: &WriteTx, room: RoomId, now: UtcTime) {
    for number in 0..3 {
        let agent = room_agent::ActiveModel {
            room_id: Set(room),
            name: Set(format!("agent {number}")),
            version: Set("3.2.1".to_owned()),
            address: Set(format!("10.0.0.{number}")),
            credential_hash: Set(format!("hash {number}")),
            enrolled_at: Set(now.plus_seconds(number)),
            revoked_by: Set(String::new()),
            ..Default::default()
        };
        room_agent::Entity::insert(agent).exec_without_returning(&**tx).await.unwrap();
    }
    let agents = room_agent::Entity::find().all(&**tx).await.unwrap();
    for (number, agent) in agents.into_iter().enumerate() {
        let (name, city) = (format!("node {number}"), format!("city {number}"));
        let at = DemoNode { name: &name, city: &city, latitude: 30.0 + number as f64, longitude: 120.0 };
        demo_node(&**tx, agent.id, at, now.plus_seconds(number as i64)).await.unwrap();
    }
}

async fn findings(tx: &WriteTx, room: RoomId, now: UtcTime) {
    for (number, kind) in [FindingKind::New, FindingKind::Missing, FindingKind::Ghost].into_iter().enumerate() {
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
        finding::Entity::insert(finding).exec_without_returning(&**tx).await.unwrap();
    }
}

/// Nobody has asked the third one yet.
async fn states_of_bmcs(tx: &WriteTx, now: UtcTime) {
    let bmcs = bmc::Entity::find().all(&**tx).await.unwrap();
    for (number, (row, state)) in bmcs.into_iter().zip([BmcState::Refused, BmcState::Reachable]).enumerate() {
        let asked = now.plus_seconds(number as i64);
        let change = bmc::ActiveModel {
            id: Set(row.id),
            state: Set(state),
            state_since: Set(Some(asked)),
            asked_at: Set(Some(asked)),
            ..Default::default()
        };
        bmc::Entity::update(change).exec(&**tx).await.unwrap();
    }
}

/// What somebody typed in a shell, the only one: its record is number 1.
async fn shell(tx: &WriteTx, card: CardId, clerk: &Caller<'_>, now: UtcTime) {
    let row = shell_record::ActiveModel {
        card_id: Set(card),
        card_address: Set("10.9.0.1:5555".to_owned()),
        operator_id: Set(clerk.operator.unwrap()),
        operator_name: Set("clerk".to_owned()),
        ip: Set("127.0.0.1".to_owned()),
        reason: Set(String::new()),
        started_at: Set(now),
        ..Default::default()
    };
    let id = shell_record::Entity::insert(row).exec(&**tx).await.unwrap().last_insert_id;
    assert_eq!(id, ShellId(1), "the list of its input is asked for by this number");
    for (number, typed) in (1..).zip(["id", "uptime", "exit 1"]) {
        let chunk = shell_chunk::ActiveModel {
            shell_id: Set(id),
            number: Set(number),
            at: Set(now.plus_seconds(number)),
            bytes: Set(typed.as_bytes().to_vec()),
        };
        shell_chunk::Entity::insert(chunk).exec_without_returning(&**tx).await.unwrap();
    }
}

/// What happened to a card: a state, a flag, its place, and what the reason alone tells.
async fn events(tx: &WriteTx, card: CardId, now: UtcTime) {
    let all = [(Axis::Power, 1, 2), (Axis::Assignable, 0, 1), (Axis::Place, 3, 4), (Axis::Record, 0, 0)];
    for (seconds, (axis, from, to)) in (1..).zip(all) {
        let event = card_event::ActiveModel {
            card_id: Set(card),
            at: Set(now.plus_seconds(seconds)),
            axis: Set(axis),
            from_code: Set(from),
            to_code: Set(to),
            reason: Set(format!("reason {seconds}")),
            source: Set(Source::Operator),
            by_name: Set("clerk".to_owned()),
            ..Default::default()
        };
        card_event::Entity::insert(event).exec_without_returning(&**tx).await.unwrap();
    }
}

/// The last was nobody's.
async fn sign_ins(tx: &WriteTx, clerk: &Caller<'_>, now: UtcTime) {
    let who = [clerk.operator, clerk.operator, None];
    for (seconds, (operator, outcome)) in (1..).zip(who.into_iter().zip([
        SignInOutcome::Success,
        SignInOutcome::WrongCode,
        SignInOutcome::WrongCredentials,
    ])) {
        let attempt = operator_sign_in::ActiveModel {
            operator_id: Set(operator),
            username: Set(operator.map_or("nobody", |_| "clerk").to_owned()),
            at: Set(now.plus_seconds(seconds)),
            outcome: Set(outcome),
            method: Set(SignInMethod::Password),
            ip: Set(format!("10.0.0.{seconds}")),
            claimed_ip: Set(String::new()),
            device: Set("Firefox".to_owned()),
            ..Default::default()
        };
        operator_sign_in::Entity::insert(attempt).exec_without_returning(&**tx).await.unwrap();
    }
}
