//! Phones that have data: they are taken off, come back to the cards that they have left, and on other cards with their
//! copies.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use adb::{Card, Command, Options};
use anyhow::{Context as _, anyhow, ensure};
use serde_json::json;
use tokio::time::sleep;

use super::site::{CARDS, PATIENCE, Site, until};
use super::{PHONES, spread, told};
use crate::fleet::OPERATIONS;
use crate::racks::ask;
use crate::report::{Line, Report, time};

/// Phones that are taken off.
pub const MOST: usize = 100;
/// What each has: files, and bytes of each.
const FILES: usize = 16;
const BYTES: usize = 128 << 10;
const NODES: &str = "/api/storage/v1/nodes";
/// What a card's shell waits with until Android is up, as the room agent asks for it.
const UP: &str = "until pm list packages 2>/dev/null | grep -q '^package:android$'; do sleep 0.02; done";

/// A phone that has left its card.
struct Left {
    phone: i64,
    card: i64,
    adb: SocketAddr,
}

/// Takes phones off that are on cards, and puts them on again.
pub async fn measure(site: &Site, engine: &str, phones: &[i64], report: &mut Report) {
    let (left, took) = match take_off(site, phones).await {
        Ok((left, took)) => (left, told(Ok(took))),
        Err(error) => (Vec::new(), told(Err(error))),
    };
    let data = format!("{} MB in {FILES} files", (FILES * BYTES) >> 20);
    report.add(Line {
        goal: "-",
        what: format!(
            "{engine}: {} phones with {data} each are taken off by one operation, copied for the first time and read back",
            phones.len()
        ),
        ours: took,
        ..Line::default()
    });
    let (home, away) = left.split_at(left.len() / 2);
    let (whole, after) = match come_home(site, home).await {
        Ok((whole, after)) => (told(spread(whole)), told(spread(after))),
        Err(error) => {
            let why = told(Err(error));
            (why.clone(), why)
        }
    };
    let back = format!("{engine}: {} of them come back to their sealed cards, one after the other", home.len());
    report.add(Line {
        goal: "-",
        what: format!("{back}: from Android being up to endpoint, median / p95"),
        ours: after,
        wanted: "< 1 s",
        ..Line::default()
    });
    report.add(Line {
        goal: "-",
        what: format!("{back}: from connect to endpoint, median / p95"),
        ours: whole,
        wanted: "median < 3 s",
        ..Line::default()
    });
    let restored = come_elsewhere(site, away).await.and_then(spread);
    report.add(Line {
        goal: "-",
        what: format!(
            "{engine}: {} of them come on other cards with their copies, one after the other: from connect to endpoint, median / p95",
            away.len()
        ),
        ours: told(restored),
        wanted: "median < 3 s",
        ..Line::default()
    });
}

/// Gives phones their data and takes them off: those that are off then, and how long it took.
async fn take_off(site: &Site, phones: &[i64]) -> anyhow::Result<(Vec<Left>, String)> {
    node(site).await?;
    let mut on = Vec::with_capacity(phones.len());
    for phone in phones {
        let seen = site.get(&format!("{PHONES}/{phone}")).await?;
        // One that is on no card is missing in the figures of its put-on already.
        let (Some(card), Some(address)) = (seen["card"]["id"].as_i64(), seen["card"]["name"].as_str()) else {
            continue;
        };
        let adb = site.adb(address)?;
        plant(adb, *phone).await?;
        on.push(Left { phone: *phone, card, adb });
    }
    let phones: Vec<i64> = on.iter().map(|one| one.phone).collect();
    let started = Instant::now();
    let body = json!({ "selection": { "ids": phones }, "reason": "bench" });
    let made = ask(site.at(), "POST", &format!("{PHONES}/take-off"), &site.token, &body).await?;
    let path = format!("{OPERATIONS}/{}", made["id"]);
    until("they are taken off", async || anyhow::Ok(site.get(&path).await?["state"].as_i64() >= Some(7))).await?;
    let took = started.elapsed();
    let mut off = Vec::with_capacity(on.len());
    for one in on {
        if site.get(&format!("{PHONES}/{}", one.phone)).await?["useType"] == 2 {
            off.push(one);
        }
    }
    let ended = site.get(&path).await?;
    ensure!(!off.is_empty(), "none has left its card: {ended}");
    let mut told = format!("{} in {} ({:.2}/s)", off.len(), time(took), off.len() as f64 / took.as_secs_f64());
    if off.len() < phones.len() {
        told += &format!("; {} failed", phones.len() - off.len());
    }
    Ok((off, told))
}

/// Makes the storage node for their copies: a folder of the room's agent.
async fn node(site: &Site) -> anyhow::Result<()> {
    let agents = site.get(&format!("/api/fleet/v1/agents?roomId={}", site.room)).await?;
    let agent = agents["list"][0]["id"].as_i64().context("an agent")?;
    let body = json!({ "name": "bench", "city": "杭州", "place": "copies", "agents": [agent], "capacity": 500, "unit": "gb",
        "partitions": 4 });
    let made = ask(site.at(), "POST", NODES, &site.token, &body).await?;
    let path = format!("{NODES}/{}", made["id"]);
    until("the storage node is seen", async || anyhow::Ok(site.get(&path).await?["state"] == 1)).await
}

/// Puts files on the card of a phone, over ADB as somebody's pictures come there.
async fn plant(adb: SocketAddr, phone: i64) -> anyhow::Result<()> {
    let card = Card::connect(adb, &Options::default()).await?;
    let script = format!(
        "i=0; while [ $i -lt {FILES} ]; do plant /data/media/0/DCIM/$i.jpg {BYTES} {phone}$i || exit 1; i=$((i + 1)); done"
    );
    card.run_whole(&Command::script(&script), PATIENCE, 4096).await?.checked()?;
    Ok(())
}

/// Phones come back to their own cards: how long each took, and how much of that from when Android was up there.
async fn come_home(site: &Site, left: &[Left]) -> anyhow::Result<(Vec<Duration>, Vec<Duration>)> {
    let (mut whole, mut after) = (Vec::with_capacity(left.len()), Vec::with_capacity(left.len()));
    for one in left {
        let card = Card::connect(one.adb, &Options::default()).await?;
        let up = tokio::spawn(async move {
            card.run_whole(&Command::script(UP), PATIENCE, 4096).await?.checked()?;
            anyhow::Ok(Instant::now())
        });
        // By then its shell asks.
        sleep(Duration::from_millis(100)).await;
        ensure!(!up.is_finished(), "Android is up on the card that phone {} has left", one.phone);
        let (took, ready) = site.connect(one.phone).await?;
        let seen = site.get(&format!("{PHONES}/{}", one.phone)).await?;
        ensure!(seen["card"]["id"] == one.card, "phone {} has come on another card", one.phone);
        whole.push(took);
        after.push(ready.saturating_duration_since(up.await??));
    }
    Ok((whole, after))
}

/// Phones come on other cards: their own are not for phones any more.
async fn come_elsewhere(site: &Site, left: &[Left]) -> anyhow::Result<Vec<Duration>> {
    ensure!(!left.is_empty(), "none has left its card");
    let cards: Vec<i64> = left.iter().map(|one| one.card).collect();
    let body = json!({ "selection": { "ids": cards }, "assignable": false });
    ask(site.at(), "POST", &format!("{CARDS}/flags"), &site.token, &body).await?;
    let mut times = Vec::with_capacity(left.len());
    for one in left {
        times.push(site.connect(one.phone).await?.0);
        let seen = site.get(&format!("{PHONES}/{}", one.phone)).await?;
        let card = seen["card"]["id"].as_i64().ok_or_else(|| anyhow!("phone {} is on no card", one.phone))?;
        ensure!(card != one.card, "phone {} has come back to its own card", one.phone);
    }
    Ok(times)
}
