//! How fast agents may transfer. A limit of a room, which is that of all rooms where it has none of its own, is shared out among
//! its agents that are connected, that of a storage node among those that reach it, and each agent is told its shares: when it
//! comes, before it begins anything, and anew when another one comes or goes, or somebody changes a limit.
//!
//! Whoever has gone is counted for two minutes more: an agent that has lost its console goes on for a while with what it was
//! told. So are those that were there before the console started.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use entity::store_node::StoreState;
use entity::{RoomAgentId, RoomId, StoreNodeId, room, room_agent, store_node, store_node_agent};
use fleet::{Connections, Line, Session};
use kernel::clock::Moment;
use parking_lot::Mutex;
use sea_orm::{
    ColumnTrait as _, Condition, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
};
use wire::{Console, NodeRates, Rates, STORES};

use super::speed::TransferSpeed;

/// Interval between looks at what has changed.
pub const LOOK: Duration = Duration::from_secs(1);
/// Seconds for which who has gone is counted.
const GONE: i64 = 120;

/// A limit in Mbit/s each way.
#[derive(Clone, Copy, Debug, Default)]
struct Limit {
    down: Option<i16>,
    up: Option<i16>,
}

impl Limit {
    /// What is not limited by itself is by the other one.
    fn or(self, other: Self) -> Self {
        Self { down: self.down.or(other.down), up: self.up.or(other.up) }
    }

    /// The share of each of so many.
    fn among(self, count: usize) -> Rates {
        let count = u32::try_from(count.max(1)).unwrap_or(u32::MAX);
        let share = |mbit: i16| (u32::from(mbit.unsigned_abs()) * 1000 / count).max(1);
        Rates { down: self.down.map(share), up: self.up.map(share) }
    }
}

impl From<&TransferSpeed> for Limit {
    fn from(of_all: &TransferSpeed) -> Self {
        let TransferSpeed { is_limited, download_mbit, upload_mbit } = of_all;
        let mbit = |mbit: i64| i16::try_from(mbit).ok().filter(|_| *is_limited);
        Self { down: mbit(*download_mbit), up: mbit(*upload_mbit) }
    }
}

/// A storage node that has a limit, and the agents that reach it.
#[derive(Debug)]
struct Node {
    mark: String,
    limit: Limit,
    agents: BTreeSet<RoomAgentId>,
}

/// All limits that there are.
#[derive(Debug, Default)]
struct Limits {
    /// Of each room that has none of its own.
    usual: Limit,
    rooms: HashMap<RoomId, Limit>,
    nodes: Vec<Node>,
}

/// The agents that are counted, and their rooms.
type Present = BTreeMap<RoomAgentId, RoomId>;

impl Limits {
    async fn read(app: &App) -> Outcome<Self> {
        let of_all = app.settings.get::<TransferSpeed>(app).await?;
        Ok(Self { usual: Limit::from(&*of_all), ..Self::own(app.db.read()).await? })
    }

    /// Those of rooms and nodes.
    async fn own(db: &impl ConnectionTrait) -> Result<Self, DbErr> {
        use room::Column as R;
        use store_node::Column as N;
        let limited = Condition::any().add(R::DownloadMbit.is_not_null()).add(R::UploadMbit.is_not_null());
        let rooms = room::Entity::find().filter(limited).all(db).await?;
        let limited = Condition::any().add(N::DownloadMbit.is_not_null()).add(N::UploadMbit.is_not_null());
        let nodes = store_node::Entity::find().filter(limited).filter(N::State.ne(StoreState::Retired));
        let nodes = nodes.order_by_asc(N::Id).all(db).await?;
        let mut agents: HashMap<StoreNodeId, BTreeSet<RoomAgentId>> = HashMap::new();
        if !nodes.is_empty() {
            let of_them = store_node_agent::Column::NodeId.is_in(nodes.iter().map(|node| node.id));
            for row in store_node_agent::Entity::find().filter(of_them).all(db).await? {
                agents.entry(row.node_id).or_default().insert(row.agent_id);
            }
        }
        let rooms = rooms.into_iter().map(|row| (row.id, Limit { down: row.download_mbit, up: row.upload_mbit }));
        let nodes = nodes.into_iter().map(|row| Node {
            agents: agents.remove(&row.id).unwrap_or_default(),
            mark: row.mark,
            limit: Limit { down: row.download_mbit, up: row.upload_mbit },
        });
        Ok(Self { usual: Limit::default(), rooms: rooms.collect(), nodes: nodes.collect() })
    }

    /// The shares of an agent that was told these of nodes before. It may still be at work at one that somebody has taken from it:
    /// its share there would otherwise be without limit.
    fn of(&self, agent: RoomAgentId, room: RoomId, (present, before): (&Present, &[NodeRates])) -> Share {
        let of_room = self.rooms.get(&room).copied().unwrap_or_default().or(self.usual);
        let was_told = |node: &Node| before.iter().any(|told| told.mark == node.mark);
        let nodes = self.nodes.iter().filter(|node| node.agents.contains(&agent) || was_told(node)).map(|node| {
            let others = node.agents.iter().filter(|one| **one != agent && present.contains_key(*one)).count();
            NodeRates { mark: node.mark.clone(), rates: node.limit.among(others + 1) }
        });
        let count = present.values().filter(|one| **one == room).count();
        Share { room: of_room.among(count), nodes: nodes.collect() }
    }
}

/// What an agent is told.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Share {
    room: Rates,
    nodes: Vec<NodeRates>,
}

/// What agents were told, and when each was there; in memory alone.
#[derive(Debug, Default)]
pub struct Shares(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    /// When each agent was there last, and its room; none before the first look.
    seen: Option<BTreeMap<RoomAgentId, (RoomId, Moment)>>,
    /// By the number of the connection; 0 once that is over.
    told: BTreeMap<RoomAgentId, (u64, Share)>,
}

impl Told {
    /// Who is counted now. Before the first look there were those of `before`.
    fn present(&mut self, lines: &[Line], before: Vec<(RoomAgentId, RoomId)>, now: Moment) -> Present {
        let first = || before.into_iter().map(|(agent, room)| (agent, (room, now))).collect();
        let seen = self.seen.get_or_insert_with(first);
        seen.extend(lines.iter().map(|line| (line.agent, (line.room, now))));
        seen.retain(|_, (_, at)| now.seconds_since(*at) < GONE);
        seen.iter().map(|(agent, (room, _))| (*agent, *room)).collect()
    }
}

impl Shares {
    /// How fast a connected agent may transfer from and to a node, by all limits together.
    pub fn of(&self, agent: RoomAgentId, mark: &str) -> Rates {
        let told = self.0.lock();
        let told = told.told.get(&agent).filter(|(number, _)| *number > 0);
        let Some((_, Share { room, nodes })) = told else { return Rates::default() };
        let node = nodes.iter().find(|node| node.mark == mark).map(|node| node.rates).unwrap_or_default();
        let least = |one: Option<u32>, other: Option<u32>| one.into_iter().chain(other).min();
        Rates { down: least(room.down, node.down), up: least(room.up, node.up) }
    }
}

/// Before the first look, those that were there until lately, as far as the books know.
async fn before(app: &App) -> Outcome<Vec<(RoomAgentId, RoomId)>> {
    use room_agent::Column as A;
    if app.part::<Shares>().0.lock().seen.is_some() {
        return Ok(Vec::new());
    }
    let lately = app.clock.now().plus_seconds(-GONE);
    let was_there = Condition::any().add(A::DisconnectedAt.is_null()).add(A::DisconnectedAt.gte(lately));
    let agents = room_agent::Entity::find().filter(A::RevokedAt.is_null()).filter(A::ConnectedAt.is_not_null());
    let agents = agents.filter(was_there).all(app.db.read()).await?;
    Ok(agents.into_iter().map(|row| (row.id, row.room_id)).collect())
}

/// What an agent that has just connected is told before it begins anything; none if it has no limit. The others of its room and its
/// nodes are told of theirs, which are smaller with it, within a second.
///
/// # Errors
/// When the database refuses.
pub async fn first(app: &App, session: &Session) -> Outcome<Option<Console>> {
    let before = before(app).await?;
    let limits = Limits::read(app).await?;
    let lines = app.part::<Connections>().lines();
    let mut told = app.part::<Shares>().0.lock();
    let present = told.present(&lines, before, app.clock.moment());
    let nodes = told.told.get(&session.agent).map(|(_, known)| known.nodes.as_slice()).unwrap_or_default();
    let Share { room, nodes } = limits.of(session.agent, session.room, (&present, nodes));
    let is_limited = room != Rates::default() || !nodes.is_empty();
    Ok(is_limited.then_some(Console::Share { room, nodes }))
}

/// Tells agents their shares where these have changed. Nothing more is to be done then.
///
/// # Errors
/// When the database refuses.
pub async fn share(app: &App) -> Outcome<bool> {
    let (shares, connections) = (app.part::<Shares>(), app.part::<Connections>());
    let before = before(app).await?;
    let limits = Limits::read(app).await?;
    let lines = connections.lines();
    let mut told = shares.0.lock();
    let present = told.present(&lines, before, app.clock.moment());
    let newest: BTreeMap<RoomAgentId, Line> = lines.into_iter().map(|line| (line.agent, line)).collect();
    // What one that was gone for a moment was told tells at which nodes it may be at work.
    told.told.retain(|agent, _| present.contains_key(agent));
    for (agent, (number, _)) in &mut told.told {
        if newest.get(agent).is_none_or(|line| line.number != *number) {
            *number = 0;
        }
    }
    for line in newest.into_values().filter(|line| line.protocol >= STORES) {
        let known = told.told.get(&line.agent);
        let nodes = known.map(|(_, known)| known.nodes.as_slice()).unwrap_or_default();
        let share = limits.of(line.agent, line.room, (&present, nodes));
        if known.is_some_and(|(number, known)| *number == line.number && *known == share) {
            continue;
        }
        // Who does not read now is told with the next look.
        if connections.say(line, Console::Share { room: share.room, nodes: share.nodes.clone() }) {
            told.told.insert(line.agent, (line.number, share));
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(down: Option<u32>, up: Option<u32>) -> Rates {
        Rates { down, up }
    }

    fn line(agent: i64, room: i64) -> Line {
        Line { room: RoomId(room), agent: RoomAgentId(agent), number: 1, protocol: STORES }
    }

    #[test]
    fn a_limit_is_shared_by_those_who_are_there() {
        let agents = [1, 3, 4].map(RoomAgentId).into();
        let node = Node { mark: "ab".into(), limit: Limit { down: Some(9), up: None }, agents };
        let rooms = HashMap::from([(RoomId(1), Limit { down: Some(10), up: Some(1) })]);
        let limits = Limits { usual: Limit::default(), rooms, nodes: vec![node] };
        // The first three are in a room that has a limit, the fourth is in another one; the fifth is not there.
        let present: Present =
            [(1, 1), (2, 1), (3, 1), (4, 2)].map(|(agent, room)| (RoomAgentId(agent), RoomId(room))).into();
        let at_node = vec![NodeRates { mark: "ab".into(), rates: rates(Some(3_000), None) }];
        let of = |agent: i64, room: i64| limits.of(RoomAgentId(agent), RoomId(room), (&present, &[]));
        assert_eq!(of(1, 1), Share { room: rates(Some(3_333), Some(333)), nodes: at_node.clone() });
        assert_eq!(of(2, 1), Share { room: rates(Some(3_333), Some(333)), nodes: Vec::new() });
        assert_eq!(of(4, 2), Share { room: Rates::default(), nodes: at_node.clone() });
        // Whoever does not reach the node any more may still be at work there: it goes on as one of them.
        let was_told = limits.of(RoomAgentId(2), RoomId(1), (&present, &at_node));
        let as_fourth = vec![NodeRates { mark: "ab".into(), rates: rates(Some(2_250), None) }];
        assert_eq!(was_told, Share { room: rates(Some(3_333), Some(333)), nodes: as_fourth });
        // However many there are, it is not without limit.
        assert_eq!(Limit { down: Some(1), up: None }.among(5_000), rates(Some(1), None));
    }

    #[test]
    fn a_room_without_a_limit_of_its_own_has_that_of_all_each_way() {
        let of_all = TransferSpeed { is_limited: true, download_mbit: 100, upload_mbit: 50 };
        let rooms = HashMap::from([(RoomId(1), Limit { down: Some(1000), up: None })]);
        let limits = |of_all: &TransferSpeed| Limits { usual: of_all.into(), rooms: rooms.clone(), nodes: Vec::new() };
        let present: Present = [(1, 1), (2, 2), (3, 2)].map(|(agent, room)| (RoomAgentId(agent), RoomId(room))).into();
        let of = |of_all: &TransferSpeed, agent: i64, room: i64| {
            limits(of_all).of(RoomAgentId(agent), RoomId(room), (&present, &[])).room
        };
        assert_eq!(of(&of_all, 1, 1), rates(Some(1_000_000), Some(50_000)));
        assert_eq!(of(&of_all, 2, 2), rates(Some(50_000), Some(25_000)), "it is that of each room");
        let off = TransferSpeed { is_limited: false, ..of_all };
        assert_eq!((of(&off, 1, 1), of(&off, 2, 2)), (rates(Some(1_000_000), None), Rates::default()));
    }

    #[test]
    fn who_has_gone_is_counted_for_two_minutes() {
        let (mut told, start) = (Told::default(), Moment::default());
        let present = |told: &mut Told, lines: &[Line], seconds: i64| -> Vec<i64> {
            let before = vec![(RoomAgentId(9), RoomId(1))];
            let present = told.present(lines, before, start.plus_seconds(seconds));
            present.into_keys().map(|agent| agent.0).collect()
        };
        assert_eq!(present(&mut told, &[line(1, 1)], 0), [1, 9], "somebody was there before the start");
        assert_eq!(present(&mut told, &[line(1, 1), line(2, 1)], 60), [1, 2, 9]);
        assert_eq!(present(&mut told, &[line(2, 1)], 119), [1, 2, 9]);
        assert_eq!(present(&mut told, &[line(2, 1)], 120), [1, 2]);
        assert_eq!(present(&mut told, &[line(2, 1)], 180), [2]);
        assert_eq!(present(&mut told, &[line(1, 1), line(2, 1)], 181), [1, 2], "it is back");
    }

    #[test]
    fn the_least_of_what_an_agent_was_told_is_how_fast_it_is() {
        let shares = Shares::default();
        let nodes = vec![NodeRates { mark: "ab".into(), rates: rates(Some(300), None) }];
        let share = Share { room: rates(Some(500), Some(400)), nodes };
        shares.0.lock().told.insert(RoomAgentId(1), (1, share));
        assert_eq!(shares.of(RoomAgentId(1), "ab"), rates(Some(300), Some(400)));
        assert_eq!(shares.of(RoomAgentId(1), "cd"), rates(Some(500), Some(400)));
        assert_eq!(shares.of(RoomAgentId(2), "ab"), Rates::default());
        shares.0.lock().told.entry(RoomAgentId(1)).and_modify(|(number, _)| *number = 0);
        assert_eq!(shares.of(RoomAgentId(1), "ab"), Rates::default(), "it is gone");
    }
}
