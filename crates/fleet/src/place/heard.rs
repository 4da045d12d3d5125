//! When rooms were heard of last, and whether an agent of theirs could connect: counted for all rooms at once, however
//! many agents they have or had.

use std::collections::HashMap;

use db::sql;
use entity::RoomId;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult};
use serde::Serialize;
use utoipa::ToSchema;

/// What is known of the agents of a room.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoomHeard {
    /// When an agent of it was connected last; null if none ever was.
    pub at: Option<UtcTime>,
    /// Agents that were not revoked: the others cannot connect.
    pub usable: i64,
}

#[derive(Debug, FromQueryResult)]
struct Row {
    room_id: RoomId,
    heard_at: Option<UtcTime>,
    usable: i64,
}

/// The rooms that have or had agents.
///
/// # Errors
/// When the read fails.
pub async fn rooms(db: &impl ConnectionTrait) -> Result<HashMap<RoomId, RoomHeard>, DbErr> {
    // An agent that connects clears the moment at which it was gone.
    let text = "SELECT room_id, MAX(COALESCE(disconnected_at, connected_at)) AS heard_at, \
                CAST(SUM(CASE WHEN revoked_at IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS usable \
                FROM room_agent GROUP BY room_id";
    let found = db.query_all_raw(sql::statement(db.get_database_backend(), text, [])).await?;
    let rows = found.iter().map(|row| Row::from_query_result(row, ""));
    rows.map(|row| row.map(|Row { room_id, heard_at: at, usable }| (room_id, RoomHeard { at, usable }))).collect()
}
