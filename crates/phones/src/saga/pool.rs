//! The cards of a pool that wait for a phone, those on their way to one, and how many are kept in reserve.

use base::fault::Outcome;
use entity::card::{self, Lifecycle, Maintenance, NetworkStatus, Occupancy};
use entity::{RoomId, card_busy, placement, saga};
use sea_orm::sea_query::{Expr, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, ExprTrait as _, PaginatorTrait as _, QueryFilter as _,
    QuerySelect as _, QueryTrait as _, Select,
};
use wire::Carried;

use super::states;

/// From so many cards on some are kept in reserve: one of so many, and one at least.
const RESERVED_FROM: u64 = 10;
const RESERVED: u64 = 50;

/// What is done to phones of a pool.
pub(super) fn of_pool(room: RoomId, board: &str, which: &'static str) -> Select<saga::Entity> {
    let of = saga::Entity::find().filter(saga::Column::RoomId.eq(room)).filter(saga::Column::Board.eq(board));
    of.filter(Expr::cust(which))
}

/// A card that says it is clean is so if it says it in our words.
fn proved_clean() -> SimpleExpr {
    let marked = Expr::col((card::Entity, card::Column::Mark));
    card::Column::Mark.starts_with(Carried::CLEAN).and(marked.equals((card::Entity, card::Column::CleanMark)))
}

/// Cards of a board in a room that nobody has: up, in service, assignable, and known by their serial.
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
        // An agent compares it with what the card says: without one, whatever answers there would be the card.
        .filter(card::Column::Serial.is_not_null())
        // It is nobody's, as it says itself: one after the other would be tried in vain.
        .filter(card::Column::Mark.eq(Carried::NOTHING).or(proved_clean()))
        .filter(card::Column::Id.not_in_subquery(taken))
        .filter(card::Column::Id.not_in_subquery(busy)))
}

/// What stands on cards of a room that can be reached, of phones that have left them.
pub(super) fn reachable(room: RoomId) -> SelectStatement {
    let up = card::Entity::find()
        .select_only()
        .column(card::Column::Id)
        .filter(card::Column::RoomId.eq(room))
        .filter(card::Column::NetworkStatus.eq(NetworkStatus::Online))
        .into_query();
    placement::Entity::find()
        .select_only()
        .column(placement::Column::Id)
        .filter(placement::Column::Role.eq(placement::Role::Outgoing))
        .filter(placement::Column::CardId.in_subquery(up))
        .into_query()
}

/// What stands on cards of a pool that can be reached, and is cleared.
fn cleared(room: RoomId, board: &str, which: &'static str) -> Select<saga::Entity> {
    of_pool(room, board, which).filter(saga::Column::PlacementId.in_subquery(reachable(room)))
}

/// How many cards of a pool wait for a phone: clean ones, and those within reach that are wiped when they are needed.
///
/// # Errors
/// When a read fails.
pub(super) async fn spare(db: &impl ConnectionTrait, room: RoomId, board: &str) -> Outcome<u64> {
    let clean = free(db, room, board).await?.count(db).await?;
    spare_of(db, room, board, clean).await
}

/// The same where so many are clean.
async fn spare_of(db: &impl ConnectionTrait, room: RoomId, board: &str, clean: u64) -> Outcome<u64> {
    // Nobody wipes one that says why it stays as it is.
    let sealed = cleared(room, board, states::CLEAR_WAITS).filter(saga::Column::Code.eq(""));
    Ok(clean + sealed.count(db).await?)
}

/// How many of so many cards are kept for phones whose card has failed.
fn reserved(cards: u64) -> u64 {
    if cards < RESERVED_FROM { 0 } else { Ord::max(cards / RESERVED, 1) }
}

/// How many cards of a pool are kept for phones whose card has failed: a part of those that are there for phones, whether they
/// are reached just now or not. A reserve that grew and shrank with them would be given away while a room comes back.
///
/// # Errors
/// When a read fails.
pub(super) async fn reserve(db: &impl ConnectionTrait, room: RoomId, board: &str) -> Outcome<u64> {
    let models = fleet::models_of_board(db, board).await?;
    let cards = card::Entity::find()
        .filter(card::Column::RoomId.eq(room))
        .filter(card::Column::ModelId.is_in(models))
        .filter(card::Column::Lifecycle.eq(Lifecycle::Registered))
        .filter(card::Column::Maintenance.eq(Maintenance::None))
        .filter(card::Column::IsAssignable.eq(true));
    Ok(reserved(cards.count(db).await?))
}

/// How many cards of a pool wait for whoever comes next: those above the reserve.
///
/// # Errors
/// When a read fails.
pub async fn above_reserve(db: &impl ConnectionTrait, room: RoomId, board: &str) -> Outcome<u64> {
    Ok(spare(db, room, board).await?.saturating_sub(reserve(db, room, board).await?))
}

/// The same of a pool of which it is known how many cards are clean.
///
/// # Errors
/// When a read fails.
pub(super) async fn above_reserve_of(db: &impl ConnectionTrait, room: RoomId, board: &str, clean: u64) -> Outcome<u64> {
    Ok(spare_of(db, room, board, clean).await?.saturating_sub(reserve(db, room, board).await?))
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
