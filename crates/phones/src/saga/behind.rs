//! Books that are behind: after a database was restored to an earlier hour, agents remember stays of phones on cards that
//! the books know nothing of.
//!
//! Numbers of stays are what cards are marked with: none may be given a second time. And until every card of such a room
//! was asked whose it is, none there is wiped: its mark may say more than the books do.

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::RoomId;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Value};

/// So many stays may have been begun since the copy that a database was restored from. A higher number was never given:
/// an agent lies, or a tenant with root has written it on his card. Believed, it would use up all numbers.
const BELIEVABLE: i64 = 1_000_000;

/// Of a row with a room: its books are not behind.
pub const IS_NOT: &str = "room_id NOT IN (SELECT room_id FROM room_behind)";

/// The highest number of a stay that was ever given.
async fn last(db: &impl ConnectionTrait) -> Result<i64, DbErr> {
    let engine = db.get_database_backend();
    let text = if engine == DbBackend::Sqlite {
        "SELECT seq AS last FROM sqlite_sequence WHERE name = 'placement'"
    } else {
        "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM placement_id_seq"
    };
    let row = db.query_one_raw(sql::statement(engine, text, [])).await?;
    row.map_or(Ok(0), |row| row.try_get("", "last"))
}

/// Numbers up to this one are taken.
async fn skip(db: &impl ConnectionTrait, stay: i64) -> Result<(), DbErr> {
    let engine = db.get_database_backend();
    let texts: &[&str] = if engine == DbBackend::Sqlite {
        &[
            "INSERT INTO sqlite_sequence (name, seq) SELECT 'placement', 0 \
             WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'placement')",
            "UPDATE sqlite_sequence SET seq = $1 WHERE name = 'placement' AND seq < $1",
        ]
    } else {
        &["SELECT setval('placement_id_seq', $1)"]
    };
    for text in texts {
        let values: Vec<Value> = if text.contains("$1") { vec![stay.into()] } else { Vec::new() };
        db.execute_raw(sql::statement(engine, *text, values)).await?;
    }
    Ok(())
}

/// An agent of a room was once told of the stay with this number. Returns whether the books are behind.
///
/// # Errors
/// When the database refuses.
pub async fn greeted(app: &App, room: RoomId, stay: i64) -> Outcome<bool> {
    let last = last(app.db.read()).await?;
    if stay <= last {
        return Ok(false);
    }
    if stay > last.saturating_add(BELIEVABLE) {
        tracing::warn!(room = room.0, stay, last, "an agent or a card tells of a stay that cannot have been");
        return Ok(false);
    }
    tracing::warn!(
        room = room.0,
        stay,
        "an agent knows of phones on cards that the database does not: was it restored? Nothing is wiped in this room until its cards were asked whose they are"
    );
    let tx = app.db.begin_write().await?;
    skip(&*tx, stay).await?;
    let text = "INSERT INTO room_behind (room_id, since) VALUES ($1, $2) ON CONFLICT (room_id) DO NOTHING";
    let values: [Value; 2] = [room.0.into(), app.clock.now().millis().into()];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Every card of a room that answers was asked whose it is; one has named the stay with this number.
///
/// # Errors
/// When the database refuses.
pub async fn swept(app: &App, room: RoomId, stay: i64) -> Outcome<()> {
    greeted(app, room, stay).await?;
    if !is_behind(app.db.read(), room).await? {
        return Ok(());
    }
    let tx = app.db.begin_write().await?;
    let text = "DELETE FROM room_behind WHERE room_id = $1";
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, [Value::from(room.0)])).await?;
    tx.commit().await?;
    tracing::info!(room = room.0, "the cards of the room were asked whose they are: wiping goes on");
    Ok(())
}

/// Whether the books of a room are behind, and its cards were not all asked since.
///
/// # Errors
/// When the read fails.
pub async fn is_behind(db: &impl ConnectionTrait, room: RoomId) -> Result<bool, DbErr> {
    let text = "SELECT 1 FROM room_behind WHERE room_id = $1";
    Ok(db.query_one_raw(sql::statement(db.get_database_backend(), text, [Value::from(room.0)])).await?.is_some())
}
