//! Whose turn it is, and which card it gets.

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::card::{self, Lifecycle, Maintenance, NetworkStatus, Occupancy};
use entity::saga::{self, SagaState};
use entity::{CardId, RoomId, card_busy, phone, placement, saga_step};
use fleet::Connections;
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, ExprTrait as _, FromQueryResult, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, QueryTrait as _,
};
use wire::Reason;

use super::advance::Desk;
use crate::phone::act::puts_on;

/// Put-ons that get a card in one transaction.
const STEP: u64 = 100;

/// A room's cards of one board, and who waits for them.
#[derive(Debug, FromQueryResult)]
struct Pool {
    room_id: RoomId,
    board: String,
}

/// Gives cards to those who wait, pool by pool. Returns whether there may be more.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn serve(app: &App) -> Outcome<bool> {
    let text = "SELECT DISTINCT room_id, board FROM saga WHERE state = 1";
    let pools = Pool::find_by_statement(sql::statement(app.db.backend(), text, [])).all(app.db.read()).await?;
    let mut more = false;
    for pool in pools {
        more |= serve_pool(app, &pool).await?;
    }
    Ok(more)
}

async fn serve_pool(app: &App, pool: &Pool) -> Outcome<bool> {
    let why = if app.part::<Connections>().does_steps(pool.room_id) { Reason::NoCard } else { Reason::AgentTooOld };
    let mut tx = app.db.begin_write().await?;
    let waiting = saga::Entity::find()
        .filter(saga::Column::RoomId.eq(pool.room_id))
        .filter(saga::Column::Board.eq(pool.board.as_str()))
        .filter(saga::Column::State.eq(SagaState::Waiting))
        .order_by_asc(saga::Column::RankAt)
        .order_by_asc(saga::Column::Id)
        .limit(STEP)
        .lock_exclusive()
        .all(&*tx)
        .await?;
    let mut free = if why == Reason::NoCard { free_cards(&tx, pool, waiting.len()).await? } else { Vec::new() };
    let is_full = waiting.len() as u64 == STEP && free.len() as u64 >= STEP;
    let mut desk = Desk::new(app, &mut tx);
    for saga in &waiting {
        let row = phone::Entity::find_by_id(saga.phone_id).one(&**desk.tx).await?;
        let stands = row.as_ref().map_or(Err(Reason::PhoneGone), puts_on);
        if let Err(why) = stands {
            desk.end(saga, SagaState::Failed, why.code()).await?;
            continue;
        }
        let tried = tried(&desk, saga).await?;
        match free.iter().position(|card| !tried.contains(&card.id)) {
            Some(at) => {
                let card = free.remove(at);
                desk.reserve(saga, &card).await?;
            }
            // It keeps its place, and blocks nobody.
            None => desk.waits(saga, why).await?,
        }
    }
    let told = std::mem::take(&mut desk.told);
    tx.commit().await?;
    told.tell(app);
    Ok(is_full)
}

/// Cards on which this put-on did not go.
async fn tried(desk: &Desk<'_>, saga: &saga::Model) -> Outcome<Vec<CardId>> {
    if saga.cards == 0 {
        return Ok(Vec::new());
    }
    let select = saga_step::Entity::find().select_only().column(saga_step::Column::CardId).distinct();
    Ok(select.filter(saga_step::Column::SagaId.eq(saga.id)).into_tuple().all(&**desk.tx).await?)
}

/// Cards that nobody has: up, in service, assignable, and longest without a phone first.
async fn free_cards(tx: &db::WriteTx, pool: &Pool, wanted: usize) -> Outcome<Vec<card::Model>> {
    let models = fleet::models_of_board(&**tx, &pool.board).await?;
    let taken = placement::Entity::find().select_only().column(placement::Column::CardId);
    let taken = taken.filter(placement::Column::Role.ne(placement::Role::Ended)).into_query();
    let busy = card_busy::Entity::find().select_only().column(card_busy::Column::CardId).into_query();
    Ok(card::Entity::find()
        .filter(card::Column::RoomId.eq(pool.room_id))
        .filter(card::Column::ModelId.is_in(models))
        .filter(card::Column::Lifecycle.eq(Lifecycle::Registered))
        .filter(card::Column::Occupancy.eq(Occupancy::Free))
        .filter(card::Column::Maintenance.eq(Maintenance::None))
        .filter(card::Column::NetworkStatus.eq(NetworkStatus::Online))
        .filter(card::Column::IsAssignable.eq(true))
        .filter(card::Column::IsUpgrading.eq(false))
        // It is nobody's, as it says itself: one after the other would be tried in vain.
        .filter(card::Column::Mark.eq("-").or(card::Column::Mark.starts_with("clean ")))
        .filter(card::Column::Id.not_in_subquery(taken))
        .filter(card::Column::Id.not_in_subquery(busy))
        .order_by_asc(card::Column::RunSince)
        .order_by_asc(card::Column::Id)
        .limit(wanted as u64 + 3)
        .lock_exclusive()
        .all(&**tx)
        .await?)
}
