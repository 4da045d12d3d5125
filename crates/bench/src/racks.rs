//! A room that is set up through the console's API.

use std::net::SocketAddr;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::load::{Connection, Request};

const CARDS: &str = "/api/fleet/v1/cards";

/// How a room is filled.
#[derive(Debug)]
pub struct Racks {
    pub cards: usize,
    pub per_frame: usize,
    /// The ADB port, the same at every address.
    pub port: u16,
}

/// Sends a request to the console, which must succeed.
pub async fn ask(at: SocketAddr, method: &str, path: &str, token: &str, body: &Value) -> anyhow::Result<Value> {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    let answer = Connection::open(at).await?.send(&Request::new(method, path, Some(token), &text)).await?;
    let mut answer: Value = serde_json::from_slice(&answer.body)?;
    ensure!(answer["status"] == 0, "{method} {path}: {answer}");
    Ok(answer["data"].take())
}

/// Creates a room with racks full of cards from 127.64.0.1 on, and returns its id.
pub async fn furnish(at: SocketAddr, token: &str, racks: &Racks) -> anyhow::Result<i64> {
    const PER_HOST: usize = 8;
    let &Racks { cards, per_frame, port } = racks;
    let make = async |path: &str, body: Value| -> anyhow::Result<i64> {
        let made = ask(at, "POST", &format!("/api/fleet/v1/{path}"), token, &body).await?;
        made["id"].as_i64().context("an id")
    };
    let room = make("rooms", json!({ "name": "仿真", "city": "杭州" })).await?;
    let last = std::net::Ipv4Addr::from(0x7f40_0000 + u32::try_from(cards)?);
    let body = json!({ "roomId": room, "name": "仿真",
        "intranet": { "startIp": "127.64.0.1", "endIp": last, "startPort": port },
        "extranet": { "startIp": "203.0.113.9", "startPort": 20001, "endPort": 20000 + cards } });
    let plan = make("address-plans", body).await?;
    for begin in (0..cards).step_by(per_frame) {
        let count = per_frame.min(cards - begin);
        let hosts = count.div_ceil(PER_HOST);
        let name = format!("S-{:03}", begin / per_frame + 1);
        let frame = make("frames", json!({ "roomId": room, "name": name, "slots": hosts })).await?;
        for slot in 1..=hosts {
            let name = format!("sim-{frame}-{slot}");
            make("hosts", json!({ "frameId": frame, "slot": slot, "name": name, "positions": PER_HOST })).await?;
        }
        let body = json!({ "planId": plan, "first": begin, "count": count, "frameId": frame,
            "manufacturer": "瑞芯", "model": "RK3399-Card", "board": "RK_3399", "size": "4G/64G" });
        ask(at, "POST", &format!("{CARDS}/range"), token, &body).await?;
    }
    Ok(room)
}
