//! How many stays there are, from kept counters.

use db::kept::{Deltas, List, Part, Place};
use entity::RoomId;
use entity::phone_session::Model;

/// Stays, by room, whether they go on, and whether somebody uses the phone.
pub const LIST: List = List(21);

const STREAMS: (u8, u8) = (0, 1);
const GOES_ON: (u8, u8) = (1, 1);
const ROOM: (u8, u8) = (2, 20);

fn part((shift, bits): (u8, u8), wanted: i32) -> Part {
    Part { shift, bits, wanted: vec![wanted] }
}

/// The parts of cells that a filter selects: all where it asks for nothing.
#[must_use]
pub fn wanted(room: Option<RoomId>, goes_on: Option<bool>, streams: Option<bool>) -> Vec<Part> {
    // A number that no room can have selects nothing: -1 fits no part.
    let room = room.map(|room| part(ROOM, i32::try_from(room.0).unwrap_or(-1)));
    let goes_on = goes_on.map(|goes_on| part(GOES_ON, goes_on.into()));
    let streams = streams.map(|streams| part(STREAMS, streams.into()));
    [room, goes_on, streams].into_iter().flatten().collect()
}

fn place(row: &Model) -> Place {
    let room = i32::try_from(row.room_id.0).unwrap_or(0) & ((1 << ROOM.1) - 1);
    let goes_on = i32::from(row.ended_at.is_none());
    let streams = i32::from(row.stream_at.is_some());
    Place { cell: room << ROOM.0 | goes_on << GOES_ON.0 | streams << STREAMS.0, id: row.id.0 }
}

/// Counts a stay that has begun (`before` is none) or changed.
pub fn moved(deltas: &mut Deltas, before: Option<&Model>, after: &Model) {
    deltas.moved(LIST, before.map(place), Some(place(after)));
}
