//! How many stays there are, from kept counters.

use std::collections::BTreeMap;

use db::kept::{self, Cells, Deltas, List, Part, Place};
use entity::RoomId;
use entity::phone_session::Model;
use sea_orm::{ConnectionTrait, DbErr};

/// Stays, by room, whether they go on or why they ended, and whether somebody uses the phone.
pub const LIST: List = List(21);

const STREAMS: (u8, u8) = (0, 1);
const GOES_ON: (u8, u8) = (1, 1);
const ROOM: (u8, u8) = (2, 20);
/// Why it has ended, 0 while it goes on.
const WHY: (u8, u8) = (22, 4);

fn part((shift, bits): (u8, u8), wanted: Vec<i32>) -> Part {
    Part { shift, bits, wanted }
}

/// The parts of cells that a filter selects: all where it asks for nothing. `whys` are codes of why a stay has ended, 0 while it
/// goes on.
#[must_use]
pub fn wanted(room: Option<RoomId>, goes_on: Option<bool>, streams: Option<bool>, whys: Option<Vec<i32>>) -> Vec<Part> {
    // A number that no room can have selects nothing: -1 fits no part.
    let room = room.map(|room| part(ROOM, vec![i32::try_from(room.0).unwrap_or(-1)]));
    let goes_on = goes_on.map(|goes_on| part(GOES_ON, vec![goes_on.into()]));
    let streams = streams.map(|streams| part(STREAMS, vec![streams.into()]));
    let whys = whys.map(|whys| part(WHY, whys));
    [room, goes_on, streams, whys].into_iter().flatten().collect()
}

/// How many phones are used just now.
///
/// # Errors
/// When the read fails.
pub async fn streams(db: &impl ConnectionTrait) -> Result<u64, DbErr> {
    kept::total(db, LIST, Cells::With(&wanted(None, None, Some(true), None))).await
}

/// How many phones are used just now, by the room of their cards.
///
/// # Errors
/// When the read fails.
pub async fn streams_in_rooms(db: &impl ConnectionTrait) -> Result<BTreeMap<RoomId, u64>, DbErr> {
    let mut found = BTreeMap::new();
    for (cell, count) in kept::cells(db, LIST, Cells::With(&wanted(None, None, Some(true), None))).await? {
        let room = (cell >> ROOM.0) & ((1 << ROOM.1) - 1);
        *found.entry(RoomId(room.into())).or_default() += count;
    }
    Ok(found)
}

fn place(row: &Model) -> Place {
    let room = i32::try_from(row.room_id.0).unwrap_or(0) & ((1 << ROOM.1) - 1);
    let goes_on = i32::from(row.ended_at.is_none());
    let streams = i32::from(row.stream_at.is_some());
    let why = row.why.map_or(0, |why| i32::from(why.code()));
    let cell = why << WHY.0 | room << ROOM.0 | goes_on << GOES_ON.0 | streams << STREAMS.0;
    Place { cell, id: row.id.0 }
}

/// Counts a stay that has begun (`before` is none) or changed.
pub fn moved(deltas: &mut Deltas, before: Option<&Model>, after: &Model) {
    deltas.moved(LIST, before.map(place), Some(place(after)));
}
