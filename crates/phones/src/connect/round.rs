//! Whoever was not heard of any more has left.

use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use entity::PhoneId;
use entity::connect::{ActiveModel, Column, Entity};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _};

use super::ask::tell;
use super::over::over;
use super::waiters::Waiters;
use crate::saga::{Desk, unattended};
use crate::settings::PhoneQueue;

/// Interval between two passes.
pub const LOOK: Duration = Duration::from_secs(1);
/// Rows in one transaction.
const STEP: u64 = 200;
const MINUTE: i64 = 60;

const WAITS: &str = "state = 1";
const GRANTED: &str = "state = 2";

/// One pass: those who wait without a word leave the queue, and keep their place for a while; tickets that nobody has used for
/// long are forgotten with whoever had them. Returns whether there may be more.
///
/// # Errors
/// When the database refuses; the next pass goes on.
pub async fn round(app: &App) -> Outcome<bool> {
    let (db, waiters) = (app.db.read(), app.part::<Waiters>());
    let (now, steady) = (app.clock.now(), app.clock.steady());
    let waiting = Entity::find().select_only().column(Column::PhoneId).filter(Expr::cust(WAITS));
    let waiting: Vec<PhoneId> = waiting.into_tuple().all(db).await?;
    let silent = waiters.silent(&waiting, steady);
    let grace = app.settings.get::<PhoneQueue>(app).await?.reconnect_grace * MINUTE;
    let unused = Entity::find().filter(Expr::cust(GRANTED)).filter(Column::Until.lt(now.plus_seconds(-grace)));
    let unused = unused.limit(STEP).all(db).await?;
    let left = unattended(db, STEP).await?;
    if silent.is_empty() && unused.is_empty() && left.is_empty() {
        return Ok(false);
    }
    let some = silent.iter().copied().take(usize::try_from(STEP).unwrap_or(usize::MAX));
    let mut tx = app.db.begin_write().await?;
    let mut desk = Desk::new(app, &mut tx);
    let (mut changed, mut places): (Vec<PhoneId>, Vec<(PhoneId, UtcTime)>) = (Vec::new(), Vec::new());
    // Each of them may have been heard of meanwhile.
    for phone in some.filter(|phone| waiters.is_silent(*phone, steady)) {
        let row = Entity::find().filter(Column::PhoneId.eq(phone)).filter(Expr::cust(WAITS));
        let Some(row) = row.lock_exclusive().one(&**desk.tx).await? else { continue };
        Entity::update(ActiveModel { id: Set(row.id), ..over("", now) }).exec(&**desk.tx).await?;
        changed.push(phone);
        if let Some(saga) = row.saga_id
            && let Some(rank) = desk.leaves_queue(saga).await?
        {
            places.push((phone, rank));
        }
    }
    for row in unused {
        let still = Entity::update_many().set(over("", now)).filter(Column::Id.eq(row.id)).filter(Expr::cust(GRANTED));
        still.filter(Column::Until.eq(row.until)).exec(&**desk.tx).await?;
        changed.push(row.phone_id);
    }
    for saga in left {
        desk.leaves_queue(saga).await?;
    }
    desk.told.commit(app, tx).await?;
    for (phone, rank) in places {
        waiters.keep(phone, rank, steady.plus_seconds(grace));
    }
    let more = silent.len() as u64 > STEP;
    for phone in changed {
        tell(app, phone);
    }
    Ok(more)
}
