//! How long it has taken of late in a pool to bring phones on cards, to take them off, and to wipe what they leave: by that those who
//! wait are told how long it takes.

use base::fault::Outcome;
use db::sql;
use entity::saga::SagaKind;
use entity::saga_step::{StepName, StepState};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, QuerySelect as _};

use super::pool::{CardPool, at_cards, at_pool};
use super::states;

/// Put-ons, take-offs and wipes of a pool that are looked at, at most.
const LATELY: u64 = 1000;

/// Since when phones of a pool are being taken off.
///
/// # Errors
/// When the read fails.
pub async fn leave_since(db: &impl ConnectionTrait, pool: CardPool<'_>) -> Outcome<Vec<UtcTime>> {
    let select = at_pool(pool, states::LEAVE_RUNS).select_only().column(entity::saga::Column::EnqueuedAt);
    Ok(select.limit(LATELY).into_tuple().all(db).await?)
}

/// A put-on or a take-off that has come about.
#[derive(Debug, FromQueryResult)]
pub struct Moved {
    pub kind: SagaKind,
    /// None if somebody waited for it.
    pub operation_id: Option<i64>,
    pub enqueued_at: UtcTime,
    /// When its first step was written; none if it had none.
    pub began_at: Option<UtcTime>,
    pub ended_at: UtcTime,
    /// With a put-on: what the copy holds that came with the phone, none if none did.
    pub bytes: Option<i64>,
    /// For how many milliseconds that was brought on the card.
    pub brought_ms: Option<i64>,
    /// With a put-on: by which start of its card a phone came back to it; empty if it came on another.
    pub proof: String,
}

/// The last put-ons and take-offs of a pool since then, the latest first.
///
/// # Errors
/// When the read fails.
pub async fn moved_since(db: &impl ConnectionTrait, pool: CardPool<'_>, since: UtcTime) -> Outcome<Vec<Moved>> {
    let (restore, done) = (StepName::Restore.code(), StepState::Done.code());
    let text = format!(
        "SELECT kind, operation_id, enqueued_at, ended_at, proof, \
         (SELECT MIN(saga_step.created_at) FROM saga_step WHERE saga_step.saga_id = saga.id) AS began_at, \
         (SELECT backup.bytes FROM backup WHERE backup.id = saga.backup_id) AS bytes, \
         (SELECT MAX(saga_step.ended_at - saga_step.began_at) FROM saga_step WHERE saga_step.saga_id = saga.id \
         AND saga_step.name = {restore} AND saga_step.state = {done}) AS brought_ms \
         FROM saga WHERE room_id = $1 AND board = $2 AND ended_at > $3 AND {} AND {} \
         ORDER BY ended_at DESC LIMIT {LATELY}",
        states::MOVED,
        at_cards(pool.kind)
    );
    let values = [pool.room.0.into(), pool.board.into(), since.millis().into()];
    Ok(Moved::find_by_statement(sql::statement(db.get_database_backend(), text, values)).all(db).await?)
}

/// A card that was wiped, or is being wiped.
#[derive(Debug, FromQueryResult)]
pub struct Wiped {
    /// When the wipe began; none if there was none.
    pub began_at: Option<UtcTime>,
    /// When the card was clean; none if it is not yet.
    pub ended_at: Option<UtcTime>,
}

/// The wipes of a pool that have ended since then, the latest first, and those that are under way.
///
/// # Errors
/// When a read fails.
pub async fn wiped_since(db: &impl ConnectionTrait, pool: CardPool<'_>, since: UtcTime) -> Outcome<Vec<Wiped>> {
    let (cards, room, board) = (at_cards(pool.kind), pool.room.0, pool.board);
    let ended = format!("{} AND {cards} AND ended_at > $3 ORDER BY ended_at DESC", states::CLEARED);
    let mut all = wipes(db, ended, [room.into(), board.into(), since.millis().into()]).await?;
    let runs = format!("{} AND {cards}", states::CLEAR_UNDER_WAY);
    all.extend(wipes(db, runs, [room.into(), board.into()]).await?);
    Ok(all)
}

async fn wipes(
    db: &impl ConnectionTrait,
    which: String,
    values: impl IntoIterator<Item = sea_orm::Value>,
) -> Result<Vec<Wiped>, DbErr> {
    let wipe = StepName::Wipe.code();
    let text = format!(
        "SELECT ended_at, (SELECT MIN(saga_step.created_at) FROM saga_step WHERE saga_step.saga_id = saga.id \
         AND saga_step.name = {wipe}) AS began_at FROM saga WHERE room_id = $1 AND board = $2 AND {which} LIMIT {LATELY}"
    );
    Wiped::find_by_statement(sql::statement(db.get_database_backend(), text, values)).all(db).await
}
