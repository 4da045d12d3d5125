//! Which agents are connected that speak another protocol than the console.

use std::collections::HashMap;

use entity::RoomAgentId;
use entity::room_agent::Standing;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use wire::SPOKEN;

/// Connected agents with which the console has no protocol in common.
#[derive(Debug, Default)]
pub struct Outdated(Mutex<HashMap<RoomAgentId, Connected>>);

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Connected {
    /// How it stands to the console.
    pub standing: Standing,
    pub since: UtcTime,
    /// How many connections it has: a new one may come before the console hears that the last has gone.
    lines: usize,
}

impl Outdated {
    /// One that speaks `protocol` has connected; it is there until the value is dropped.
    pub fn enter(&self, agent: RoomAgentId, protocol: u32, since: UtcTime) -> Line<'_> {
        let standing = if SPOKEN.iter().all(|spoken| *spoken < protocol) { Standing::Ahead } else { Standing::Behind };
        let mut all = self.0.lock();
        let connected = all.entry(agent).or_insert(Connected { standing, since, lines: 0 });
        connected.standing = standing;
        connected.lines += 1;
        Line { all: self, agent }
    }

    /// The agent, if it is one of them.
    pub fn of(&self, agent: RoomAgentId) -> Option<Connected> {
        self.0.lock().get(&agent).copied()
    }
}

/// A connection.
#[derive(Debug)]
pub struct Line<'a> {
    all: &'a Outdated,
    agent: RoomAgentId,
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let mut all = self.all.0.lock();
        let Some(connected) = all.get_mut(&self.agent) else { return };
        connected.lines -= 1;
        if connected.lines == 0 {
            all.remove(&self.agent);
        }
    }
}
