//! The session with the console: what is to be sent, and how frames are sent and received.

use std::time::Duration;

use anyhow::{Context as _, bail};
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use wire::{Agent as Say, Console, MAX_BATCH, MAX_FRAME, Report, RosterCard, Sighting, read_stream_frame, upgrade};

use crate::looks::{Found, Looks};
use crate::work::News;

/// Without a keep-alive from the peer for this long the connection is considered dead, whatever TCP reports.
pub const SILENCE: Duration = Duration::from_secs(45);
/// Approximate maximum of bytes of results in one frame.
const RESULTS: usize = MAX_FRAME / 2;

/// What is to be sent to the console, and what arrives in pieces.
pub struct Talk {
    pub seq: u64,
    /// The batch that the console has not accepted yet: one at a time, so that a slow console slows the agent.
    pub waits_for: Option<u64>,
    pub reports: Vec<Report>,
    pub sightings: Vec<Sighting>,
    pub sweeps: Vec<Vec<Sighting>>,
    pub begun: Vec<wire::Key>,
    pub results: Vec<wire::TaskResult>,
    pub revision: u64,
    pub roster: Vec<RosterCard>,
}

impl Talk {
    pub const fn new() -> Self {
        Self {
            seq: 0,
            waits_for: None,
            reports: Vec::new(),
            sightings: Vec::new(),
            sweeps: Vec::new(),
            begun: Vec::new(),
            results: Vec::new(),
            revision: 0,
            roster: Vec::new(),
        }
    }

    pub fn note(&mut self, found: Found) {
        self.reports.push(found.report);
        self.sightings.extend(found.sighting);
    }

    pub fn tell(&mut self, news: News) {
        match news {
            News::Begun(key) => self.begun.push(key),
            News::Ended(result) => self.results.push(*result),
            News::Swept(all) => self.sweeps.push(all),
        }
    }

    /// Sends collected reports, unless the console has not accepted the last batch yet.
    ///
    /// To what a scan has found the cards that are polled are added now, and it is sent before what cards have said of
    /// themselves since: otherwise the scan would take back what they have said.
    pub async fn flush<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        out: &mut SplitSink<WebSocketStream<S>, Message>,
        looks: &Looks,
    ) -> anyhow::Result<()> {
        if self.waits_for.is_some() {
            return Ok(());
        }
        if !self.begun.is_empty() {
            say(out, &Say::Begun { keys: std::mem::take(&mut self.begun) }).await?;
        }
        for mut all in self.sweeps.drain(..) {
            all.extend(looks.identities());
            let mut pieces = all.chunks(MAX_BATCH).peekable();
            while let Some(piece) = pieces.next() {
                say(out, &Say::Sweep { cards: piece.to_vec(), is_last: pieces.peek().is_none() }).await?;
            }
        }
        if !self.sightings.is_empty() {
            say(out, &Say::Sightings { cards: std::mem::take(&mut self.sightings) }).await?;
        }
        if !self.reports.is_empty() {
            self.seq += 1;
            self.waits_for = Some(self.seq);
            say(out, &Say::Reports { seq: self.seq, reports: std::mem::take(&mut self.reports) }).await?;
        }
        Ok(())
    }

    /// Sends results, as many as fit into a frame.
    pub async fn flush_results<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        out: &mut SplitSink<WebSocketStream<S>, Message>,
    ) -> anyhow::Result<()> {
        while !self.results.is_empty() {
            let mut bytes = 0;
            let fits = self
                .results
                .iter()
                .take(MAX_BATCH)
                .take_while(|result| {
                    // JSON may need six bytes for one of text.
                    bytes += 512 + result.output.len() * 6;
                    bytes <= RESULTS
                })
                .count();
            let results = self.results.drain(..fits.max(1)).collect();
            say(out, &Say::Results { results }).await?;
        }
        Ok(())
    }
}

/// Sends a frame.
///
/// # Errors
/// The console is gone, or does not read.
pub async fn put<S: AsyncRead + AsyncWrite + Unpin>(
    out: &mut SplitSink<WebSocketStream<S>, Message>,
    frame: Message,
) -> anyhow::Result<()> {
    timeout(SILENCE, out.send(frame)).await.context("the console does not read")??;
    Ok(())
}

/// Sends a message.
///
/// # Errors
/// The console is gone, or does not read.
pub async fn say<S: AsyncRead + AsyncWrite + Unpin>(
    out: &mut SplitSink<WebSocketStream<S>, Message>,
    message: &Say,
) -> anyhow::Result<()> {
    put(out, Message::text(serde_json::to_string(message)?)).await
}

/// What was received.
pub enum Came {
    /// A message.
    Said(Console),
    /// The console speaks another protocol.
    Outdated(upgrade::Console),
    /// Input for a shell.
    Typed(u64, Vec<u8>),
    /// A keep-alive.
    SignOfLife,
}

/// A frame of the console.
pub enum Frame {
    Text(String),
    Bytes(Vec<u8>),
    SignOfLife,
}

/// The next frame.
///
/// # Errors
/// The console is gone, or is silent.
pub async fn frame<S: AsyncRead + AsyncWrite + Unpin>(
    input: &mut SplitStream<WebSocketStream<S>>,
) -> anyhow::Result<Frame> {
    match timeout(SILENCE, input.next()).await.context("nothing was heard")? {
        None => bail!("the console closed the connection"),
        Some(message) => match message? {
            Message::Text(text) => Ok(Frame::Text(text.to_string())),
            Message::Binary(bytes) => Ok(Frame::Bytes(bytes.to_vec())),
            Message::Close(_) => bail!("the console closed the connection"),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(Frame::SignOfLife),
        },
    }
}

/// The next message.
///
/// # Errors
/// The console is gone, is silent, or sends invalid frames.
pub async fn next<S: AsyncRead + AsyncWrite + Unpin>(
    input: &mut SplitStream<WebSocketStream<S>>,
) -> anyhow::Result<Came> {
    Ok(match frame(input).await? {
        Frame::Text(text) => {
            let said = serde_json::from_str(&text).context("the console sent what is no message")?;
            if !matches!(said, Console::Unknown) {
                return Ok(Came::Said(said));
            }
            // A console with which there is no number in common says this much.
            if let Ok(told) = serde_json::from_str(&text) {
                return Ok(Came::Outdated(told));
            }
            let said = text.get(..80).unwrap_or(&text);
            tracing::warn!(said, "the console says what this agent does not know");
            Came::SignOfLife
        }
        Frame::Bytes(bytes) => {
            let (stream, bytes) = read_stream_frame(&bytes).context("the console sent what is no frame")?;
            Came::Typed(stream, bytes.to_vec())
        }
        Frame::SignOfLife => Came::SignOfLife,
    })
}
