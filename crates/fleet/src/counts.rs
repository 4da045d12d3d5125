//! How many cards are in which state: in total, by room, by frame and by host, from kept counters.

use std::collections::HashMap;

use base::list::{Column, column};
use db::kept::{self, Cells, Deltas, Field, List, Packed, Part, Place};
use entity::card::{Lifecycle, Model, NetworkStatus, RunStatus};
use entity::{FrameId, HostId, RoomId};
use kernel::text::text;
use sea_orm::{ConnectionTrait, DbErr};
use serde::Serialize;
use utoipa::ToSchema;

/// Cards by status, under the number of their frame.
const FRAMES: List = List(3);
/// Cards by status, under the number of their host.
const HOSTS: List = List(4);
/// Cards that are not retired, by nothing else: what a list without a filter shows. Among [`CARDS`] they lie in
/// thousands of cells, here in one for each block.
pub const LIVING_CARDS: List = List(5);

/// Recorded cards: unless asked for, retired ones are excluded.
const LIVING: [Lifecycle; 4] = [Lifecycle::Expected, Lifecycle::Discovered, Lifecycle::Registered, Lifecycle::Faulty];

const OVERCOMMIT: Field = Field::new(0, 1, "CASE WHEN is_overcommit THEN 1 ELSE 0 END");
const ASSIGNABLE: Field = Field::new(1, 1, "CASE WHEN is_assignable THEN 1 ELSE 0 END");
const NETWORK: Field = Field::new(2, 2, "network_status");
const RUN: Field = Field::new(4, 3, "run_status");
const LIFECYCLE: Field = Field::new(7, 3, "lifecycle");
const MODEL: Field = Field::new(10, 11, "model_id");
const ROOM: Field = Field::new(21, 10, "room_id");

/// Cards, by everything that they can be filtered by.
pub const CARDS: Packed = Packed {
    list: List(2),
    table: "card",
    word: None,
    fields: &[OVERCOMMIT, ASSIGNABLE, NETWORK, RUN, LIFECYCLE, MODEL, ROOM],
};

/// The parts of cells that a filter selects.
#[derive(Clone, Debug, Default)]
pub struct Wanted(Vec<Part>);

impl Wanted {
    pub fn overcommit(&mut self, wanted: bool) {
        self.0.push(OVERCOMMIT.is(wanted));
    }

    pub fn assignable(&mut self, wanted: bool) {
        self.0.push(ASSIGNABLE.is(wanted));
    }

    pub fn network(&mut self, wanted: NetworkStatus) {
        self.0.push(NETWORK.is(wanted.code()));
    }

    pub fn run(&mut self, wanted: RunStatus) {
        self.0.push(RUN.is(wanted.code()));
    }

    pub fn lifecycle(&mut self, wanted: Lifecycle) {
        self.0.push(LIFECYCLE.is(wanted.code()));
    }

    /// All but the retired ones.
    pub fn living(&mut self) {
        self.0.push(living());
    }

    pub fn models(&mut self, wanted: &[i64]) {
        self.0.push(MODEL.one_of(wanted.iter().copied()));
    }

    pub fn room(&mut self, wanted: RoomId) {
        self.0.push(ROOM.is(wanted.0));
    }

    /// The counter list with the least to read, and its cells.
    pub fn counted(&self) -> (List, Cells<'_>) {
        match self.0.as_slice() {
            [one] if *one == living() => (LIVING_CARDS, Cells::All),
            parts => (CARDS.list, Cells::With(parts)),
        }
    }
}

fn living() -> Part {
    LIFECYCLE.one_of(LIVING.iter().map(|lifecycle| lifecycle.code()))
}

/// The cell of a card.
#[must_use]
pub const fn cell(row: &Model) -> i32 {
    OVERCOMMIT.put(row.is_overcommit as i64)
        | ASSIGNABLE.put(row.is_assignable as i64)
        | NETWORK.put(row.network_status.code() as i64)
        | RUN.put(row.run_status.code() as i64)
        | LIFECYCLE.put(row.lifecycle.code() as i64)
        | MODEL.put(row.model_id.0)
        | ROOM.put(row.room_id.0)
}

const fn status_cell(row: &Model) -> i32 {
    row.run_status.code() as i32 * 10 + row.network_status.code() as i32
}

/// Counts a card that was added (`before` is none) or changed.
pub fn moved(deltas: &mut Deltas, before: Option<&Model>, after: Option<&Model>) {
    let place = |row: &Model| Place { cell: cell(row), id: row.id.0 };
    deltas.moved(CARDS.list, before.map(place), after.map(place));
    let living = |row: &Model| (row.lifecycle != Lifecycle::Retired).then_some(Place { cell: 0, id: row.id.0 });
    deltas.moved(LIVING_CARDS, before.and_then(living), after.and_then(living));
    for (row, change) in [(before, -1), (after, 1)] {
        let Some(row) = row else { continue };
        if let Some(frame) = row.frame_id {
            deltas.add(FRAMES, frame.0, status_cell(row), change);
        }
        if let Some(host) = row.host_id {
            deltas.add(HOSTS, host.0, status_cell(row), change);
        }
    }
}

/// How many cards are in which state. Retired ones are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusCounts {
    pub total: u64,
    pub idle: u64,
    pub in_use: u64,
    pub maintenance: u64,
    pub fault: u64,
    pub upgrading: u64,
    pub offline: u64,
    pub unknown: u64,
    /// Of these, those that can be reached.
    pub online: u64,
    /// Of these, those that answer on some layers only.
    pub degraded: u64,
}

impl StatusCounts {
    fn add(&mut self, run: i16, network: i16, n: u64) {
        self.total += n;
        match RunStatus::from_code(run) {
            Some(RunStatus::Idle) => self.idle += n,
            Some(RunStatus::InUse) => self.in_use += n,
            Some(RunStatus::Maintenance) => self.maintenance += n,
            Some(RunStatus::Fault) => self.fault += n,
            Some(RunStatus::Upgrading) => self.upgrading += n,
            Some(RunStatus::Offline) => self.offline += n,
            Some(RunStatus::Unknown) | None => self.unknown += n,
        }
        match NetworkStatus::from_code(network) {
            Some(NetworkStatus::Online) => self.online += n,
            Some(NetworkStatus::Degraded) => self.degraded += n,
            Some(NetworkStatus::Offline) | None => {}
        }
    }
}

/// The counts of every room that has cards.
///
/// # Errors
/// When the read fails.
pub async fn rooms(db: &impl ConnectionTrait) -> Result<HashMap<RoomId, StatusCounts>, DbErr> {
    let mut found: HashMap<RoomId, StatusCounts> = HashMap::new();
    for (cell, n) in kept::cells(db, CARDS.list, Cells::All).await? {
        if LIFECYCLE.code(cell) != Lifecycle::Retired.code() {
            let room = RoomId(ROOM.get(cell).into());
            found.entry(room).or_default().add(RUN.code(cell), NETWORK.code(cell), n);
        }
    }
    Ok(found)
}

/// The counts of the whole fleet.
///
/// # Errors
/// When the read fails.
pub async fn all(db: &impl ConnectionTrait) -> Result<StatusCounts, DbErr> {
    let mut sum = StatusCounts::default();
    for (cell, n) in kept::cells(db, CARDS.list, Cells::All).await? {
        if LIFECYCLE.code(cell) != Lifecycle::Retired.code() {
            sum.add(RUN.code(cell), NETWORK.code(cell), n);
        }
    }
    Ok(sum)
}

/// The counts of these frames.
///
/// # Errors
/// When the read fails.
pub async fn frames(db: &impl ConnectionTrait, ids: &[FrameId]) -> Result<HashMap<FrameId, StatusCounts>, DbErr> {
    let keys: Vec<i64> = ids.iter().map(|id| id.0).collect();
    Ok(under(db, FRAMES, &keys).await?.into_iter().map(|(id, counts)| (FrameId(id), counts)).collect())
}

/// The counts of these hosts.
///
/// # Errors
/// When the read fails.
pub async fn hosts(db: &impl ConnectionTrait, ids: &[HostId]) -> Result<HashMap<HostId, StatusCounts>, DbErr> {
    let keys: Vec<i64> = ids.iter().map(|id| id.0).collect();
    Ok(under(db, HOSTS, &keys).await?.into_iter().map(|(id, counts)| (HostId(id), counts)).collect())
}

async fn under(db: &impl ConnectionTrait, list: List, keys: &[i64]) -> Result<HashMap<i64, StatusCounts>, DbErr> {
    let mut found: HashMap<i64, StatusCounts> = HashMap::new();
    for (key, cell, n) in kept::under(db, list, keys).await? {
        let (run, network) = (i16::try_from(cell / 10).unwrap_or(0), i16::try_from(cell % 10).unwrap_or(0));
        found.entry(key).or_default().add(run, network, n);
    }
    Ok(found)
}

/// A row with the card counts of a place.
pub trait Counted {
    /// The counts.
    fn counts(&self) -> &StatusCounts;

    /// The columns for them.
    fn count_columns<S>() -> Vec<Column<Self, S>>
    where
        Self: Sized,
    {
        vec![
            column("counts.total", text("安卓卡", "Cards"), 10).number(|row: &Self| number(row.counts().total)),
            column("counts.online", text("在线", "Online"), 10).number(|row: &Self| number(row.counts().online)),
            column("counts.idle", text("空闲", "Idle"), 10).number(|row: &Self| number(row.counts().idle)),
            column("counts.inUse", text("使用中", "In use"), 10).number(|row: &Self| number(row.counts().in_use)),
            column("counts.fault", text("故障", "Fault"), 10).number(|row: &Self| number(row.counts().fault)),
            column("counts.offline", text("离线", "Offline"), 10).number(|row: &Self| number(row.counts().offline)),
            column("counts.maintenance", text("维护中", "In maintenance"), 12)
                .number(|row: &Self| number(row.counts().maintenance)),
        ]
    }
}

const fn number(count: u64) -> Option<i64> {
    Some(count.cast_signed())
}
