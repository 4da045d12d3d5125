//! How a room's panel draws, pans, and follows its cards, in headless Chromium.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{ChildStdout, Command};
use tokio::time::{Instant, interval, sleep, timeout};
use wire::{Agent, Console, MAX_BATCH, Probe};

use crate::racks::{Racks, ask, furnish};
use crate::report::{Line, Report, time};
use crate::reporters::{Socket, hear, join, report as good, say};
use crate::subject::{PASSWORD, Subject};

/// Positions of the room: 200 frames of 72.
pub const POSITIONS: usize = 14_400;
/// Of those, the cards that report every heartbeat.
const REPORTING: usize = 10_000;
/// Seconds between two reports of a card.
const BEAT: u64 = 10;
/// Changes of the first card.
const CHANGES: usize = 200;

/// Draws the room, pans it, and times a card's changes from the report to the screen.
pub async fn measure(binary: &Path, report: &mut Report) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in("target")?;
    let url = format!("sqlite:{}", folder.path().join("skyrack.db").display());
    let ours = Subject::console(binary, folder.path(), &url).await?;
    let (at, token) = (ours.address, ours.sign_in().await?);
    let room = furnish(at, &token, &Racks { cards: POSITIONS, per_frame: 72, port: 5555 }).await?;
    let (socket, cards) = join(at, &token, room).await?;
    let (watched, others) = cards.split_first().context("no cards")?;
    let mut agent = Reporting { socket, seq: 0, watched: *watched, others: &others[..REPORTING], next: 0 };
    for _ in 0..3 {
        agent.all().await?;
    }

    let mut browser = Command::new("node")
        .args(["web/tools/panel.mjs", &format!("http://{at}"), &room.to_string()])
        .env("SKYRACK_ADMIN_PASSWORD", PASSWORD)
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .context("start node")?;
    let mut lines = BufReader::new(browser.stdout.take().context("no output")?).lines();
    let drawn = next(&mut lines).await?;
    let milliseconds = |value: &Value| format!("{:.0} ms", value.as_f64().unwrap_or(f64::NAN));
    report.add(Line {
        goal: "-",
        what: format!("the panel of {POSITIONS} positions drawn, from its data / from the press on the room"),
        ours: format!("{} / {}", milliseconds(&drawn["drawn"]), milliseconds(&drawn["pressed"])),
        wanted: "< 200 ms",
        ..Line::default()
    });
    for (what, frames) in [("panned with the wheel", &drawn["pan"]), ("a selection dragged over it", &drawn["drag"])] {
        let each = frames["perSecond"].as_f64().unwrap_or(f64::NAN);
        report.add(Line {
            goal: "-",
            what: format!("{what}: frames a second; 99th percentile between two"),
            ours: format!("{each:.0}; {}", milliseconds(&frames["p99"])),
            wanted: "60",
            ..Line::default()
        });
    }

    let mut took = Vec::new();
    for change in 0..CHANGES {
        let said = agent.change(change % 2 == 1).await?;
        let seen = agent.beating(&mut lines).await?["at"].as_f64().context("a time")?;
        took.push(Duration::from_secs_f64((seen / 1000.0 - said).max(0.0)));
        agent.rest(Duration::from_millis(137 + change as u64 % 97)).await?;
    }
    took.sort_unstable();
    let (middle, late) = (took[took.len() / 2], took[took.len() * 99 / 100]);
    report.add(Line {
        goal: "16",
        what: format!("{REPORTING} cards report every {BEAT} s: from the report that changes a card to its colour"),
        ours: format!("{} / {}", time(middle), time(late)),
        wanted: "p99 < 1 s",
        ..Line::default()
    });
    // The browser has signed in since, which ended the earlier session.
    let token = ours.sign_in().await?;
    let page = ask(at, "GET", "/api/fleet/v1/cards?pageSize=1&networkStatus=1", &token, &json!(null)).await?;
    ensure!(page["total"].as_u64() >= Some(REPORTING as u64), "the cards were not online: {page}");
    Ok(())
}

async fn next(lines: &mut Lines<BufReader<ChildStdout>>) -> anyhow::Result<Value> {
    let line = timeout(Duration::from_mins(2), lines.next_line()).await.context("the browser says nothing")??;
    Ok(serde_json::from_str(&line.context("the browser is gone")?)?)
}

/// An agent with one card that is watched in the browser; the others report evenly.
struct Reporting<'a> {
    socket: Socket,
    seq: u64,
    watched: i64,
    others: &'a [i64],
    /// Which of the others report next.
    next: usize,
}

impl Reporting<'_> {
    /// Reports some and waits until they were accepted.
    async fn send(&mut self, reports: Vec<wire::Report>) -> anyhow::Result<()> {
        self.seq += 1;
        let seq = self.seq;
        say(&mut self.socket, &Agent::Reports { seq, reports }).await?;
        while !matches!(hear(&mut self.socket).await?, Console::Taken { seq: answered } if answered == seq) {}
        Ok(())
    }

    fn beat(&self) -> i16 {
        i16::try_from(self.seq % 1000).unwrap_or(0)
    }

    /// All cards are fine.
    async fn all(&mut self) -> anyhow::Result<()> {
        for piece in self.others.chunks(MAX_BATCH) {
            let beat = self.beat();
            self.send(piece.iter().map(|card| good(*card, beat)).collect()).await?;
        }
        self.send(vec![good(self.watched, 0)]).await
    }

    /// The watched card comes or goes; returns when the decisive report was sent, in seconds of the clock.
    async fn change(&mut self, up: bool) -> anyhow::Result<f64> {
        let looks = if up { 2 } else { 3 };
        let mut said = 0.0;
        for _ in 0..looks {
            let mut look = good(self.watched, 0);
            if !up {
                look.probe = Some(Probe { reached: true, tcp_open: false, adb_answers: false, booted: false });
            }
            said = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
            self.send(vec![look]).await?;
        }
        Ok(said)
    }

    /// The others continue to report until the browser has seen something.
    async fn beating(&mut self, lines: &mut Lines<BufReader<ChildStdout>>) -> anyhow::Result<Value> {
        let mut ticks = interval(Duration::from_millis(100));
        let seen = next(lines);
        tokio::pin!(seen);
        loop {
            tokio::select! {
                seen = &mut seen => return seen,
                _ = ticks.tick() => self.some().await?,
            }
        }
    }

    /// The others continue to report for this long.
    async fn rest(&mut self, pause: Duration) -> anyhow::Result<()> {
        let end = Instant::now() + pause;
        while Instant::now() < end {
            self.some().await?;
            sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    /// As many of the others as report in a tenth of a second.
    async fn some(&mut self) -> anyhow::Result<()> {
        let count = self.others.len() / (BEAT as usize * 10);
        let beat = self.beat();
        let reports = (0..count).map(|n| good(self.others[(self.next + n) % self.others.len()], beat)).collect();
        self.next = (self.next + count) % self.others.len();
        self.send(reports).await
    }
}
