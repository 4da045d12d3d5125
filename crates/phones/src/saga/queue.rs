//! Whose turn it is, and which card it gets.

use std::collections::{BTreeSet, HashMap, HashSet};

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::card::{self, Lifecycle, Maintenance, NetworkStatus, Occupancy};
use entity::saga::{self, Model as Saga, SagaState};
use entity::{
    BackupId, CardId, ImageId, PhoneId, RoomId, SagaId, backup, card_busy, image_known, phone, placement, saga_step,
};
use fleet::Connections;
use kernel::time::UtcTime;
use sea_orm::sea_query::{Condition, Expr, SimpleExpr};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, ExprTrait as _, FromQueryResult, QueryFilter as _,
    QueryOrder as _, QuerySelect as _, QueryTrait as _, Select,
};
use wire::{Carried, Reason};

use super::advance::Desk;
use super::restoring::Made;
use super::{returning, states};
use crate::phone::act::puts_on;

/// Put-ons that are looked at in one statement, and for which something is done in one transaction, or a few more.
const STEP: u64 = 100;
/// So many times, at most, it is looked at those behind.
const PAGES: usize = 50;
/// Cards that are looked at in one statement: on some of them a put-on may not have gone.
const CARDS: u64 = STEP + 3;

/// A room's cards of one board, and who waits for them.
#[derive(Debug, FromQueryResult)]
struct Pool {
    room_id: RoomId,
    board: String,
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
    let text = format!("SELECT DISTINCT room_id, board FROM saga WHERE {}", states::PUT_ON_WAITS);
    let pools = Pool::find_by_statement(sql::statement(app.db.backend(), text, [])).all(app.db.read()).await?;
    let mut more = false;
    for pool in pools {
        more |= serve_pool(app, &pool).await?;
    }
    Ok(more)
}

async fn serve_pool(app: &App, pool: &Pool) -> Outcome<bool> {
    let connections = app.part::<Connections>();
    let why = if connections.does_steps(pool.room_id) { Reason::NoCard } else { Reason::AgentTooOld };
    let returns = !connections.that_return(pool.room_id).is_empty();
    // Mostly nothing changes: that is seen without the lane of writers.
    if plan(app.db.read(), pool, (why, returns), false).await?.lots.is_empty() {
        return Ok(false);
    }
    let mut tx = app.db.begin_write().await?;
    let Plan { lots, is_full } = plan(&*tx, pool, (why, returns), true).await?;
    let mut desk = Desk::new(app, &mut tx);
    for (saga, lot) in lots {
        match lot {
            Lot::Card(card, copy) => desk.reserve(&saga, &card, copy).await?,
            Lot::Back(own) => desk.take_back(&saga, &own.0, &own.1).await?,
            Lot::Waits(why) => desk.waits(&saga, why).await?,
            Lot::Over(why) => desk.give_up(&saga, SagaState::Failed, why.code()).await?,
        }
    }
    desk.told.commit(app, tx).await?;
    Ok(is_full)
}

/// Who gets which card, if `why` is the lack of one; who comes back to his own, if there is somebody for it. What is found is
/// locked if it `locks`.
async fn plan(db: &impl ConnectionTrait, pool: &Pool, (why, returns): (Reason, bool), locks: bool) -> Outcome<Plan> {
    let free = if why == Reason::NoCard { free_cards(db, pool, None, locks).await? } else { Vec::new() };
    let mut search = Search { pool, why, returns, locks, free };
    let (mut lots, mut after) = (Vec::new(), None);
    for at in 0..PAGES {
        // Heads that fit no card block nobody behind them: those get what is left, or come back to their own.
        let only_own = at > 0 && search.free.is_empty();
        if only_own && !returns {
            break;
        }
        let waiting = search.waiting(db, after, only_own).await?;
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
    /// What is said to whoever gets none.
    why: Reason,
    /// Whether somebody can bring a phone back to its own.
    returns: bool,
    locks: bool,
    /// Cards that nobody has got yet.
    free: Vec<card::Model>,
}

impl Search<'_> {
    /// Some of those who wait, by their places, behind that one; those alone that have left a card that is still as it was, if
    /// asked so.
    async fn waiting(
        &self,
        db: &impl ConnectionTrait,
        after: Option<(UtcTime, SagaId)>,
        only_own: bool,
    ) -> Outcome<Vec<Saga>> {
        let behind = after.map(|(rank, id)| {
            Condition::any()
                .add(saga::Column::RankAt.gt(rank))
                .add(Condition::all().add(saga::Column::RankAt.eq(rank)).add(saga::Column::Id.gt(id)))
        });
        let own = only_own.then(|| saga::Column::PhoneId.in_subquery(returning::phones_with_own()));
        Ok(saga::Entity::find()
            .filter(saga::Column::RoomId.eq(self.pool.room_id))
            .filter(saga::Column::Board.eq(self.pool.board.as_str()))
            .filter(Expr::cust(states::PUT_ON_WAITS))
            .filter(Condition::all().add_option(behind).add_option(own))
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
        let mut images = HashMap::new();
        if !self.free.is_empty() {
            images = images_of(db, waiting.iter().filter_map(comes_with).collect()).await?;
            // Those that run an image that a copy needs may come long after the others.
            for some in images.values().collect::<BTreeSet<_>>() {
                let more = free_cards(db, self.pool, Some(some), self.locks).await?;
                let is_new = |card: &card::Model| self.free.iter().all(|other| other.id != card.id);
                let more: Vec<card::Model> = more.into_iter().filter(is_new).collect();
                self.free.extend(more);
            }
        }
        let tried = tried(db, &waiting).await?;
        let mut own = if self.returns { returning::own(db, &waiting, self.locks).await? } else { HashMap::new() };
        let lots = waiting.into_iter().filter_map(|saga| {
            let copy = comes_with(&saga);
            let images = copy.and_then(|copy| images.get(&copy));
            let runs =
                |card: &card::Model| images.is_none_or(|some| card.image_id.is_some_and(|image| some.contains(&image)));
            let is_lacking = images.is_some() && self.why == Reason::NoCard && !self.free.is_empty();
            let why = if is_lacking { Reason::NoCardOfImage } else { self.why };
            let lot = match phones.get(&saga.phone_id).map_or(Err(Reason::PhoneGone), puts_on) {
                Err(why) => Lot::Over(why),
                Ok(()) if own.get(&saga.phone_id).is_some_and(|(_, card)| !tried.contains(&(saga.id, card.id))) => {
                    Lot::Back(Box::new(own.remove(&saga.phone_id)?))
                }
                Ok(()) => match self.free.iter().position(|card| !tried.contains(&(saga.id, card.id)) && runs(card)) {
                    Some(at) => Lot::Card(Box::new(self.free.remove(at)), copy),
                    None if saga.code == why.code() || !(is_head || saga.code.is_empty()) => return None,
                    None => Lot::Waits(why),
                },
            };
            Some((saga, lot))
        });
        Ok(lots.collect())
    }
}

/// The images, by the copy, with which copies were made: they come on cards that run one of them. None of a copy that does
/// not say so.
async fn images_of(
    db: &impl ConnectionTrait,
    copies: HashSet<BackupId>,
) -> Outcome<HashMap<BackupId, BTreeSet<ImageId>>> {
    if copies.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(BackupId, String)> = backup::Entity::find()
        .select_only()
        .columns([backup::Column::Id, backup::Column::Manifest])
        .filter(backup::Column::Id.is_in(copies))
        .into_tuple()
        .all(db)
        .await?;
    let read = |(copy, manifest): (BackupId, String)| {
        let Made { image, .. } = Made::read(&manifest);
        (!image.is_empty()).then_some((copy, image))
    };
    let made: Vec<(BackupId, String)> = rows.into_iter().filter_map(read).collect();
    let known = image_known::Entity::find()
        .filter(image_known::Column::Fingerprint.is_in(made.iter().map(|(_, image)| image.as_str())))
        .all(db)
        .await?;
    let of = |image: &str| known.iter().filter(|known| known.fingerprint == image).map(|known| known.id).collect();
    Ok(made.iter().map(|(copy, image)| (*copy, of(image))).collect())
}

/// Cards on which a put-on did not go.
async fn tried(db: &impl ConnectionTrait, waiting: &[Saga]) -> Outcome<HashSet<(SagaId, CardId)>> {
    let again: Vec<SagaId> = waiting.iter().filter(|saga| saga.cards > 0).map(|saga| saga.id).collect();
    if again.is_empty() {
        return Ok(HashSet::new());
    }
    let select =
        saga_step::Entity::find().select_only().columns([saga_step::Column::SagaId, saga_step::Column::CardId]);
    let rows: Vec<(SagaId, CardId)> =
        select.distinct().filter(saga_step::Column::SagaId.is_in(again)).into_tuple().all(db).await?;
    Ok(rows.into_iter().collect())
}

/// A card that says it is clean is so if it says it in our words.
fn proved_clean() -> SimpleExpr {
    let marked = Expr::col((card::Entity, card::Column::Mark));
    card::Column::Mark.starts_with(Carried::CLEAN).and(marked.equals((card::Entity, card::Column::CleanMark)))
}

/// Cards of a board in a room that nobody has: up, in service and assignable.
///
/// # Errors
/// When a read fails.
pub async fn free(db: &impl ConnectionTrait, room: RoomId, board: &str) -> Outcome<Select<card::Entity>> {
    let models = fleet::models_of_board(db, board).await?;
    let taken = placement::Entity::find().select_only().column(placement::Column::CardId);
    let taken = taken.filter(placement::Column::Role.ne(placement::Role::Ended)).into_query();
    let busy = card_busy::Entity::find().select_only().column(card_busy::Column::CardId).into_query();
    Ok(card::Entity::find()
        .filter(card::Column::RoomId.eq(room))
        .filter(card::Column::ModelId.is_in(models))
        .filter(card::Column::Lifecycle.eq(Lifecycle::Registered))
        .filter(card::Column::Occupancy.eq(Occupancy::Free))
        .filter(card::Column::Maintenance.eq(Maintenance::None))
        .filter(card::Column::NetworkStatus.eq(NetworkStatus::Online))
        .filter(card::Column::IsAssignable.eq(true))
        .filter(card::Column::IsUpgrading.eq(false))
        // It is nobody's, as it says itself: one after the other would be tried in vain.
        .filter(card::Column::Mark.eq(Carried::NOTHING).or(proved_clean()))
        .filter(card::Column::Id.not_in_subquery(taken))
        .filter(card::Column::Id.not_in_subquery(busy)))
}

/// Such cards, longest without a phone first; those that run one of some images, if those are told.
async fn free_cards(
    db: &impl ConnectionTrait,
    pool: &Pool,
    images: Option<&BTreeSet<ImageId>>,
    locks: bool,
) -> Outcome<Vec<card::Model>> {
    Ok(free(db, pool.room_id, &pool.board)
        .await?
        .filter(Condition::all().add_option(images.map(|some| card::Column::ImageId.is_in(some.iter().copied()))))
        .order_by_asc(card::Column::RunSince)
        .order_by_asc(card::Column::Id)
        .limit(CARDS)
        .apply_if(locks.then_some(()), |select, ()| select.lock_exclusive())
        .all(db)
        .await?)
}
