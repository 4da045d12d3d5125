//! Room agents that only report: how many reports the console accepts, and what that costs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{interval, sleep};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use wire::{Agent, Console, MAX_BATCH, Metrics, PROTOCOL, Probe};

use crate::load::{Connection, Request};
use crate::racks::ask;
use crate::report::{Line, Report, rate};
use crate::subject::Subject;

/// Seconds between two reports of a card.
const BEAT: u64 = 10;
/// Seconds for which each rate is measured.
const MEASURED: u64 = 30;

/// Interval between two frames of an agent in a hurry: more than 400 in a second are a flood.
const FRAMES: Duration = Duration::from_millis(3);

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Connects an agent for each room and lets them report: every card every ten seconds, and then as fast as they can.
pub async fn measure(ours: &Subject, token: &str, cards: u64, engine: &str, report: &mut Report) -> anyhow::Result<()> {
    let quiet = ours.memory()?;
    let rooms = ask(ours.address, "GET", "/api/fleet/v1/rooms?pageSize=500", token, &Value::Null).await?;
    let rooms: Vec<i64> =
        rooms["list"].as_array().context("rooms")?.iter().filter_map(|room| room["id"].as_i64()).collect();
    let taken = Arc::new(AtomicU64::new(0));
    let hurry = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut agents = Vec::new();
    for room in &rooms {
        let (socket, cards) = join(ours.address, token, *room).await?;
        agents.push(tokio::spawn(talk(socket, cards, Arc::clone(&taken), Arc::clone(&hurry))));
    }
    // Errors in the records are corrected in the first rounds.
    sleep(Duration::from_secs(3 * BEAT)).await;
    let during = async |what: String, wanted: &'static str, report: &mut Report| -> anyhow::Result<()> {
        let (before, used, started) = (taken.load(Ordering::Relaxed), ours.processor()?, Instant::now());
        sleep(Duration::from_secs(MEASURED)).await;
        let seconds = started.elapsed().as_secs_f64();
        let per_second = (taken.load(Ordering::Relaxed) - before) as f64 / seconds;
        let cores = (ours.processor()? - used).as_secs_f64() / seconds;
        report.add(Line {
            goal: "15",
            what,
            ours: format!("{}, {cores:.2} cores", rate(per_second)),
            wanted,
            ..Line::default()
        });
        Ok(())
    };
    let what = format!("{engine}: {} agents report {cards} cards every {BEAT} s", rooms.len());
    during(what, "100,000/s on at most one core at 1,000,000", report).await?;
    hurry.store(true, Ordering::Relaxed);
    let what = format!("{engine}: {} agents report as fast as they can", rooms.len());
    during(what, "≥ 300,000/s", report).await?;
    report.add(Line {
        goal: "15",
        what: format!("{engine}: memory for a card while its agent is connected"),
        ours: format!("{} bytes", ours.memory()?.saturating_sub(quiet) / cards.max(1)),
        wanted: "< 400 bytes",
        ..Line::default()
    });
    for agent in &agents {
        agent.abort();
    }
    Ok(())
}

/// Joins a room and connects. Returns the room's cards as well.
pub async fn join(at: SocketAddr, token: &str, room: i64) -> anyhow::Result<(Socket, Vec<i64>)> {
    let joining = ask(at, "POST", "/api/fleet/v1/join-tokens", token, &json!({ "roomId": room })).await?;
    let body = json!({ "token": joining["token"], "name": "bench", "version": "bench" }).to_string();
    let answer = Connection::open(at).await?.send(&Request::new("POST", "/agent/v1/enrol", None, &body)).await?;
    let joined: Value = serde_json::from_slice(&answer.body)?;
    let joined = if joined["data"].is_null() { joined } else { joined["data"].clone() };
    let credential = joined["credential"].as_str().with_context(|| format!("not joined: {joined}"))?;
    let mut request = format!("ws://{at}/agent/v1/connect").into_client_request()?;
    request.headers_mut().insert("authorization", format!("Bearer {credential}").parse()?);
    let (mut socket, _) = connect_async(request).await?;
    say(
        &mut socket,
        &Agent::Hello {
            protocol: PROTOCOL,
            version: "bench".into(),
            platform: String::new(),
            stay: 0,
            places: None,
            held: Vec::new(),
        },
    )
    .await?;
    let mut cards = Vec::new();
    loop {
        if let Console::Roster { cards: some, is_last, .. } = hear(&mut socket).await? {
            cards.extend(some.iter().map(|card| card.id));
            if is_last {
                return Ok((socket, cards));
            }
        }
    }
}

/// Sends one message.
pub async fn say(socket: &mut Socket, message: &Agent) -> anyhow::Result<()> {
    Ok(socket.send(Message::text(serde_json::to_string(message)?)).await?)
}

/// The next message.
pub async fn hear(socket: &mut Socket) -> anyhow::Result<Console> {
    loop {
        match socket.next().await.context("the console is gone")?? {
            Message::Text(text) => return Ok(serde_json::from_str(&text)?),
            Message::Close(_) => bail!("the console has closed"),
            Message::Ping(_) | Message::Pong(_) | Message::Binary(_) | Message::Frame(_) => {}
        }
    }
}

/// Reports its cards, evenly over each heartbeat interval; a slow console slows it.
async fn talk(
    mut socket: Socket,
    cards: Vec<i64>,
    taken: Arc<AtomicU64>,
    hurry: Arc<std::sync::atomic::AtomicBool>,
) -> anyhow::Result<()> {
    let pieces: Vec<&[i64]> = cards.chunks(MAX_BATCH).collect();
    let mut ticks = interval(Duration::from_secs(BEAT) / u32::try_from(pieces.len().max(1))?);
    let mut frames = interval(FRAMES);
    let mut seq = 0;
    loop {
        for piece in &pieces {
            if hurry.load(Ordering::Relaxed) {
                frames.tick().await;
            } else {
                ticks.tick().await;
            }
            seq += 1;
            let beat = seq as i16;
            let reports = piece.iter().map(|card| report(*card, beat)).collect();
            say(&mut socket, &Agent::Reports { seq, reports }).await?;
            while !matches!(hear(&mut socket).await?, Console::Taken { seq: answered } if answered == seq) {}
            taken.fetch_add(piece.len() as u64, Ordering::Relaxed);
        }
    }
}

/// The result of a good poll.
pub fn report(card: i64, beat: i16) -> wire::Report {
    let up = Probe { reached: true, tcp_open: true, adb_answers: true, booted: true };
    let load = u8::try_from((card + i64::from(beat)).rem_euclid(60)).unwrap_or(0);
    let metrics = Metrics {
        cpu: load,
        memory: 40,
        storage: 30,
        loss: 0,
        temperature: 45 + beat % 10,
        latency: 2,
        uptime: 86_400,
    };
    wire::Report { card, probe: Some(up), power: None, metrics: Some(metrics) }
}
