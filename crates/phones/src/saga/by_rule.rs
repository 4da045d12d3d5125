//! Phones leave their cards by rule: who has used one for long enough, or not for long enough, or may not any more.
//!
//! Rules begin at most a small part of a pool a minute beyond what those who wait need: a rule that was written wrongly, or a
//! gateway that tells nothing, does not empty a room before anybody has looked.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::app::App;
use base::fault::Outcome;
use entity::card::{self, NetworkStatus};
use entity::phone::{Life, Model as Phone};
use entity::phone_session::{self, SessionEnd};
use entity::saga::{self, SagaKind, SagaState};
use entity::{CardId, PhoneId, RoomId, phone};
use fleet::Connections;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use wire::Reason;

use super::admit::busy;
use super::advance::Desk;
use super::states;
use super::waiter::{spare, waiting_in};
use crate::backup::place::have_room;
use crate::rule::effective_many;
use crate::rule::off::{Facts, Use, ends_at, off_now};
use crate::session::used::used_many;

/// Seconds between two looks.
const PACE: i64 = 15;
/// Of a pool of so many phones and free cards one leaves a minute by rule.
const PART: i64 = 50;
/// Phones of a pool that are taken off in one look, at most.
const STEP: usize = 200;
/// After a take-off that has failed the next one comes so many seconds later.
const AGAIN: i64 = 1_800;
/// A gateway that was told to end a use has so many seconds for it.
const ENDS_WITHIN: i64 = 60;
/// From so many cards on some are kept in reserve, one of fifty.
const RESERVED_FROM: i64 = 10;
const MINUTE: i64 = 60;

/// When it was looked last, and how many phones may leave each pool by rule, by the steady clock.
#[derive(Debug, Default)]
pub struct Ruled(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    looked: Option<UtcTime>,
    pools: HashMap<(RoomId, &'static str), Brake>,
}

/// How many phones may leave a pool by rule, in sixtieths of one: a minute gives as many as its part of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Brake {
    left: i64,
    at: UtcTime,
}

impl Brake {
    /// What a minute gives.
    fn a_minute(size: i64) -> i64 {
        (size / PART).max(1)
    }

    /// One that has never braked gives what a minute gives.
    fn new(size: i64, steady: UtcTime) -> Self {
        Self { left: Self::a_minute(size) * MINUTE, at: steady }
    }

    /// How many may leave now. What was not used for a minute is not saved up.
    fn allows(&mut self, size: i64, steady: UtcTime) -> usize {
        let most = Self::a_minute(size);
        let more = steady.seconds_since(self.at).clamp(0, MINUTE) * most;
        (self.left, self.at) = ((self.left + more).min(most * MINUTE), steady);
        usize::try_from(self.left / MINUTE).unwrap_or(0)
    }

    fn used(&mut self, phones: usize) {
        self.left -= i64::try_from(phones).unwrap_or(i64::MAX / MINUTE) * MINUTE;
    }
}

impl Ruled {
    fn is_due(&self, steady: UtcTime) -> bool {
        let mut known = self.0.lock();
        let is_due = known.looked.is_none_or(|looked| looked.plus_seconds(PACE) <= steady);
        if is_due {
            known.looked = Some(steady);
        }
        is_due
    }

    fn allows(&self, pool: (RoomId, &'static str), size: i64, steady: UtcTime) -> usize {
        let mut known = self.0.lock();
        known.pools.entry(pool).or_insert_with(|| Brake::new(size, steady)).allows(size, steady)
    }

    fn used(&self, pool: (RoomId, &'static str), phones: usize) {
        if let Some(brake) = self.0.lock().pools.get_mut(&pool) {
            brake.used(phones);
        }
    }
}

/// Takes phones off whose time has come, room by room.
///
/// # Errors
/// When the database refuses; the next look goes on.
pub async fn serve(app: &App) -> Outcome<()> {
    if !app.part::<Ruled>().is_due(app.clock.steady()) {
        return Ok(());
    }
    for room in app.part::<Connections>().rooms() {
        serve_room(app, room).await?;
    }
    Ok(())
}

/// A phone that is on a card.
#[derive(Clone, Debug)]
struct Here {
    phone: Phone,
    used: Use,
    is_up: bool,
}

/// The phones that are on cards of a room, those first that nobody has used for longest.
async fn here(app: &App, room: RoomId, now: UtcTime) -> Outcome<Vec<Here>> {
    let db = app.db.read();
    let stays = phone_session::Entity::find()
        .select_only()
        .columns([phone_session::Column::PhoneId, phone_session::Column::CardId])
        .filter(phone_session::Column::RoomId.eq(room))
        .filter(Expr::cust("ended_at IS NULL"));
    let stays: Vec<(PhoneId, CardId)> = stays.into_tuple().all(db).await?;
    if stays.is_empty() {
        return Ok(Vec::new());
    }
    let up = card::Entity::find().select_only().column(card::Column::Id).filter(card::Column::RoomId.eq(room));
    let up = up.filter(card::Column::NetworkStatus.eq(NetworkStatus::Online));
    let up: HashSet<CardId> = up.into_tuple().all(db).await?.into_iter().collect();
    let ids: Vec<PhoneId> = stays.iter().map(|(phone, _)| *phone).collect();
    let used = used_many(db, &ids, now).await?;
    let cards: HashMap<PhoneId, CardId> = stays.into_iter().collect();
    let mut all = Vec::with_capacity(ids.len());
    for some in ids.chunks(1000) {
        let rows = phone::Entity::find().filter(phone::Column::Id.is_in(some.iter().copied())).all(db).await?;
        all.extend(rows.into_iter().filter_map(|phone| {
            let used = used.get(&phone.id)?.used;
            let is_up = cards.get(&phone.id).is_some_and(|card| up.contains(card));
            Some(Here { phone, used, is_up })
        }));
    }
    all.sort_by_key(|one| (one.used.idle_since, one.phone.id));
    Ok(all)
}

/// What is known of a pool.
struct Pool {
    /// Cards that those who wait still lack, with what leaves already.
    needed: usize,
    /// How many may leave beyond that.
    allowed: usize,
}

async fn pool(app: &App, (room, board): (RoomId, &'static str), phones: usize) -> Outcome<Pool> {
    let db = app.db.read();
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let (waiting, free) = (number(waiting_in(db, room, board).await?), number(spare(db, room, board).await?));
    let leaves = saga::Entity::find().filter(saga::Column::RoomId.eq(room)).filter(saga::Column::Board.eq(board));
    let leaves = number(leaves.filter(Expr::cust(states::LEAVES)).count(db).await?);
    let size = i64::try_from(phones).unwrap_or(i64::MAX).saturating_add(free);
    let reserve = if size >= RESERVED_FROM { (size / PART).max(1) } else { 0 };
    let needed = if waiting > 0 && free <= reserve { (waiting - free - leaves).max(0) } else { 0 };
    let allowed = app.part::<Ruled>().allows((room, board), size, app.clock.steady());
    Ok(Pool { needed: usize::try_from(needed).unwrap_or(0), allowed })
}

async fn serve_room(app: &App, room: RoomId) -> Outcome<()> {
    let now = app.clock.now();
    let all = here(app, room, now).await?;
    if all.is_empty() {
        return Ok(());
    }
    let db = app.db.read();
    // Without a place for a copy nothing leaves.
    let agents = app.part::<Connections>().that_restore(room);
    if agents.is_empty() || !have_room(db, &agents).await? {
        return Ok(());
    }
    let rows: Vec<Phone> = all.iter().map(|one| one.phone.clone()).collect();
    let (rules, busy) = (effective_many(db, &rows).await?, busy(db, &rows).await?);
    let mut by_board: BTreeMap<&'static str, Vec<&Here>> = BTreeMap::new();
    for one in &all {
        by_board.entry(one.phone.plan.board()).or_default().push(one);
    }
    for (board, phones) in by_board {
        let Pool { mut needed, allowed } = pool(app, (room, board), phones.len()).await?;
        let (mut leave, mut braked): (Vec<(PhoneId, SessionEnd)>, usize) = (Vec::new(), 0);
        for one in phones {
            let Some(rules) = rules.get(&one.phone.id) else { continue };
            let facts = Facts {
                is_busy: busy.contains(&one.phone.id),
                unreachable: (!one.is_up).then_some(Reason::CardLost),
                life: one.phone.life,
                rules,
                used: one.used,
                term: one.phone.term,
                is_needed: needed > 0,
            };
            let Ok(why) = off_now(&facts, now) else { continue };
            if is_told(&facts, &one.phone, now) {
                continue;
            }
            if needed > 0 {
                needed -= 1;
            } else if braked < allowed {
                braked += 1;
            } else {
                continue;
            }
            leave.push((one.phone.id, why));
            if leave.len() == STEP {
                break;
            }
        }
        let begun = take_off(app, &leave).await?;
        // Those that were taken for others who wait cost nothing.
        app.part::<Ruled>().used((room, board), braked.min(begun));
    }
    Ok(())
}

/// Whether the gateway was told to end a use just now, and may still do so by itself.
fn is_told(facts: &Facts<'_>, phone: &Phone, now: UtcTime) -> bool {
    if facts.used.since.is_none() {
        return false;
    }
    let ends = match phone.life {
        Life::Expired => phone.expires_at,
        Life::Frozen | Life::Released => phone.updated_at,
        Life::Creating | Life::Active | Life::Erased => ends_at(facts.rules, facts.used, now).map_or(now, |(at, _)| at),
    };
    now < ends.plus_seconds(ENDS_WITHIN)
}

/// Queues phones to be taken off, of which each is looked at once more. Returns how many were.
async fn take_off(app: &App, leave: &[(PhoneId, SessionEnd)]) -> Outcome<usize> {
    if leave.is_empty() {
        return Ok(0);
    }
    let now = app.clock.now();
    let mut tx = app.db.begin_write().await?;
    let which = phone::Entity::find().filter(phone::Column::Id.is_in(leave.iter().map(|(phone, _)| *phone)));
    let rows = which.order_by_asc(phone::Column::Id).lock_exclusive().all(&*tx).await?;
    let busy = busy(&*tx, &rows).await?;
    let failed = saga::Entity::find()
        .select_only()
        .column(saga::Column::PhoneId)
        .filter(saga::Column::PhoneId.is_in(rows.iter().map(|row| row.id)))
        .filter(saga::Column::Kind.eq(SagaKind::TakeOff))
        .filter(saga::Column::State.eq(SagaState::Failed))
        .filter(saga::Column::EndedAt.gt(now.plus_seconds(-AGAIN)));
    let failed: Vec<PhoneId> = failed.into_tuple().all(&*tx).await?;
    let used = used_many(&*tx, &rows.iter().map(|row| row.id).collect::<Vec<_>>(), now).await?;
    let why: HashMap<PhoneId, SessionEnd> = leave.iter().copied().collect();
    let mut desk = Desk::new(app, &mut tx);
    let mut begun = 0;
    for row in rows.iter().filter(|row| row.holds_id.is_some() && !busy.contains(&row.id) && !failed.contains(&row.id))
    {
        let Some(why) = why.get(&row.id).copied() else { continue };
        // Somebody has come back since it was looked at.
        let is_back = used.get(&row.id).is_some_and(|used| used.used.since.is_some());
        if is_back && matches!(why, SessionEnd::Idle | SessionEnd::Needed) {
            continue;
        }
        desk.takes_off(row, why).await?;
        begun += 1;
    }
    desk.told.commit(app, tx).await?;
    Ok(begun)
}

#[cfg(test)]
mod tests {
    use kernel::time::UtcTime;

    use super::Brake;

    fn at(second: i64) -> UtcTime {
        UtcTime(second * 1000)
    }

    #[test]
    fn a_pool_is_emptied_by_a_fiftieth_a_minute_at_most() {
        // 1,000 phones: twenty a minute.
        let mut brake = Brake::new(1_000, at(0));
        let mut left = 0;
        for look in 0..=40 {
            let allowed = brake.allows(1_000, at(look * 15));
            left += allowed;
            brake.used(allowed);
        }
        assert_eq!(left, 20 + 200, "ten minutes, and what the first look was given");
        // What was not used is not saved up.
        assert_eq!(brake.allows(1_000, at(36_000)), 20);
    }

    #[test]
    fn of_a_small_pool_one_leaves_a_minute() {
        let mut brake = Brake::new(3, at(0));
        assert_eq!(brake.allows(3, at(0)), 1);
        brake.used(1);
        assert_eq!((brake.allows(3, at(59)), brake.allows(3, at(60))), (0, 1));
    }
}
