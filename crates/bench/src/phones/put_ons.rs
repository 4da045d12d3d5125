//! What it takes to put phones on cards: one at a time, and as many as come.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::door::{Key, call};
use super::site::{PATIENCE, Site, connect_path};
use super::{PHONES, back, spread, told};
use crate::fleet::OPERATIONS;
use crate::load::Connection;
use crate::racks::ask;
use crate::report::{Line, Report, rate, time};

/// What a simulated card takes for a start in milliseconds, give or take a quarter.
pub const BOOT_MS: u32 = 1000;
/// Phones that come one after the other, with nothing else going on.
const ALONE: usize = 40;
/// Connections on which customers connect at a time.
const LANES: usize = 32;
/// Between two questions of a customer who waits among others.
const ASK: Duration = Duration::from_secs(3);
/// Between two looks at how many phones are on.
const LOOK: Duration = Duration::from_millis(100);
/// For how long the console is watched that has nothing to do but to hear of its cards.
const IDLE: Duration = Duration::from_secs(20);
const SAGA: &str = "< 20 ms";

/// Puts phones on cards, of which there are two for five phones.
pub async fn measure(binary: &Path, database: Option<&str>, cards: usize, report: &mut Report) -> anyhow::Result<()> {
    ensure!(cards >= 100, "put-ons are measured on 100 cards and more");
    let engine = if database.is_some() { "PostgreSQL" } else { "SQLite" };
    let all = cards * 5 / 2;
    let site = Site::open(binary, database, (cards, BOOT_MS), all).await?;
    // One of ten cards stays free, so that nobody has to leave one, and none is wiped.
    let alone = ALONE.min(cards / 10);
    let some = (cards - cards / 10 - alone) / 2;
    let (first, rest) = site.phones.split_at(alone);
    let (second, third) = (&rest[..some], &rest[some..2 * some]);

    report.add(Line {
        goal: "-",
        what: format!(
            "{engine}: a blank phone is put on, {alone} one after the other: from connect to endpoint, median / p95"
        ),
        ours: told(one_by_one(&site, first).await),
        wanted: "median < 3 s",
        ..Line::default()
    });
    let idle = idle(&site).await?;
    report.add(Line {
        goal: "-",
        what: format!("{engine}: the console while {cards} cards report every 10 s"),
        ours: format!("{idle:.3} cores"),
        ..Line::default()
    });
    let burst = burst(&site, idle, second).await;
    let (rates, each) = apart(burst);
    report.add(Line {
        goal: "-",
        what: format!("{engine}: {some} of {all} blank phones are connected to on {LANES} connections"),
        ours: rates,
        wanted: "≥ 100 put-ons a second",
        ..Line::default()
    });
    report.add(Line {
        goal: "-",
        what: format!("{engine}: the same: what each takes of the console, with its customer who asks while he waits"),
        ours: each,
        wanted: SAGA,
        ..Line::default()
    });
    let (rates, each) = apart(operation(&site, idle, third).await);
    report.add(Line {
        goal: "-",
        what: format!("{engine}: {some} blank phones are put on by one operation"),
        ours: rates,
        wanted: "≥ 100 put-ons a second",
        ..Line::default()
    });
    report.add(Line {
        goal: "-",
        what: format!("{engine}: the same: what each takes of the console, its task in the operation included"),
        ours: each,
        wanted: SAGA,
        ..Line::default()
    });
    // Those that came one after the other, and some of the others.
    let used = (cards / 10).min(back::MOST);
    back::measure(&site, engine, &site.phones[..used], report).await;
    Ok(())
}

/// Two figures, or twice why there are none.
fn apart(found: anyhow::Result<(String, String)>) -> (String, String) {
    match found {
        Ok((one, other)) => (told(Ok(one)), told(Ok(other))),
        Err(error) => {
            let why = told(Err(error));
            (why.clone(), why)
        }
    }
}

async fn one_by_one(site: &Site, phones: &[i64]) -> anyhow::Result<String> {
    let mut times = Vec::with_capacity(phones.len());
    for phone in phones {
        times.push(site.connect(*phone).await?.0);
    }
    spread(times)
}

/// How many cores the console takes while nothing is done to a phone.
async fn idle(site: &Site) -> anyhow::Result<f64> {
    let (used, started) = (site.console.processor()?, Instant::now());
    sleep(IDLE).await;
    Ok(site.console.processor()?.saturating_sub(used).as_secs_f64() / started.elapsed().as_secs_f64())
}

/// What the console takes for phones that come on cards.
struct Meter<'a> {
    site: &'a Site,
    idle: f64,
    /// On cards before.
    before: usize,
    used: Duration,
    started: Instant,
    /// Since then on cards, and when the last of them came.
    on: usize,
    last: Duration,
}

impl<'a> Meter<'a> {
    async fn start(site: &'a Site, idle: f64) -> anyhow::Result<Self> {
        let (before, used) = (site.on().await?, site.console.processor()?);
        Ok(Self { site, idle, before, used, started: Instant::now(), on: 0, last: Duration::ZERO })
    }

    /// Watches until so many are on, or it is over.
    async fn watch(
        &mut self,
        wanted: usize,
        mut is_over: impl AsyncFnMut() -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        loop {
            // Asked before, so that whoever came last is counted.
            let over = is_over().await?;
            let on = self.site.on().await?.saturating_sub(self.before);
            if on > self.on {
                (self.on, self.last) = (on, self.started.elapsed());
            }
            if on >= wanted || over {
                return Ok(());
            }
            ensure!(self.started.elapsed() < PATIENCE, "{on} of {wanted} phones are on after ten minutes");
            sleep(LOOK).await;
        }
    }

    /// How many came in a second.
    fn rate(&self) -> String {
        format!("{} on their cards", rate(self.on as f64 / self.last.as_secs_f64().max(0.001)))
    }

    /// What each has cost, beside what the console takes anyway.
    fn each(&self) -> anyhow::Result<String> {
        ensure!(self.on > 0, "none has come on a card");
        let all = self.site.console.processor()?.saturating_sub(self.used).as_secs_f64();
        let own = (all - self.idle * self.started.elapsed().as_secs_f64()).max(0.0);
        Ok(format!("{} of CPU", time(Duration::from_secs_f64(own / self.on as f64))))
    }
}

/// How a lane has ended.
#[derive(Debug, Default)]
struct Lane {
    /// When its last customer was told that he is in the queue.
    accepted: Duration,
    /// What those were told who were not let in.
    failed: Vec<String>,
}

/// Customers connect to phones, all at once: the rates, and what each costs.
async fn burst(site: &Site, idle: f64, phones: &[i64]) -> anyhow::Result<(String, String)> {
    let mut meter = Meter::start(site, idle).await?;
    let mut lanes = JoinSet::new();
    for some in phones.chunks(phones.len().div_ceil(LANES).max(1)) {
        lanes.spawn(lane(site.at(), Arc::clone(&site.key), some.to_vec(), meter.started));
    }
    let crowd = tokio::spawn(async move {
        let mut ended = Lane::default();
        while let Some(lane) = lanes.join_next().await {
            let Lane { accepted, failed } = lane??;
            ended.accepted = ended.accepted.max(accepted);
            ended.failed.extend(failed);
        }
        anyhow::Ok(ended)
    });
    meter.watch(phones.len(), async || anyhow::Ok(crowd.is_finished())).await?;
    let each = meter.each()?;
    let Lane { accepted, failed } = crowd.await??;
    let accepted = rate(phones.len() as f64 / accepted.as_secs_f64().max(0.001));
    let mut told = format!("{accepted} accepted, {}", meter.rate());
    if let Some(first) = failed.first() {
        told += &format!("; {} failed, such as {first}", failed.len());
    }
    Ok((told, each))
}

/// One connection: its customers connect one after the other, and ask every few seconds how far it is.
async fn lane(at: SocketAddr, key: Arc<Key>, phones: Vec<i64>, started: Instant) -> anyhow::Result<Lane> {
    let mut line = Connection::open(at).await?;
    let mut rest = phones.into_iter();
    let (mut ended, mut waiting, mut asked) = (Lane::default(), Vec::new(), Instant::now());
    loop {
        if let Some(phone) = rest.next() {
            let path = connect_path(phone);
            call(&mut line, &key.act(&path)).await?;
            ended.accepted = started.elapsed();
            waiting.push(path);
        } else if waiting.is_empty() {
            return Ok(ended);
        } else {
            sleep(ASK.saturating_sub(asked.elapsed())).await;
        }
        if asked.elapsed() < ASK {
            continue;
        }
        ensure!(started.elapsed() < PATIENCE, "{} still wait after ten minutes", waiting.len());
        asked = Instant::now();
        let mut still = Vec::with_capacity(waiting.len());
        for path in waiting {
            let seen = call(&mut line, &key.look(&path)).await?;
            match seen["state"].as_str() {
                Some("ready") => {}
                Some("queued" | "preparing") => still.push(path),
                _ => ended.failed.push(seen.to_string()),
            }
        }
        waiting = still;
    }
}

/// An operator puts phones on: nobody asks meanwhile.
async fn operation(site: &Site, idle: f64, phones: &[i64]) -> anyhow::Result<(String, String)> {
    let mut meter = Meter::start(site, idle).await?;
    let body = json!({ "selection": { "ids": phones }, "reason": "bench" });
    let made = ask(site.at(), "POST", &format!("{PHONES}/put-on"), &site.token, &body).await?;
    let answered = meter.started.elapsed();
    let path = format!("{OPERATIONS}/{}", made["id"]);
    meter.watch(phones.len(), async || anyhow::Ok(site.get(&path).await?["state"].as_i64() >= Some(7))).await?;
    let each = meter.each()?;
    let mut told = format!("answered in {}, {}", time(answered), meter.rate());
    if meter.on < phones.len() {
        told += &format!("; {} failed", phones.len() - meter.on);
    }
    Ok((told, each))
}
