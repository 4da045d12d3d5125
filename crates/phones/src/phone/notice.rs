//! Users are told before their phones expire: as many days before as the rules say, once for each expiry.

use base::app::App;
use base::fault::Outcome;
use db::{WriteTx, sql};
use entity::PhoneId;
use entity::phone::{Column, Entity, Life, Model};
use kernel::text::{Message, text};
use kernel::time::UtcTime;
use queue::{Job, JobCtx, JobError, Outcome as Done};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Select, Value,
};
use serde::{Deserialize, Serialize};

use crate::{news, rule};

/// Phones in one transaction.
const STEP: u64 = 500;
const DAY: i64 = 86_400;
/// A phone whose user was not told of this expiry.
const NOT_TOLD: &str = "NOT EXISTS (SELECT 1 FROM expiry_notice AS told \
     WHERE told.phone_id = phone.id AND told.expires_at = phone.expires_at)";

/// Tells of phones that expire soon. Safe to run twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct NoticePhones {}

impl Job for NoticePhones {
    type State = App;
    const KIND: &'static str = "phone.notice";

    fn title(&self) -> Message {
        text("提醒即将到期的云手机", "Tell of phones that expire soon").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Done, JobError> {
        let told = notice(ctx.state()).await?;
        Ok(Done::done().say(text("已提醒 {n} 台", "Told: {n}").with("n", told)))
    }
}

/// Tells of the phones that expire within as many days as their rules say, and of whose expiry nobody was told. Returns how many
/// there were. A phone that is renewed expires at another time, and is told of again then.
///
/// # Errors
/// When the database refuses; the steps that were committed stay.
pub async fn notice(app: &App) -> Outcome<u64> {
    let now = app.clock.now();
    let most = rule::most_notice(app.db.read()).await?;
    // How many days before is a rule, which may be another for each; the most days leave out most by the index.
    let is_soon = format!("phone.expires_at - {} * {} <= {}", rule::notice(), DAY * 1000, now.millis());
    let due = Entity::find()
        .filter(Column::ExpiresAt.gt(now))
        .filter(Column::ExpiresAt.lte(now.plus_seconds(most * DAY)))
        .filter(Column::Life.eq(Life::Active))
        .filter(Expr::cust(NOT_TOLD))
        .filter(Expr::cust(is_soon));
    let mut told = 0;
    loop {
        // Mostly nobody is to be told: that is seen without the lane of writers.
        let some = due.clone().select_only().column(Column::Id).order_by_asc(Column::ExpiresAt);
        let some: Vec<PhoneId> = some.order_by_asc(Column::Id).limit(STEP).into_tuple().all(app.db.read()).await?;
        if some.is_empty() {
            return Ok(told);
        }
        let mut tx = app.db.begin_write().await?;
        let rows = still(&tx, due.clone(), some).await?;
        if rows.is_empty() {
            return Ok(told);
        }
        remember(&tx, &rows, now).await?;
        news::expiring(&mut tx, &rows, now).await?;
        tx.commit().await?;
        told += rows.len() as u64;
    }
}

/// Those of these phones that are still due, the first to expire first.
async fn still(tx: &WriteTx, due: Select<Entity>, some: Vec<PhoneId>) -> Result<Vec<Model>, DbErr> {
    let rows = due.filter(Column::Id.is_in(some)).order_by_asc(Column::ExpiresAt).order_by_asc(Column::Id);
    rows.all(&**tx).await
}

/// Writes down of which expiry they were told.
async fn remember(tx: &WriteTx, rows: &[Model], now: UtcTime) -> Result<(), DbErr> {
    let values = rows
        .iter()
        .flat_map(|row| -> [Value; 3] { [row.id.0.into(), row.expires_at.millis().into(), now.millis().into()] });
    let text = format!(
        "INSERT INTO expiry_notice (phone_id, expires_at, at) VALUES {} \
         ON CONFLICT (phone_id) DO UPDATE SET expires_at = excluded.expires_at, at = excluded.at",
        sql::value_groups(rows.len(), 3)
    );
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}
