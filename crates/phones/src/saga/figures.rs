//! How much is under way, waits and has failed: for the dashboard, the list of phones and Prometheus. Each is read from an index
//! that holds no more than what is counted.

use std::collections::BTreeMap;

use base::fault::Outcome;
use db::sql;
use entity::RoomId;
use entity::saga::{self, SagaKind, SagaState};
use kernel::time::UtcTime;
use sea_orm::sea_query::{Expr, SelectStatement};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, FromQueryResult, QueryFilter as _, QuerySelect as _,
    QueryTrait as _,
};

use super::states;

/// Within so many seconds something has failed of late.
const LATELY: i64 = 86_400;

/// The phones that wait in the queue for a card.
pub fn queued_phones() -> SelectStatement {
    let select = saga::Entity::find().select_only().column(saga::Column::PhoneId);
    select.filter(Expr::cust(states::PUT_ON_WAITS)).into_query()
}

/// The phones of which a put-on or a take-off has failed of late.
pub fn failed_phones(now: UtcTime) -> SelectStatement {
    let select = saga::Entity::find().select_only().column(saga::Column::PhoneId);
    let select = select.filter(Expr::cust(states::MOVE_FAILED));
    select.filter(saga::Column::EndedAt.gte(now.plus_seconds(-LATELY))).into_query()
}

#[derive(Debug, FromQueryResult)]
struct OfKind {
    kind: SagaKind,
    n: i64,
}

/// How many put-ons and take-offs have failed since then.
///
/// # Errors
/// When the read fails.
pub async fn failed_since(db: &impl ConnectionTrait, since: UtcTime) -> Outcome<(i64, i64)> {
    let text = format!(
        "SELECT kind, CAST(COUNT(*) AS BIGINT) AS n FROM saga WHERE {} AND ended_at >= $1 GROUP BY kind",
        states::MOVE_FAILED
    );
    let statement = sql::statement(db.get_database_backend(), text, [since.millis().into()]);
    let found = OfKind::find_by_statement(statement).all(db).await?;
    let of = |kind: SagaKind| found.iter().find(|row| row.kind == kind).map_or(0, |row| row.n);
    Ok((of(SagaKind::PutOn), of(SagaKind::TakeOff)))
}

/// How long those have waited by now who wait for a card, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// Half of them have waited for less.
    pub median_s: i64,
    pub longest_s: i64,
}

#[derive(Debug, FromQueryResult)]
struct Since {
    enqueued_at: UtcTime,
}

/// How long those have waited by now who wait for a card; none if nobody does.
///
/// # Errors
/// When a read fails.
pub async fn waits(db: &impl ConnectionTrait, queued: u64, now: UtcTime) -> Outcome<Option<Waits>> {
    let first = waits_at(db, 0).await?;
    let middle = waits_at(db, queued.saturating_sub(1) / 2).await?;
    // Some may have left the queue since they were counted.
    let (Some(first), Some(middle)) = (first, middle) else { return Ok(None) };
    let waited = |since: UtcTime| now.seconds_since(since).max(0);
    Ok(Some(Waits { median_s: waited(middle), longest_s: waited(first) }))
}

/// Since when somebody waits for a card before whom so many have begun to.
async fn waits_at(db: &impl ConnectionTrait, skip: u64) -> Outcome<Option<UtcTime>> {
    let which = states::PUT_ON_WAITS;
    let text = format!("SELECT enqueued_at FROM saga WHERE {which} ORDER BY enqueued_at LIMIT 1 OFFSET {skip}");
    let found = Since::find_by_statement(sql::statement(db.get_database_backend(), text, [])).one(db).await?;
    Ok(found.map(|row| row.enqueued_at))
}

/// How many phones wait for a card.
///
/// # Errors
/// When the read fails.
pub async fn queued(db: &impl ConnectionTrait) -> Outcome<u64> {
    Ok(queued_in(db).await?.values().sum())
}

#[derive(Debug, FromQueryResult)]
struct InPool {
    room_id: RoomId,
    board: String,
    n: i64,
}

/// How many phones wait for a card, by room and board.
///
/// # Errors
/// When the read fails.
pub async fn queued_in(db: &impl ConnectionTrait) -> Outcome<BTreeMap<(RoomId, String), u64>> {
    let text = format!(
        "SELECT room_id, board, CAST(COUNT(*) AS BIGINT) AS n FROM saga WHERE {} GROUP BY room_id, board",
        states::PUT_ON_WAITS
    );
    let found = InPool::find_by_statement(sql::statement(db.get_database_backend(), text, [])).all(db).await?;
    Ok(found.into_iter().map(|row| ((row.room_id, row.board), u64::try_from(row.n).unwrap_or(0))).collect())
}

/// Sagas of a kind that are in a state.
#[derive(Debug, FromQueryResult)]
pub struct Alike {
    pub kind: SagaKind,
    pub state: SagaState,
    pub n: i64,
}

/// What is not over, by kind and state: what lets nothing else be done to its phone, and the clearing of cards.
///
/// # Errors
/// When the read fails.
pub async fn open(db: &impl ConnectionTrait) -> Outcome<Vec<Alike>> {
    let of = |which: &str| {
        format!("SELECT kind, state, CAST(COUNT(*) AS BIGINT) AS n FROM saga WHERE {which} GROUP BY kind, state")
    };
    // A clearing locks nothing: none is in two of them.
    let text = [states::LOCKED, states::CLEAR_WAITS, states::CLEAR_OPEN].map(of).join(" UNION ALL ");
    Ok(Alike::find_by_statement(sql::statement(db.get_database_backend(), text, [])).all(db).await?)
}
