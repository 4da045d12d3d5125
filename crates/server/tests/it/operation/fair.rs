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

/// A room with `frames` frames of `cards` cards each, eight at each host.
async fn racks(clerk: &Caller<'_>, frames: usize, cards: usize) -> (Site, Vec<i64>) {
    let id = |made: &Value| made["id"].as_i64().unwrap();
    let room = id(&clerk.post(ROOMS, json!({ "name": "大机房", "city": "杭州" })).await.data());
    let slots = cards.div_ceil(8);
    let all = frames * cards;
    let last = format!("10.1.{}.{}", all / 256, all % 256);
    let body = json!({ "roomId": room, "name": "卡网段",
        "intranet": { "startIp": "10.1.0.1", "endIp": last, "startPort": 5555 },
        "extranet": { "startIp": "203.0.113.1", "startPort": 20001, "endPort": 20000 + all } });
    let plan = id(&clerk.post(PLANS, body).await.data());
    let (mut hosts, mut made, mut frame) = (Vec::new(), Vec::new(), 0);
    for nth in 1..=frames {
        let body = json!({ "roomId": room, "name": format!("A-{nth:02}"), "slots": slots });
        frame = id(&clerk.post(FRAMES, body).await.data());
        for slot in 1..=slots {
            let body = json!({ "frameId": frame, "slot": slot, "name": format!("blade-{nth}-{slot}"), "positions": 8 });
            hosts.push(id(&clerk.post(HOSTS, body).await.data()));
        }
        let first = (nth - 1) * cards;
        let body = kind(json!({ "planId": plan, "first": first, "count": cards, "frameId": frame }));
        let range = clerk.post("/api/fleet/v1/cards/range", body).await.data();
        made.extend(range["firstId"].as_i64().unwrap()..=range["lastId"].as_i64().unwrap());
    }
    (Site { room, frame, hosts, plan }, made)
}

/// The same with an agent, to which all of them answer.
async fn ready(app: &TestApp, clerk: &Caller<'_>, frames: usize, cards: usize) -> (Session, Vec<i64>) {
    let (here, cards) = racks(clerk, frames, cards).await;
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
        let (session, cards) = ready(&app, &clerk, 1, 400).await;
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
        let (session, cards) = ready(&app, &clerk, 1, 8).await;
        settings(&clerk, "approvalAbove", 0).await;
        for _ in 0..5 {
            begin(&clerk, &cards, json!({ "perFrame": 1 })).await;
        }
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 5, "all in one look, though each of them looks at the same card first");
    }

    async fn a_narrow_operation_has_a_task_in_each_frame_and_its_hosts_take_turns(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = ready(&app, &clerk, 5, 16).await;
        // A frame whose place is taken by another one: nothing is read of it, and of the others all the same.
        let before = begin(&clerk, &cards[..1], json!({})).await;
        settings(&clerk, "tasksPerFrame", 1).await;
        let busy = claim(&app.app, &session).await.unwrap();
        assert_eq!(busy.len(), 1);
        let narrow = begin(&clerk, &cards, json!({ "perFrame": 1 })).await;
        let mut hosts: HashMap<i64, usize> = HashMap::new();
        for round in 0..2 {
            let given = claim(&app.app, &session).await.unwrap();
            assert_eq!(given.len(), 4, "round {round}: one in each frame that has a place");
            for task in &given {
                *hosts.entry(task.host.unwrap()).or_default() += 1;
            }
            let all: Vec<_> = given.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
            record_results(&app.app, &session, &all).await.unwrap();
        }
        assert_eq!(hosts.len(), 8, "the other host of each frame: {hosts:?}");
        let all: Vec<_> = busy.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
        record_results(&app.app, &session, &all).await.unwrap();
        assert_eq!(get(&clerk, &before).await["succeeded"], 1);
        assert_eq!(claim(&app.app, &session).await.unwrap().len(), 5, "its frame has a place again");
        assert_eq!(get(&clerk, &narrow).await["running"], 5);
    }

    async fn a_room_without_place_for_all_serves_operations_and_hosts_in_turn(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = ready(&app, &clerk, 1, 64).await;
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
        let (session, cards) = ready(&app, &clerk, 1, 16).await;
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
