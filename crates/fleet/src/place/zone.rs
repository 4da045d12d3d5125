//! The time zones of rooms: by their clocks the days and nights of the phones there are counted.

use std::collections::{BTreeSet, HashMap};

use chrono_tz::Tz;
use entity::{RoomId, room};
use kernel::rules::{Check, Violation};
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _};

/// Records that there is no zone of this name; a room may name none.
pub fn check(check: &mut Check, name: &str) {
    if !name.is_empty() && name.parse::<Tz>().is_err() {
        let shown: String = name.chars().take(40).collect();
        check.add("timeZone", Violation::new("timeZone.unknown").with("zone", shown));
    }
}

/// The zones of these rooms: of those that name none, that of the console.
///
/// # Errors
/// When the read fails.
pub async fn zones(
    db: &impl ConnectionTrait,
    console: Tz,
    ids: impl IntoIterator<Item = RoomId>,
) -> Result<HashMap<RoomId, Tz>, DbErr> {
    let ids: BTreeSet<RoomId> = ids.into_iter().collect();
    let select = room::Entity::find().select_only().columns([room::Column::Id, room::Column::TimeZone]);
    let found: Vec<(RoomId, String)> = select.filter(room::Column::Id.is_in(ids)).into_tuple().all(db).await?;
    // A name that a newer program has written, and this one does not know, counts as none.
    Ok(found.into_iter().map(|(room, name)| (room, name.parse().unwrap_or(console))).collect())
}

/// The zone of a room: if it names none, that of the console.
///
/// # Errors
/// When the read fails.
pub async fn zone(db: &impl ConnectionTrait, console: Tz, id: RoomId) -> Result<Tz, DbErr> {
    Ok(zones(db, console, [id]).await?.remove(&id).unwrap_or(console))
}
