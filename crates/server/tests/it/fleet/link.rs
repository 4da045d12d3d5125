//! The agents' connection: who is accepted, who is refused, and a real agent in a simulated room.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use agent::{Agent, Identity, Settings};
use base::http::serve::serve;
use entity::operation_log;
use fleet::Fleet;
use fleet::enrol;
use futures::{SinkExt as _, StreamExt as _};
use rustls::{ClientConfig, RootCertStore};
use sea_orm::EntityTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, HERE, TestApp};
use testkit::db_test;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use tokio_util::sync::{CancellationToken, DropGuard};
use url::Url;

use super::{CARDS, FRAMES, HOSTS, PLANS, ROOMS, Site, kind};

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

/// Starts an agent; it stops with the guard.
pub async fn run_agent(identity: Identity, folder: &std::path::Path) -> DropGuard {
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
    let agent = Agent::open(identity, settings).await.unwrap();
    let stop = CancellationToken::new();
    tokio::spawn(agent.run(stop.clone()));
    stop.drop_guard()
}

/// Cards are polled as often as the settings allow.
pub async fn hurry(clerk: &Caller<'_>) {
    let path = "/api/fleet/v1/settings";
    let mut body = clerk.get(path).await.data();
    body.as_object_mut().unwrap().retain(|key, _| key != "secrets" && !key.starts_with("updated"));
    body["heartbeatSeconds"] = 5.into();
    clerk.put(path, body).await.data();
}

/// Waits until `what` answers yes.
pub async fn until<F: Future<Output = bool>>(words: &str, mut what: impl FnMut() -> F) {
    let started = Instant::now();
    while !what().await {
        assert!(started.elapsed() < Duration::from_secs(60), "{words}: not within a minute");
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

pub async fn terminal(console: &Console, ticket: &str) -> Result<Socket, u16> {
    let url = console.url.join(&format!("/api/fleet/v1/shells/{ticket}")).unwrap().as_str().replace("http://", "ws://");
    match connect_async(url).await {
        Ok((socket, _)) => Ok(socket),
        Err(tokio_tungstenite::tungstenite::Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

pub async fn say(socket: &mut Socket, message: &Value) {
    socket.send(Message::text(message.to_string())).await.unwrap();
}

/// The next message of a type, within a minute; others in between are passed over.
pub async fn hear(socket: &mut Socket, kind: &str) -> Value {
    timeout(Duration::from_secs(60), next(socket, kind)).await.unwrap_or_else(|_| panic!("no {kind} within a minute"))
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

db_test! {
    async fn a_real_agent_finds_the_cards_of_its_room_and_reports_unrecorded_ones(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let console = console(&app).await;
        let (room, site) = simulated(&clerk, 1, 16).await;
        let identity = joined(&app, &clerk, &console, site.room).await;
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(identity, folder.path()).await;

        until_online(&clerk, 16).await;
        let list = clerk.get(&format!("{CARDS}?pageSize=100")).await.data();
        // The records say another model: each card is told apart by what it says of itself.
        until("what the cards say of themselves is compared with the records", async || {
            let found = clerk.get("/api/fleet/v1/findings?pageSize=100").await.data();
            found["total"] == 16 && found.to_string().contains(&room.cards[3].serial())
        }).await;
        let one = clerk.get(&format!("{CARDS}/{}", list["list"][0]["id"])).await.data();
        assert!(one["live"]["metrics"]["temperature"].as_i64().unwrap() > 20, "{one}");

        // One card is unplugged: three misses, and it is lost; it comes back, and two good looks win it.
        room.cards[3].power(false);
        until("a card is lost", async || clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"] == 15).await;
        room.cards[3].power(true);
        until("it is back", async || clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"] == 16).await;
    }

    async fn who_is_not_known_speaks_nonsense_or_too_much_is_sent_away(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let (_room, site) = simulated(&clerk, 2, 8).await;
        let identity = joined(&app, &clerk, &console, site.room).await;
        assert_eq!(dial(&console, "skyagent_x").await.unwrap_err(), 401);

        let mut rude = dial(&console, &identity.credential).await.unwrap();
        say(&mut rude, &json!({ "type": "reports", "seq": 1, "reports": [] })).await;
        assert_eq!(hear(&mut rude, "farewell").await["reason"], "misbehaved");

        let mut first = dial(&console, &identity.credential).await.unwrap();
        say(&mut first, &hello(1)).await;
        assert_eq!(hear(&mut first, "welcome").await["limits"]["perBmc"], 1);
        let roster = hear(&mut first, "roster").await;
        assert_eq!((roster["cards"].as_array().unwrap().len(), &roster["isLast"]), (8, &json!(true)));
        assert_eq!(hear(&mut first, "ranges").await["ranges"].as_array().unwrap().len(), 1);
        say(&mut first, &json!({ "type": "reports", "seq": 7, "reports": [{ "card": 999_999 }] })).await;
        assert_eq!(hear(&mut first, "taken").await["seq"], 7);

        let mut second = dial(&console, &identity.credential).await.unwrap();
        say(&mut second, &hello(1)).await;
        hear(&mut second, "welcome").await;
        assert_eq!(hear(&mut first, "farewell").await["reason"], "replaced");

        for seq in 0..1000 {
            // It hangs up while we still talk.
            if second.send(Message::text(json!({ "type": "reports", "seq": seq, "reports": [] }).to_string())).await.is_err() {
                break;
            }
        }
        assert_eq!(hear(&mut second, "farewell").await["reason"], "flooded");

        let mut third = dial(&console, &identity.credential).await.unwrap();
        say(&mut third, &hello(1)).await;
        hear(&mut third, "welcome").await;
        let mut late = dial(&console, &identity.credential).await.unwrap();
        clerk.post(&format!("/api/fleet/v1/agents/{}/revoke", identity.agent), json!({})).await.data();
        assert_eq!(hear(&mut third, "farewell").await["reason"], "revoked");
        // One that was let in before, and greets only now.
        say(&mut late, &hello(1)).await;
        assert_eq!(hear(&mut late, "farewell").await["reason"], "revoked");
        assert_eq!(dial(&console, &identity.credential).await.unwrap_err(), 401);
    }

    async fn agents_of_other_numbers_stay_and_get_the_upgrade_alone(db) {
        const AGENTS: &str = "/api/fleet/v1/agents";
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let (_room, site) = simulated(&clerk, 4, 8).await;
        let card = clerk.get(&format!("{CARDS}?pageSize=1")).await.data()["list"][0]["id"].clone();
        let state = async || {
            let row = clerk.get(AGENTS).await.data()["list"][0].clone();
            (row["standing"].clone(), row["version"].clone(), row["connectedSince"].is_string())
        };
        let identity = joined(&app, &clerk, &console, site.room).await;
        for (number, standing) in [(0, 2), (99, 3)] {
            let mut other = dial(&console, &identity.credential).await.unwrap();
            let mut greeting = hello(number);
            greeting["version"] = json!(format!("9.{number}"));
            greeting["what"] = json!({ "nobody": "knows" });
            say(&mut other, &greeting).await;
            let told = timeout(Duration::from_secs(60), other.next()).await.unwrap().unwrap().unwrap();
            let told: Value = serde_json::from_str(&told.into_text().unwrap()).unwrap();
            assert_eq!(told, json!({ "type": "upgrade", "speaks": wire::SPOKEN, "version": env!("CARGO_PKG_VERSION") }));
            until("the agent is listed", async || state().await == (json!(standing), json!(format!("9.{number}")), true)).await;
            assert_eq!(app.app.part::<Fleet>().agents_in(entity::RoomId(site.room)), 0, "the room has no agent");
            // Whatever it says counts for nothing, and it is told no more.
            let report = json!({ "card": card, "probe": { "reached": true, "tcpOpen": true, "adbAnswers": true, "booted": true } });
            say(&mut other, &json!({ "type": "reports", "seq": 1, "reports": [report] })).await;
            say(&mut other, &json!({ "type": "moonshine", "of": [1, 2] })).await;
            other.send(Message::Ping(b"still there".to_vec().into())).await.unwrap();
            loop {
                match timeout(Duration::from_secs(60), other.next()).await.unwrap().unwrap().unwrap() {
                    Message::Pong(bytes) if &bytes[..] == b"still there" => break,
                    Message::Text(text) => panic!("it is told more: {text}"),
                    Message::Binary(_) | Message::Ping(_) | Message::Pong(_) | Message::Close(_) | Message::Frame(_) => {}
                }
            }
            assert_eq!(clerk.get(&format!("{CARDS}?networkStatus=1")).await.data()["total"], 0);
            drop(other);
            until("it has left", async || !state().await.2).await;
            assert_eq!(state().await.0, 1);
        }
        // The same agent, upgraded: it is its room's agent at once.
        let mut same = dial(&console, &identity.credential).await.unwrap();
        say(&mut same, &hello(1)).await;
        hear(&mut same, "welcome").await;
        assert_eq!(state().await, (json!(1), json!("3.2.1"), true));
        // One that is revoked goes, whatever it speaks.
        let mut other = dial(&console, &identity.credential).await.unwrap();
        say(&mut other, &hello(98)).await;
        hear(&mut other, "upgrade").await;
        clerk.post(&format!("{AGENTS}/{}/revoke", identity.agent), json!({})).await.data();
        assert_eq!(hear(&mut other, "farewell").await["reason"], "revoked");
    }

    async fn a_shell_on_a_card_is_for_who_may_have_it_and_what_is_typed_is_in_the_log(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let (room, site) = simulated(&clerk, 3, 8).await;
        let card = clerk.get(&format!("{CARDS}?pageSize=10&sort=id&order=asc")).await.data()["list"][0].clone();
        let path = format!("{CARDS}/{}/shell", card["id"]);
        assert_eq!(clerk.post(&path, json!({})).await.brief(), (409, 4009), "no agent is connected");
        let identity = joined(&app, &clerk, &console, site.room).await;
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(identity, folder.path()).await;
        until("the agent is connected", async || app.app.part::<Fleet>().agents_in(entity::RoomId(site.room)) == 1).await;
        let index = room.cards.iter().position(|one| card["intranetIp"] == one.address.ip().to_string()).unwrap();

        let guest = app.operator("guest", &["device:get"]).await;
        assert_eq!(guest.post(&path, json!({})).await.brief(), (200, 4003));
        let ticket = clerk.post(&path, json!({})).await.data()["ticket"].as_str().unwrap().to_owned();
        let mut shell = terminal(&console, &ticket).await.unwrap();
        say(&mut shell, &json!({ "type": "size", "rows": 24, "columns": 80 })).await;
        hear(&mut shell, "opened").await;
        shell.send(Message::binary(b"effect typed\n".to_vec())).await.unwrap();
        let mut printed = String::new();
        while !printed.contains("typed\r\n") && !printed.contains("typed\n") {
            if let Message::Binary(bytes) = shell.next().await.unwrap().unwrap() {
                printed.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
        until("it ran", async || room.cards[index].state().effects.contains_key("effect:typed")).await;
        assert_eq!(terminal(&console, &ticket).await.unwrap_err(), 403, "a ticket is good once");

        shell.send(Message::binary(b"exit\n".to_vec())).await.unwrap();
        assert_eq!(hear(&mut shell, "ended").await["exit"], 0);
        until("what was typed is in the log", async || {
            let rows = operation_log::Entity::find().all(app.app.db.read()).await.unwrap();
            rows.iter().any(|row| row.action == "card_shell_end" && row.message.contains(" 18 bytes typed in 2 chunks"))
        }).await;

        // A session that ends takes its shells with it.
        let other = app.operator("other", &["device:shell"]).await;
        let ticket = other.post(&path, json!({})).await.data()["ticket"].as_str().unwrap().to_owned();
        let mut shell = terminal(&console, &ticket).await.unwrap();
        say(&mut shell, &json!({ "type": "size", "rows": 24, "columns": 80 })).await;
        hear(&mut shell, "opened").await;
        other.post("/api/user/v1/designjet/logout", json!({})).await.data();
        hear(&mut shell, "ended").await;
    }
}
