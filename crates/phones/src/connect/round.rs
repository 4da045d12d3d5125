//! Whoever was not heard of any more has left.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use entity::connect::{ActiveModel, Column, Entity, Model};
use entity::rule_value::RuleField;
use entity::{ConnectId, PhoneId, RoomId, phone};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, QueryTrait as _,
};

use super::ask::tell;
use super::over::{over, unheard};
use super::told::QUEUE_TIMEOUT;
use super::waiters::Waiters;
use crate::news;
use crate::rule::effective_many;
use crate::saga::{Desk, unattended};
use crate::stream::watch::Silences;

/// Interval between two passes.
pub const LOOK: Duration = Duration::from_secs(1);
/// Rows in one transaction.
const STEP: u64 = 200;
/// Phones in one statement.
const NAMED: usize = 1_000;
/// Tickets that are looked at, the oldest first.
const LOOKED_AT: u64 = 2_000;
const MINUTE: i64 = 60;

const WAITS: &str = "state = 1";
const GRANTED: &str = "state = 2";
const QUEUED: &str = "EXISTS (SELECT 1 FROM saga WHERE saga.id = connect.saga_id AND saga.state = 1)";

/// One pass: those who wait without a word leave the queue, and keep their place for a while; those who have waited for as long
/// as they may are told so; tickets that nobody has used for long are forgotten with whoever had them. Returns whether there
/// may be more.
///
/// Where a gateway is silent nobody leaves a card by rule, and tickets are not used: there nobody has waited for too long, no place
/// is given up and no ticket. Whoever is not heard of leaves the queue all the same: it is his application that says nothing, and a
/// card that somebody has left would be used by nobody.
///
/// # Errors
/// When the database refuses; the next pass goes on.
pub async fn round(app: &App) -> Outcome<bool> {
    let (db, waiters) = (app.db.read(), app.part::<Waiters>());
    let (now, steady) = (app.clock.now(), app.clock.steady());
    let waiting = Entity::find().select_only().column(Column::PhoneId).filter(Expr::cust(WAITS));
    let waiting: Vec<PhoneId> = waiting.into_tuple().all(db).await?;
    let rooms = app.part::<Silences>().rooms();
    let still = those_in(db, &rooms, &[waiting.clone(), waiters.placed()].concat()).await?;
    waiters.pass(&still, steady);
    let silent = waiters.silent(&waiting, steady);
    let left = !unattended(db, 1).await?.is_empty();
    let (late, unused) = match waiters.long(&waiting, steady) {
        Some(waited) => (late(db, &waited).await?, unused(db, &rooms, now).await?),
        None => (Vec::new(), Vec::new()),
    };
    if silent.is_empty() && unused.is_empty() && !left && late.is_empty() {
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
        Entity::update(ActiveModel { id: Set(row.id), ..unheard(&row, now) }).exec(&**desk.tx).await?;
        changed.push(phone);
        if let Some(saga) = row.saga_id
            && let Some(rank) = desk.leaves_queue(saga).await?
        {
            places.push((phone, rank));
        }
    }
    // Whoever is late gives up a place in the queue, and no card.
    for id in late {
        // Somebody else may have taken over, or a card was found meanwhile.
        let row = Entity::find_by_id(id).filter(Expr::cust(WAITS)).filter(Expr::cust(QUEUED));
        let Some(row) = row.lock_exclusive().one(&**desk.tx).await? else { continue };
        let Some(saga) = row.saga_id else { continue };
        if desk.leaves_queue(saga).await?.is_some() {
            Entity::update(ActiveModel { id: Set(row.id), ..over(QUEUE_TIMEOUT, now) }).exec(&**desk.tx).await?;
            if let Some(phone) = phone::Entity::find_by_id(row.phone_id).one(&**desk.tx).await? {
                news::failed(desk.tx, row.app_id, &phone, QUEUE_TIMEOUT, now).await?;
            }
            changed.push(row.phone_id);
        }
    }
    for row in unused {
        let still = Entity::update_many().set(unheard(&row, now));
        let still = still.filter(Column::Id.eq(row.id)).filter(Expr::cust(GRANTED));
        still.filter(Column::Until.eq(row.until)).exec(&**desk.tx).await?;
        changed.push(row.phone_id);
    }
    let left = if left { unattended(&**desk.tx, STEP).await? } else { Vec::new() };
    for saga in left {
        desk.leaves_queue(saga).await?;
    }
    desk.told.commit(app, tx).await?;
    let graces = seconds_of(db, RuleField::ReconnectGrace, places.iter().map(|(phone, _)| *phone)).await?;
    for (phone, rank) in places {
        let grace = graces.get(&phone).copied().unwrap_or(0);
        waiters.keep(phone, rank, steady.plus_seconds(grace));
    }
    let more = silent.len() as u64 > STEP;
    for phone in changed {
        tell(app, phone);
    }
    Ok(more)
}

/// Those of the phones that are at home in these rooms.
async fn those_in(
    db: &impl ConnectionTrait,
    rooms: &BTreeSet<RoomId>,
    phones: &[PhoneId],
) -> Outcome<HashSet<PhoneId>> {
    let mut found = HashSet::new();
    if rooms.is_empty() {
        return Ok(found);
    }
    for some in phones.chunks(NAMED) {
        let select = phone::Entity::find().select_only().column(phone::Column::Id);
        let select = select.filter(phone::Column::RoomId.is_in(rooms.iter().copied()));
        let select = select.filter(phone::Column::Id.is_in(some.iter().copied()));
        let there: Vec<PhoneId> = select.into_tuple().all(db).await?;
        found.extend(there);
    }
    Ok(found)
}

/// Those in the queue who have waited for as long as the rules let them.
async fn late(db: &impl ConnectionTrait, waited: &[(PhoneId, i64)]) -> Outcome<Vec<ConnectId>> {
    let mut late = Vec::new();
    for some in waited.chunks(NAMED) {
        let most = seconds_of(db, RuleField::QueueWait, some.iter().map(|(phone, _)| *phone)).await?;
        let is_late = |(phone, seconds): &&(PhoneId, i64)| most.get(phone).is_some_and(|most| seconds >= most);
        late.extend(some.iter().filter(is_late).map(|(phone, _)| *phone));
    }
    late.truncate(usize::try_from(STEP).unwrap_or(usize::MAX));
    if late.is_empty() {
        return Ok(Vec::new());
    }
    let rows = Entity::find().select_only().column(Column::Id).filter(Column::PhoneId.is_in(late));
    Ok(rows.filter(Expr::cust(WAITS)).filter(Expr::cust(QUEUED)).into_tuple().all(db).await?)
}

/// What a rule that counts minutes says of these phones, in seconds.
async fn seconds_of(
    db: &impl ConnectionTrait,
    rule: RuleField,
    phones: impl IntoIterator<Item = PhoneId>,
) -> Outcome<HashMap<PhoneId, i64>> {
    let phones: Vec<PhoneId> = phones.into_iter().collect();
    if phones.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = phone::Entity::find().filter(phone::Column::Id.is_in(phones)).all(db).await?;
    let rules = effective_many(db, &rows).await?;
    Ok(rules.into_iter().map(|(phone, rules)| (phone, rules.number(rule) * MINUTE)).collect())
}

/// Tickets that nobody has used, and that are over for longer than a place is kept; none of phones in rooms that stand still.
async fn unused(db: &impl ConnectionTrait, still: &BTreeSet<RoomId>, now: UtcTime) -> Outcome<Vec<Model>> {
    let over = Entity::find().filter(Expr::cust(GRANTED)).filter(Column::Until.lt(now.plus_seconds(-MINUTE)));
    let over = over.apply_if((!still.is_empty()).then_some(still), |select, still| {
        let there = phone::Entity::find().select_only().column(phone::Column::Id);
        let there = there.filter(phone::Column::RoomId.is_in(still.iter().copied()));
        select.filter(Column::PhoneId.not_in_subquery(there.into_query()))
    });
    let over = over.order_by_asc(Column::Until).order_by_asc(Column::Id);
    let (mut found, mut looked_at) = (Vec::new(), 0);
    // Places that are kept for longer hide none behind them that are not.
    while found.len() < STEP as usize {
        let rows = over.clone().offset(looked_at).limit(LOOKED_AT).all(db).await?;
        if rows.is_empty() {
            break;
        }
        looked_at += LOOKED_AT;
        let graces = seconds_of(db, RuleField::ReconnectGrace, rows.iter().map(|row| row.phone_id)).await?;
        let is_over = |row: &Model| {
            let grace = graces.get(&row.phone_id).copied().unwrap_or(0);
            row.until.is_some_and(|until| until.plus_seconds(grace) < now)
        };
        found.extend(rows.into_iter().filter(is_over));
    }
    found.truncate(STEP as usize);
    Ok(found)
}
