//! Whose turn it is, and which card it gets.

use std::collections::{BTreeSet, HashMap, HashSet};

use base::app::App;
use base::fault::{Fault, Outcome};
use db::sql;
use entity::phone::PhonePool;
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::{BackupId, CardId, ImageId, PhoneId, RoomAgentId, RoomId, SagaId, card, phone};
use fleet::Connections;
use kernel::time::UtcTime;
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, FromQueryResult, PaginatorTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _, QueryTrait as _, Select, Value,
};
use wire::Reason;

use super::advance::Desk;
use super::apart::{self, Subject};
use super::needs::MadeWith;
use super::pool::{CardPool, above_reserve, free, put_ons};
use super::{returning, states};
use crate::backup::place::within_reach;
use crate::forbidden::withheld::may_not_return;
use crate::phone::act::puts_on;

/// Put-ons that are looked at in one statement, and for which something is done in one transaction, or a few more.
const STEP: u64 = 100;
/// So many times, at most, it is looked at those behind.
const PAGES: usize = 50;
/// Cards that are looked at in one statement: on some of them a put-on may not have gone.
const CARDS: u64 = STEP + 3;
/// So many seconds after a put-on did not go on a card it may be tried there once more, if the card was cleared since.
const REST: i64 = 600;

/// A room's cards of one board and kind, and who waits for them.
#[derive(Debug, FromQueryResult)]
struct Pool {
    room_id: RoomId,
    board: String,
    pool: PhonePool,
}

impl Pool {
    fn cards(&self) -> CardPool<'_> {
        CardPool { room: self.room_id, board: &self.board, kind: self.pool }
    }
}

/// What those who wait can get, as far as the agents of their room go.
struct Able<'a> {
    /// Somebody is there who brings phones on cards.
    is_there: bool,
    /// What is said to whoever gets no card.
    why: Reason,
    /// Whether somebody can bring a phone back to its own.
    returns: bool,
    /// Those who bring copies on cards.
    restore: Vec<RoomAgentId>,
    /// With which images copies were made.
    made: &'a MadeWith,
    /// All who wait but those that have ended in an error a moment ago.
    others: Condition,
    now: UtcTime,
}

impl<'a> Able<'a> {
    fn of(app: &'a App, pool: &Pool) -> Self {
        let (connections, room) = (app.part::<Connections>(), pool.room_id);
        let is_there = connections.does_steps(room);
        let no_card = match pool.pool {
            PhonePool::Shared => Reason::NoCard,
            PhonePool::Dedicated => Reason::NoDedicatedCard,
        };
        let why = if is_there { no_card } else { connections.why_none(room) };
        Self {
            is_there,
            why,
            returns: !connections.that_return(room).is_empty(),
            restore: connections.that_restore(room),
            made: app.part::<MadeWith>(),
            others: apart::sagas(app),
            now: app.clock.now(),
        }
    }

    /// Why nobody can bring a copy on a card.
    fn why_no_copy(&self) -> Reason {
        if self.restore.is_empty() { Reason::AgentTooOld } else { Reason::StoreUnreachable }
    }
}

/// What becomes of one that waits.
enum Lot {
    /// With the copy that comes with the phone.
    Card(Box<card::Model>, Option<BackupId>),
    /// The one that it has left, whose clearing waits.
    Back(Box<(Saga, card::Model)>),
    /// It keeps its place, and blocks nobody; it did not wait for this before.
    Waits(Reason),
    Over(Reason),
}

/// What becomes of those that wait: of each of whom something does.
struct Plan {
    lots: Vec<(Saga, Lot)>,
    /// Whether there may be something to do for more.
    is_full: bool,
}

/// Gives cards to those who wait, pool by pool. Returns whether there may be more.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn serve(app: &App) -> Outcome<bool> {
    let text = format!("SELECT DISTINCT room_id, board, pool FROM saga WHERE {}", states::PUT_ON_WAITS);
    let pools = Pool::find_by_statement(sql::statement(app.db.backend(), text, [])).all(app.db.read()).await?;
    let mut more = false;
    for pool in pools {
        let subject = Subject::Pool(pool.room_id, pool.board.clone(), pool.pool);
        more |= apart::tried(app, subject, serve_pool(app, &pool)).await?.unwrap_or(false);
    }
    Ok(more)
}

async fn serve_pool(app: &App, pool: &Pool) -> Outcome<bool> {
    // Mostly nothing changes: that is seen without the lane of writers.
    if plan(app.db.read(), pool, &Able::of(app, pool), false).await?.lots.is_empty() {
        return Ok(false);
    }
    match give_out(app, pool, usize::MAX).await {
        Ok((_, is_full)) => return Ok(is_full),
        Err((_, fault)) if apart::is_of_database(&fault) => return Err(fault),
        Err(_) => {}
    }
    // Somebody's turn ends in an error: each has it by himself, and the others theirs.
    for _ in 0..STEP {
        match give_out(app, pool, 1).await {
            Ok((0, _)) => break,
            Ok(_) => {}
            Err((Some(saga), fault)) => {
                apart::judge::<()>(app, saga.into(), Err(fault))?;
            }
            Err((None, fault)) => return Err(fault),
        }
    }
    Ok(true)
}

/// Gives so many of those who wait what becomes of them, in one transaction. Returns how many those were, and whether there may
/// be more; an error says at whom it came, if it was at somebody.
async fn give_out(app: &App, pool: &Pool, most: usize) -> Result<(usize, bool), (Option<SagaId>, Fault)> {
    let at_nobody = |fault: Fault| -> (Option<SagaId>, Fault) { (None, fault) };
    let able = Able::of(app, pool);
    let mut tx = app.db.begin_write().await.map_err(|error| at_nobody(error.into()))?;
    let Plan { mut lots, is_full } = plan(&*tx, pool, &able, true).await.map_err(at_nobody)?;
    lots.truncate(most);
    let sagas: Vec<SagaId> = lots.iter().map(|(saga, _)| saga.id).collect();
    let mut desk = Desk::new(app, &mut tx);
    desk.read_ahead(&sagas).await.map_err(at_nobody)?;
    for (saga, lot) in lots {
        desk.gets(&saga, lot).await.map_err(|fault| (Some(saga.id), fault))?;
    }
    desk.told.commit(app, tx).await.map_err(|fault| (sagas.last().copied(), fault))?;
    apart::go_on(app, &sagas);
    Ok((sagas.len(), is_full))
}

impl Desk<'_> {
    async fn gets(&mut self, saga: &Saga, lot: Lot) -> Outcome<()> {
        match lot {
            Lot::Card(card, copy) => self.reserve(saga, &card, copy).await,
            Lot::Back(own) => self.take_back(saga, &own.0, &own.1).await,
            Lot::Waits(why) => self.waits(saga, why).await,
            Lot::Over(why) => self.give_up(saga, SagaState::Failed, why.code()).await,
        }
    }
}

/// Who gets which card, and who comes back to his own. What is found is locked if it `locks`.
async fn plan(db: &impl ConnectionTrait, pool: &Pool, able: &Able<'_>, locks: bool) -> Outcome<Plan> {
    let found = if able.is_there { free_cards(db, pool, None, locks).await? } else { Vec::new() };
    let clean = match found.len() as u64 {
        // Those are all: they need not be counted once more.
        all @ 0..CARDS => all,
        CARDS.. => free(db, pool.cards()).await?.count(db).await?,
    };
    let above = if clean == 0 { 0 } else { above_reserve(db, pool.cards(), clean).await? };
    let mut search = Search { pool, able, locks, free: found, above };
    let (mut lots, mut after) = (Vec::new(), None);
    for at in 0..PAGES {
        // Heads that fit no card block nobody behind them: those get what is left, or come back to their own.
        let only_some = at > 0 && (search.free.is_empty() || search.above == 0);
        if only_some && search.free.is_empty() && !able.returns {
            break;
        }
        let waiting = search.waiting(db, after, only_some).await?;
        let Some(last) = waiting.last() else { break };
        after = Some((last.rank_at, last.id));
        let is_last = (waiting.len() as u64) < STEP;
        lots.extend(search.lots(db, waiting, at == 0).await?);
        if is_last || lots.len() as u64 >= STEP {
            break;
        }
    }
    let is_full = lots.len() as u64 >= STEP;
    Ok(Plan { lots, is_full })
}

/// A look for cards for those who wait.
struct Search<'a> {
    pool: &'a Pool,
    able: &'a Able<'a>,
    locks: bool,
    /// Cards that nobody has got yet.
    free: Vec<card::Model>,
    /// So many cards wait for whoever comes next. What is left then is for phones whose card has failed.
    above: u64,
}

impl Search<'_> {
    /// Some of those who wait, by their places, behind that one; if asked so, those alone who get something where nothing is left
    /// above the reserve: a card of that, or the one that they have left and that is still as it was.
    async fn waiting(
        &self,
        db: &impl ConnectionTrait,
        after: Option<(UtcTime, SagaId)>,
        only_some: bool,
    ) -> Outcome<Vec<Saga>> {
        let behind = after.map(|(rank, id)| {
            Condition::any()
                .add(saga::Column::RankAt.gt(rank))
                .add(Condition::all().add(saga::Column::RankAt.eq(rank)).add(saga::Column::Id.gt(id)))
        });
        let some = only_some.then(|| {
            let own = self.able.returns.then(|| saga::Column::PhoneId.in_subquery(returning::phones_with_own()));
            let failed = (!self.free.is_empty()).then(|| {
                let lost = from_lost().select_only().column(saga::Column::PhoneId).into_query();
                Condition::any().add(saga::Column::Cards.gt(0_i16)).add(saga::Column::PhoneId.in_subquery(lost))
            });
            Condition::any().add_option(own).add_option(failed)
        });
        Ok(put_ons(self.pool.cards(), states::PUT_ON_WAITS)
            .filter(Condition::all().add_option(behind).add_option(some).add(self.able.others.clone()))
            .order_by_asc(saga::Column::RankAt)
            .order_by_asc(saga::Column::Id)
            .limit(STEP)
            .apply_if(self.locks.then_some(()), |select, ()| select.lock_exclusive())
            .all(db)
            .await?)
    }

    /// What becomes of these. Of those behind the head of the queue it is written once why they wait: what they lack changes with
    /// each card that comes and goes.
    async fn lots(
        &mut self,
        db: &impl ConnectionTrait,
        waiting: Vec<Saga>,
        is_head: bool,
    ) -> Outcome<Vec<(Saga, Lot)>> {
        let phones = phone::Entity::find().filter(phone::Column::Id.is_in(waiting.iter().map(|saga| saga.phone_id)));
        let phones: HashMap<PhoneId, phone::Model> =
            phones.all(db).await?.into_iter().map(|row| (row.id, row)).collect();
        // A phone that was used lives by its copy, which may be another one by now.
        let comes_with = |saga: &Saga| match phones.get(&saga.phone_id) {
            Some(phone) if !phone.is_blank => phone.kept_id,
            _ => saga.backup_id,
        };
        let copies: HashSet<BackupId> = waiting.iter().filter_map(comes_with).collect();
        let near = within_reach(db, &self.able.restore, copies.iter().copied()).await?;
        let (mut images, mut lost) = (HashMap::new(), HashSet::new());
        if !self.free.is_empty() {
            lost = lost_of(db, &waiting).await?;
            images = self.able.made.images(db, copies).await?;
            // Those that run an image that a copy needs may come long after the others.
            for some in images.values().collect::<BTreeSet<_>>() {
                let more = free_cards(db, self.pool, Some(some), self.locks).await?;
                let is_new = |card: &card::Model| self.free.iter().all(|other| other.id != card.id);
                let more: Vec<card::Model> = more.into_iter().filter(is_new).collect();
                self.free.extend(more);
            }
        }
        let tried = tried(db, &waiting).await?;
        let mut own = if self.able.returns { returning::own(db, &waiting, self.locks).await? } else { HashMap::new() };
        let back: Vec<&phone::Model> = own.keys().filter_map(|phone| phones.get(phone)).collect();
        let elsewhere = may_not_return(db, &back).await?;
        own.retain(|phone, _| !elsewhere.contains(phone));
        let (mut lots, now) = (Vec::new(), self.able.now);
        for saga in waiting {
            let copy = comes_with(&saga);
            let before = |card: &card::Model| tried.get(&(saga.id, card.id));
            let is_new = |card: &card::Model| before(card).is_none();
            let is_again = |card: &card::Model| before(card).is_some_and(|tried| tried.may_again(now));
            let back = own.remove(&saga.phone_id).filter(|(left, card)| is_new(card) && self.comes_back(left, card));
            let found = match (phones.get(&saga.phone_id).map_or(Err(Reason::PhoneGone), puts_on), back) {
                (Err(why), _) => Ok(Lot::Over(why)),
                (Ok(()), Some(left)) => {
                    self.above = self.above.saturating_sub(1);
                    Ok(Lot::Back(Box::new(left)))
                }
                (Ok(()), None) if self.able.is_there && copy.is_some_and(|copy| !near.contains(&copy)) => {
                    Err(self.able.why_no_copy())
                }
                (Ok(()), None) => {
                    let has_failed = saga.cards > 0 || lost.contains(&saga.phone_id);
                    let found = self.card(has_failed, copy.and_then(|copy| images.get(&copy)), (is_new, is_again));
                    found.map(|card| Lot::Card(Box::new(card), copy))
                }
            };
            match found {
                Ok(lot) => lots.push((saga, lot)),
                Err(why) if is_told(&saga, why, is_head) => lots.push((saga, Lot::Waits(why))),
                Err(_) => {}
            }
        }
        Ok(lots)
    }

    /// Whether a phone comes back to the card that it has left, which may be one of the other kind by now: not to that, unless what
    /// is there may be all that is left of it.
    fn comes_back(&self, left: &Saga, card: &card::Model) -> bool {
        self.pool.pool == PhonePool::of_card(card.is_overcommit) || left.code == Reason::CopyDamaged.code()
    }

    /// The card that a phone gets, with a copy that needs one of these images, if those are known; or why it gets none. The last
    /// ones are for phones whose card has failed. One on which it did not go comes after all that are new to it: in a small pool
    /// it may be the only one.
    fn card(
        &mut self,
        has_failed: bool,
        images: Option<&BTreeSet<ImageId>>,
        (is_new, is_again): (impl Fn(&card::Model) -> bool, impl Fn(&card::Model) -> bool),
    ) -> Result<card::Model, Reason> {
        if self.above == 0 && !has_failed {
            return Err(self.able.why);
        }
        let runs =
            |card: &card::Model| images.is_none_or(|some| card.image_id.is_some_and(|image| some.contains(&image)));
        let first = |suits: &dyn Fn(&card::Model) -> bool| self.free.iter().position(|card| suits(card) && runs(card));
        match first(&is_new).or_else(|| first(&is_again)) {
            Some(at) => {
                self.above = self.above.saturating_sub(1);
                Ok(self.free.remove(at))
            }
            None if images.is_some() && !self.free.is_empty() => Err(Reason::NoCardOfImage),
            None => Err(self.able.why),
        }
    }
}

/// Whether it is written down why one waits. Of those behind the head of the queue that is done once: what they lack changes with
/// each card that comes and goes. But a storage node is away for all of them, or for none.
fn is_told(saga: &Saga, why: Reason, is_head: bool) -> bool {
    let store = Reason::StoreUnreachable;
    let is_of_store = why == store || saga.code == store.code();
    saga.code != why.code() && (is_head || saga.code.is_empty() || is_of_store)
}

/// What phones have left on cards that were lost, and that nobody has cleared yet.
fn from_lost() -> Select<saga::Entity> {
    saga::Entity::find().filter(Expr::cust(states::LOST))
}

/// Those of these phones whose last card was lost.
async fn lost_of(db: &impl ConnectionTrait, waiting: &[Saga]) -> Outcome<HashSet<PhoneId>> {
    let lost = from_lost().select_only().column(saga::Column::PhoneId);
    let lost = lost.filter(saga::Column::PhoneId.is_in(waiting.iter().map(|saga| saga.phone_id)));
    let found: Vec<PhoneId> = lost.into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}

/// A card on which a put-on did not go.
#[derive(Debug, FromQueryResult)]
struct Tried {
    saga_id: SagaId,
    card_id: CardId,
    /// When the last step ended there.
    ended_at: Option<UtcTime>,
    /// When what its phone had left there was cleared.
    cleared_at: Option<UtcTime>,
}

impl Tried {
    /// Whether it may be tried there again. A card that it has only looked at is what it was.
    fn may_again(&self, now: UtcTime) -> bool {
        let Some(ended_at) = self.ended_at else { return false };
        self.cleared_at.is_some_and(|at| at >= ended_at) && now.seconds_since(ended_at) >= REST
    }
}

/// Cards on which put-ons did not go.
async fn tried(db: &impl ConnectionTrait, waiting: &[Saga]) -> Outcome<HashMap<(SagaId, CardId), Tried>> {
    let again: Vec<SagaId> = waiting.iter().filter(|saga| saga.cards > 0).map(|saga| saga.id).collect();
    if again.is_empty() {
        return Ok(HashMap::new());
    }
    let text = format!(
        "SELECT step.saga_id AS saga_id, step.card_id AS card_id, MAX(step.ended_at) AS ended_at, \
         MAX(clearing.ended_at) AS cleared_at FROM saga_step step JOIN saga ON saga.id = step.saga_id \
         LEFT JOIN placement stay ON stay.card_id = step.card_id AND stay.phone_id = saga.phone_id \
         LEFT JOIN saga clearing ON clearing.placement_id = stay.id AND clearing.kind = {} AND clearing.state = {} \
         WHERE step.saga_id IN ({}) GROUP BY step.saga_id, step.card_id",
        SagaKind::Clear.code(),
        SagaState::Done.code(),
        sql::placeholders(1, again.len())
    );
    let values = again.iter().map(|saga| Value::from(saga.0));
    let rows = Tried::find_by_statement(sql::statement(db.get_database_backend(), text, values)).all(db).await?;
    Ok(rows.into_iter().map(|row| ((row.saga_id, row.card_id), row)).collect())
}

/// Cards of a pool that nobody has, longest without a phone first; those that run one of some images, if those are told.
async fn free_cards(
    db: &impl ConnectionTrait,
    pool: &Pool,
    images: Option<&BTreeSet<ImageId>>,
    locks: bool,
) -> Outcome<Vec<card::Model>> {
    Ok(free(db, pool.cards())
        .await?
        .filter(Condition::all().add_option(images.map(|some| card::Column::ImageId.is_in(some.iter().copied()))))
        .order_by_asc(card::Column::RunSince)
        .order_by_asc(card::Column::Id)
        .limit(CARDS)
        .apply_if(locks.then_some(()), |select, ()| select.lock_exclusive())
        .all(db)
        .await?)
}
