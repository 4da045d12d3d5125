//! How phones are used, for the rules: read for many, and counted when a use ends.

use std::collections::{HashMap, HashSet};

use base::fault::Outcome;
use db::{WriteTx, sql};
use entity::connect::{self, ConnectState};
use entity::phone_session::{Column, Entity, Model as Stay};
use entity::{PhoneId, phone_use};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _,
};

use crate::rule::moment::Moment;
use crate::rule::off::{PAUSE, Use};

/// Phones named in one statement.
const NAMED: usize = 1000;

fn of(stay: Option<&Stay>, before: Option<&phone_use::Model>, is_awaited: bool) -> Use {
    let last_at = before.map_or(UtcTime(0), |row| row.ended_at);
    let came = stay.map_or(UtcTime(0), |stay| stay.last_stream_at.unwrap_or(stay.began_at));
    Use {
        since: stay.and_then(|stay| stay.stream_at),
        last_day: before.map_or((0, 0), |row| (row.day, row.seconds)),
        idle_since: last_at.max(came),
        last_s: before.map_or(0, |row| row.last_s),
        last_at,
        is_awaited,
    }
}

/// How these phones are used, and were.
///
/// # Errors
/// When a read fails.
pub async fn used_many(db: &impl ConnectionTrait, phones: &[PhoneId]) -> Result<HashMap<PhoneId, Use>, DbErr> {
    let mut found = HashMap::with_capacity(phones.len());
    for some in phones.chunks(NAMED) {
        let stays = Entity::find().filter(Column::PhoneId.is_in(some.iter().copied()));
        let stays = stays.filter(Expr::cust("ended_at IS NULL")).all(db).await?;
        found.extend(read(db, some, &stays).await?);
    }
    Ok(found)
}

/// The same of the phones of which these stays go on, at most a page of them.
///
/// # Errors
/// When a read fails.
pub async fn used_in(db: &impl ConnectionTrait, stays: &[Stay]) -> Result<HashMap<PhoneId, Use>, DbErr> {
    read(db, &stays.iter().map(|stay| stay.phone_id).collect::<Vec<_>>(), stays).await
}

async fn read(db: &impl ConnectionTrait, phones: &[PhoneId], stays: &[Stay]) -> Result<HashMap<PhoneId, Use>, DbErr> {
    let stays: HashMap<PhoneId, &Stay> = stays.iter().map(|stay| (stay.phone_id, stay)).collect();
    let before = phone_use::Entity::find().filter(phone_use::Column::PhoneId.is_in(phones.iter().copied()));
    let before = before.all(db).await?;
    let before: HashMap<PhoneId, phone_use::Model> = before.into_iter().map(|row| (row.phone_id, row)).collect();
    let awaited = connect::Entity::find().select_only().column(connect::Column::PhoneId);
    let awaited = awaited.filter(connect::Column::PhoneId.is_in(phones.iter().copied()));
    let awaited = awaited.filter(connect::Column::State.is_in([ConnectState::Waiting, ConnectState::Granted]));
    let awaited: Vec<PhoneId> = awaited.into_tuple().all(db).await?;
    let awaited: HashSet<PhoneId> = awaited.into_iter().collect();
    let of = |phone: &PhoneId| of(stays.get(phone).copied(), before.get(phone), awaited.contains(phone));
    Ok(phones.iter().map(|phone| (*phone, of(phone))).collect())
}

/// Those of these phones that somebody uses, and since when.
///
/// # Errors
/// When a read fails.
pub async fn in_use(db: &impl ConnectionTrait, phones: &[PhoneId]) -> Result<HashMap<PhoneId, UtcTime>, DbErr> {
    let mut found = HashMap::new();
    for some in phones.chunks(NAMED) {
        let stays = Entity::find().select_only().columns([Column::PhoneId, Column::StreamAt]);
        let stays = stays.filter(Column::PhoneId.is_in(some.iter().copied())).filter(Column::StreamAt.is_not_null());
        let stays: Vec<(PhoneId, UtcTime)> = stays.filter(Expr::cust("ended_at IS NULL")).into_tuple().all(db).await?;
        found.extend(stays);
    }
    Ok(found)
}

/// How a phone is used, and was.
///
/// # Errors
/// When a read fails.
pub async fn used(db: &impl ConnectionTrait, phone: PhoneId) -> Result<Use, DbErr> {
    let mut found = used_many(db, &[phone]).await?;
    Ok(found.remove(&phone).unwrap_or_else(|| of(None, None, false)))
}

/// Counts a use that has gone on from `since` until that moment in its room: of today, what it took since the day has begun.
///
/// # Errors
/// When the write fails.
pub async fn count(tx: &WriteTx, phone: PhoneId, since: UtcTime, until: Moment) -> Outcome<()> {
    let text = "INSERT INTO phone_use (phone_id, day, seconds, last_s, ended_at) VALUES ($1, $2, $3, $4, $5) \
                ON CONFLICT (phone_id) DO UPDATE SET seconds = excluded.seconds + \
                CASE WHEN phone_use.day = excluded.day AND phone_use.ended_at >= $7 THEN phone_use.seconds ELSE 0 END, \
                day = excluded.day, \
                last_s = excluded.last_s + CASE WHEN phone_use.ended_at > $6 THEN phone_use.last_s ELSE 0 END, \
                ended_at = excluded.ended_at";
    let (at, began) = (until.at, until.day_began());
    let values = [
        phone.0.into(),
        until.day().into(),
        at.seconds_since(since.max(began)).max(0).into(),
        at.seconds_since(since).max(0).into(),
        at.millis().into(),
        // It goes on with the session before if the break was a short one.
        since.plus_seconds(-PAUSE).millis().into(),
        // The same number may be another day where the phone has got a room in another zone.
        began.millis().into(),
    ];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}

/// Whoever used a phone may come back from now on: that he did not come before is not held against him.
///
/// # Errors
/// When the write fails.
pub async fn may_come_back(tx: &WriteTx, phones: &[PhoneId], now: UtcTime) -> Outcome<()> {
    let row = phone_use::ActiveModel { ended_at: Set(now), ..Default::default() };
    let all = phone_use::Entity::update_many().set(row);
    all.filter(phone_use::Column::PhoneId.is_in(phones.iter().copied())).exec(&**tx).await?;
    Ok(())
}
