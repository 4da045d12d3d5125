//! How phones are used, for the rules: read for many, and counted when a use ends.

use std::collections::HashMap;

use base::fault::Outcome;
use db::{WriteTx, sql};
use entity::phone_session::{Column, Entity, Model as Stay};
use entity::{PhoneId, phone_use};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _};

use crate::rule::off::{Use, day_began, day_of};

/// How a phone is used, and how long the last use took, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Used {
    pub used: Use,
    pub last_s: i64,
}

impl Used {
    fn of(stay: Option<&Stay>, before: Option<&phone_use::Model>, now: UtcTime) -> Self {
        let today = before.filter(|row| row.day == day_of(now)).map_or(0, |row| row.seconds);
        let ended = before.map_or(UtcTime(0), |row| row.ended_at);
        let came = stay.map_or(UtcTime(0), |stay| stay.last_stream_at.unwrap_or(stay.began_at));
        let used = Use { since: stay.and_then(|stay| stay.stream_at), today_s: today, idle_since: ended.max(came) };
        Self { used, last_s: before.map_or(0, |row| row.last_s) }
    }
}

/// How these phones are used, and were.
///
/// # Errors
/// When a read fails.
pub async fn used_many(
    db: &impl ConnectionTrait,
    phones: &[PhoneId],
    now: UtcTime,
) -> Result<HashMap<PhoneId, Used>, DbErr> {
    const NAMED: usize = 1000;
    let mut found = HashMap::with_capacity(phones.len());
    for some in phones.chunks(NAMED) {
        let stays = Entity::find().filter(Column::PhoneId.is_in(some.iter().copied()));
        let stays = stays.filter(Expr::cust("ended_at IS NULL")).all(db).await?;
        let stays: HashMap<PhoneId, Stay> = stays.into_iter().map(|stay| (stay.phone_id, stay)).collect();
        let before = phone_use::Entity::find().filter(phone_use::Column::PhoneId.is_in(some.iter().copied()));
        let before: HashMap<PhoneId, phone_use::Model> =
            before.all(db).await?.into_iter().map(|row| (row.phone_id, row)).collect();
        found.extend(some.iter().map(|phone| (*phone, Used::of(stays.get(phone), before.get(phone), now))));
    }
    Ok(found)
}

/// How a phone is used, and was.
///
/// # Errors
/// When a read fails.
pub async fn used(db: &impl ConnectionTrait, phone: PhoneId, now: UtcTime) -> Result<Used, DbErr> {
    let mut found = used_many(db, &[phone], now).await?;
    Ok(found.remove(&phone).unwrap_or_else(|| Used::of(None, None, now)))
}

/// Counts a use that has gone on from `since` until `at`: of today, what it took since the day has begun.
///
/// # Errors
/// When the write fails.
pub async fn count(tx: &WriteTx, phone: PhoneId, since: UtcTime, at: UtcTime) -> Outcome<()> {
    let text = "INSERT INTO phone_use (phone_id, day, seconds, last_s, ended_at) VALUES ($1, $2, $3, $4, $5) \
                ON CONFLICT (phone_id) DO UPDATE SET \
                seconds = excluded.seconds + CASE WHEN phone_use.day = excluded.day THEN phone_use.seconds ELSE 0 END, \
                day = excluded.day, last_s = excluded.last_s, ended_at = excluded.ended_at";
    let today = at.seconds_since(since.max(day_began(at))).max(0);
    let values =
        [phone.0.into(), day_of(at).into(), today.into(), at.seconds_since(since).max(0).into(), at.millis().into()];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}
