//! What happens without a report: cards fall silent, agents stay away, minutes end, old figures are removed.

use std::collections::BTreeMap;
use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use entity::card::Fact;
use entity::{RoomId, room_agent};
use kernel::clock::Moment;
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use tokio_util::sync::CancellationToken;

use super::change::By;
use super::intake::{Wanted, load_room, set_facts};
use super::live::{Live, Room};
use super::minute;
use crate::settings::FleetSettings;
use crate::state::Fleet;

/// Consecutive reports that a card may miss before it is lost.
const MISSED: i64 = 3;
const PERIOD: Duration = Duration::from_secs(1);
const SILENT: &str = "no report";
const DISCONNECTED: &str = "agent disconnected";

/// The fleet's loop, which ends between two rounds when it is told to.
pub async fn rounds(app: App, stopped: CancellationToken) {
    let mut ticks = tokio::time::interval(PERIOD);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut minute = minute_of(app.clock.now());
    loop {
        tokio::select! {
            () = stopped.cancelled() => return,
            _ = ticks.tick() => {}
        }
        if let Err(fault) = round(&app).await {
            tracing::error!(?fault, "a pass of the fleet's loop failed; it is retried");
        }
        let now = minute_of(app.clock.now());
        if now != minute {
            if let Err(fault) = minute::end(&app, minute).await {
                tracing::error!(?fault, "could not store per-minute metrics");
            }
            minute = now;
        }
    }
}

fn minute_of(at: UtcTime) -> i64 {
    at.millis().div_euclid(60_000)
}

/// Nobody is connected yet: every room that has an agent waits for it from now on. For a room that never had one, the
/// records stay as they are.
///
/// # Errors
/// When the database refuses.
pub async fn begin(app: &App) -> Outcome<()> {
    let now = app.clock.moment();
    let rows: Vec<RoomId> = room_agent::Entity::find()
        .select_only()
        .column(room_agent::Column::RoomId)
        .distinct()
        .filter(room_agent::Column::RevokedAt.is_null())
        .into_tuple()
        .all(app.db.read())
        .await?;
    // One lock at a time, agents before rooms, as everywhere.
    let alone: Vec<RoomId> = rows.into_iter().filter(|room| app.part::<Fleet>().agents_in(*room) == 0).collect();
    let mut rooms = app.part::<Fleet>().rooms.lock();
    for id in alone {
        rooms.entry(id).or_default().left_alone.get_or_insert(now);
    }
    Ok(())
}

/// One pass over all rooms: loses the cards of rooms without an agent for too long, and those that fell silent.
///
/// # Errors
/// When a write fails; the next round retries.
pub async fn round(app: &App) -> Outcome<()> {
    let settings = app.settings.get::<FleetSettings>(app).await?;
    let (now, moment) = (app.clock.now(), app.clock.moment());
    let alone: Vec<RoomId> = {
        let rooms = app.part::<Fleet>().rooms.lock();
        let is_over = |room: &Room| {
            !room.given_up && room.left_alone.is_some_and(|since| moment.seconds_since(since) >= settings.grace_seconds)
        };
        rooms.iter().filter(|(_, room)| is_over(room)).map(|(id, _)| *id).collect()
    };
    for room in alone {
        give_up(app, room, now).await?;
    }
    let silent = {
        let since: BTreeMap<RoomId, Moment> = {
            let agents = app.part::<Fleet>().agents.lock();
            agents.values().map(|agent| (agent.room, agent.from)).collect()
        };
        let mut rooms = app.part::<Fleet>().rooms.lock();
        // By the monotonic clock: the wall clock may be set while every card reports.
        let limit = moment.plus_seconds(-MISSED * settings.heartbeat_seconds).seconds();
        let mut found = Vec::new();
        for (id, connected) in since {
            let Some(room) = rooms.get_mut(&id) else { continue };
            let lost = lose(room, |card| card.heard.max(connected.seconds()) < limit);
            if !lost.is_empty() {
                found.push((id, lost));
            }
        }
        found
    };
    for (room, lost) in silent {
        set_facts(app, room, lost, &By::console(), SILENT, now).await?;
    }
    Ok(())
}

/// A room's agent stays away: its cards cannot be reached.
async fn give_up(app: &App, id: RoomId, now: UtcTime) -> Outcome<()> {
    load_room(app, id).await?;
    let lost = {
        let mut rooms = app.part::<Fleet>().rooms.lock();
        let Some(room) = rooms.get_mut(&id).filter(|room| room.left_alone.is_some()) else { return Ok(()) };
        lose(room, |_| true)
    };
    set_facts(app, id, lost, &By::console(), DISCONNECTED, now).await?;
    if let Some(room) = app.part::<Fleet>().rooms.lock().get_mut(&id).filter(|room| room.left_alone.is_some()) {
        room.given_up = true;
        room.cards = Vec::new();
    }
    Ok(())
}

/// Marks cards as not reached, and returns the new values of their rows.
fn lose(room: &mut Room, which: impl Fn(&Live) -> bool) -> BTreeMap<entity::CardId, Wanted> {
    let mut lost = BTreeMap::new();
    for card in &mut room.cards {
        if card.facts[0] == Fact::Yes && which(card) {
            card.facts[0] = Fact::No;
            card.against[0] = 0;
            let Live { facts, power, booted_ok, .. } = *card;
            lost.insert(card.id, Wanted { facts, power, booted_ok, seen: false });
        }
    }
    lost
}

/// Removes what is older than the settings allow.
pub(super) async fn prune(app: &App, settings: &FleetSettings, now: UtcTime) -> Outcome<()> {
    let events = now.plus_seconds(-settings.event_days * 86_400);
    let tx = app.db.begin_write().await?;
    let backend = tx.get_database_backend();
    // Ids follow time: the oldest events come first, and removing a few thousand at a time blocks nobody.
    let text = "DELETE FROM card_event WHERE id IN (SELECT id FROM card_event ORDER BY id LIMIT 5000) AND at < $1";
    tx.execute_raw(db::sql::statement(backend, text, [events.millis().into()])).await?;
    tx.commit().await?;
    Ok(())
}
