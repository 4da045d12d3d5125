//! How many stays there are, from kept counters.

use std::collections::BTreeMap;

use db::kept::{self, Cells, Deltas, Field, List, Packed, Part, Place};
use entity::RoomId;
use entity::phone_session::Model;
use sea_orm::{ConnectionTrait, DbErr};

const STREAMS: Field = Field::new(0, 1, "CASE WHEN stream_at IS NULL THEN 0 ELSE 1 END");
const GOES_ON: Field = Field::new(1, 1, "CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END");
const ROOM: Field = Field::new(2, 20, "room_id");
/// Why it has ended, 0 while it goes on.
const WHY: Field = Field::new(22, 4, "COALESCE(why, 0)");

/// Stays, by room, whether they go on or why they ended, and whether somebody uses the phone.
pub const STAYS: Packed =
    Packed { list: List(21), table: "phone_session", word: None, fields: &[STREAMS, GOES_ON, ROOM, WHY] };

/// The parts of cells that a filter selects: all where it asks for nothing. `whys` are codes of why a stay has ended, 0 while it
/// goes on.
#[must_use]
pub fn wanted(room: Option<RoomId>, goes_on: Option<bool>, streams: Option<bool>, whys: Option<Vec<i32>>) -> Vec<Part> {
    let parts = [
        room.map(|room| ROOM.is(room.0)),
        goes_on.map(|goes_on| GOES_ON.is(goes_on)),
        streams.map(|streams| STREAMS.is(streams)),
        whys.map(|whys| WHY.one_of(whys)),
    ];
    parts.into_iter().flatten().collect()
}

/// How many phones are used just now.
///
/// # Errors
/// When the read fails.
pub async fn streams(db: &impl ConnectionTrait) -> Result<u64, DbErr> {
    kept::total(db, STAYS.list, Cells::With(&wanted(None, None, Some(true), None))).await
}

/// How many phones are used just now, by the room of their cards.
///
/// # Errors
/// When the read fails.
pub async fn streams_in_rooms(db: &impl ConnectionTrait) -> Result<BTreeMap<RoomId, u64>, DbErr> {
    let mut found = BTreeMap::new();
    for (cell, count) in kept::cells(db, STAYS.list, Cells::With(&wanted(None, None, Some(true), None))).await? {
        *found.entry(RoomId(ROOM.get(cell).into())).or_default() += count;
    }
    Ok(found)
}

fn place(row: &Model) -> Place {
    let cell = STREAMS.put(row.stream_at.is_some().into())
        | GOES_ON.put(row.ended_at.is_none().into())
        | ROOM.put(row.room_id.0)
        | WHY.put(row.why.map_or(0, |why| why.code().into()));
    Place { cell, id: row.id.0 }
}

/// Counts a stay that has begun (`before` is none) or changed.
pub fn moved(deltas: &mut Deltas, before: Option<&Model>, after: &Model) {
    deltas.moved(STAYS.list, before.map(place), Some(place(after)));
}
