//! Changes of cards: rows, events and counters in one transaction, in key order.

use std::collections::BTreeSet;

use db::{WriteTx, sql};
use entity::card::{Lifecycle, Model};
use entity::card_event::{Axis, Source};
use entity::{CardId, HostId, RoomId};
use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait as _, DbErr, Value};
use serde::Serialize;

use crate::counts;

/// Rows in one statement; the cost of a long one grows with the square of its length on SQLite.
const ROWS: usize = 50;
/// State columns, including the key.
const COLUMNS: usize = 24;

/// Who changes a card.
#[derive(Clone, Debug)]
pub struct By {
    pub source: Source,
    pub name: String,
}

impl By {
    /// An operator.
    pub fn operator(name: impl Into<String>) -> Self {
        Self { source: Source::Operator, name: name.into() }
    }

    /// A room agent.
    pub fn agent(name: impl Into<String>) -> Self {
        Self { source: Source::Agent, name: name.into() }
    }

    /// The console itself.
    #[must_use]
    pub fn console() -> Self {
        Self { source: Source::Console, name: String::new() }
    }
}

/// A card before and after, and why. Derived statuses are recomputed.
#[derive(Clone, Debug)]
pub struct Change {
    pub before: Model,
    pub after: Model,
    pub reason: String,
}

/// A card as an open console has to show it now.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    pub id: CardId,
    pub room_id: RoomId,
    pub host_id: Option<HostId>,
    pub position: Option<i32>,
    pub lifecycle: entity::card::Lifecycle,
    pub power: entity::card::Power,
    pub occupancy: entity::card::Occupancy,
    pub maintenance: entity::card::Maintenance,
    pub is_assignable: bool,
    pub is_overcommit: bool,
    pub run_status: entity::card::RunStatus,
    pub run_since: UtcTime,
    pub network_status: entity::card::NetworkStatus,
    pub network_since: UtcTime,
}

impl Delta {
    fn of(row: &Model) -> Self {
        Self {
            id: row.id,
            room_id: row.room_id,
            host_id: row.host_id,
            position: row.position,
            lifecycle: row.lifecycle,
            power: row.power,
            occupancy: row.occupancy,
            maintenance: row.maintenance,
            is_assignable: row.is_assignable,
            is_overcommit: row.is_overcommit,
            run_status: row.run_status,
            run_since: row.run_since,
            network_status: row.network_status,
            network_since: row.network_since,
        }
    }
}

/// What was written: pass it to [`super::Fleet::committed`] after the commit.
#[derive(Debug, Default)]
#[must_use = "memory and open consoles have to hear of it after the commit"]
pub struct Written {
    pub(super) rows: Vec<Model>,
    pub(super) deltas: Vec<Delta>,
    /// Rooms whose agents need a new list of cards.
    pub(super) rosters: BTreeSet<RoomId>,
}

impl Written {
    /// Cards that were written.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The ids of those cards.
    pub fn ids(&self) -> impl Iterator<Item = i64> + '_ {
        self.rows.iter().map(|row| row.id.0)
    }

    /// Nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// New cards.
    pub fn inserted(rows: Vec<Model>) -> Self {
        let rosters = rows.iter().map(|row| row.room_id).collect();
        Self { deltas: rows.iter().map(Delta::of).collect(), rows, rosters }
    }
}

/// Writes what differs. Columns that are not state (position, addresses, model) must be written by the caller; their
/// counters and events are handled here.
///
/// # Errors
/// When the write fails.
pub async fn write(tx: &mut WriteTx, mut changes: Vec<Change>, by: &By, at: UtcTime) -> Result<Written, DbErr> {
    for change in &mut changes {
        change.after = Model { updated_at: at, ..change.after.clone().derived(at) };
    }
    // `updated_at` alone is not a change.
    changes.retain(|change| Model { updated_at: change.before.updated_at, ..change.after.clone() } != change.before);
    changes.sort_unstable_by_key(|change| change.before.id);
    let (mut events, mut rosters) = (Vec::new(), BTreeSet::new());
    for change in &changes {
        if on_roster(&change.before) != on_roster(&change.after) {
            rosters.extend([change.before.room_id, change.after.room_id]);
        }
        events.extend(differences(change).into_iter().map(|(axis, from, to)| NewEvent {
            card: change.after.id,
            at,
            axis,
            from,
            to,
            reason: change.reason.chars().take(256).collect(),
        }));
        counts::moved(tx.counts(), Some(&change.before), Some(&change.after));
    }
    for group in changes.chunks(ROWS) {
        update(tx, group).await?;
    }
    insert_events(tx, &events, by).await?;
    let rows: Vec<Model> = changes.into_iter().map(|change| change.after).collect();
    Ok(Written { deltas: rows.iter().map(Delta::of).collect(), rows, rosters })
}

/// What an agent needs to know about a card; none for a retired one.
fn on_roster(row: &Model) -> Option<(RoomId, Ip4, i32, Option<&str>)> {
    (row.lifecycle != Lifecycle::Retired).then_some((row.room_id, row.intranet_ip, row.adb_port, row.serial.as_deref()))
}

/// A timeline event to be written.
#[derive(Clone, Debug)]
pub struct NewEvent {
    pub card: CardId,
    pub at: UtcTime,
    pub axis: Axis,
    pub from: i16,
    pub to: i16,
    pub reason: String,
}

/// The facts in which a card differs. Derived statuses have no events of their own.
fn differences(change: &Change) -> Vec<(Axis, i16, i16)> {
    let (a, b) = (&change.before, &change.after);
    let place = |row: &Model| row.position.and_then(|position| i16::try_from(position).ok()).unwrap_or(0);
    let mut found: Vec<(Axis, i16, i16)> = [
        (Axis::Lifecycle, a.lifecycle.code(), b.lifecycle.code()),
        (Axis::Power, a.power.code(), b.power.code()),
        (Axis::WantedPower, a.wanted_power.code(), b.wanted_power.code()),
        (Axis::Reached, a.reached.code(), b.reached.code()),
        (Axis::TcpOpen, a.tcp_open.code(), b.tcp_open.code()),
        (Axis::AdbAnswers, a.adb_answers.code(), b.adb_answers.code()),
        (Axis::Booted, a.booted.code(), b.booted.code()),
        (Axis::Occupancy, a.occupancy.code(), b.occupancy.code()),
        (Axis::Maintenance, a.maintenance.code(), b.maintenance.code()),
        (Axis::Assignable, i16::from(a.is_assignable), i16::from(b.is_assignable)),
        (Axis::Overcommit, i16::from(a.is_overcommit), i16::from(b.is_overcommit)),
        (Axis::Upgrading, i16::from(a.is_upgrading), i16::from(b.is_upgrading)),
    ]
    .into_iter()
    .filter(|(_, from, to)| from != to)
    .collect();
    if (a.room_id, a.host_id, a.position) != (b.room_id, b.host_id, b.position) {
        found.push((Axis::Place, place(a), place(b)));
    }
    let record = |row: &Model| {
        (row.serial.clone(), row.intranet_ip, row.adb_port, row.extranet_ip, row.extranet_port, row.model_id)
    };
    if record(a) != record(b) || a.size != b.size || a.remark != b.remark {
        found.push((Axis::Record, 0, 0));
    }
    found
}

/// Writes the state columns of some rows. Both engines name the columns of a list of values alike.
async fn update(tx: &WriteTx, group: &[Change]) -> Result<(), DbErr> {
    const SET: &str = "UPDATE card SET lifecycle = v.column2, fault_reason = v.column3, power = v.column4, \
        wanted_power = v.column5, reached = v.column6, tcp_open = v.column7, adb_answers = v.column8, \
        booted = v.column9, booted_ok_at = v.column10, occupancy = v.column11, is_upgrading = v.column12, \
        maintenance = v.column13, maintenance_scope = v.column14, maintenance_reason = v.column15, \
        maintenance_by = v.column16, maintenance_until = v.column17, is_assignable = v.column18, \
        is_overcommit = v.column19, run_status = v.column20, run_since = v.column21, network_status = v.column22, \
        network_since = v.column23, updated_at = v.column24";
    let values = group.iter().flat_map(|Change { after: row, .. }| -> [Value; COLUMNS] {
        [
            row.id.0.into(),
            row.lifecycle.code().into(),
            row.fault_reason.as_str().into(),
            row.power.code().into(),
            row.wanted_power.code().into(),
            row.reached.code().into(),
            row.tcp_open.code().into(),
            row.adb_answers.code().into(),
            row.booted.code().into(),
            row.booted_ok_at.map(UtcTime::millis).into(),
            row.occupancy.code().into(),
            row.is_upgrading.into(),
            row.maintenance.code().into(),
            row.maintenance_scope.code().into(),
            row.maintenance_reason.as_str().into(),
            row.maintenance_by.as_str().into(),
            row.maintenance_until.map(UtcTime::millis).into(),
            row.is_assignable.into(),
            row.is_overcommit.into(),
            row.run_status.code().into(),
            row.run_since.millis().into(),
            row.network_status.code().into(),
            row.network_since.millis().into(),
            row.updated_at.millis().into(),
        ]
    });
    let text =
        format!("{SET} FROM (VALUES {}) AS v WHERE card.id = v.column1", sql::value_groups(group.len(), COLUMNS));
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}

/// Writes timeline events.
///
/// # Errors
/// When the write fails.
pub async fn insert_events(tx: &WriteTx, events: &[NewEvent], by: &By) -> Result<(), DbErr> {
    const COLUMNS: usize = 8;
    for chunk in events.chunks(125) {
        let text = format!(
            "INSERT INTO card_event (card_id, at, axis, from_code, to_code, reason, source, by_name) VALUES {}",
            sql::value_groups(chunk.len(), COLUMNS)
        );
        let values = chunk.iter().flat_map(|event| -> [Value; COLUMNS] {
            [
                event.card.0.into(),
                event.at.millis().into(),
                event.axis.code().into(),
                event.from.into(),
                event.to.into(),
                event.reason.as_str().into(),
                by.source.code().into(),
                by.name.as_str().into(),
            ]
        });
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}
