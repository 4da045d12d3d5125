//! Fair scheduling: each operation gets its turn, whatever waits before it.

use std::collections::HashMap;

use fleet::Session;
use fleet::operation::{claim, record_results, round};
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::site::{FRAMES, HOSTS, PLANS, ROOMS, Site, kind, settings};
use wire::Outcome;

use super::{result, shell};
use crate::fleet::state;

/// A room with `cards` cards in one frame, eight at each host.
async fn wide(clerk: &Caller<'_>, cards: usize) -> (Site, Vec<i64>) {
    let id = |made: &Value| made["id"].as_i64().unwrap();
    let room = id(&clerk.post(ROOMS, json!({ "name": "大机房", "city": "杭州" })).await.data());
    let slots = cards.div_ceil(8);
    let frame = id(&clerk.post(FRAMES, json!({ "roomId": room, "name": "A-01", "slots": slots })).await.data());
    let mut hosts = Vec::new();
    for slot in 1..=slots {
        let body = json!({ "frameId": frame, "slot": slot, "name": format!("blade-{slot}"), "positions": 8 });
        hosts.push(id(&clerk.post(HOSTS, body).await.data()));
    }
    let last = format!("10.1.{}.{}", cards / 256, cards % 256);
    let body = json!({ "roomId": room, "name": "卡网段",
        "intranet": { "startIp": "10.1.0.1", "endIp": last, "startPort": 5555 },
        "extranet": { "startIp": "203.0.113.1", "startPort": 20001, "endPort": 20000 + cards } });
    let plan = clerk.post(PLANS, body).await;
    let plan = id(&plan.data());
    let body = kind(json!({ "planId": plan, "count": cards, "frameId": frame }));
    let made = clerk.post("/api/fleet/v1/cards/range", body).await.data();
    (
        Site { room, frame, hosts, plan },
        (made["firstId"].as_i64().unwrap()..=made["lastId"].as_i64().unwrap()).collect(),
    )
}

/// The same with an agent, to which all of them answer.
async fn ready(app: &TestApp, clerk: &Caller<'_>, cards: usize) -> (Session, Vec<i64>) {
    let (here, cards) = wide(clerk, cards).await;
    let session = state::agent(app, clerk, &here).await;
    for _ in 0..2 {
        state::report(app, &session, &cards).await;
    }
    (session, cards)
}

async fn begin(clerk: &Caller<'_>, cards: &[i64], options: Value) -> Value {
    let mut body = shell(cards);
    body["options"] = options;
    clerk.post(OPERATIONS, body).await.data()["id"].clone()
}

db_test! {
    async fn narrow_operations_hide_nothing_of_a_wide_one_behind_them(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = ready(&app, &clerk, 400).await;
        settings(&clerk, "approvalAbove", 0).await;
        for _ in 0..11 {
            begin(&clerk, &cards, json!({ "perFrame": 1 })).await;
        }
        let wide = begin(&clerk, &cards, json!({})).await;
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 64, "as many as the frame takes");
        assert_eq!(get(&clerk, &wide).await["running"], 64 - 11, "one for each of the narrow, the rest for the wide one");
    }

    async fn narrow_operations_on_one_host_each_find_a_card_that_no_other_has(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = ready(&app, &clerk, 8).await;
        settings(&clerk, "approvalAbove", 0).await;
        for _ in 0..5 {
            begin(&clerk, &cards, json!({ "perFrame": 1 })).await;
        }
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 5, "all in one look, though each of them looks at the same card first");
    }

    async fn a_room_without_place_for_all_serves_operations_and_hosts_in_turn(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = ready(&app, &clerk, 64).await;
        settings(&clerk, "tasksPerRoom", 4).await;
        let first = begin(&clerk, &cards, json!({})).await;
        let second = begin(&clerk, &cards, json!({})).await;
        let mut hosts: HashMap<i64, usize> = HashMap::new();
        for _ in 0..8 {
            let given = claim(&app.app, &session).await.unwrap();
            assert_eq!(given.len(), 4);
            for task in &given {
                *hosts.entry(task.host.unwrap()).or_default() += 1;
            }
            let all: Vec<_> = given.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
            record_results(&app.app, &session, &all).await.unwrap();
        }
        let done = [get(&clerk, &first).await["succeeded"].clone(), get(&clerk, &second).await["succeeded"].clone()];
        assert_eq!(done, [json!(16), json!(16)], "both get as much");
        assert!(hosts.len() >= 6, "no host waits for another one: {hosts:?}");
    }

    async fn an_operation_that_nobody_can_read_holds_up_no_other(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = ready(&app, &clerk, 16).await;
        let [unread, frozen] = [begin(&clerk, &cards[..4], json!({})).await, begin(&clerk, &cards[..4], json!({})).await];
        let tx = app.app.db.begin_write().await.unwrap();
        for (column, state, id) in [("act", 4, &unread), ("selection", 1, &frozen)] {
            let broken = format!("UPDATE operation SET {column} = '{{}}', state = {state} WHERE id = {id}");
            tx.execute_unprepared(&broken).await.unwrap();
        }
        tx.commit().await.unwrap();
        let good = begin(&clerk, &cards[8..12], json!({})).await;
        round(&app.app).await.unwrap();
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 4, "those of the good one");
        let told = get(&clerk, &unread).await;
        assert_eq!([&told["failed"], &told["running"], &told["pending"]], [&json!(4), &json!(0), &json!(0)]);
        assert_eq!(get(&clerk, &good).await["running"], 4);
    }
}
