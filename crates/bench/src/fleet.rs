//! The fleet: lists of a million cards, agents that report them, and operations on simulated ones.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::behind;
use crate::load::{self, Figures, Request};
use crate::plan;
use crate::racks::{Racks, ask, furnish};
use crate::report::{Line, Report, rate, time};
use crate::reporters;
use crate::subject::{Subject, anonymous};

const CARDS: &str = "/api/fleet/v1/cards";
pub const OPERATIONS: &str = "/api/operation/v1/operations";

/// Lists and reports of `cards` cards in the records.
pub async fn books(
    binary: &Path,
    database: Option<&str>,
    cards: u64,
    seconds: u64,
    report: &mut Report,
) -> anyhow::Result<()> {
    let engine = if database.is_some() { "PostgreSQL" } else { "SQLite" };
    let folder = tempfile::tempdir_in("target")?;
    let url =
        database.map_or_else(|| format!("sqlite:{}", folder.path().join("skyrack.db").display()), ToOwned::to_owned);
    plan::seed(binary, folder.path(), &url, &["--cards", &cards.to_string()])?;
    let ours = Subject::console(binary, folder.path(), &url).await?;
    let token = ours.sign_in().await?;
    lists(ours.address, &token, cards, seconds, engine, report).await?;
    reporters::measure(&ours, &token, cards, engine, report).await?;
    freezing(&ours, &token, engine, report).await
}

async fn lists(
    at: SocketAddr,
    token: &str,
    cards: u64,
    seconds: u64,
    engine: &str,
    report: &mut Report,
) -> anyhow::Result<()> {
    let half = cards / 40;
    for (goal, what, query, wanted) in [
        ("1, 2", "two filters, sorted by address", "runStatus=2&networkStatus=1&sort=intranetIp&order=asc", ""),
        ("2", "two filters, newest first", "runStatus=4&roomId=1", "p99 ≤ 5 ms"),
        ("2", "in one network status, the longest in its status first", "networkStatus=1&sort=runSince&order=asc", ""),
        ("2", "nobody works on, by serial number", "maintenance=1&sort=serial&order=asc", ""),
        ("2", "somebody works on", "maintenance=3", ""),
        ("3", "all", "", "≤ 2 ms"),
        ("4", "the middle page", &format!("pageNum={half}"), "≤ 2.5 ms SQLite, ≤ 4 ms PostgreSQL"),
        ("5", "key word, part of an address", "keyWord=10.4.1", "≤ 30 ms SQLite, ≤ 45 ms PostgreSQL"),
        ("5", "key word, part of a serial number", "keyWord=SR01000123", "≤ 30 ms SQLite, ≤ 45 ms PostgreSQL"),
    ] {
        let request = Request::new("GET", &format!("{CARDS}?{query}&pageSize=20"), Some(token), "");
        let (alone, crowd) = plan::both(at, seconds, 100, request).await?;
        report.add(Line {
            goal,
            what: format!("{engine}: list of cards with exact total, {what}"),
            ours: format!("{} / {}, {}", time(alone.p50), time(alone.p99), rate(crowd.per_second)),
            wanted,
            ..Line::default()
        });
    }
    let tree = Request::new("GET", "/api/fleet/v1/tree", Some(token), "");
    let Figures { p50, p99, .. } = load::alone(at, 100, move |_| tree.clone()).await?;
    report.add(Line {
        goal: "-",
        what: format!("{engine}: counts by status of every room"),
        ours: format!("{} / {}", time(p50), time(p99)),
        ..Line::default()
    });
    let auth = token.to_owned();
    let read = move |n: usize| {
        let id = 1 + (n as u64 * 7919) % cards;
        Request::new("GET", &format!("{CARDS}/{id}"), Some(&auth), "")
    };
    let Figures { per_second, .. } = load::crowd(at, 32, seconds, read).await?;
    report.add(Line {
        goal: "6",
        what: format!("{engine}: read one card, 32 connections"),
        ours: rate(per_second),
        ..Line::default()
    });
    Ok(())
}

/// Everything that a filter matches is expanded and waits for agents.
async fn freezing(ours: &Subject, token: &str, engine: &str, report: &mut Report) -> anyhow::Result<()> {
    let before = ours.memory()?;
    let body = json!({ "selection": { "filter": {} }, "act": { "kind": "shell", "script": "id" } });
    let started = Instant::now();
    let made = ask(ours.address, "POST", OPERATIONS, token, &body).await?;
    let answered = started.elapsed();
    let path = format!("{OPERATIONS}/{}", made["id"]);
    let mut most = before;
    let there = loop {
        let there = ask(ours.address, "GET", &path, token, &Value::Null).await?;
        most = most.max(ours.memory()?);
        if there["state"] != 1 {
            break there;
        }
        sleep(Duration::from_millis(200)).await;
    };
    report.add(Line {
        goal: "-",
        what: format!("{engine}: an operation on all {} cards, written down and queued", there["total"]),
        ours: format!(
            "{} (answered in {}, {} MiB more)",
            time(started.elapsed()),
            time(answered),
            most.saturating_sub(before) >> 20
        ),
        wanted: "≤ 30 s at 1,000,000, bounded memory",
        ..Line::default()
    });
    Ok(())
}

/// A process that dies with this value.
pub struct Process(Child);

impl Process {
    /// Starts the binary; what it prints is lost.
    pub fn start(binary: &Path, arguments: &[&str]) -> anyhow::Result<Self> {
        let mut command = Command::new(binary);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self(command.spawn().with_context(|| format!("start {command:?}"))?))
    }

    /// What the system calls it.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Anonymous memory in bytes.
    pub fn memory(&self) -> anyhow::Result<u64> {
        anonymous(self.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Operations on `cards` simulated cards, by a real agent: console, agent and cards share the machine.
pub async fn operations(
    binary: &Path,
    database: Option<&str>,
    cards: usize,
    report: &mut Report,
) -> anyhow::Result<()> {
    let engine = if database.is_some() { "PostgreSQL" } else { "SQLite" };
    let folder = tempfile::tempdir_in("target")?;
    let url =
        database.map_or_else(|| format!("sqlite:{}", folder.path().join("skyrack.db").display()), ToOwned::to_owned);
    let ours = Subject::console(binary, folder.path(), &url).await?;
    let token = ours.sign_in().await?;
    let at = ours.address;
    limits(at, &token, 256).await?;
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let room = furnish(at, &token, &Racks { cards, per_frame: 400, port }).await?;
    let (count, listen) = (cards.to_string(), format!("127.0.0.1:{port}"));
    let _cards = Process::start(
        binary,
        &["simulate", "--cards", &count, "--addresses", "--listen", &listen, "--boot-ms", "1000"],
    )?;
    let joining = ask(at, "POST", "/api/fleet/v1/join-tokens", &token, &json!({ "roomId": room })).await?;
    let (console, data) = (format!("http://{at}"), folder.path().join("agent"));
    let data = data.to_str().context("a path")?;
    let join = joining["token"].as_str().context("a token")?;
    let _agent = Process::start(
        binary,
        &["agent", "--console", &console, "--token", join, "--name", "bench", "--data-dir", data, "--allow-loopback"],
    )?;
    let online = format!("{CARDS}?networkStatus=1&pageSize=1");
    while ask(at, "GET", &online, &token, &Value::Null).await?["total"] != cards {
        sleep(Duration::from_millis(500)).await;
    }
    for (what, per_host, wanted) in
        [("unlimited", 256, "created < 2 s, done < 10 s"), ("at most 6 at a time on a host", 6, "done < 60 s")]
    {
        limits(at, &token, per_host).await?;
        let (mut asked, mut made, mut done) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..3 {
            let selection = json!({ "filter": { "roomId": room } });
            let started = Instant::now();
            let body = json!({ "selection": selection, "kind": 5 });
            ask(at, "POST", &format!("{OPERATIONS}/preview"), &token, &body).await?;
            asked.push(started.elapsed());
            let started = Instant::now();
            let body = json!({ "selection": selection, "act": { "kind": "shell", "script": "echo hi" } });
            let operation = ask(at, "POST", OPERATIONS, &token, &body).await?;
            made.push(started.elapsed());
            let path = format!("{OPERATIONS}/{}", operation["id"]);
            loop {
                let now = ask(at, "GET", &path, &token, &Value::Null).await?;
                if now["state"] == 7 {
                    ensure!(now["succeeded"] == cards, "{now}");
                    break;
                }
                sleep(Duration::from_millis(50)).await;
            }
            done.push(started.elapsed());
        }
        let middle = |times: &mut Vec<Duration>| {
            times.sort_unstable();
            time(times[times.len() / 2])
        };
        let (asked, made, done) = (middle(&mut asked), middle(&mut made), middle(&mut done));
        report.add(Line {
            goal: "17, 18",
            what: format!("{engine}: a script on {cards} simulated cards, kept connections, {what}"),
            ours: format!("pre-flight {asked}, created {made}, done {done}"),
            wanted,
            ..Line::default()
        });
    }
    limits(at, &token, 256).await?;
    behind::measure(at, &token, room, (engine, cards), report).await
}

/// Lets as many tasks run at once as the room allows, and this many at a host.
pub async fn limits(at: SocketAddr, token: &str, per_host: i64) -> anyhow::Result<()> {
    let path = "/api/fleet/v1/settings";
    let mut settings = ask(at, "GET", path, token, &Value::Null).await?;
    let fields = settings.as_object_mut().context("settings")?;
    fields.retain(|key, _| key != "secrets" && !key.starts_with("updated"));
    for (field, value) in [
        ("heartbeatSeconds", 10),
        ("tasksPerHost", per_host),
        ("tasksPerFrame", 5000),
        ("tasksPerRoom", 10_000),
        // There is nobody to approve.
        ("approvalAbove", 0),
    ] {
        fields.insert(field.to_owned(), value.into());
    }
    ask(at, "PUT", path, token, &settings).await.map(drop)
}
