//! `GET /agent/v1/connect`: the WebSocket of one agent, from the greeting to the farewell.

use std::time::Duration;

use axum::Extension;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use entity::room_agent;
use http::HeaderMap;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval, timeout};
use wire::{Agent, Console, Farewell, MAX_FRAME, PROTOCOL};

use super::known;
use super::lines::Outgoing;
use super::talk::Talk;
use crate::app::App;
use crate::domains::fleet;
use crate::fault::{Fault, Outcome};
use crate::http::meta::Meta;

/// The greeting must be there within this.
const GREETING: Duration = Duration::from_secs(15);
/// Between two signs of life.
const PING: Duration = Duration::from_secs(15);
/// Without one for so long the other side is gone, whatever TCP believes (RELIABILITY O4).
const SILENCE: Duration = Duration::from_secs(45);
/// After the farewell the other side has so long to hear it.
const LINGER: Duration = Duration::from_secs(1);
/// A frame must be taken by the other side within this.
const WRITE: Duration = Duration::from_secs(20);
/// Changes of settings, of the list of cards and of rights are looked for so often.
const LOOK: Duration = Duration::from_millis(250);
/// Frames in one second beyond which an agent is cut off, and bytes. A well-behaved one sends some ten.
const FRAMES: u32 = 400;
const BYTES: usize = 32 << 20;

/// Lets an agent in and listens to it until it goes.
pub async fn connect(
    Extension(app): Extension<App>,
    Extension(meta): Extension<Meta>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Fault> {
    let agent = match known(&app, &headers).await? {
        Ok(agent) => agent,
        Err(refusal) => {
            tracing::warn!(ip = %meta.ip, "an agent without a good credential was refused");
            return Ok(refusal);
        }
    };
    let Ok(upgrade) = upgrade else {
        return Ok(super::refused(http::StatusCode::BAD_REQUEST, "this is a WebSocket: connect with one"));
    };
    let upgrade = upgrade.max_message_size(MAX_FRAME).max_frame_size(MAX_FRAME);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let (id, room) = (agent.id, agent.room_id);
        let mut socket = Wire { socket, frames: 0, bytes: 0, second: Instant::now() };
        let end = serve(&app, agent, &meta.ip.to_string(), &mut socket).await;
        let reason = end.unwrap_or_else(|fault| {
            tracing::error!(agent = id.0, room = room.0, ?fault, "an agent's connection failed on our side");
            Some(Farewell::Trouble)
        });
        if let Some(reason) = reason {
            tracing::warn!(agent = id.0, room = room.0, ?reason, "an agent was sent away");
            // It may be gone already.
            let _ = socket.say(&Console::Farewell { reason }).await;
            socket.drain().await;
        } else {
            tracing::info!(agent = id.0, room = room.0, "an agent went");
        }
    }))
}

/// The socket, with what it may carry.
pub struct Wire {
    socket: WebSocket,
    frames: u32,
    bytes: usize,
    second: Instant,
}

/// What came over the wire.
enum Came {
    Said(Box<Agent>),
    /// Of a stream.
    Bytes(u64, Vec<u8>),
    SignOfLife,
    Nonsense,
    Flood,
    Gone,
}

impl Wire {
    /// Sends a message; `false` when the other side is gone.
    pub async fn say(&mut self, message: &Console) -> bool {
        let text = match serde_json::to_string(message) {
            Ok(text) => text,
            Err(error) => {
                tracing::error!(%error, "a message can not be written");
                return false;
            }
        };
        matches!(timeout(WRITE, self.socket.send(Message::text(text))).await, Ok(Ok(())))
    }

    /// Sends bytes of a stream; `false` when the other side is gone.
    pub async fn send(&mut self, stream: u64, bytes: &[u8]) -> bool {
        let frame = Message::binary(wire::stream_frame(stream, bytes));
        matches!(timeout(WRITE, self.socket.send(frame)).await, Ok(Ok(())))
    }

    /// Reads what is still on its way, for a moment: a connection that is closed with unread bytes is reset, and the
    /// other side would lose the farewell.
    async fn drain(&mut self) {
        let until = Instant::now() + LINGER;
        while let Ok(Some(Ok(_))) = tokio::time::timeout_at(until, self.socket.recv()).await {}
    }

    async fn ping(&mut self) -> bool {
        matches!(timeout(WRITE, self.socket.send(Message::Ping(Default::default()))).await, Ok(Ok(())))
    }

    async fn next(&mut self) -> Came {
        let message = match self.socket.recv().await {
            Some(Ok(message)) => message,
            // A frame beyond the limit ends here too.
            Some(Err(_)) | None => return Came::Gone,
        };
        if self.second.elapsed() >= Duration::from_secs(1) {
            (self.frames, self.bytes, self.second) = (0, 0, Instant::now());
        }
        self.frames += 1;
        if self.frames > FRAMES {
            return Came::Flood;
        }
        match message {
            Message::Text(text) => {
                self.bytes += text.len();
                if self.bytes > BYTES {
                    return Came::Flood;
                }
                serde_json::from_str(&text).map_or(Came::Nonsense, |said| Came::Said(Box::new(said)))
            }
            Message::Ping(_) | Message::Pong(_) => Came::SignOfLife,
            Message::Close(_) => Came::Gone,
            Message::Binary(frame) => {
                self.bytes += frame.len();
                match wire::read_stream_frame(&frame) {
                    _ if self.bytes > BYTES => Came::Flood,
                    Some((stream, bytes)) => Came::Bytes(stream, bytes.to_vec()),
                    None => Came::Nonsense,
                }
            }
        }
    }
}

/// Talks with an agent. Answers why it was sent away; none when it went by itself.
async fn serve(app: &App, agent: room_agent::Model, ip: &str, wire: &mut Wire) -> Outcome<Option<Farewell>> {
    let (version, held) = match timeout(GREETING, wire.next()).await {
        Ok(Came::Said(said)) => match *said {
            Agent::Hello { protocol: PROTOCOL, version, held } => (version, held),
            Agent::Hello { .. } => return Ok(Some(Farewell::OldProtocol)),
            Agent::Reports { .. }
            | Agent::Sightings { .. }
            | Agent::Sweep { .. }
            | Agent::Begun { .. }
            | Agent::ShellOpened { .. }
            | Agent::ShellEnded { .. }
            | Agent::BmcSeen { .. }
            | Agent::FolderSeen { .. }
            | Agent::Results { .. } => return Ok(Some(Farewell::Misbehaved)),
        },
        Ok(Came::Gone) | Err(_) => return Ok(None),
        Ok(Came::Bytes(..) | Came::Flood | Came::Nonsense | Came::SignOfLife) => return Ok(Some(Farewell::Misbehaved)),
    };
    let session = fleet::open_session(app, &agent, ip, &version).await?;
    tracing::info!(agent = agent.id.0, room = agent.room_id.0, version, ip, "an agent has connected");
    let (line, outgoing) = app.lines.open(session.room, session.agent);
    let mut talk = Talk::new(app, session.clone(), line);
    let ended = conversation(app, &mut talk, wire, held, outgoing).await;
    app.lines.close(session.room, line);
    fleet::close_session(app, &session).await?;
    ended
}

async fn conversation(
    app: &App,
    talk: &mut Talk<'_>,
    wire: &mut Wire,
    held: Vec<wire::Held>,
    mut outgoing: mpsc::Receiver<Outgoing>,
) -> Outcome<Option<Farewell>> {
    if !talk.welcome(wire, held).await? {
        return Ok(None);
    }
    let (mut looks, mut pings, mut heard) = (interval(LOOK), interval(PING), Instant::now());
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let stopping = app.events.closed();
    loop {
        let goes_on = tokio::select! {
            came = wire.next() => {
                heard = Instant::now();
                match came {
                    Came::Said(said) => match talk.hear(wire, *said).await? {
                        Ok(goes_on) => goes_on,
                        Err(reason) => return Ok(Some(reason)),
                    },
                    Came::Bytes(stream, bytes) => {
                        talk.pass_on(stream, bytes);
                        true
                    }
                    Came::SignOfLife => true,
                    Came::Nonsense => return Ok(Some(Farewell::Misbehaved)),
                    Came::Flood => return Ok(Some(Farewell::Flooded)),
                    Came::Gone => false,
                }
            }
            Some(out) = outgoing.recv() => match out {
                Outgoing::Say(message) => wire.say(&message).await,
                Outgoing::Bytes(stream, bytes) => wire.send(stream, &bytes).await,
            },
            () = stopping.cancelled() => return Ok(Some(Farewell::Stopping)),
            _ = pings.tick() => heard.elapsed() < SILENCE && wire.ping().await,
            _ = looks.tick() => match talk.look(wire).await? {
                Ok(goes_on) => goes_on,
                Err(reason) => return Ok(Some(reason)),
            },
        };
        if !goes_on {
            return Ok(None);
        }
    }
}
