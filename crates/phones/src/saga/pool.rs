//! The cards of a pool that wait for a phone, those on their way to one, and how many are kept in reserve.

use base::fault::Outcome;
use entity::card::{self, Lifecycle, Maintenance, NetworkStatus, Occupancy};
use entity::phone::{Model as Phone, PhonePool};
use entity::saga::SagaKind;
use entity::{PhoneId, RoomId, card_busy, placement, saga};
use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, ExprTrait as _, PaginatorTrait as _,
    QueryFilter as _, QuerySelect as _, QueryTrait as _, Select,
};
use wire::Carried;

use super::states;

/// From so many cards on some are kept in reserve: one of so many, and one at least.
const RESERVED_FROM: u64 = 10;
const RESERVED: u64 = 50;

/// A room's cards of one board that phones share, or that phones have for themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CardPool<'a> {
    pub room: RoomId,
    pub board: &'a str,
    pub kind: PhonePool,
}

impl CardPool<'static> {
    /// The one on whose cards a phone comes.
    #[must_use]
    pub const fn of(phone: &Phone) -> Self {
        Self { room: phone.room_id, board: phone.plan.board(), kind: phone.pool }
    }
}

/// Of a saga: its card is one of those that phones share.
const AT_SHARED: &str = "EXISTS (SELECT 1 FROM placement stay JOIN card ON card.id = stay.card_id \
     WHERE stay.id = saga.placement_id AND card.is_overcommit)";
/// Of a saga: its card is one that a phone has for itself.
const AT_DEDICATED: &str = "EXISTS (SELECT 1 FROM placement stay JOIN card ON card.id = stay.card_id \
     WHERE stay.id = saga.placement_id AND NOT card.is_overcommit)";

/// Of a saga: it is about a card of this kind.
pub(super) const fn at_cards(kind: PhonePool) -> &'static str {
    match kind {
        PhonePool::Shared => AT_SHARED,
        PhonePool::Dedicated => AT_DEDICATED,
    }
}

/// What is done in a room with cards of a board, whosever they are.
fn of_board(pool: CardPool<'_>, which: &'static str) -> Select<saga::Entity> {
    states::of_room(pool.room, which).filter(saga::Column::Board.eq(pool.board))
}

/// Put-ons of phones that are to come on cards of a pool.
pub(super) fn put_ons(pool: CardPool<'_>, which: &'static str) -> Select<saga::Entity> {
    of_board(pool, which).filter(saga::Column::Pool.eq(pool.kind))
}

/// What is done at cards of a pool.
pub(super) fn at_pool(pool: CardPool<'_>, which: &'static str) -> Select<saga::Entity> {
    of_board(pool, which).filter(Expr::cust(at_cards(pool.kind)))
}

/// Whoever waits for a phone waits for cards of this kind from now on, and keeps his rank.
///
/// # Errors
/// When the write fails.
pub async fn waits_for(db: &impl ConnectionTrait, phone: PhoneId, kind: PhonePool) -> Outcome<()> {
    let of_phone = |row: saga::ActiveModel| {
        let all = saga::Entity::update_many().set(row).filter(saga::Column::PhoneId.eq(phone));
        all.filter(saga::Column::Kind.eq(SagaKind::PutOn))
    };
    // One that has a card already may have to look for another.
    let turns = saga::ActiveModel { pool: Set(kind), ..Default::default() };
    of_phone(turns).filter(Expr::cust(states::LOCKED)).exec(db).await?;
    // Why it waits is another thing there.
    let anew = saga::ActiveModel { code: Set(String::new()), ..Default::default() };
    of_phone(anew).filter(Expr::cust(states::PUT_ON_WAITS)).exec(db).await?;
    Ok(())
}

/// Whether a phone is on a card that it has for itself: no rule takes it off.
///
/// # Errors
/// When the read fails.
pub(super) async fn is_guaranteed(db: &impl ConnectionTrait, phone: &Phone) -> Outcome<bool> {
    let Some(stay) = phone.holds_id else { return Ok(false) };
    let at = placement::Entity::find().select_only().column(placement::Column::CardId);
    let at = at.filter(placement::Column::Id.eq(stay)).into_query();
    let own = card::Entity::find().filter(card::Column::Id.in_subquery(at));
    Ok(own.filter(card::Column::IsOvercommit.eq(false)).count(db).await? > 0)
}

/// A card that says it is clean is so if it says it in our words.
fn proved_clean() -> SimpleExpr {
    let marked = Expr::col((card::Entity, card::Column::Mark));
    card::Column::Mark.starts_with(Carried::CLEAN).and(marked.equals((card::Entity, card::Column::CleanMark)))
}

/// Of a card: it is no phone's, in the words of the index that has those alone which are. Of stays that have ended there are as many
/// as phones ever were on cards.
const NOBODYS: &str = "NOT EXISTS (SELECT 1 FROM placement stay WHERE stay.card_id = card.id AND stay.role > 0)";

/// Cards of a pool that nobody has: up, in service, assignable, and known by their serial.
///
/// # Errors
/// When a read fails.
pub async fn free(db: &impl ConnectionTrait, pool: CardPool<'_>) -> Outcome<Select<card::Entity>> {
    let models = fleet::models_of_board(db, pool.board).await?;
    let busy = card_busy::Entity::find().select_only().column(card_busy::Column::CardId).into_query();
    Ok(card::Entity::find()
        .filter(card::Column::RoomId.eq(pool.room))
        .filter(card::Column::ModelId.is_in(models))
        .filter(card::Column::IsOvercommit.eq(pool.kind.is_overcommit()))
        .filter(card::Column::Lifecycle.eq(Lifecycle::Registered))
        .filter(card::Column::Occupancy.eq(Occupancy::Free))
        .filter(card::Column::Maintenance.eq(Maintenance::None))
        .filter(card::Column::NetworkStatus.eq(NetworkStatus::Online))
        .filter(card::Column::IsAssignable.eq(true))
        .filter(card::Column::IsUpgrading.eq(false))
        // An agent compares it with what the card says: without one, whatever answers there would be the card.
        .filter(card::Column::Serial.is_not_null())
        // It is nobody's, as it says itself: one after the other would be tried in vain.
        .filter(card::Column::Mark.eq(Carried::NOTHING).or(proved_clean()))
        .filter(Expr::cust(NOBODYS))
        .filter(card::Column::Id.not_in_subquery(busy)))
}

/// Clearings of a pool's cards that can be reached. The others are wiped when they are back: nobody who waits counts on them. It is
/// asked of each clearing: few are under way, and very many cards are up.
pub(super) fn cleared(pool: CardPool<'_>, which: &'static str) -> Select<saga::Entity> {
    let is_up = format!(
        "EXISTS (SELECT 1 FROM placement stay JOIN card ON card.id = stay.card_id WHERE stay.id = saga.placement_id \
         AND stay.role = {} AND card.room_id = saga.room_id AND card.network_status = {})",
        placement::Role::Outgoing.code(),
        NetworkStatus::Online.code()
    );
    at_pool(pool, which).filter(Expr::cust(is_up))
}

/// The clearings of a pool that begin as soon as their cards are needed. Nobody wipes a card that says why it stays as it is: it may
/// be all that is left of a phone.
pub(super) fn sealed(pool: CardPool<'_>) -> Select<saga::Entity> {
    cleared(pool, states::CLEAR_WAITS).filter(saga::Column::Code.eq(""))
}

/// How many of so many cards are kept for phones whose card has failed.
fn reserved(cards: u64) -> u64 {
    if cards < RESERVED_FROM { 0 } else { Ord::max(cards / RESERVED, 1) }
}

/// How many cards of a pool are kept for phones whose card has failed: a part of those that are there for phones, whether they
/// are reached just now or not. A reserve that grew and shrank with them would be given away while a room comes back. Of cards that
/// phones have for themselves none is kept: nobody leaves one by rule, so that whose card it is would never come on it.
///
/// # Errors
/// When a read fails.
pub(super) async fn reserve(db: &impl ConnectionTrait, pool: CardPool<'_>) -> Outcome<u64> {
    if pool.kind == PhonePool::Dedicated {
        return Ok(0);
    }
    let models = fleet::models_of_board(db, pool.board).await?;
    let cards = card::Entity::find()
        .filter(card::Column::RoomId.eq(pool.room))
        .filter(card::Column::ModelId.is_in(models))
        .filter(card::Column::IsOvercommit.eq(true))
        .filter(card::Column::Lifecycle.eq(Lifecycle::Registered))
        .filter(card::Column::Maintenance.eq(Maintenance::None))
        .filter(card::Column::IsAssignable.eq(true));
    Ok(reserved(cards.count(db).await?))
}

/// How many cards of a pool wait for whoever comes next, those above the reserve: so many that are clean, and those within reach that
/// are wiped when they are needed.
///
/// # Errors
/// When a read fails.
pub async fn above_reserve(db: &impl ConnectionTrait, pool: CardPool<'_>, clean: u64) -> Outcome<u64> {
    let spare = clean + sealed(pool).count(db).await?;
    Ok(spare.saturating_sub(reserve(db, pool).await?))
}

#[cfg(test)]
mod tests {
    use super::reserved;

    #[test]
    fn one_of_fifty_is_kept_and_one_at_least_from_ten_on() {
        let kept: Vec<u64> = [0, 9, 10, 50, 99, 100, 149, 150, 4_000].map(reserved).into();
        assert_eq!(kept, [0, 0, 1, 1, 1, 2, 2, 3, 80]);
    }
}
