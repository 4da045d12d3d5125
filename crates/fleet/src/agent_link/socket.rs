//! `GET /agent/v1/connect`: the WebSocket of one agent, from the greeting to the farewell.

use std::time::Duration;

use axum::Extension;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::meta::Meta;
use entity::room_agent;
use futures::FutureExt as _;
use http::HeaderMap;
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, interval, timeout};
use wire::upgrade::Hello;
use wire::{Agent, Console, Farewell, MAX_BATCH, MAX_FRAME, SPOKEN, TaskResult};

use super::talk::Talk;
use super::{known, outdated};
use crate::agent::connections::Connections;
use crate::agent::connections::Outgoing;
use crate::state;

/// The greeting must arrive within this time.
const GREETING: Duration = Duration::from_secs(15);
/// Interval between keep-alives.
pub const PING: Duration = Duration::from_secs(15);
/// Without one for this long the peer is considered gone, whatever TCP reports (RELIABILITY O4).
pub const SILENCE: Duration = Duration::from_secs(45);
/// After the farewell the peer has this long to read it.
const LINGER: Duration = Duration::from_secs(1);
/// A frame must be accepted by the peer within this time.
const WRITE: Duration = Duration::from_secs(20);
/// Interval of checking for changes of settings, of the list of cards and of permissions.
const LOOK: Duration = Duration::from_millis(250);
/// Frames in one second above which an agent is disconnected, and bytes. A well-behaved one sends about ten.
const FRAMES: u32 = 400;
const BYTES: usize = 32 << 20;
/// Messages with results that are taken together.
const TOGETHER: usize = 8;

/// Accepts an agent's connection and serves it until it ends.
pub async fn connect(
    Extension(app): Extension<App>,
    Extension(meta): Extension<Meta>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Fault> {
    let agent = match known(&app, &headers).await? {
        Ok(agent) => agent,
        Err(refusal) => {
            // Counted by `known`; one log line each would let an unauthenticated client fill the log.
            tracing::debug!(ip = %meta.ip, "an agent with an invalid credential was refused");
            return Ok(refusal);
        }
    };
    let Ok(upgrade) = upgrade else {
        return Ok(super::refused(http::StatusCode::BAD_REQUEST, "this is a WebSocket: connect with one"));
    };
    let upgrade = upgrade.max_message_size(MAX_FRAME).max_frame_size(MAX_FRAME);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let (id, room) = (agent.id, agent.room_id);
        let mut socket = Wire { socket, frames: 0, bytes: 0, second: Instant::now(), next: None };
        let end = serve(&app, agent, &meta.ip.to_string(), &mut socket).await;
        let reason = end.unwrap_or_else(|fault| {
            // Whatever it was at, there is no database any more.
            if app.events.closed().is_cancelled() {
                tracing::debug!(agent = id.0, room = room.0, ?fault, "an agent connection ended with the console");
                return Some(Farewell::Stopping);
            }
            tracing::error!(agent = id.0, room = room.0, ?fault, "an agent connection failed");
            Some(Farewell::Trouble)
        });
        if let Some(reason) = reason {
            tracing::warn!(agent = id.0, room = room.0, ?reason, "an agent connection was closed by the console");
            // The agent may already be gone.
            let _ = socket.say(&Console::Farewell { reason }).await;
            socket.drain().await;
        } else {
            tracing::info!(agent = id.0, room = room.0, "an agent disconnected");
        }
    }))
}

/// The socket and its limits.
pub struct Wire {
    socket: WebSocket,
    frames: u32,
    bytes: usize,
    second: Instant,
    /// What was received while more results were looked for.
    next: Option<Came>,
}

/// A frame.
pub enum Frame {
    Text(String),
    Bytes(Vec<u8>),
    SignOfLife,
    Flood,
    Gone,
}

/// What was received.
enum Came {
    Said(Box<Agent>),
    /// Of a stream.
    Bytes(u64, Vec<u8>),
    SignOfLife,
    Nonsense,
    Flood,
    Gone,
}

impl Came {
    /// Its results, if it has some, and at most so many; what it is otherwise.
    fn results(self, most: usize) -> Result<Vec<TaskResult>, Self> {
        let Self::Said(said) = self else { return Err(self) };
        if matches!(&*said, Agent::Results { results } if results.len() <= most)
            && let Agent::Results { results } = *said
        {
            return Ok(results);
        }
        Err(Self::Said(said))
    }
}

impl Wire {
    /// Sends a message; `false` if the peer is gone.
    pub async fn say(&mut self, message: &impl Serialize) -> bool {
        let text = match serde_json::to_string(message) {
            Ok(text) => text,
            Err(error) => {
                tracing::error!(%error, "a message cannot be written");
                return false;
            }
        };
        matches!(timeout(WRITE, self.socket.send(Message::text(text))).await, Ok(Ok(())))
    }

    /// Sends bytes of a stream; `false` if the peer is gone.
    pub async fn send(&mut self, stream: u64, bytes: &[u8]) -> bool {
        let frame = Message::binary(wire::stream_frame(stream, bytes));
        matches!(timeout(WRITE, self.socket.send(frame)).await, Ok(Ok(())))
    }

    /// Reads what is still in flight, for a moment: a connection that is closed with unread bytes is reset, and the
    /// peer would lose the farewell.
    async fn drain(&mut self) {
        let until = Instant::now() + LINGER;
        while let Ok(Some(Ok(_))) = tokio::time::timeout_at(until, self.socket.recv()).await {}
    }

    pub async fn ping(&mut self) -> bool {
        matches!(timeout(WRITE, self.socket.send(Message::Ping(Default::default()))).await, Ok(Ok(())))
    }

    /// The next frame, within the limits of what an agent may send.
    pub async fn frame(&mut self) -> Frame {
        let message = match self.socket.recv().await {
            Some(Ok(message)) => message,
            // A frame above the limit ends here too.
            Some(Err(_)) | None => return Frame::Gone,
        };
        if self.second.elapsed() >= Duration::from_secs(1) {
            (self.frames, self.bytes, self.second) = (0, 0, Instant::now());
        }
        self.frames += 1;
        let frame = match message {
            Message::Text(text) => Frame::Text(text.to_string()),
            Message::Binary(bytes) => Frame::Bytes(bytes.to_vec()),
            Message::Ping(_) | Message::Pong(_) => Frame::SignOfLife,
            Message::Close(_) => Frame::Gone,
        };
        self.bytes += match &frame {
            Frame::Text(text) => text.len(),
            Frame::Bytes(bytes) => bytes.len(),
            Frame::SignOfLife | Frame::Flood | Frame::Gone => 0,
        };
        if self.frames > FRAMES || self.bytes > BYTES { Frame::Flood } else { frame }
    }

    async fn next(&mut self) -> Came {
        if let Some(came) = self.next.take() {
            return came;
        }
        match self.frame().await {
            Frame::Text(text) => serde_json::from_str(&text).map_or(Came::Nonsense, |said| Came::Said(Box::new(said))),
            Frame::Bytes(frame) => match wire::read_stream_frame(&frame) {
                Some((stream, bytes)) => Came::Bytes(stream, bytes.to_vec()),
                None => Came::Nonsense,
            },
            Frame::SignOfLife => Came::SignOfLife,
            Frame::Flood => Came::Flood,
            Frame::Gone => Came::Gone,
        }
    }

    /// Adds what more of results has come by now, as far as one message may hold it. While others write an agent sends many
    /// messages with few results each: each would wait for its turn to write, and what follows from it all the longer.
    pub fn more_results(&mut self, results: &mut Vec<TaskResult>) {
        for _ in 0..TOGETHER {
            let (frames, bytes) = (self.frames, self.bytes);
            let Some(came) = self.next().now_or_never() else { return };
            if matches!(came, Came::SignOfLife) {
                continue;
            }
            match came.results(MAX_BATCH - results.len()) {
                Ok(more) => {
                    // It was sent long ago, and is read at once with others because nobody could write: that is no flood.
                    (self.frames, self.bytes) = (frames, bytes);
                    results.extend(more);
                }
                Err(other) => {
                    self.next = Some(other);
                    return;
                }
            }
        }
    }
}

/// Serves an agent. Returns why the console closed the connection; none if the agent did.
async fn serve(app: &App, agent: room_agent::Model, ip: &str, wire: &mut Wire) -> Outcome<Option<Farewell>> {
    let frame = match timeout(GREETING, wire.frame()).await {
        Ok(Frame::Text(frame)) => frame,
        Ok(Frame::Gone) | Err(_) => return Ok(None),
        Ok(Frame::Bytes(_) | Frame::Flood | Frame::SignOfLife) => return Ok(Some(Farewell::Misbehaved)),
    };
    // Before anything of a protocol is read: two of different versions understand this much of each other for ever.
    let Some(hello) = Hello::read(&frame) else { return Ok(Some(Farewell::Misbehaved)) };
    if !SPOKEN.contains(&hello.protocol) {
        return outdated::keep(app, &agent, ip, &hello, wire).await;
    }
    let Ok(Agent::Hello { version, held, stay, places, .. }) = serde_json::from_str(&frame) else {
        return Ok(Some(Farewell::Misbehaved));
    };
    let version: String = version.chars().filter(|c| !c.is_control()).collect();
    // It can be reached before it counts as connected: whoever sees that it is there asks something of it at once.
    let (line, outgoing) = app.part::<Connections>().open(agent.room_id, agent.id, hello.protocol, places);
    let ended = match state::open_session(app, &agent, ip, &version).await {
        Ok(Some(session)) => {
            tracing::info!(agent = agent.id.0, room = agent.room_id.0, version, ip, "an agent has connected");
            let mut talk = Talk::new(app, session.clone(), line, hello.protocol);
            let ended = conversation(app, &mut talk, wire, (held, stay), outgoing).await;
            state::close_session(app, &session).await.and(ended)
        }
        Ok(None) => Ok(Some(Farewell::Revoked)),
        Err(fault) => Err(fault),
    };
    app.part::<Connections>().close(agent.room_id, line);
    ended
}

async fn conversation(
    app: &App,
    talk: &mut Talk<'_>,
    wire: &mut Wire,
    (held, stay): (Vec<wire::Held>, i64),
    mut outgoing: mpsc::Receiver<Outgoing>,
) -> Outcome<Option<Farewell>> {
    match talk.welcome(wire, held, stay).await? {
        Ok(true) => {}
        Ok(false) => return Ok(None),
        Err(reason) => return Ok(Some(reason)),
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
