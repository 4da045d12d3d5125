//! Connected agents, for callers that need one: shells on cards, BMC checks, storage nodes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base::fault::{Fault, Outcome};
use entity::{RoomAgentId, RoomId};
use kernel::text::{Text, text};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::time::timeout;
use wire::{
    BOOKS, BmcLook, COPIES, Console, CopyLook, ERASES, FolderLook, HALTS, Key, LIVE, RESTORES, RETURNS, Reason, STORES,
    StoreSeen,
};

use crate::reasons;

/// Places of an agent that does not say how many it has: on a small machine there are as many.
const UNSAID: u32 = 2;
/// More than that are not believed.
const MOST_PLACES: u32 = 64;
/// Frames that may queue for a slow agent, and pieces for a slow browser.
const LAG: usize = 256;

const NO_AGENT: Text = text(
    "该机房的代理未连接；请先在设备地址中检查机房代理",
    "No agent of this room is connected; check the room agents first",
);
const NO_ANSWER: Text = text("机房代理没有应答，请稍后再试", "The room agent did not answer; try again in a moment");

/// What is sent to an agent without being asked for.
#[derive(Debug)]
pub enum Outgoing {
    /// A message.
    Say(Console),
    /// Bytes of a stream.
    Bytes(u64, Vec<u8>),
}

/// What arrives in a stream: output of a shell on a card, or the answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FromCard {
    /// The shell is open.
    Opened,
    /// Output.
    Bytes(Vec<u8>),
    /// It ended: with this exit code, or for this reason.
    Ended {
        /// The exit code, if there is one.
        exit: Option<u8>,
        /// For people; empty after an exit.
        reason: String,
    },
    /// The result of a BMC check.
    Bmc(Box<BmcLook>),
    /// The content of a folder.
    Folder(FolderLook),
    /// What was found at a storage node.
    Store(Box<StoreSeen>),
    /// What a copy of a phone would hold.
    Copy(Box<CopyLook>),
}

impl FromCard {
    /// Whether nothing comes after it.
    const fn is_last(&self) -> bool {
        match self {
            Self::Ended { .. } | Self::Bmc(_) | Self::Folder(_) | Self::Store(_) | Self::Copy(_) => true,
            Self::Opened | Self::Bytes(_) => false,
        }
    }
}

#[derive(Debug)]
struct Connection {
    agent: RoomAgentId,
    protocol: u32,
    /// How many copies and restores it has places for at once.
    places: u32,
    number: u64,
    out: mpsc::Sender<Outgoing>,
}

#[derive(Debug)]
struct Stream {
    /// The id of the connection that carries it.
    number: u64,
    to: mpsc::Sender<FromCard>,
}

/// An open connection, for whoever tells agents something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its room.
    pub room: RoomId,
    /// Whose it is.
    pub agent: RoomAgentId,
    /// No other has this number; later ones have higher ones.
    pub number: u64,
    /// What the agent speaks.
    pub protocol: u32,
}

/// The connections of agents, and their streams.
#[derive(Debug, Default)]
pub struct Connections {
    rooms: Mutex<BTreeMap<RoomId, Vec<Connection>>>,
    streams: Mutex<HashMap<u64, Stream>>,
    last: AtomicU64,
}

/// A stream to a card. Dropping it closes it.
#[derive(Debug)]
pub struct CardStream<'a> {
    connections: &'a Connections,
    number: u64,
    out: mpsc::Sender<Outgoing>,
    /// What comes from the card.
    pub from_card: mpsc::Receiver<FromCard>,
}

/// Why an agent has not said what it finds at a storage node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasked {
    /// It is not connected.
    Away,
    /// It does not know the question.
    TooOld,
    /// It has not answered in time.
    Silent,
}

impl Connections {
    /// Registers a connection; returns its id and the receiver of what is to be sent to it.
    pub(crate) fn open(
        &self,
        room: RoomId,
        agent: RoomAgentId,
        protocol: u32,
        places: Option<u32>,
    ) -> (u64, mpsc::Receiver<Outgoing>) {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (out, outgoing) = mpsc::channel(LAG);
        let places = places.unwrap_or(UNSAID).clamp(1, MOST_PLACES);
        self.rooms.lock().entry(room).or_default().push(Connection { agent, protocol, places, number, out });
        (number, outgoing)
    }

    /// The rooms with a connected agent.
    #[must_use]
    pub fn rooms(&self) -> Vec<RoomId> {
        let rooms = self.rooms.lock();
        rooms.iter().filter(|(_, open)| !open.is_empty()).map(|(room, _)| *room).collect()
    }

    /// Whether an agent of a room is connected that does the steps of other books.
    #[must_use]
    pub fn does_steps(&self, room: RoomId) -> bool {
        let rooms = self.rooms.lock();
        rooms.get(&room).is_some_and(|open| open.iter().any(|connection| connection.protocol >= BOOKS))
    }

    /// Why no agent of a room does what those do that were looked for: none is there, or they have to be upgraded.
    #[must_use]
    pub fn why_none(&self, room: RoomId) -> Reason {
        if self.that_speak(room, 0).is_empty() { Reason::RoomAway } else { Reason::AgentTooOld }
    }

    /// The connected agents of a room that make copies of phones.
    #[must_use]
    pub fn that_copy(&self, room: RoomId) -> Vec<RoomAgentId> {
        self.that_speak(room, COPIES)
    }

    /// How many copies and restores these agents of a room have places for at once, as they have said.
    #[must_use]
    pub fn places(&self, room: RoomId, agents: &[RoomAgentId]) -> u64 {
        let rooms = self.rooms.lock();
        let open = rooms.get(&room).map(Vec::as_slice).unwrap_or_default();
        // Of an agent that has several connections, the newest is the last.
        let of_each: BTreeMap<RoomAgentId, u32> =
            open.iter().map(|connection| (connection.agent, connection.places)).collect();
        agents
            .iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter_map(|agent| of_each.get(agent))
            .map(|n| u64::from(*n))
            .sum()
    }

    /// Those that put copies on cards as well.
    #[must_use]
    pub fn that_restore(&self, room: RoomId) -> Vec<RoomAgentId> {
        self.that_speak(room, RESTORES)
    }

    /// Those that bring phones back to cards that they had left.
    #[must_use]
    pub fn that_return(&self, room: RoomId) -> Vec<RoomAgentId> {
        self.that_speak(room, RETURNS)
    }

    /// Those that stop what runs on a card whose phone has gone on elsewhere.
    #[must_use]
    pub fn that_halt(&self, room: RoomId) -> Vec<RoomAgentId> {
        self.that_speak(room, HALTS)
    }

    /// Those that copy phones which go on.
    #[must_use]
    pub fn that_copy_live(&self, room: RoomId) -> Vec<RoomAgentId> {
        self.that_speak(room, LIVE)
    }

    /// Those that remove what erased phones have left at storage nodes.
    #[must_use]
    pub fn that_erase(&self, room: RoomId) -> Vec<RoomAgentId> {
        self.that_speak(room, ERASES)
    }

    /// The connected agents of a room that speak this protocol or a later one.
    fn that_speak(&self, room: RoomId, protocol: u32) -> Vec<RoomAgentId> {
        let rooms = self.rooms.lock();
        let open = rooms.get(&room).map(Vec::as_slice).unwrap_or_default();
        open.iter().filter(|connection| connection.protocol >= protocol).map(|connection| connection.agent).collect()
    }

    /// The open connections; of an agent that has several, the newest is the last.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let rooms = self.rooms.lock();
        let open = rooms.iter().flat_map(|(room, open)| open.iter().map(move |connection| (*room, connection)));
        open.map(|(room, Connection { agent, protocol, number, .. })| Line {
            room,
            agent: *agent,
            number: *number,
            protocol: *protocol,
        })
        .collect()
    }

    /// Sends a message over a connection; `false` if it is closed or its agent does not read.
    pub fn say(&self, line: Line, message: Console) -> bool {
        let rooms = self.rooms.lock();
        let open = rooms.get(&line.room).map(Vec::as_slice).unwrap_or_default();
        let found = open.iter().find(|connection| connection.number == line.number);
        found.is_some_and(|connection| connection.out.try_send(Outgoing::Say(message)).is_ok())
    }

    /// Tells an agent not to start these attempts any more. One that does not read hears of it when it connects again.
    pub fn call_off(&self, room: RoomId, agent: RoomAgentId, keys: Vec<Key>) {
        let rooms = self.rooms.lock();
        let open = rooms.get(&room).map(Vec::as_slice).unwrap_or_default();
        if let Some(newest) = open.iter().rfind(|connection| connection.agent == agent) {
            _ = newest.out.try_send(Outgoing::Say(Console::Cancel { keys }));
        }
    }

    /// Removes a connection: its streams end.
    pub(crate) fn close(&self, room: RoomId, number: u64) {
        if let Some(open) = self.rooms.lock().get_mut(&room) {
            open.retain(|connection| connection.number != number);
        }
        self.streams.lock().retain(|_, stream| stream.number != number);
    }

    /// Forwards stream data that belongs to this connection; dropped if the browser does not read.
    pub(crate) fn hand_on(&self, number: u64, stream: u64, what: FromCard) {
        let mut streams = self.streams.lock();
        let Some(found) = streams.get(&stream).filter(|found| found.number == number) else { return };
        let has_ended = what.is_last();
        if found.to.try_send(what).is_err() || has_ended {
            streams.remove(&stream);
        }
    }

    /// Sends a request with a single answer to an agent of the room.
    ///
    /// # Errors
    /// If no agent is connected, or none answers within `patience`.
    pub async fn ask(
        &self,
        room: RoomId,
        patience: Duration,
        question: impl FnOnce(u64) -> Console,
    ) -> Outcome<FromCard> {
        let stream = self.stream(room).ok_or_else(|| Fault::conflict(NO_AGENT))?;
        stream.answered(patience, question).await.ok_or_else(|| Fault::conflict(NO_ANSWER))
    }

    /// Asks an agent of the room what a copy of a phone would hold.
    ///
    /// # Errors
    /// If no agent is connected that knows the question, or none answers within `patience`.
    pub async fn ask_copy(
        &self,
        room: RoomId,
        patience: Duration,
        question: impl FnOnce(u64) -> Console,
    ) -> Outcome<CopyLook> {
        let knows = |connection: &Connection| connection.protocol >= STORES;
        let nobody = || {
            let why = self.why_none(room);
            Fault::conflict(if why == Reason::RoomAway { NO_AGENT } else { reasons::text_of(why) })
        };
        let stream = self.stream_to(room, knows).ok_or_else(nobody)?;
        match stream.answered(patience, question).await {
            Some(FromCard::Copy(look)) => Ok(*look),
            Some(_) | None => Err(Fault::conflict(NO_ANSWER)),
        }
    }

    /// Asks this agent for a look at a storage node.
    ///
    /// # Errors
    /// [`Unasked`]
    pub async fn ask_store(
        &self,
        (room, agent): (RoomId, RoomAgentId),
        patience: Duration,
        question: impl FnOnce(u64) -> Console,
    ) -> Result<StoreSeen, Unasked> {
        let is_it = |connection: &Connection| connection.agent == agent;
        let knows = |connection: &Connection| connection.protocol >= STORES;
        let Some(stream) = self.stream_to(room, |connection| is_it(connection) && knows(connection)) else {
            let is_there = self.rooms.lock().get(&room).is_some_and(|open| open.iter().any(is_it));
            return Err(if is_there { Unasked::TooOld } else { Unasked::Away });
        };
        match stream.answered(patience, question).await {
            Some(FromCard::Store(seen)) => Ok(*seen),
            Some(_) | None => Err(Unasked::Silent),
        }
    }

    /// Opens a stream through an agent of the room; none if no agent is connected.
    #[must_use]
    pub fn stream(&self, room: RoomId) -> Option<CardStream<'_>> {
        self.stream_to(room, |_| true)
    }

    fn stream_to(&self, room: RoomId, is_meant: impl Fn(&Connection) -> bool) -> Option<CardStream<'_>> {
        let (number, out) = {
            let rooms = self.rooms.lock();
            // The newest connection: an older one may be dead already.
            let newest = rooms.get(&room)?.iter().rfind(|connection| is_meant(connection))?;
            tracing::debug!(room = room.0, agent = newest.agent.0, "a stream is opened");
            (newest.number, newest.out.clone())
        };
        let (to, from_card) = mpsc::channel(LAG);
        let stream = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.streams.lock().insert(stream, Stream { number, to });
        Some(CardStream { connections: self, number: stream, out, from_card })
    }
}

impl CardStream<'_> {
    /// Its number.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Sends a request, and waits for its single answer; none if the agent is gone or does not answer in time.
    async fn answered(mut self, patience: Duration, question: impl FnOnce(u64) -> Console) -> Option<FromCard> {
        if !self.say(question(self.number)) {
            return None;
        }
        timeout(patience, self.from_card.recv()).await.ok().flatten()
    }

    /// Sends a message about it. `false` if the agent is gone or does not read.
    pub fn say(&self, message: Console) -> bool {
        self.out.try_send(Outgoing::Say(message)).is_ok()
    }

    /// Sends input. `false` if the agent is gone or does not read.
    pub fn send(&self, bytes: Vec<u8>) -> bool {
        self.out.try_send(Outgoing::Bytes(self.number, bytes)).is_ok()
    }
}

impl Drop for CardStream<'_> {
    fn drop(&mut self) {
        self.connections.streams.lock().remove(&self.number);
        // An agent that is gone has closed it already.
        let _ = self.out.try_send(Outgoing::Say(Console::ShellClose { stream: self.number }));
    }
}

#[cfg(test)]
mod tests {
    use entity::{RoomAgentId, RoomId};

    use super::{BOOKS, Connections, FromCard, Reason};

    #[test]
    fn a_stream_belongs_to_one_connection() {
        let connections = Connections::default();
        assert!(connections.stream(RoomId(1)).is_none(), "nobody is connected");
        let (first, _out) = connections.open(RoomId(1), RoomAgentId(1), BOOKS, None);
        let (other, _out) = connections.open(RoomId(2), RoomAgentId(2), 1, None);
        assert_eq!((connections.does_steps(RoomId(1)), connections.does_steps(RoomId(2))), (true, false));
        assert_eq!([2, 3].map(|room| connections.why_none(RoomId(room))), [Reason::AgentTooOld, Reason::RoomAway]);
        let mut stream = connections.stream(RoomId(1)).expect("an agent is there");
        connections.hand_on(other, stream.number(), FromCard::Opened);
        assert!(stream.from_card.try_recv().is_err(), "an agent of another room has no say in it");
        connections.hand_on(first, stream.number(), FromCard::Opened);
        assert_eq!(stream.from_card.try_recv(), Ok(FromCard::Opened));
        connections.close(RoomId(1), first);
        assert_eq!(stream.from_card.try_recv(), Err(tokio::sync::mpsc::error::TryRecvError::Disconnected));
    }

    #[test]
    fn places_are_those_that_each_agent_has_said_last() {
        let (connections, room) = (Connections::default(), RoomId(1));
        let [first, second, third] = [1, 2, 3].map(RoomAgentId);
        let mut open = Vec::new();
        for (agent, places) in [(first, Some(8)), (second, None), (third, Some(u32::MAX)), (first, Some(5))] {
            open.push(connections.open(room, agent, BOOKS, places));
        }
        // An agent whose connection before is not closed yet is named twice.
        assert_eq!(connections.places(room, &[first, first, second]), 5 + 2);
        assert_eq!((connections.places(room, &[third]), connections.places(room, &[])), (64, 0));
        assert_eq!(connections.places(RoomId(2), &[first]), 0);
    }
}
