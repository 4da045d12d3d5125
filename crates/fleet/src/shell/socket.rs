//! `GET /api/fleet/v1/shells/{ticket}`: the WebSocket between a browser's terminal and the room agent.
//!
//! Binary frames are the terminal's bytes, both ways. Text frames are JSON: the browser first sends
//! `{"type":"size","rows":24,"columns":80}`; the console sends `{"type":"opened"}` and
//! `{"type":"ended","exit":0,"reason":""}`.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::Path;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::{IntoResponse as _, Response};
use base::access::session::watch;
use base::app::App;
use base::fault::{Fault, Outcome};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, interval, sleep_until, timeout};
use wire::Console;

use super::phone;
use super::record::Recorder;
use super::ticket::Ticket;
use crate::agent::connections::Connections;
use crate::agent::connections::{CardStream, FromCard};
use crate::screens::perm;
use crate::shell::Tickets;

/// The browser must send its size within this time.
const FIRST: Duration = Duration::from_secs(10);
/// A shell without input ends after this time.
const IDLE: Duration = Duration::from_mins(15);
/// Interval of checking the permissions, and what becomes of the phone on the card; the permissions are also checked whenever they
/// may have changed.
const LOOK: Duration = Duration::from_secs(2);
/// A piece must be accepted by the browser within this time.
const WRITE: Duration = Duration::from_secs(10);
/// The largest frame from a browser, in bytes.
const FRAME: usize = 64 * 1024;

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

/// Opens the shell for the holder of a ticket.
pub async fn connect(
    Extension(app): Extension<App>,
    Path(ticket): Path<String>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Fault> {
    let Ok(upgrade) = upgrade else { return Ok(StatusCode::BAD_REQUEST.into_response()) };
    let Some(ticket) = app.part::<Tickets>().take(&ticket) else { return Ok(StatusCode::FORBIDDEN.into_response()) };
    let upgrade = upgrade.max_message_size(FRAME).max_frame_size(FRAME);
    Ok(upgrade.on_upgrade(move |mut socket| async move {
        let mut recorder = None;
        let reason = match serve(&app, &ticket, &mut socket, &mut recorder).await {
            Ok(reason) => reason,
            Err(fault) => {
                tracing::error!(card = ticket.card.0, ?fault, "a shell failed");
                "internal error".to_owned()
            }
        };
        // The browser may have disconnected.
        let _ = tell(&mut socket, &Told::Ended { exit: None, reason: &reason }).await;
        if let Some(recorder) = recorder {
            recorder.end(&app, reason).await;
        }
    }))
}

async fn tell(socket: &mut WebSocket, what: &Told<'_>) -> bool {
    let Ok(text) = serde_json::to_string(what) else { return false };
    matches!(timeout(WRITE, socket.send(Message::text(text))).await, Ok(Ok(())))
}

/// Carries bytes until one side closes; returns why.
async fn serve(
    app: &App,
    ticket: &Arc<Ticket>,
    socket: &mut WebSocket,
    recorder: &mut Option<Recorder>,
) -> Outcome<String> {
    let Some((rows, columns)) = first_size(socket).await else {
        return Ok("the browser did not send the terminal size".to_owned());
    };
    let Some(mut stream) = app.part::<Connections>().stream(ticket.room) else {
        return Ok("no agent of this room is connected / 该机房的代理未连接".to_owned());
    };
    let recorder = match Recorder::begin(app, ticket).await {
        Ok(begun) => recorder.insert(begun),
        Err(fault) => return Ok(unrecorded(ticket, &fault)),
    };
    let (number, address, serial) = (stream.number(), ticket.address.clone(), ticket.serial.clone());
    if !stream.say(Console::ShellOpen { stream: number, address, serial, rows, columns }) {
        return Ok("the room agent does not respond / 机房代理无响应".to_owned());
    }
    let (mut looks, mut changes, closed) = (interval(LOOK), app.sessions.changes(), app.events.closed());
    let mut idle = Instant::now() + IDLE;
    loop {
        let must_look = tokio::select! {
            from = stream.from_card.recv() => match from {
                Some(FromCard::Opened) => {
                    if !tell(socket, &Told::Opened).await {
                        return Ok("the browser has disconnected".to_owned());
                    }
                    false
                }
                Some(FromCard::Bytes(bytes)) => {
                    if !matches!(timeout(WRITE, socket.send(Message::binary(bytes))).await, Ok(Ok(()))) {
                        return Ok("the browser has disconnected".to_owned());
                    }
                    false
                }
                Some(FromCard::Ended { exit, reason }) => {
                    // The caller sends it once more, without the code: a browser uses the first one.
                    _ = tell(socket, &Told::Ended { exit, reason: &reason }).await;
                    return Ok(reason);
                }
                // A shell never receives these.
                Some(FromCard::Bmc(_) | FromCard::Folder(_) | FromCard::Store(_) | FromCard::Copy(_)) => false,
                None => return Ok("the connection to the room agent has ended / 与机房代理的连接已断开".to_owned()),
            },
            came = socket.recv() => {
                idle = Instant::now() + IDLE;
                if let Some(Ok(Message::Binary(bytes))) = &came
                    && !recorder.takes(bytes)
                {
                    return Ok("the record of this shell is full; open a new one / 终端记录已满，请重新打开终端".to_owned());
                }
                if let Some(Ok(Message::Binary(bytes))) = &came
                    && let Err(fault) = recorder.keep(app, bytes).await
                {
                    return Ok(unrecorded(ticket, &fault));
                }
                if !hear(&stream, came) {
                    return Ok("the browser has disconnected".to_owned());
                }
                false
            }
            () = sleep_until(idle) => return Ok("closed after 15 minutes without input / 15 分钟无输入".to_owned()),
            () = closed.cancelled() => return Ok("the console is shutting down / 控制台正在停止".to_owned()),
            _ = changes.changed() => true,
            _ = looks.tick() => true,
        };
        if must_look && !still_may(app, ticket).await? {
            return Ok("the session has ended or lacks permission / 登录已失效或无权限".to_owned());
        }
        if must_look && let Some(why) = phone::ends(app.db.read(), ticket.card, ticket.stay).await? {
            return Ok(why.to_owned());
        }
    }
}

async fn first_size(socket: &mut WebSocket) -> Option<(u16, u16)> {
    let Ok(Some(Ok(Message::Text(text)))) = timeout(FIRST, socket.recv()).await else { return None };
    let Asked::Size { rows, columns } = serde_json::from_str(&text).ok()?;
    Some((rows.clamp(1, 1000), columns.clamp(1, 1000)))
}

/// Input that cannot be recorded is not sent, and ends the shell.
fn unrecorded(ticket: &Ticket, fault: &Fault) -> String {
    tracing::error!(card = ticket.card.0, ?fault, "input of a shell cannot be recorded");
    "input cannot be recorded, so the shell was closed / 无法记录输入，终端已结束".to_owned()
}

/// Forwards recorded input; `false` if the browser is gone or the agent accepts no more.
fn hear(stream: &CardStream<'_>, came: Option<Result<Message, axum::Error>>) -> bool {
    match came {
        Some(Ok(Message::Binary(bytes))) => stream.send(bytes.to_vec()),
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
    Ok(match watch(app, ticket.session).await {
        Ok(session) => session.may(perm::DEVICE_SHELL.code()),
        Err(Fault::Session(_)) => false,
        Err(fault) => return Err(fault),
    })
}
