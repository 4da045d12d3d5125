//! A room of simulated cards with a real agent, or with a test that acts as its agent: it dials, says and hears.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use agent::{Agent, Identity, Settings};
use base::http::serve::serve;
use fleet::enrol;
use futures::{SinkExt as _, StreamExt as _};
use rustls::{ClientConfig, RootCertStore};
use serde_json::{Value, json};
use testapp::{Caller, HERE, TestApp};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use crate::site::{CARDS, FRAMES, HOSTS, PLANS, ROOMS, Site, kind, settings};

/// The application behind a real port. It stops with the value.
pub struct Console {
    pub url: Url,
    _stop: DropGuard,
}

pub async fn console(app: &TestApp) -> Console {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    let stop = CancellationToken::new();
    let (router, config, stopped) = (app.router.clone(), app.app.config.clone(), stop.clone());
    tokio::spawn(async move { serve(listener, router, &config, stopped).await.unwrap() });
    Console { url, _stop: stop.drop_guard() }
}

/// A simulated room of cards, and the console's records of it: a frame with hosts of eight positions.
pub async fn simulated(clerk: &Caller<'_>, number: u8, cards: usize) -> (sim::Room, Site) {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let first = Ipv4Addr::new(127, 64 + number, 0, 1);
    let settings = sim::Settings {
        cards,
        layout: sim::Layout::Addresses(first, port),
        boot: Duration::from_millis(300),
        bmcs: Some(sim::Layout::Ports(SocketAddr::from(([127, 0, 0, 1], 0)))),
        power_delay: Duration::from_millis(50),
        ..sim::Settings::default()
    };
    let room = sim::Room::start(settings).await.unwrap();
    let id = |made: &Value| made["id"].as_i64().unwrap();
    let place = id(&clerk.post(ROOMS, json!({ "name": format!("仿真 {number}"), "city": "杭州" })).await.data());
    let hosts_needed = cards.div_ceil(8);
    let frame = id(&clerk.post(FRAMES, json!({ "roomId": place, "name": "S-01", "slots": hosts_needed })).await.data());
    let mut hosts = Vec::new();
    for slot in 1..=hosts_needed {
        let body = json!({ "frameId": frame, "slot": slot, "name": format!("sim-{slot}"), "positions": 8 });
        hosts.push(id(&clerk.post(HOSTS, body).await.data()));
    }
    let last = Ipv4Addr::from(u32::from(first) + cards as u32 - 1);
    let body = json!({ "roomId": place, "name": "仿真",
        "intranet": { "startIp": first, "endIp": last, "startPort": port },
        "extranet": { "startIp": "203.0.113.9", "startPort": 20001, "endPort": 20000 + cards } });
    let plan = id(&clerk.post(PLANS, body).await.data());
    let body = kind(json!({ "planId": plan, "count": cards, "frameId": frame }));
    clerk.post("/api/fleet/v1/cards/range", body).await.data();
    (room, Site { room: place, frame, hosts, plan })
}

/// An agent that has joined a room.
pub async fn joined(app: &TestApp, clerk: &Caller<'_>, console: &Console, room: i64) -> Identity {
    let made = clerk.post("/api/fleet/v1/join-tokens", json!({ "roomId": room })).await.data();
    let joined = enrol(&app.app, made["token"].as_str().unwrap(), "agent-1", "3.2.1", HERE).await.unwrap().unwrap();
    Identity {
        consoles: console.url.clone().into(),
        agent: joined.agent.0,
        room: joined.room.0,
        credential: joined.credential,
    }
}

fn tls() -> ClientConfig {
    let provider = rustls::crypto::aws_lc_rs::default_provider().into();
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()
}

/// Starts an agent; it dies with the value.
pub async fn run_agent(identity: Identity, folder: &Path) -> RunningAgent {
    let settings = Settings {
        data_dir: folder.to_path_buf(),
        version: "3.2.1",
        looks: 64,
        pace: 10,
        leash: agent::LEASH,
        tls: tls(),
        targets: agent::simulated_room(),
        management_nets: Vec::new(),
        store_roots: Vec::new(),
    };
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().thread_name("agent").build().unwrap();
    let agent = runtime.spawn(Agent::open(identity, settings)).await.unwrap().unwrap();
    runtime.spawn(agent.run(CancellationToken::new()));
    RunningAgent(Some(runtime))
}

/// An agent with threads of its own. Once this is dropped it is dead as a process is that was killed: whatever it had begun goes no
/// further, or a test would see two agents at one card where there is never more than one.
#[derive(Debug)]
pub struct RunningAgent(Option<Runtime>);

impl Drop for RunningAgent {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Cards are polled as often as the settings allow.
pub async fn hurry(clerk: &Caller<'_>) {
    settings(clerk, "heartbeatSeconds", 5).await;
}

/// So long something may take on a machine that runs other suites beside.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Waits until `what` answers yes.
pub async fn until<F: Future<Output = bool>>(words: &str, mut what: impl FnMut() -> F) {
    let started = Instant::now();
    while !what().await {
        assert!(started.elapsed() < PATIENCE, "{words}: not within two minutes");
        sleep(Duration::from_millis(100)).await;
    }
}

/// Waits until this many cards are online.
pub async fn until_online(clerk: &Caller<'_>, cards: u64) {
    until("all cards are online", async || {
        clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"] == cards
    })
    .await;
}

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub async fn dial(console: &Console, credential: &str) -> Result<Socket, u16> {
    let url = console.url.join("/agent/v1/connect").unwrap().as_str().replace("http://", "ws://");
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {credential}").parse().unwrap());
    match connect_async(request).await {
        Ok((socket, _)) => Ok(socket),
        Err(tokio_tungstenite::tungstenite::Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

pub async fn say(socket: &mut Socket, message: &Value) {
    socket.send(Message::text(message.to_string())).await.unwrap();
}

/// The next message of a type, within two minutes; others in between are passed over.
pub async fn hear(socket: &mut Socket, kind: &str) -> Value {
    timeout(PATIENCE, next(socket, kind)).await.unwrap_or_else(|_| panic!("no {kind} within two minutes"))
}

async fn next(socket: &mut Socket, kind: &str) -> Value {
    loop {
        let said = said(socket).await;
        if said["type"] == kind {
            return said;
        }
    }
}

/// The next message, of whatever type.
pub async fn said(socket: &mut Socket) -> Value {
    loop {
        let message = socket.next().await.expect("the console hung up").expect("the console hung up");
        if let Message::Text(text) = message {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

pub fn hello(protocol: u32) -> Value {
    json!({ "type": "hello", "protocol": protocol, "version": "3.2.1", "held": [] })
}
