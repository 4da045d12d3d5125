//! Limits of speed: who is told which share of them, with a test that acts as the agents, and a real agent that keeps to its
//! own while it copies.

use std::path::Path;
use std::time::{Duration, Instant};

use agent::Identity;
use entity::store_node;
use fleet::Connections;
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::done;
use testroom::room::{Console, Socket, console, dial, hear, hello, joined, said, say, until};
use testroom::site::ROOMS;

use super::copied::Scene;

const NODES: &str = "/api/storage/v1/nodes";
/// Of all rooms that have none of their own.
const ALL: &str = "/api/storage/v1/settings/speed";
/// So many bytes a second are a megabit.
const MEGABIT: f64 = 125_000.0;

/// A room's limits, down and up.
async fn limit(app: &TestApp, clerk: &Caller<'_>, room: &Value, (down, up): (Value, Value)) {
    let one = format!("{ROOMS}/{}", room["id"]);
    let body = json!({ "name": room["name"], "city": room["city"], "downloadMbit": down, "uploadMbit": up });
    clerk.put(&one, body).await.data();
    phones::share_round(&app.app).await.unwrap();
}

async fn connected(app: &TestApp, console: &Console, agent: &Identity) -> Socket {
    let mut socket = dial(console, &agent.credential).await.unwrap();
    say(&mut socket, &hello(wire::PROTOCOL)).await;
    hear(&mut socket, "welcome").await;
    phones::share_round(&app.app).await.unwrap();
    socket
}

/// What an agent that comes is told before it is welcome, from when on it works.
async fn greeted(console: &Console, agent: &Identity) -> (Value, Value) {
    let mut socket = dial(console, &agent.credential).await.unwrap();
    say(&mut socket, &hello(wire::PROTOCOL)).await;
    loop {
        let said = said(&mut socket).await;
        assert_ne!(said["type"], "welcome", "it works at line rate");
        if said["type"] == "share" {
            return shared(&said);
        }
    }
}

/// What an agent is told next: at its room, and at the node.
async fn told(socket: &mut Socket) -> (Value, Value) {
    shared(&hear(socket, "share").await)
}

fn shared(share: &Value) -> (Value, Value) {
    let node = &share["nodes"][0];
    assert_eq!(node["mark"].as_str().map(str::len), Some(32), "{share}");
    (share["room"].clone(), json!({ "down": node["down"], "up": node["up"] }))
}

fn rates(down: impl Into<Value>, up: impl Into<Value>) -> Value {
    let (down, up): (Value, Value) = (down.into(), up.into());
    json!({ "down": down, "up": up })
}

/// Bytes of the files in a folder.
fn size(folder: &Path) -> u64 {
    let Ok(found) = std::fs::read_dir(folder) else { return 0 };
    let bytes = found.flatten().map(|entry| match entry.metadata() {
        Ok(about) if about.is_dir() => size(&entry.path()),
        // It may have got another name meanwhile.
        about => about.map_or(0, |about| about.len()),
    });
    bytes.sum()
}

db_test! {
    async fn limits_are_shared_out_among_the_agents_that_are_there(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let mut rooms = Vec::new();
        for name in ["机房 1", "机房 2"] {
            rooms.push(clerk.post(ROOMS, json!({ "name": name, "city": "杭州" })).await.data());
        }
        let mut agents = Vec::new();
        for room in [0, 0, 1] {
            agents.push(joined(&app, &clerk, &console, rooms[room]["id"].as_i64().unwrap()).await);
        }
        let ids: Vec<i64> = agents.iter().map(|agent| agent.agent).collect();
        let node = json!({ "name": "杭州-存储-01", "city": "杭州", "place": "copies", "agents": ids, "capacity": 9, "unit": "gb",
            "partitions": 2, "downloadMbit": 9 });

        // From 1 to 1000, or none.
        let mut wrong = node.clone();
        for (down, up, errors) in [(json!(0), json!(1000), vec!["downloadMbit speed.download"]), (json!(null), json!(1001), vec!["uploadMbit speed.upload"])] {
            (wrong["downloadMbit"], wrong["uploadMbit"]) = (down.clone(), up.clone());
            assert_eq!(clerk.post(NODES, wrong.clone()).await.errors(), errors);
            let body = json!({ "name": "机房 3", "city": "杭州", "downloadMbit": down, "uploadMbit": up });
            let refused = clerk.post(ROOMS, body).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), errors.into_iter().map(str::to_owned).collect()));
        }
        let mut change = node.clone();
        let node = clerk.post(NODES, node).await.data();
        assert_eq!((&node["downloadMbit"], &node["uploadMbit"]), (&json!(9), &Value::Null));
        let stored = store_node::Entity::find().one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((stored.download_mbit, stored.upload_mbit), (Some(9), None));

        // Alone it has all of it.
        let mut first = connected(&app, &console, &agents[0]).await;
        assert_eq!(told(&mut first).await, (rates(Value::Null, Value::Null), rates(9_000, Value::Null)));
        limit(&app, &clerk, &rooms[0], (json!(10), json!(1))).await;
        assert_eq!(told(&mut first).await, (rates(10_000, 1_000), rates(9_000, Value::Null)));

        // Another one of the room, and one of another room that reaches the same node.
        let mut second = connected(&app, &console, &agents[1]).await;
        for socket in [&mut first, &mut second] {
            assert_eq!(told(socket).await, (rates(5_000, 500), rates(4_500, Value::Null)));
        }
        let mut third = connected(&app, &console, &agents[2]).await;
        assert_eq!(told(&mut third).await, (rates(Value::Null, Value::Null), rates(3_000, Value::Null)));
        for socket in [&mut first, &mut second] {
            assert_eq!(told(socket).await, (rates(5_000, 500), rates(3_000, Value::Null)));
        }
        let seen = clerk.get(&format!("{NODES}/{}", node["id"])).await.data();
        let may: Vec<_> = seen["agents"].as_array().unwrap().iter().map(|one| (&one["downloadKbit"], &one["uploadKbit"])).collect();
        assert_eq!(may, [(&json!(3_000), &json!(500)), (&json!(3_000), &json!(500)), (&json!(3_000), &Value::Null)], "the least binds");

        // Who has gone may still be at it: he is counted for two minutes.
        _ = second.close(None).await;
        until("the second is gone", async || app.app.part::<Connections>().lines().len() == 2).await;
        limit(&app, &clerk, &rooms[0], (json!(20), json!(null))).await;
        assert_eq!(told(&mut first).await, (rates(10_000, Value::Null), rates(3_000, Value::Null)));
        app.app.clock.advance_seconds(121);
        phones::share_round(&app.app).await.unwrap();
        assert_eq!(told(&mut first).await, (rates(20_000, Value::Null), rates(4_500, Value::Null)));
        assert_eq!(told(&mut third).await, (rates(Value::Null, Value::Null), rates(4_500, Value::Null)));

        // One that comes back is told what it may, whatever it still knows, and before it begins anything.
        assert_eq!(greeted(&console, &agents[0]).await, (rates(20_000, Value::Null), rates(4_500, Value::Null)));
        let mut first = connected(&app, &console, &agents[0]).await;
        assert_eq!(told(&mut first).await, (rates(20_000, Value::Null), rates(4_500, Value::Null)));

        // Rooms that have none of their own have that of all, each way.
        let wrong = json!({ "isLimited": true, "downloadMbit": 1001, "uploadMbit": 0, "version": 0 });
        assert_eq!(clerk.put(ALL, wrong).await.errors(), ["downloadMbit integer.range", "uploadMbit integer.range"]);
        for (version, is_limited) in [(0, true), (1, false)] {
            let body = json!({ "isLimited": is_limited, "downloadMbit": 100, "uploadMbit": 50, "version": version });
            clerk.put(ALL, body).await.data();
            phones::share_round(&app.app).await.unwrap();
            let of_all = |kbit: i64| if is_limited { json!(kbit) } else { Value::Null };
            assert_eq!(told(&mut first).await, (rates(20_000, of_all(50_000)), rates(4_500, Value::Null)));
            assert_eq!(told(&mut third).await, (rates(of_all(100_000), of_all(50_000)), rates(4_500, Value::Null)));
        }

        // Whoever no longer reaches a node may still be at work there: it goes on as one of those that do, until the limit is lifted.
        let one = format!("{NODES}/{}", node["id"]);
        change["agents"] = json!([ids[0]]);
        for (version, down) in [(1, json!(9)), (2, json!(5)), (3, Value::Null)] {
            (change["version"], change["downloadMbit"]) = (json!(version), down.clone());
            clerk.put(&one, change.clone()).await.data();
            phones::share_round(&app.app).await.unwrap();
            match down.as_i64() {
                Some(mbit) => {
                    assert_eq!(told(&mut first).await.1, rates(mbit * 1000, Value::Null));
                    // Of nine it has a half already.
                    if mbit < 9 {
                        assert_eq!(told(&mut third).await.1, rates(mbit * 500, Value::Null));
                    }
                }
                None => assert_eq!(hear(&mut third, "share").await["nodes"], json!([])),
            }
        }
    }

    async fn a_copy_keeps_to_the_limit_of_its_room_and_follows_when_it_is_lifted(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let scene = Scene::open(&app, &clerk, 26).await;
        // With what else is there, two and a half minutes at this rate.
        scene.room().cards[0].plant("/data/media/0/long.mp4", 8, 12 << 20).unwrap();
        let room = clerk.get(ROOMS).await.data()["list"][0].clone();
        limit(&app, &clerk, &room, (Value::Null, json!(1))).await;

        let (place, before) = (scene.place(), size(&scene.place()));
        let body = json!({ "selection": { "ids": [scene.phone] } });
        let operation = clerk.post("/api/phone/v1/phones/back-up", body).await.data();
        let asked = Instant::now();
        let (mut begun, mut sent) = (asked, 0);
        while sent < 600_000 {
            let now = Instant::now();
            assert!(asked.elapsed() < Duration::from_mins(5), "nothing is copied");
            sent = size(&place).saturating_sub(before);
            if sent == 0 {
                begun = now;
            }
            // What may come at once are 31,250 bytes; the rest is for what is read before the clock is.
            let most = 100_000.0 + begun.elapsed().as_secs_f64() * MEGABIT;
            assert!((sent as f64) < most, "{sent} bytes in {:?}", begun.elapsed());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        limit(&app, &clerk, &room, (Value::Null, Value::Null)).await;
        assert_eq!(done(&clerk, &operation["id"]).await["succeeded"], 1);
        scene.goes_on().await;
    }
}
