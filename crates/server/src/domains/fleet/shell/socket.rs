//! `GET /api/fleet/v1/shells/{ticket}`: the WebSocket between a browser's terminal and the room's agent.
//!
//! Binary frames are the terminal's bytes, both ways. Text frames are JSON: the browser says
//! `{"type":"size","rows":24,"columns":80}`, first of all; the console says `{"type":"opened"}` and
//! `{"type":"ended","exit":0,"reason":""}`.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::Path;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::{IntoResponse as _, Response};
use db::journal::Entry;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, interval, sleep_until, timeout};
use wire::Console;

use super::ticket::Ticket;
use crate::access::catalog::perm;
use crate::access::session::watch;
use crate::agent_link::{CardStream, FromCard};
use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::http::Need;

/// The browser says its size within this.
const FIRST: Duration = Duration::from_secs(10);
/// A shell in which nobody types ends after this.
const IDLE: Duration = Duration::from_mins(15);
/// Rights are looked at again so often, and whenever somebody's rights have changed.
const LOOK: Duration = Duration::from_secs(5);
/// A piece must be taken by the browser within this.
const WRITE: Duration = Duration::from_secs(10);
/// What a browser may send at once, in bytes.
const FRAME: usize = 64 * 1024;
/// Characters of what was typed that the operation log keeps.
const TYPED: usize = 4_000;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Asked {
    Size { rows: u16, columns: u16 },
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Told<'a> {
    Opened,
    Ended { exit: Option<u8>, reason: &'a str },
}

/// Lets the holder of a ticket into the shell that it is for.
pub async fn connect(
    Extension(app): Extension<App>,
    Path(ticket): Path<String>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Fault> {
    let Ok(upgrade) = upgrade else { return Ok(StatusCode::BAD_REQUEST.into_response()) };
    let Some(ticket) = app.tickets.take(&ticket) else { return Ok(StatusCode::FORBIDDEN.into_response()) };
    let upgrade = upgrade.max_message_size(FRAME).max_frame_size(FRAME);
    Ok(upgrade.on_upgrade(move |mut socket| async move {
        let (started, mut typed) = (Instant::now(), Typed::default());
        let reason = match serve(&app, &ticket, &mut socket, &mut typed).await {
            Ok(reason) => reason,
            Err(fault) => {
                tracing::error!(card = ticket.card.0, ?fault, "a shell failed on our side");
                "internal error".to_owned()
            }
        };
        // The browser may be gone.
        let _ = tell(&mut socket, &Told::Ended { exit: None, reason: &reason }).await;
        if let Err(fault) = record(&app, &ticket, &typed, started.elapsed()).await {
            tracing::error!(card = ticket.card.0, ?fault, "what was typed in a shell is not in the operation log");
        }
    }))
}

/// What was typed, as far as the operation log keeps it.
#[derive(Default)]
struct Typed {
    text: String,
    bytes: usize,
}

impl Typed {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        for c in String::from_utf8_lossy(bytes).chars() {
            match c {
                '\r' | '\n' => self.text.push('\n'),
                // What was deleted again was not sent.
                '\u{7f}' | '\u{8}' => _ = self.text.pop(),
                c if c.is_control() => self.text.push('^'),
                c => self.text.push(c),
            }
        }
        if let Some((at, _)) = self.text.char_indices().nth(TYPED) {
            self.text.truncate(at);
        }
    }
}

async fn record(app: &App, ticket: &Ticket, typed: &Typed, took: Duration) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    tx.record(Entry {
        at: app.clock.now(),
        operator_id: Some(ticket.operator.0),
        operator_name: ticket.username.clone(),
        ip: ticket.ip.clone(),
        action: "card_shell_end".to_owned(),
        object_kind: "card".to_owned(),
        object_id: ticket.card.to_string(),
        object_name: ticket.address.clone(),
        message: format!("{} s, {} bytes typed:\n{}", took.as_secs(), typed.bytes, typed.text),
        ..Entry::default()
    });
    tx.commit().await?;
    Ok(())
}

async fn tell(socket: &mut WebSocket, what: &Told<'_>) -> bool {
    let Ok(text) = serde_json::to_string(what) else { return false };
    matches!(timeout(WRITE, socket.send(Message::text(text))).await, Ok(Ok(())))
}

/// Carries bytes until one side ends it; answers why.
async fn serve(app: &App, ticket: &Arc<Ticket>, socket: &mut WebSocket, typed: &mut Typed) -> Outcome<String> {
    let Some((rows, columns)) = first_size(socket).await else { return Ok("no size was told".to_owned()) };
    let Some(mut stream) = app.lines.stream(ticket.room) else {
        return Ok("no agent of this room is connected / 该机房的代理未连接".to_owned());
    };
    let (number, address, serial) = (stream.number(), ticket.address.clone(), ticket.serial.clone());
    if !stream.say(Console::ShellOpen { stream: number, address, serial, rows, columns }) {
        return Ok("the room's agent does not answer / 机房代理无响应".to_owned());
    }
    let (mut looks, mut changes, closed) = (interval(LOOK), app.sessions.changes(), app.events.closed());
    let mut idle = Instant::now() + IDLE;
    loop {
        let must_look = tokio::select! {
            from = stream.from_card.recv() => match from {
                Some(FromCard::Opened) => {
                    if !tell(socket, &Told::Opened).await {
                        return Ok("the browser is gone".to_owned());
                    }
                    false
                }
                Some(FromCard::Bytes(bytes)) => {
                    if !matches!(timeout(WRITE, socket.send(Message::binary(bytes))).await, Ok(Ok(()))) {
                        return Ok("the browser is gone".to_owned());
                    }
                    false
                }
                Some(FromCard::Ended { exit, reason }) => {
                    // The caller says it once more, without the code: a browser hears the first one.
                    _ = tell(socket, &Told::Ended { exit, reason: &reason }).await;
                    return Ok(reason);
                }
                // A terminal asks no such thing.
                Some(FromCard::Bmc(_) | FromCard::Folder(_)) => false,
                None => return Ok("the connection to the room's agent has ended / 与机房代理的连接已断开".to_owned()),
            },
            came = socket.recv() => {
                idle = Instant::now() + IDLE;
                if !hear(&stream, came, typed) {
                    return Ok("the browser is gone".to_owned());
                }
                false
            }
            () = sleep_until(idle) => return Ok("nobody typed for 15 minutes / 15 分钟无输入".to_owned()),
            () = closed.cancelled() => return Ok("the console stops / 控制台正在停止".to_owned()),
            _ = changes.changed() => true,
            _ = looks.tick() => true,
        };
        if must_look && !still_may(app, ticket).await? {
            return Ok("the session has ended or lacks the right / 登录已失效或无权限".to_owned());
        }
    }
}

async fn first_size(socket: &mut WebSocket) -> Option<(u16, u16)> {
    let Ok(Some(Ok(Message::Text(text)))) = timeout(FIRST, socket.recv()).await else { return None };
    let Asked::Size { rows, columns } = serde_json::from_str(&text).ok()?;
    Some((rows.clamp(1, 1000), columns.clamp(1, 1000)))
}

/// `false` when the browser is gone or the agent takes no more.
fn hear(stream: &CardStream<'_>, came: Option<Result<Message, axum::Error>>, typed: &mut Typed) -> bool {
    match came {
        Some(Ok(Message::Binary(bytes))) => {
            typed.add(&bytes);
            stream.send(bytes.to_vec())
        }
        Some(Ok(Message::Text(text))) => match serde_json::from_str(&text) {
            Ok(Asked::Size { rows, columns }) => {
                let (rows, columns) = (rows.clamp(1, 1000), columns.clamp(1, 1000));
                stream.say(Console::ShellResize { stream: stream.number(), rows, columns })
            }
            Err(_) => false,
        },
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => true,
        Some(Ok(Message::Close(_)) | Err(_)) | None => false,
    }
}

async fn still_may(app: &App, ticket: &Ticket) -> Outcome<bool> {
    let Need::Code(code) = perm::DEVICE_SHELL else { return Ok(false) };
    Ok(match watch(app, ticket.session).await {
        Ok(session) => session.may(code),
        Err(Fault::Session(_)) => false,
        Err(fault) => return Err(fault),
    })
}

#[cfg(test)]
mod tests {
    use super::Typed;

    #[test]
    fn what_was_typed_is_kept_as_it_was_sent() {
        let mut typed = Typed::default();
        typed.add(b"lss\x7f -l\r\x03");
        assert_eq!((typed.text.as_str(), typed.bytes), ("ls -l\n^", 9));
        typed.add(&[b'x'; 10_000]);
        assert_eq!(typed.text.chars().count(), super::TYPED);
    }
}
