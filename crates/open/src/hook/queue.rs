//! What is on its way: what is due, what becomes of a try, and whose turn is next. Of one thing, what happened first is told first:
//! what follows has no time of its own (`next_at`) until what comes before it was delivered or waits for a person.

use base::app::App;
use base::fault::Outcome;
use base::outbox::{DELIVERIES, place};
use db::{WriteTx, sql};
use entity::webhook::HookEvent;
use entity::webhook_delivery::{ActiveModel, Column, DeliveryState, Entity, Model};
use entity::{DeliveryId, OpenAppId};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Value,
};

use super::send::Tried;

/// Seconds after which it is sent again: after the first try, the second, and so on. After the last it waits for a person.
const AGAIN: [i64; 6] = [10, 60, 600, 3_600, 21_600, 86_400];
/// Things in one statement.
const THINGS: usize = 200;
/// As the indexes have it.
const PENDING: &str = "state = 1";

/// Applications that are to be told something now, those first that have waited for longest. All of them: whose turn it is
/// does not go by that alone.
///
/// # Errors
/// When the read fails.
pub async fn due(app: &App) -> Outcome<Vec<OpenAppId>> {
    let text = "SELECT app_id FROM (SELECT w.app_id AS app_id, \
        (SELECT MIN(d.next_at) FROM webhook_delivery d WHERE d.app_id = w.app_id AND d.state = 1) AS next_at \
        FROM webhook w JOIN open_app a ON a.id = w.app_id WHERE w.is_enabled AND a.is_enabled) AS waiting \
        WHERE next_at <= $1 ORDER BY next_at";
    let values = [app.clock.now().millis().into()];
    let rows = app.db.read().query_all_raw(sql::statement(app.db.backend(), text, values)).await?;
    rows.into_iter().map(|row| Ok(OpenAppId(row.try_get_by_index(0)?))).collect()
}

/// What an application is to be told next.
///
/// # Errors
/// When the read fails.
pub async fn next(app: &App, to: OpenAppId) -> Outcome<Option<Model>> {
    let due = Entity::find().filter(Column::AppId.eq(to)).filter(Expr::cust(PENDING));
    let due = due.filter(Column::NextAt.lte(app.clock.now())).order_by_asc(Column::NextAt).order_by_asc(Column::Id);
    Ok(due.limit(1).one(app.db.read()).await?)
}

/// Seconds until it is sent again after so many tries; none if it waits for a person.
fn again(kind: HookEvent, tries: i16) -> Option<i64> {
    // Whoever tries whether it goes wants to know at once.
    if kind == HookEvent::Test {
        return None;
    }
    AGAIN.get(usize::try_from(tries - 1).ok()?).copied()
}

/// Writes down what has become of a try, unless somebody has done something else with it meanwhile.
///
/// # Errors
/// When the database refuses: then it is sent once more, with the same id.
pub async fn settle(app: &App, row: &Model, tried: Tried) -> Outcome<()> {
    let (now, tries) = (app.clock.now(), row.tries.saturating_add(1));
    let Tried { status, failure, answer, millis } = tried;
    let wait = failure.and_then(|_| again(row.kind, tries));
    let state = match (failure, wait) {
        (None, _) => DeliveryState::Delivered,
        (Some(_), Some(_)) => DeliveryState::Pending,
        (Some(_), None) => DeliveryState::Stuck,
    };
    let change = ActiveModel {
        state: Set(state),
        tries: Set(tries),
        next_at: Set(wait.map(|wait| now.plus_seconds(wait))),
        status: Set(status),
        failure: Set(failure),
        answer: Set(answer),
        millis: Set(millis),
        tried_at: Set(Some(now)),
        delivered_at: Set((state == DeliveryState::Delivered).then_some(now)),
        ..Default::default()
    };
    let mut tx = app.db.begin_write().await?;
    let still = Entity::update_many().set(change).filter(Column::Id.eq(row.id)).filter(Expr::cust(PENDING));
    if still.filter(Column::Tries.eq(row.tries)).exec(&*tx).await?.rows_affected == 0 {
        return Ok(());
    }
    if state != DeliveryState::Pending {
        moved(&mut tx, row, state);
        follow(&tx, &[(row.app_id, row.object.clone())], now).await?;
    }
    Ok(tx.commit().await?)
}

/// Counts a row that has another state now.
pub fn moved(tx: &mut WriteTx, row: &Model, state: DeliveryState) {
    let at = |state| Some(place(row.id, row.app_id, row.kind, state));
    tx.counts().moved(DELIVERIES.list, at(row.state), at(state));
}

/// A thing that an application is told about.
pub type About = (OpenAppId, String);

/// Of what waits about these things, the first is due, and nothing else.
///
/// # Errors
/// When the write fails.
pub async fn follow(tx: &WriteTx, about: &[About], now: UtcTime) -> Result<(), DbErr> {
    for some in about.chunks(THINGS) {
        let these = sql::value_groups(some.len(), 2);
        let things = || some.iter().flat_map(|(app, object)| -> [Value; 2] { [app.0.into(), object.as_str().into()] });
        let heads = format!(
            "SELECT MIN(id) FROM webhook_delivery WHERE state = 1 AND (app_id, object) IN (VALUES {these}) \
             GROUP BY app_id, object"
        );
        let timed = format!(
            "SELECT id FROM webhook_delivery WHERE state = 1 AND next_at IS NOT NULL AND (app_id, object) IN (VALUES {these})"
        );
        let (heads, timed) = (ids(tx, &heads, things()).await?, ids(tx, &timed, things()).await?);
        let not_in = |all: &[DeliveryId], others: &[DeliveryId]| -> Vec<DeliveryId> {
            all.iter().copied().filter(|id| !others.contains(id)).collect()
        };
        set_next(tx, not_in(&timed, &heads), None).await?;
        set_next(tx, not_in(&heads, &timed), Some(now)).await?;
    }
    Ok(())
}

async fn ids(tx: &WriteTx, text: &str, values: impl Iterator<Item = Value> + Send) -> Result<Vec<DeliveryId>, DbErr> {
    let rows = tx.query_all_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    rows.iter().map(|row| Ok(DeliveryId(row.try_get_by_index(0)?))).collect()
}

async fn set_next(tx: &WriteTx, ids: Vec<DeliveryId>, at: Option<UtcTime>) -> Result<(), DbErr> {
    if ids.is_empty() {
        return Ok(());
    }
    let change = ActiveModel { next_at: Set(at), ..Default::default() };
    Entity::update_many().set(change).filter(Column::Id.is_in(ids)).exec(&**tx).await?;
    Ok(())
}

/// What waits behind something that is not there any more is due: what came before it was removed for its age.
///
/// # Errors
/// When the write fails.
pub async fn free(db: &impl ConnectionTrait, now: UtcTime) -> Result<(), DbErr> {
    let text = "UPDATE webhook_delivery SET next_at = $1 WHERE state = 1 AND next_at IS NULL AND NOT EXISTS \
        (SELECT 1 FROM webhook_delivery e WHERE e.app_id = webhook_delivery.app_id AND e.object = webhook_delivery.object \
        AND e.state = 1 AND e.id < webhook_delivery.id)";
    db.execute_raw(sql::statement(db.get_database_backend(), text, [now.millis().into()])).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use entity::webhook::HookEvent;

    use super::again;

    #[test]
    fn it_is_sent_again_after_ever_longer_waits_and_then_waits_for_a_person() {
        let waits: Vec<_> = (1..=7).map(|tries| again(HookEvent::PhoneOn, tries)).collect();
        let wanted = [Some(10), Some(60), Some(600), Some(3_600), Some(21_600), Some(86_400), None];
        assert_eq!(waits, wanted);
        assert_eq!(again(HookEvent::Test, 1), None, "a test is tried once");
        assert_eq!(again(HookEvent::PhoneOn, i16::MAX), None);
    }
}
