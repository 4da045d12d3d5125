//! Phones leave their cards by rule: who has used one for long enough, or not for long enough, or may not any more.
//!
//! Rules begin at most a small part of a pool a minute beyond what those who wait need: a rule that was written wrongly does not
//! empty a room before anybody has looked. Whoever uses a phone was warned before. While a gateway tells nothing of its streams they
//! begin nothing at all in their rooms: nobody can be warned, and whoever was ended cannot come back. Which gateway a phone was used
//! by last does not matter for that: the next use is given any of the room's.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use base::app::App;
use base::fault::Outcome;
use entity::phone::{Life, Model as Phone, PhonePool};
use entity::phone_session::SessionEnd;
use entity::saga::{self, SagaKind};
use entity::{ImageId, PhoneId, RoomId, phone};
use fleet::{Connections, room_zone};
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};
use wire::Reason;

use super::admit::{Asked, Queued, busy};
use super::advance::Desk;
use super::apart::{self, Subject};
use super::here::{self, Here, here};
use super::needs::{Stocks, Waits, lacking, leaving, suited, waits};
use super::pool::{CardPool, is_guaranteed, reserve};
use super::states;
use crate::backup::place::{AskedBy, have_room};
use crate::rule::moment::Moment;
use crate::rule::off::{Facts, off_now};
use crate::rule::{Place, effective_at};
use crate::session::book::is_wanted;
use crate::stream::warned::{AskedOff, ENDS_WITHIN, Warned};
use crate::stream::watch::{Silences, look};

/// Seconds between two looks.
const PACE: i64 = 15;
/// Of a pool of so many phones and free cards one leaves a minute by rule.
const PART: i64 = 50;
/// Phones of a pool that are taken off in one look, at most.
const STEP: usize = 200;
/// After a take-off that has failed the next one comes so many seconds later.
const AGAIN: i64 = 1_800;
const MINUTE: i64 = 60;

/// When it was looked last, how many phones may leave each pool by rule, and since when phones are idle, by the steady clock.
#[derive(Debug, Default)]
pub struct Ruled(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    looked: Option<UtcTime>,
    pools: HashMap<CardPool<'static>, Brake>,
    idle: HashMap<RoomId, HashMap<PhoneId, Idle>>,
}

/// Since when nobody uses a phone: as it is written down, and by the steady clock. A wall clock that is set takes nobody off.
#[derive(Clone, Copy, Debug)]
struct Idle {
    written: UtcTime,
    steady: UtcTime,
}

impl Idle {
    /// What is known now of a phone of which that was known before.
    fn next(before: Option<&Self>, written: UtcTime, (now, steady): (UtcTime, UtcTime)) -> Self {
        match before {
            Some(known) if known.written == written => *known,
            // Seen for the first time: the wall clock has to be believed.
            _ => Self { written, steady: UtcTime(steady.millis() - (now.millis() - written.millis()).max(0)) },
        }
    }

    /// The same if it stood still for so many milliseconds until now.
    fn stood_still(self, millis: i64, steady: UtcTime) -> Self {
        Self { steady: UtcTime(self.steady.millis() + millis).min(steady), ..self }
    }

    /// The same by a wall clock that nobody has set meanwhile.
    const fn since(self, (now, steady): (UtcTime, UtcTime)) -> UtcTime {
        UtcTime(now.millis() - (steady.millis() - self.steady.millis()))
    }
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
    /// How many milliseconds have passed since the last look; none if the next one is not due yet.
    fn due_after(&self, steady: UtcTime) -> Option<i64> {
        let mut known = self.0.lock();
        let looked = known.looked.unwrap_or(steady);
        if known.looked.is_some() && steady < looked.plus_seconds(PACE) {
            return None;
        }
        known.looked = Some(steady);
        Some(steady.millis() - looked.millis())
    }

    /// Says of the phones of a room since when they are idle, as if nobody had set the wall clock, and as if no time had passed while
    /// the room stood still, as it has for so many milliseconds until now: nobody could come back.
    fn steadies(&self, room: RoomId, all: &mut [Here], stood: i64, at: (UtcTime, UtcTime)) {
        let mut known = self.0.lock();
        let before = known.idle.remove(&room).unwrap_or_default();
        let mut after = HashMap::with_capacity(all.len());
        for one in all {
            let idle = Idle::next(before.get(&one.place.phone), one.used.idle_since, at).stood_still(stood, at.1);
            one.used.idle_since = idle.since(at);
            after.insert(one.place.phone, idle);
        }
        known.idle.insert(room, after);
    }

    fn allows(&self, pool: CardPool<'static>, size: i64, steady: UtcTime) -> usize {
        let mut known = self.0.lock();
        known.pools.entry(pool).or_insert_with(|| Brake::new(size, steady)).allows(size, steady)
    }

    fn used(&self, pool: CardPool<'static>, phones: usize) {
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
    let Some(passed) = app.part::<Ruled>().due_after(app.clock.steady()) else { return Ok(()) };
    app.part::<Warned>().sweep(app.clock.steady());
    app.part::<AskedOff>().0.sweep(app.clock.steady());
    look(app).await?;
    for room in app.part::<Connections>().rooms() {
        apart::tried(app, Subject::Room(room, "by rule"), serve_room(app, room, passed)).await?;
    }
    Ok(())
}

/// The phones that are on cards of a room, those first that nobody has used for longest. So many milliseconds have passed since the
/// last look.
async fn idlest_first(app: &App, room: RoomId, passed: i64, now: UtcTime) -> Outcome<Vec<Here>> {
    let mut all = here(app.db.read(), room).await?;
    let stood = if app.part::<Silences>().stands_still(room) { passed } else { 0 };
    app.part::<Ruled>().steadies(room, &mut all, stood, (now, app.clock.steady()));
    all.sort_by_key(|one| (one.used.idle_since, one.place.phone));
    Ok(all)
}

/// Phones of a room of which a take-off has failed of late. One whose phone somebody wanted back has not failed.
async fn failed(app: &App, room: RoomId, now: UtcTime) -> Outcome<HashSet<PhoneId>> {
    let found: Vec<PhoneId> = states::of_room(room, states::LEAVE_FAILED)
        .filter(saga::Column::EndedAt.gt(now.plus_seconds(-AGAIN)))
        .filter(saga::Column::Code.ne(Reason::CameBack.code()))
        .select_only()
        .column(saga::Column::PhoneId)
        .into_tuple()
        .all(app.db.read())
        .await?;
    Ok(found.into_iter().collect())
}

/// What is known of a pool.
struct Pool {
    /// Whose places in the queue those get who leave for others who wait: of each who lacks a card, with what leaves already.
    needed: VecDeque<Waits>,
    /// How many may leave beyond that.
    allowed: usize,
}

async fn pool(app: &App, cards: CardPool<'static>, phones: usize) -> Outcome<Pool> {
    let db = app.db.read();
    let Stocks { clean, sealed, wiping } = Stocks::of(db, cards).await?;
    let (spare, coming) = (clean.with(&sealed), leaving(db, cards).await?.with(&wiping));
    let waiting = waits(app, cards, states::WAITER).await?;
    let needed = lacking(waiting, &spare, &coming, reserve(db, cards).await?);
    let size = phones.saturating_add(usize::try_from(spare.all()).unwrap_or(usize::MAX));
    let size = i64::try_from(size).unwrap_or(i64::MAX / MINUTE);
    let allowed = app.part::<Ruled>().allows(cards, size, app.clock.steady());
    Ok(Pool { needed, allowed })
}

/// A phone that leaves, why, and whose place in the queue it gets.
type Leaves = (PhoneId, SessionEnd, Option<UtcTime>);

async fn serve_room(app: &App, room: RoomId, passed: i64) -> Outcome<()> {
    let now = app.clock.now();
    let all = idlest_first(app, room, passed, now).await?;
    if all.is_empty() {
        return Ok(());
    }
    let db = app.db.read();
    // Without a place for a copy nothing leaves.
    let agents = app.part::<Connections>().that_restore(room);
    if agents.is_empty() || !have_room(db, &agents, AskedBy::Somebody).await? {
        return Ok(());
    }
    let places: Vec<Place> = all.iter().map(|one| one.place).collect();
    let rules = effective_at(db, &places).await?;
    let clock = Moment { at: now, zone: room_zone(db, app.config.zone(), room).await? };
    let busy = here::busy(db, room).await?;
    // Those are not asked again and again, and take nobody's turn.
    let failed = failed(app, room, now).await?;
    let mut pools: BTreeMap<(&'static str, PhonePool), Vec<&Here>> = BTreeMap::new();
    for one in &all {
        let kind = PhonePool::of_card(!one.is_dedicated);
        pools.entry((one.place.plan.board(), kind)).or_default().push(one);
    }
    for ((board, kind), phones) in pools {
        let cards = CardPool { room, board, kind };
        let Pool { mut needed, allowed } = pool(app, cards, phones.len()).await?;
        let (mut leave, mut braked): (Vec<Leaves>, Vec<PhoneId>) = (Vec::new(), Vec::new());
        // Until somebody gets a place it is the same for all whose cards run the same: thousands may wait, and thousands may leave.
        let mut for_image: HashMap<Option<ImageId>, Option<usize>> = HashMap::new();
        let goes = |phone: PhoneId| !failed.contains(&phone) && !apart::is_left_alone(app, &Subject::Phone(phone));
        for one in phones.iter().filter(|one| goes(one.place.phone)) {
            let Some(rules) = rules.get(&one.place.phone) else { continue };
            let suits = *for_image.entry(one.image).or_insert_with(|| suited(&needed, one.image));
            let facts = one.facts(rules, busy.contains(&one.place.phone));
            let facts = Facts { is_needed: suits.is_some(), ..facts };
            let Ok(why) = off_now(&facts, clock) else { continue };
            if is_left_alone(app, room, one.place.phone, why) || is_warned(app, one) {
                continue;
            }
            let place = suits.and_then(|at| needed.remove(at)).map(|waits| waits.rank);
            if place.is_none() {
                if braked.len() == allowed {
                    continue;
                }
                braked.push(one.place.phone);
            } else {
                for_image.clear();
            }
            leave.push((one.place.phone, why, place));
            if leave.len() == STEP {
                break;
            }
        }
        let begun = take_off_apart(app, &leave).await?;
        // Those that leave for others who wait cost nothing.
        let braked = braked.iter().filter(|phone| begun.contains(*phone)).count();
        app.part::<Ruled>().used(cards, braked);
    }
    Ok(())
}

/// Whether a phone stays because its gateway, or one of its room's, is silent. What an operator has said goes on; and a phone that
/// has expired is nobody's to use, whether its own gateway says so or not.
fn is_left_alone(app: &App, room: RoomId, phone: PhoneId, why: SessionEnd) -> bool {
    let silences = app.part::<Silences>();
    let is_silent = why != SessionEnd::Expired && silences.is_silent(phone);
    if why == SessionEnd::NotAllowed || !(is_silent || silences.stands_still(room)) {
        return false;
    }
    if is_silent {
        app.part::<Warned>().forget(phone);
    }
    true
}

/// Whether whoever uses a phone is warned still, or its gateway has some time left to end that by itself.
fn is_warned(app: &App, one: &Here) -> bool {
    let Some(since) = one.used.since else { return false };
    app.part::<Warned>().left(one.place.phone, since, app.clock.steady()) > -ENDS_WITHIN
}

/// Queues phones to be taken off, and those that can be where one of them ends in an error. Returns those that were.
async fn take_off_apart(app: &App, leave: &[Leaves]) -> Outcome<HashSet<PhoneId>> {
    match take_off(app, leave).await {
        Err(fault) if !apart::is_of_database(&fault) => {}
        done => return done,
    }
    let mut begun = HashSet::new();
    for one in leave {
        let done = take_off(app, std::slice::from_ref(one)).await;
        begun.extend(apart::judge(app, Subject::Phone(one.0), done)?.unwrap_or_default());
    }
    Ok(begun)
}

/// Queues phones to be taken off, of which each is looked at once more. Returns those that were.
async fn take_off(app: &App, leave: &[Leaves]) -> Outcome<HashSet<PhoneId>> {
    if leave.is_empty() {
        return Ok(HashSet::new());
    }
    let mut tx = app.db.begin_write().await?;
    let which = phone::Entity::find().filter(phone::Column::Id.is_in(leave.iter().map(|(phone, ..)| *phone)));
    let rows = which.order_by_asc(phone::Column::Id).lock_exclusive().all(&*tx).await?;
    let busy = busy(&*tx, &rows).await?;
    let rows: HashMap<PhoneId, Phone> = rows.into_iter().map(|row| (row.id, row)).collect();
    let mut desk = Desk::new(app, &mut tx);
    let mut begun = HashSet::new();
    for (phone, why, waits) in leave {
        let row = rows.get(phone).filter(|row| row.holds_id.is_some() && !busy.contains(&row.id));
        let Some(row) = row else { continue };
        if desk.holds_still(row, *why).await? {
            desk.takes_off(row, *why, *waits).await?;
            begun.insert(row.id);
        }
    }
    desk.told.commit(app, tx).await?;
    Ok(begun)
}

impl Desk<'_> {
    /// Queues a phone to be taken off for this reason, which nobody has asked for. It takes the place of whoever waits for its card,
    /// if somebody does.
    ///
    /// # Errors
    /// When the write fails.
    async fn takes_off(&mut self, phone: &phone::Model, cause: SessionEnd, waits: Option<UtcTime>) -> Outcome<()> {
        let asked = Asked { operation: None, by: "", at: self.now };
        let own = asked.rank(SagaKind::TakeOff);
        let rank = waits.map_or(own, |waits| waits.min(own));
        let queued = Queued { cause: Some(cause), rank, warns_user: false, code: "", comes_with: None };
        self.queue_copy(phone, &asked, SagaKind::TakeOff, queued).await
    }

    /// Whether what a phone is to be taken off for by rule holds still: it may have waited for its turn. Whoever has begun to use it
    /// again is not cut off for having been away, and what was paid for stays.
    pub(super) async fn holds_still(&mut self, phone: &phone::Model, cause: SessionEnd) -> Outcome<bool> {
        match cause {
            SessionEnd::Idle | SessionEnd::Needed => {
                Ok(!is_wanted(self.tx, phone.id).await? && !is_guaranteed(&**self.tx, phone).await?)
            }
            // Its card may have become its own since.
            SessionEnd::LongestSession | SessionEnd::DailyHours | SessionEnd::NightClose => {
                Ok(!is_guaranteed(&**self.tx, phone).await?)
            }
            SessionEnd::NotAllowed | SessionEnd::Expired => Ok(phone.life != Life::Active),
            SessionEnd::TakenOff | SessionEnd::CardLost | SessionEnd::GivenUp | SessionEnd::Erased => Ok(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::time::UtcTime;

    use super::{Brake, Idle};

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

    #[test]
    fn how_long_a_phone_is_idle_does_not_change_with_the_wall_clock() {
        // Idle for a minute when it is seen first, by a steady clock that stands elsewhere.
        let seen = (at(1_000), at(50));
        let idle = Idle::next(None, at(940), seen);
        assert_eq!(idle.since(seen), at(940));
        // Ten seconds later somebody has set the wall clock an hour forward, or back.
        for jump in [3_600, -3_600, 0] {
            let then = (at(1_010 + jump), at(60));
            let idle = Idle::next(Some(&idle), at(940), then);
            assert_eq!(then.0.seconds_since(idle.since(then)), 70, "{jump}");
        }
        // It was used meanwhile.
        let then = (at(1_010), at(60));
        assert_eq!(Idle::next(Some(&idle), at(1_005), then).since(then), at(1_005));
        // No time passes for it while its room stands still, and not less than none.
        let seen = (at(1_100), at(150));
        assert_eq!(idle.since(seen), at(940));
        assert_eq!(idle.stood_still(100_000, seen.1).since(seen), at(1_040));
        assert_eq!(idle.stood_still(900_000, seen.1).since(seen), at(1_100));
        // What is written by a clock that was ahead.
        let seen = (at(1_000), at(50));
        assert_eq!(Idle::next(None, at(2_000), seen).since(seen), at(1_000));
    }
}
