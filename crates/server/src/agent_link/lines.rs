//! The agents that are connected, for those who want something of one: shells on cards, looks at BMCs.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use entity::{RoomAgentId, RoomId};
use kernel::text::{Text, text};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::timeout;
use wire::{BmcLook, Console, FolderLook};

use crate::fault::{Fault, Outcome};

/// Frames that may wait for a slow agent, and pieces for a slow browser.
const LAG: usize = 256;

const NO_AGENT: Text = text(
    "该机房的代理未连接；请先在设备地址中检查机房代理",
    "No agent of this room is connected; look at the room's agents first",
);
const NO_ANSWER: Text = text("机房代理没有应答，请稍后再试", "The room's agent did not answer; try again in a moment");

/// What goes to an agent unasked.
#[derive(Debug)]
pub enum Outgoing {
    /// A message.
    Say(Console),
    /// Bytes of a stream.
    Bytes(u64, Vec<u8>),
}

/// What comes in a stream: what a shell on a card has to say, or the answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromCard {
    /// It is there.
    Opened,
    /// It printed this.
    Bytes(Vec<u8>),
    /// It ended: with this exit code, or for this reason.
    Ended {
        /// The exit code, if there is one.
        exit: Option<u8>,
        /// For people; empty after an exit.
        reason: String,
    },
    /// A BMC was asked, and this is how it is.
    Bmc(Box<BmcLook>),
    /// A card was asked, and this is in its folder.
    Folder(FolderLook),
}

#[derive(Debug)]
struct Line {
    agent: RoomAgentId,
    number: u64,
    out: mpsc::Sender<Outgoing>,
}

#[derive(Debug)]
struct Stream {
    /// The connection that carries it.
    number: u64,
    to: mpsc::Sender<FromCard>,
}

/// The connections of agents, and the streams in them.
#[derive(Debug, Default)]
pub struct Lines {
    rooms: Mutex<BTreeMap<RoomId, Vec<Line>>>,
    streams: Mutex<HashMap<u64, Stream>>,
    last: AtomicU64,
}

/// A stream to a card. Dropping it ends it.
#[derive(Debug)]
pub struct CardStream<'a> {
    lines: &'a Lines,
    number: u64,
    out: mpsc::Sender<Outgoing>,
    /// What comes from the card.
    pub from_card: mpsc::Receiver<FromCard>,
}

impl Lines {
    /// Notes that an agent is connected; answers where to find what is to be sent to it.
    pub(super) fn open(&self, room: RoomId, agent: RoomAgentId) -> (u64, mpsc::Receiver<Outgoing>) {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (out, outgoing) = mpsc::channel(LAG);
        self.rooms.lock().entry(room).or_default().push(Line { agent, number, out });
        (number, outgoing)
    }

    /// Notes that it is not any more: its streams end.
    pub(super) fn close(&self, room: RoomId, number: u64) {
        if let Some(lines) = self.rooms.lock().get_mut(&room) {
            lines.retain(|line| line.number != number);
        }
        self.streams.lock().retain(|_, stream| stream.number != number);
    }

    /// Hands on what came for a stream, if it is one of this connection. A browser that does not read loses it.
    pub(super) fn hand_on(&self, number: u64, stream: u64, what: FromCard) {
        let mut streams = self.streams.lock();
        let Some(found) = streams.get(&stream).filter(|found| found.number == number) else { return };
        let has_ended = matches!(what, FromCard::Ended { .. } | FromCard::Bmc(_) | FromCard::Folder(_));
        if found.to.try_send(what).is_err() || has_ended {
            streams.remove(&stream);
        }
    }

    /// Asks an agent of the room something that it has one answer to.
    ///
    /// # Errors
    /// Where no agent is connected, or none answers within `patience`.
    pub async fn ask(
        &self,
        room: RoomId,
        patience: Duration,
        question: impl FnOnce(u64) -> Console,
    ) -> Outcome<FromCard> {
        let mut stream = self.stream(room).ok_or_else(|| Fault::conflict(NO_AGENT))?;
        if !stream.say(question(stream.number())) {
            return Err(Fault::conflict(NO_ANSWER));
        }
        match timeout(patience, stream.from_card.recv()).await {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) | Err(_) => Err(Fault::conflict(NO_ANSWER)),
        }
    }

    /// A new stream by an agent of the room; none where no agent is connected.
    #[must_use]
    pub fn stream(&self, room: RoomId) -> Option<CardStream<'_>> {
        let (number, out) = {
            let rooms = self.rooms.lock();
            // The newest one: an older one may be half dead.
            let line = rooms.get(&room)?.last()?;
            tracing::debug!(room = room.0, agent = line.agent.0, "a stream is opened");
            (line.number, line.out.clone())
        };
        let (to, from_card) = mpsc::channel(LAG);
        let stream = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.streams.lock().insert(stream, Stream { number, to });
        Some(CardStream { lines: self, number: stream, out, from_card })
    }
}

impl CardStream<'_> {
    /// Its number.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Sends a message about it. `false` when the agent is gone or does not read.
    pub fn say(&self, message: Console) -> bool {
        self.out.try_send(Outgoing::Say(message)).is_ok()
    }

    /// Sends what was typed. `false` when the agent is gone or does not read.
    pub fn send(&self, bytes: Vec<u8>) -> bool {
        self.out.try_send(Outgoing::Bytes(self.number, bytes)).is_ok()
    }
}

impl Drop for CardStream<'_> {
    fn drop(&mut self) {
        self.lines.streams.lock().remove(&self.number);
        // An agent that is gone has ended it already.
        let _ = self.out.try_send(Outgoing::Say(Console::ShellClose { stream: self.number }));
    }
}

#[cfg(test)]
mod tests {
    use entity::{RoomAgentId, RoomId};

    use super::{FromCard, Lines};

    #[test]
    fn a_stream_belongs_to_one_connection() {
        let lines = Lines::default();
        assert!(lines.stream(RoomId(1)).is_none(), "nobody is connected");
        let (first, _out) = lines.open(RoomId(1), RoomAgentId(1));
        let (other, _out) = lines.open(RoomId(2), RoomAgentId(2));
        let mut stream = lines.stream(RoomId(1)).expect("an agent is there");
        lines.hand_on(other, stream.number(), FromCard::Opened);
        assert!(stream.from_card.try_recv().is_err(), "an agent of another room has no say in it");
        lines.hand_on(first, stream.number(), FromCard::Opened);
        assert_eq!(stream.from_card.try_recv(), Ok(FromCard::Opened));
        lines.close(RoomId(1), first);
        assert_eq!(stream.from_card.try_recv(), Err(tokio::sync::mpsc::error::TryRecvError::Disconnected));
    }
}
