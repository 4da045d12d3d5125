//! Places of cards, as an operator writes them down: nothing is there yet.

use serde_json::{Value, json};
use testapp::Caller;

pub const ROOMS: &str = "/api/fleet/v1/rooms";
pub const FRAMES: &str = "/api/fleet/v1/frames";
pub const HOSTS: &str = "/api/fleet/v1/hosts";
pub const CARDS: &str = "/api/fleet/v1/cards";
pub const PLANS: &str = "/api/fleet/v1/address-plans";

/// A room with a frame of two hosts of four positions, and the plan of eight addresses.
pub struct Site {
    pub room: i64,
    pub frame: i64,
    pub hosts: Vec<i64>,
    pub plan: i64,
}

fn id(made: &Value) -> i64 {
    made["id"].as_i64().unwrap()
}

pub async fn site(clerk: &Caller<'_>, number: u8) -> Site {
    let room = id(&clerk.post(ROOMS, json!({ "name": format!("机房 {number}"), "city": "杭州" })).await.data());
    let frame = id(&clerk.post(FRAMES, json!({ "roomId": room, "name": "A-01", "slots": 4 })).await.data());
    let mut hosts = Vec::new();
    for slot in 1..=2 {
        let body = json!({ "frameId": frame, "slot": slot, "name": format!("blade-{slot}"), "positions": 4,
            "bladeAddress": format!("10.{number}.9.{slot}") });
        hosts.push(id(&clerk.post(HOSTS, body).await.data()));
    }
    let body = json!({ "roomId": room, "name": "卡网段",
        "intranet": { "startIp": format!("10.{number}.0.1"), "endIp": format!("10.{number}.0.8"), "startPort": 5555 },
        "extranet": { "startIp": format!("203.0.113.{number}"), "startPort": 20001, "endPort": 20008 } });
    let plan = id(&clerk.post(PLANS, body).await.data());
    Site { room, frame, hosts, plan }
}

pub fn kind(mut body: Value) -> Value {
    for (field, value) in [("manufacturer", "瑞芯"), ("model", "RK3399-Card"), ("board", "RK_3399"), ("size", "4G/64G")]
    {
        body[field] = value.into();
    }
    body
}

/// Eight cards in the eight positions of a site.
pub async fn fill(clerk: &Caller<'_>, site: &Site) -> Vec<i64> {
    let body = kind(json!({ "planId": site.plan, "count": 8, "frameId": site.frame }));
    let made = clerk.post("/api/fleet/v1/cards/range", body).await.data();
    (made["firstId"].as_i64().unwrap()..=made["lastId"].as_i64().unwrap()).collect()
}

/// Sets one of the settings of the fleet.
pub async fn settings(clerk: &Caller<'_>, name: &str, value: i64) {
    let path = "/api/fleet/v1/settings";
    let mut body = clerk.get(path).await.data();
    body.as_object_mut().unwrap().retain(|key, _| key != "secrets" && !key.starts_with("updated"));
    body[name] = value.into();
    clerk.put(path, body).await.data();
}
