//! The state of cards in memory: their facts, when they last reported, their latest figures, and the current minute. At
//! most 104 bytes a card (a test makes sure of it).
//!
//! A room's cards are loaded when its first agent connects. They lie in key order, as agents report them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use base::http::Need;
use base::http::events::{Audience, EventHub};
use base::topic::Topic;
use entity::card::{Fact, Lifecycle, Model, Power};
use entity::{CardId, RoomAgentId, RoomId, room_agent};
use kernel::clock::Moment;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::change::Written;
use super::intake::Session;

/// What becomes of cards.
pub const TOPIC: Topic = Topic {
    name: "fleet",
    about: "Streams changes of cards: events `cards` with a list of rows as they are now, and `reset` when some may have \
        been missed. Requires `device:list`.",
    need: Need::Session,
};
/// Cards in one event.
const PIECE: usize = 250;

/// A card's figures, as its agent measured them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Percent.
    pub cpu: u8,
    /// Percent.
    pub memory: u8,
    /// Percent.
    pub storage: u8,
    /// Packet loss in percent.
    pub loss: u8,
    /// Degrees Celsius.
    pub temperature: i16,
    /// Milliseconds.
    pub latency: u16,
    /// Seconds since boot.
    pub uptime: u32,
}

/// The sums of the current minute.
#[derive(Clone, Copy, Debug, Default)]
pub struct Minute {
    pub count: u16,
    pub cpu: u32,
    pub memory: u32,
    pub storage: u32,
    pub loss: u32,
    pub temperature: i32,
    pub latency: u32,
}

impl Minute {
    pub const fn add(&mut self, metrics: &Metrics) {
        self.count = self.count.saturating_add(1);
        self.cpu = self.cpu.saturating_add(metrics.cpu as u32);
        self.memory = self.memory.saturating_add(metrics.memory as u32);
        self.storage = self.storage.saturating_add(metrics.storage as u32);
        self.loss = self.loss.saturating_add(metrics.loss as u32);
        self.temperature = self.temperature.saturating_add(metrics.temperature as i32);
        self.latency = self.latency.saturating_add(metrics.latency as u32);
    }
}

/// The four facts of connectivity, in the order of their layers.
pub const FACTS: usize = 4;

/// A card in memory.
#[derive(Clone, Copy, Debug)]
pub struct Live {
    pub id: CardId,
    /// Its host, or none.
    pub host: i64,
    /// Seconds since 1970; 0 before the first report. For display: whether a card is silent follows from `heard`.
    pub seen: u32,
    /// The moment of the last report, in seconds; 0 before the first.
    pub heard: u32,
    /// When Android last was up; 0 if never.
    pub booted_ok: u32,
    pub facts: [Fact; FACTS],
    /// Consecutive reports that contradict each fact.
    pub against: [u8; FACTS],
    pub power: Power,
    pub run_status: entity::card::RunStatus,
    pub metrics: Metrics,
    pub minute: Minute,
}

impl Live {
    fn of(row: &Model) -> Self {
        Self {
            id: row.id,
            host: row.host_id.map_or(0, |host| host.0),
            seen: 0,
            heard: 0,
            booted_ok: row.booted_ok_at.map_or(0, seconds),
            facts: [row.reached, row.tcp_open, row.adb_answers, row.booted],
            against: [0; FACTS],
            power: row.power,
            run_status: row.run_status,
            metrics: Metrics::default(),
            minute: Minute::default(),
        }
    }
}

/// Whole seconds of an instant, as memory keeps it.
pub fn seconds(at: UtcTime) -> u32 {
    u32::try_from(at.millis() / 1000).unwrap_or(0)
}

/// The instant of whole seconds; none for 0.
pub fn instant(seconds: u32) -> Option<UtcTime> {
    (seconds > 0).then(|| UtcTime(i64::from(seconds) * 1000))
}

/// A connected agent.
#[derive(Clone, Debug)]
pub struct Connected {
    pub room: RoomId,
    pub since: UtcTime,
    /// The same by the monotonic clock.
    pub from: Moment,
    /// Distinguishes this connection from an older one of the same agent.
    pub number: u64,
}

/// A room in memory.
#[derive(Debug, Default)]
pub struct Room {
    /// In key order.
    pub cards: Vec<Live>,
    /// When its last agent disconnected; none while one is connected.
    pub left_alone: Option<Moment>,
    /// Since then its cards were set to offline.
    pub given_up: bool,
}

impl Room {
    pub fn find(&mut self, id: CardId) -> Option<&mut Live> {
        self.cards.binary_search_by_key(&id, |card| card.id).ok().map(|at| &mut self.cards[at])
    }

    fn put(&mut self, row: &Model) {
        let fresh = Live::of(row);
        match self.cards.binary_search_by_key(&row.id, |card| card.id) {
            Ok(at) => {
                let old = self.cards[at];
                let against = if old.facts == fresh.facts { old.against } else { [0; FACTS] };
                let booted_ok = old.booted_ok.max(fresh.booted_ok);
                self.cards[at] = Live {
                    seen: old.seen,
                    heard: old.heard,
                    booted_ok,
                    against,
                    metrics: old.metrics,
                    minute: old.minute,
                    ..fresh
                };
            }
            Err(at) => self.cards.insert(at, fresh),
        }
    }

    fn remove(&mut self, id: CardId) {
        if let Ok(at) = self.cards.binary_search_by_key(&id, |card| card.id) {
            self.cards.remove(at);
        }
    }
}

/// A card's state in memory, for its details and the list.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveView {
    /// When it last reported.
    pub seen_at: Option<UtcTime>,
    /// When Android last was up.
    pub booted_ok_at: Option<UtcTime>,
    /// Consecutive reports that contradict: reached, port open, ADB answers, booted.
    pub against: [u8; FACTS],
    /// The latest figures; none before the first report.
    pub metrics: Option<Metrics>,
}

/// The fleet in memory.
#[derive(Debug, Default)]
pub struct Fleet {
    pub(super) rooms: Mutex<BTreeMap<RoomId, Room>>,
    pub(super) agents: Mutex<BTreeMap<RoomAgentId, Connected>>,
    last_session: AtomicU64,
    /// Incremented with every change of a room's list of cards.
    rosters: Mutex<BTreeMap<RoomId, u64>>,
    /// Incremented with every change of a room's management networks.
    networks: Mutex<BTreeMap<RoomId, u64>>,
}

impl Fleet {
    /// Publishes what was committed to memory and open consoles.
    pub fn committed(&self, events: &EventHub, written: Written) {
        let Written { rows, deltas, rosters } = written;
        if !rosters.is_empty() {
            let mut counts = self.rosters.lock();
            for room in rosters {
                *counts.entry(room).or_default() += 1;
            }
        }
        {
            let mut rooms = self.rooms.lock();
            for row in &rows {
                for (id, room) in rooms.iter_mut() {
                    if *id == row.room_id && row.lifecycle != Lifecycle::Retired {
                        room.put(row);
                    } else {
                        room.remove(row.id);
                    }
                }
            }
        }
        let audience = Audience { code: Some(crate::screens::perm::DEVICE_LIST.code()), operator: None };
        for piece in deltas.chunks(PIECE) {
            events.publish(TOPIC, "cards", &piece, audience);
        }
    }

    /// A card's state in memory.
    #[must_use]
    pub fn view(&self, room: RoomId, id: CardId) -> Option<LiveView> {
        let mut rooms = self.rooms.lock();
        let card = rooms.get_mut(&room)?.find(id)?;
        Some(LiveView {
            seen_at: instant(card.seen),
            booted_ok_at: instant(card.booted_ok),
            // From 128 on they are good reports on the way to regain a fact.
            against: card.against.map(|so_far| if so_far < 128 { so_far } else { 0 }),
            metrics: (card.seen > 0).then_some(card.metrics),
        })
    }

    /// The version of a room's list of cards.
    #[must_use]
    pub fn roster_number(&self, room: RoomId) -> u64 {
        self.rosters.lock().get(&room).copied().unwrap_or_default()
    }

    /// The management networks of a room have changed: its agents are told.
    pub fn networks_changed(&self, room: RoomId) {
        *self.networks.lock().entry(room).or_default() += 1;
    }

    /// The version of a room's management networks.
    #[must_use]
    pub fn networks_number(&self, room: RoomId) -> u64 {
        self.networks.lock().get(&room).copied().unwrap_or_default()
    }

    /// Whether a session is its agent's current one, and not closed.
    #[must_use]
    pub fn is_open(&self, session: &Session) -> bool {
        self.agents.lock().get(&session.agent).is_some_and(|connected| connected.number == session.number)
    }

    /// The number of connected agents of a room.
    #[must_use]
    pub fn agents_in(&self, room: RoomId) -> u32 {
        let agents = self.agents.lock();
        u32::try_from(agents.values().filter(|agent| agent.room == room).count()).unwrap_or(u32::MAX)
    }

    /// Whether no agent of a room is connected, and none has been for as long as one is waited for: its cards count as
    /// offline since. After a restart of the console each room has its whole time again.
    #[must_use]
    pub fn is_away(&self, room: RoomId) -> bool {
        // A room that is not in memory has had no agent since the start, and none is to come.
        self.agents_in(room) == 0 && self.rooms.lock().get(&room).is_none_or(|room| room.given_up)
    }

    /// Makes a new session the current one of an agent; an older one is closed by that.
    pub(super) fn enter(&self, agent: &room_agent::Model, since: UtcTime, from: Moment) -> Session {
        let number = self.last_session.fetch_add(1, Ordering::Relaxed) + 1;
        self.agents.lock().insert(agent.id, Connected { room: agent.room_id, since, from, number });
        Session { agent: agent.id, room: agent.room_id, name: agent.name.clone(), number }
    }

    /// A session's room has an agent again, unless the session was closed meanwhile.
    pub(super) fn settle(&self, session: &Session) {
        // Both locks, agents before rooms: whoever closes the session leaves the room alone after this or instead of it.
        let agents = self.agents.lock();
        let is_open = agents.get(&session.agent).is_some_and(|connected| connected.number == session.number);
        if is_open && let Some(room) = self.rooms.lock().get_mut(&session.room) {
            (room.left_alone, room.given_up) = (None, false);
        }
    }

    /// Closes an agent's session: what it sends from now on is refused.
    pub fn close_agent(&self, agent: RoomAgentId, now: Moment) {
        self.remove(agent, now, |_| true);
    }

    /// The same for one session; `false` if it was closed before.
    pub(super) fn close(&self, session: &Session, now: Moment) -> bool {
        self.remove(session.agent, now, |connected| connected.number == session.number)
    }

    fn remove(&self, agent: RoomAgentId, now: Moment, is_meant: impl Fn(&Connected) -> bool) -> bool {
        let mut agents = self.agents.lock();
        let Some(room) = agents.get(&agent).filter(|connected| is_meant(connected)).map(|connected| connected.room)
        else {
            return false;
        };
        agents.remove(&agent);
        let others = agents.values().any(|other| other.room == room);
        if !others && let Some(room) = self.rooms.lock().get_mut(&room) {
            room.left_alone.get_or_insert(now);
        }
        true
    }

    /// Since when an agent is connected.
    #[must_use]
    pub fn connected_since(&self, agent: RoomAgentId) -> Option<UtcTime> {
        self.agents.lock().get(&agent).map(|connected| connected.since)
    }

    /// Loads a room's cards into memory, unless they are there. Newer state in memory is kept.
    pub(super) fn load(&self, room: RoomId, rows: &[Model]) {
        let mut rooms = self.rooms.lock();
        let room = rooms.entry(room).or_default();
        room.cards.reserve_exact(rows.len());
        for row in rows {
            room.put(row);
        }
    }

    /// Drops a room's cards from memory: they are reloaded when needed.
    pub(super) fn forget(&self, room: RoomId) {
        if let Some(room) = self.rooms.lock().get_mut(&room) {
            room.cards = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_card_in_memory_is_small() {
        assert!(size_of::<super::Live>() <= 104, "{} bytes", size_of::<super::Live>());
    }
}
