//! Reports of agents: which are accepted, what they mean, and what is written.

use std::collections::BTreeMap;

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::card::{self, Fact, Lifecycle, Model, Power};
use entity::{CardId, RoomAgentId, RoomId, room_agent};
use kernel::clock::Moment;
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};

use super::change::{By, Change, write};
use super::live::{FACTS, Live, Metrics, Room, instant, seconds};
use crate::state::Fleet;

/// Consecutive misses after which a fact is lost.
const TO_LOSE: u8 = 3;
/// Consecutive good reports after which a fact is regained.
const TO_WIN: u8 = 2;
/// Cards written in one transaction.
const STEP: usize = 1000;
/// Cards read at once when a room is loaded.
const LOADED: u64 = 10_000;

/// What one poll of a card found, layer by layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Probe {
    pub reached: bool,
    pub tcp_open: bool,
    pub adb_answers: bool,
    pub booted: bool,
}

/// A report about one card. An omitted part was not polled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub card: CardId,
    pub probe: Option<Probe>,
    pub power: Option<Power>,
    pub metrics: Option<Metrics>,
}

/// An agent's connection.
#[derive(Clone, Debug)]
pub struct Session {
    pub agent: RoomAgentId,
    pub room: RoomId,
    pub name: String,
    pub(super) number: u64,
}

/// The result of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Cards that were known.
    pub known: u32,
    /// Cards of another room or of none: the agent's list is outdated, or it lies.
    pub foreign: u32,
    /// Cards whose state changed and was written.
    pub changed: u32,
}

/// Why a batch is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A newer connection of the same agent replaced it, or the agent was revoked.
    Closed,
}

/// Registers an agent's connection, and loads its room's cards into memory. A second connection of the same agent
/// closes the first. None if the agent was revoked since its credential was checked.
///
/// # Errors
/// When a read or a write fails.
pub async fn open_session(
    app: &App,
    agent: &room_agent::Model,
    address: &str,
    version: &str,
) -> Outcome<Option<Session>> {
    load_room(app, agent.room_id).await?;
    let fleet = app.part::<Fleet>();
    // Before its row is read: whoever revokes the agent after that finds this session, and closes it.
    let session = fleet.enter(agent, app.clock.now(), app.clock.moment());
    match note_connected(app, agent.id, address, version).await {
        Ok(true) => {
            fleet.settle(&session);
            Ok(Some(session))
        }
        refused => {
            fleet.close(&session, app.clock.moment());
            refused.map(|_| None)
        }
    }
}

/// Writes down that an agent has connected. `false` if it is revoked.
///
/// # Errors
/// When a read or the write fails.
pub async fn note_connected(app: &App, agent: RoomAgentId, address: &str, version: &str) -> Outcome<bool> {
    let tx = app.db.begin_write().await?;
    if is_revoked(&tx, agent).await? {
        return Ok(false);
    }
    let row = room_agent::ActiveModel {
        id: Set(agent),
        address: Set(address.chars().take(64).collect()),
        version: Set(version.chars().take(32).collect()),
        connected_at: Set(Some(app.clock.now())),
        disconnected_at: Set(None),
        ..Default::default()
    };
    room_agent::Entity::update(row).exec(&*tx).await?;
    tx.commit().await?;
    Ok(true)
}

async fn is_revoked(tx: &WriteTx, agent: RoomAgentId) -> Outcome<bool> {
    let row = room_agent::Entity::find_by_id(agent).one(&**tx).await?;
    Ok(row.is_none_or(|row| row.revoked_at.is_some()))
}

/// Whether a session may still act for its agent: no newer one has replaced it, and the agent is not revoked. Asked in
/// the transaction that acts: there is one writer at a time, so a newer session does nothing before it has ended, and
/// finds what it did.
///
/// # Errors
/// When the read fails.
pub async fn holds(app: &App, tx: &WriteTx, session: &Session) -> Outcome<bool> {
    Ok(app.part::<Fleet>().is_open(session) && !is_revoked(tx, session.agent).await?)
}

/// Removes a connection. Its room's cards go offline after the grace period, unless an agent returns.
///
/// # Errors
/// When the write fails.
pub async fn close_session(app: &App, session: &Session) -> Outcome<()> {
    let now = app.clock.now();
    if !app.part::<Fleet>().close(session, app.clock.moment()) {
        return Ok(());
    }
    let tx = app.db.begin_write().await?;
    // It may have connected again, and that may be written down already.
    if app.part::<Fleet>().connected_since(session.agent).is_some() {
        return Ok(());
    }
    let row = room_agent::ActiveModel { id: Set(session.agent), disconnected_at: Set(Some(now)), ..Default::default() };
    room_agent::Entity::update(row).exec(&*tx).await?;
    tx.commit().await?;
    Ok(())
}

/// Reads a room's cards into memory.
pub(super) async fn load_room(app: &App, room: RoomId) -> Outcome<()> {
    let mut after = CardId(0);
    loop {
        let rows = card::Entity::find()
            .filter(card::Column::RoomId.eq(room))
            .filter(card::Column::Lifecycle.ne(Lifecycle::Retired))
            .filter(card::Column::Id.gt(after))
            .order_by_asc(card::Column::Id)
            .limit(LOADED)
            .all(app.db.read())
            .await?;
        app.part::<Fleet>().load(room, &rows);
        match rows.last() {
            Some(last) if rows.len() as u64 == LOADED => after = last.id,
            Some(_) | None => return Ok(()),
        }
    }
}

/// Processes a batch of reports. Heartbeats that change nothing write nothing; what changes is on disk when this
/// returns.
///
/// # Errors
/// When a write fails; then the room is reloaded and the agent may send the batch again. `Ok(Err(_))` if the connection
/// has been replaced or revoked.
pub async fn take(app: &App, session: &Session, reports: &[Report]) -> Outcome<Result<Taken, Refusal>> {
    let (now, moment) = (app.clock.now(), app.clock.moment());
    if !app.part::<Fleet>().is_open(session) {
        return Ok(Err(Refusal::Closed));
    }
    let mut taken = Taken::default();
    let mut wanted = BTreeMap::new();
    {
        let mut rooms = app.part::<Fleet>().rooms.lock();
        let Some(room) = rooms.get_mut(&session.room) else { return Ok(Err(Refusal::Closed)) };
        for report in reports {
            hear(room, report, (now, moment), &mut taken, &mut wanted);
        }
    }
    taken.changed = set_facts(app, session.room, wanted, &By::agent(&session.name), "", now).await?;
    Ok(Ok(taken))
}

/// The new values of a card's columns.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub facts: [Fact; FACTS],
    pub power: Power,
    pub booted_ok: u32,
    pub seen: bool,
}

fn hear(
    room: &mut Room,
    report: &Report,
    (now, moment): (UtcTime, Moment),
    taken: &mut Taken,
    wanted: &mut BTreeMap<CardId, Wanted>,
) {
    let Some(card) = room.find(report.card) else {
        taken.foreign += 1;
        return;
    };
    taken.known += 1;
    card.seen = seconds(now);
    card.heard = moment.seconds();
    if let Some(metrics) = report.metrics {
        card.metrics = metrics;
        card.minute.add(&metrics);
    }
    let before = (card.facts, card.power);
    if let Some(probe) = report.probe {
        weigh(card, probe);
        if probe.booted {
            card.booted_ok = seconds(now);
        }
    }
    if let Some(power) = report.power {
        card.power = power;
    }
    if before != (card.facts, card.power) {
        let Live { facts, power, booted_ok, .. } = *card;
        wanted.insert(card.id, Wanted { facts, power, booted_ok, seen: true });
    }
}

/// A fact is lost after three misses and regained after two good reports: one of either proves nothing.
fn weigh(card: &mut Live, probe: Probe) {
    let found = [probe.reached, probe.tcp_open, probe.adb_answers, probe.booted];
    for ((fact, against), good) in card.facts.iter_mut().zip(&mut card.against).zip(found) {
        if good == (*fact == Fact::Yes) && *fact != Fact::Unknown {
            *against = 0;
            continue;
        }
        // The counter encodes the direction: misses count from 0, good reports from 128.
        let (base, needed) = if good { (128, TO_WIN) } else { (0, TO_LOSE) };
        let so_far = if (*against >= 128) == good { against.saturating_sub(base) } else { 0 };
        if so_far + 1 >= needed {
            *fact = if good { Fact::Yes } else { Fact::No };
            *against = 0;
        } else {
            *against = base + so_far + 1;
        }
    }
}

/// Updates the rows of cards to the facts in memory, in key order.
pub(super) async fn set_facts(
    app: &App,
    room: RoomId,
    wanted: BTreeMap<CardId, Wanted>,
    by: &By,
    reason: &str,
    now: UtcTime,
) -> Outcome<u32> {
    let wanted: Vec<(CardId, Wanted)> = wanted.into_iter().collect();
    let mut changed = 0;
    for step in wanted.chunks(STEP) {
        match write_step(app, step, by, reason, now).await {
            Ok(written) => changed += written,
            Err(fault) => {
                // Memory and the database differ: reload it.
                app.part::<Fleet>().forget(room);
                load_room(app, room).await?;
                return Err(fault);
            }
        }
    }
    Ok(changed)
}

async fn write_step(app: &App, step: &[(CardId, Wanted)], by: &By, reason: &str, now: UtcTime) -> Outcome<u32> {
    let mut tx = app.db.begin_write().await?;
    let ids = step.iter().map(|(id, _)| *id);
    let rows =
        card::Entity::find().filter(card::Column::Id.is_in(ids)).order_by_asc(card::Column::Id).all(&*tx).await?;
    let mut changes = Vec::with_capacity(rows.len());
    for row in rows {
        let Ok(at) = step.binary_search_by_key(&row.id, |(id, _)| *id) else { continue };
        changes.push(Change { after: with_facts(&row, &step[at].1), before: row, reason: reason.to_owned() });
    }
    let written = write(&mut tx, changes, by, now).await?;
    tx.commit().await?;
    let count = u32::try_from(written.len()).unwrap_or(u32::MAX);
    app.part::<Fleet>().committed(&app.events, written);
    Ok(count)
}

fn with_facts(row: &Model, wanted: &Wanted) -> Model {
    let [reached, tcp_open, adb_answers, booted] = wanted.facts;
    // A card that was recorded and never seen is registered when it first comes up.
    let lifecycle = if wanted.seen && booted == Fact::Yes && row.lifecycle == Lifecycle::Expected {
        Lifecycle::Registered
    } else {
        row.lifecycle
    };
    let lost = row.booted == Fact::Yes && booted != Fact::Yes;
    Model {
        reached,
        tcp_open,
        adb_answers,
        booted,
        booted_ok_at: if lost { instant(wanted.booted_ok).or(row.booted_ok_at) } else { row.booted_ok_at },
        power: wanted.power,
        lifecycle,
        ..row.clone()
    }
}

#[cfg(test)]
mod tests {
    use entity::card::Fact;

    use super::{Live, Probe, weigh};
    use crate::state::live::{Metrics, Minute};

    #[test]
    fn three_misses_lose_and_two_good_rounds_win() {
        let mut card = Live {
            id: entity::CardId(1),
            host: 0,
            seen: 0,
            heard: 0,
            booted_ok: 0,
            facts: [Fact::Unknown; 4],
            against: [0; 4],
            power: entity::card::Power::Unknown,
            run_status: entity::card::RunStatus::Unknown,
            metrics: Metrics::default(),
            minute: Minute::default(),
        };
        let probe = |up: bool| Probe { reached: true, tcp_open: up, adb_answers: up, booted: up };
        let mut said = String::new();
        for up in "++---++-+--++-+-+".chars() {
            weigh(&mut card, probe(up == '+'));
            said.push(match card.facts[3] {
                Fact::Yes => 'Y',
                Fact::No => 'N',
                Fact::Unknown => '?',
            });
        }
        assert_eq!(said, "?YYYNNYYYYYYYYYYY");
        assert_eq!(card.facts[0], Fact::Yes);
    }
}
