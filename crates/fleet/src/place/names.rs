//! The names of rooms and frames, for rows that refer to them.

use std::collections::{BTreeSet, HashMap};

use entity::{FrameId, RoomId, frame, room};
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _};

/// The names of these rooms.
///
/// # Errors
/// When the read fails.
pub async fn rooms(
    db: &impl ConnectionTrait,
    ids: impl IntoIterator<Item = RoomId>,
) -> Result<HashMap<RoomId, String>, DbErr> {
    let ids: BTreeSet<RoomId> = ids.into_iter().collect();
    let select = room::Entity::find().select_only().columns([room::Column::Id, room::Column::Name]);
    let found: Vec<(RoomId, String)> = select.filter(room::Column::Id.is_in(ids)).into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}

/// The names of these frames.
///
/// # Errors
/// When the read fails.
pub async fn frames(
    db: &impl ConnectionTrait,
    ids: impl IntoIterator<Item = FrameId>,
) -> Result<HashMap<FrameId, String>, DbErr> {
    let ids: BTreeSet<FrameId> = ids.into_iter().collect();
    let select = frame::Entity::find().select_only().columns([frame::Column::Id, frame::Column::Name]);
    let found: Vec<(FrameId, String)> = select.filter(frame::Column::Id.is_in(ids)).into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}

/// The ids of the rooms that have these names.
///
/// # Errors
/// When the read fails.
pub async fn rooms_named(db: &impl ConnectionTrait, names: BTreeSet<&str>) -> Result<HashMap<String, RoomId>, DbErr> {
    let select = room::Entity::find().select_only().columns([room::Column::Name, room::Column::Id]);
    let found: Vec<(String, RoomId)> = select.filter(room::Column::Name.is_in(names)).into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}
