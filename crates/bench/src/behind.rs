//! How long an operation waits that has eleven narrow ones of the whole room before it.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::fleet::OPERATIONS;
use crate::racks::ask;
use crate::report::{Line, Report, time};

/// Operations that wait, each with room for one task in a frame.
const NARROW: usize = 11;
/// How often it is measured; the middle counts.
const TIMES: usize = 3;
/// Longer than anybody would wait.
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures the time from the answer of an unlimited operation to its first task under way.
pub async fn measure(
    at: SocketAddr,
    token: &str,
    room: i64,
    (engine, cards): (&str, usize),
    report: &mut Report,
) -> anyhow::Result<()> {
    let begin = async |script: &str, options: Value| -> anyhow::Result<String> {
        let selection = json!({ "filter": { "roomId": room } });
        let body = json!({ "selection": selection, "act": { "kind": "shell", "script": script }, "options": options });
        let made = ask(at, "POST", OPERATIONS, token, &body).await?;
        Ok(format!("{OPERATIONS}/{}", made["id"]))
    };
    let mut narrow = Vec::with_capacity(NARROW);
    for _ in 0..NARROW {
        narrow.push(begin("sleep 1", json!({ "perFrame": 1 })).await?);
    }
    let (mut made, mut waited) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let started = Instant::now();
        let wide = begin("echo hi", json!({})).await?;
        made.push(started.elapsed());
        let started = Instant::now();
        until(at, token, &wide, |now| ["running", "succeeded"].iter().any(|field| now[field] != 0)).await?;
        waited.push(started.elapsed());
        stop(at, token, &wide).await?;
    }
    for path in &narrow {
        let now = ask(at, "GET", path, token, &Value::Null).await?;
        ensure!(now["pending"] != 0, "nothing was left to wait behind: {now}");
        stop(at, token, path).await?;
    }
    for times in [&mut made, &mut waited] {
        times.sort_unstable();
    }
    report.add(Line {
        goal: "-",
        what: format!(
            "{engine}: an unlimited operation on {cards} simulated cards behind {NARROW} with one task a frame"
        ),
        ours: format!("created {}, first task {} later", time(made[TIMES / 2]), time(waited[TIMES / 2])),
        wanted: "first task ≤ 1 s later",
        ..Line::default()
    });
    Ok(())
}

/// Cancels an operation, and waits until nothing of it runs. One that is over already stays as it is.
async fn stop(at: SocketAddr, token: &str, path: &str) -> anyhow::Result<()> {
    let is_over = |now: &Value| now["state"].as_i64() >= Some(7);
    if !is_over(&ask(at, "GET", path, token, &Value::Null).await?) {
        ask(at, "POST", &format!("{path}/cancel"), token, &json!({})).await?;
    }
    until(at, token, path, is_over).await
}

async fn until(at: SocketAddr, token: &str, path: &str, is_so: impl Fn(&Value) -> bool) -> anyhow::Result<()> {
    let started = Instant::now();
    loop {
        let now = ask(at, "GET", path, token, &Value::Null).await?;
        if is_so(&now) {
            return Ok(());
        }
        ensure!(started.elapsed() < PATIENCE, "not within a minute: {now}");
        sleep(Duration::from_millis(5)).await;
    }
}
