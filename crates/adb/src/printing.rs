//! What a command prints, piece by piece: for what is too large for memory.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::sync::mpsc;

use crate::connection::Connection;
use crate::error::{Error, within};
use crate::quote::Command;
use crate::shell::{feed, packet, take_packet};
use crate::stream::Stream;

/// Pieces that wait for their reader; the card waits with the rest.
const AHEAD: usize = 4;
/// A command that prints nothing for this long is given up.
const SILENCE: Duration = Duration::from_secs(60);
/// What is kept of its complaints, in bytes.
const COMPLAINTS: usize = 4 * 1024;

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Its exit code.
    pub exit: u8,
    /// The beginning of what it printed to standard error.
    pub stderr: Vec<u8>,
}

enum Piece {
    Printed(Bytes),
    Ended(Result<Ended, Error>),
}

/// A command that prints. Dropping it ends the command.
#[derive(Debug)]
pub struct Printing {
    pieces: mpsc::Receiver<Piece>,
    ended: Option<Ended>,
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Piece")
    }
}

impl Printing {
    pub(crate) async fn open(connection: &Connection, command: &Command) -> Result<Self, Error> {
        if !connection.banner().has("shell_v2") {
            return Err(Error::Unsupported { what: "its shell tells no exit codes (no shell_v2)" });
        }
        let stream = connection.stream(&format!("shell,v2,raw:{}", command.line()?)).await?;
        let (to, pieces) = mpsc::channel(AHEAD);
        tokio::spawn(hand_on(stream, command.input(), to));
        Ok(Self { pieces, ended: None })
    }

    /// The next bytes of its standard output; none once it has ended.
    ///
    /// # Errors
    /// The connection was lost, or nothing comes.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        if self.ended.is_some() {
            return Ok(None);
        }
        let next = within("the output of a command", SILENCE, async { Ok(self.pieces.recv().await) }).await?;
        match next {
            Some(Piece::Printed(bytes)) => Ok(Some(bytes)),
            Some(Piece::Ended(ended)) => {
                self.ended = Some(ended?);
                Ok(None)
            }
            None => Err(Error::Closed),
        }
    }

    /// How it ended; none before [`Printing::next`] has said that it has.
    #[must_use]
    pub const fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }
}

/// Hands on what is printed until the command ends, or nobody wants more of it.
async fn hand_on(stream: Stream, input: Option<Bytes>, to: mpsc::Sender<Piece>) {
    let ended = {
        let (feeding, reading) = (feed(&stream, input), read(&stream, &to));
        tokio::pin!(feeding, reading);
        tokio::select! {
            biased;
            () = to.closed() => return,
            ended = &mut reading => ended,
            // A program that does not read its input to the end is not an error: its exit code decides.
            _ = &mut feeding => tokio::select! {
                biased;
                () = to.closed() => return,
                ended = &mut reading => ended,
            },
        }
    };
    // Whoever waited for it is gone.
    _ = to.send(Piece::Ended(ended)).await;
}

async fn read(stream: &Stream, to: &mpsc::Sender<Piece>) -> Result<Ended, Error> {
    let (mut buffer, mut ended) = (BytesMut::new(), Ended::default());
    while let Some(bytes) = stream.read().await? {
        buffer.extend_from_slice(&bytes);
        while let Some((kind, content)) = take_packet(&mut buffer)? {
            match kind {
                packet::STDOUT if !content.is_empty() => {
                    to.send(Piece::Printed(content)).await.map_err(|_| Error::Closed)?;
                }
                packet::STDERR => {
                    let room = COMPLAINTS.saturating_sub(ended.stderr.len()).min(content.len());
                    ended.stderr.extend_from_slice(&content[..room]);
                }
                packet::EXIT => {
                    ended.exit = content.first().copied().ok_or(Error::Closed)?;
                    return Ok(ended);
                }
                // Unknown kinds may be added; the protocol says to skip them.
                _ => {}
            }
        }
    }
    // The shell was killed, for example by a reboot.
    Err(Error::Closed)
}
