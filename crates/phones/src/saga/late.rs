//! Cards that phones have left are wiped when they are needed: of those that suit who waits, those longest without their phone
//! first.

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::phone::PhonePool;
use entity::{RoomId, SagaId, card, placement, saga};
use futures::FutureExt as _;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, FromQueryResult, PaginatorTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _, QueryTrait as _, Select,
};

use super::advance::Desk;
use super::apart;
use super::needs::{Stocks, Wipes, on_image, waits, wipes};
use super::pool::{CardPool, sealed};
use super::states;

/// So many cards of a pool are clean and free, if possible: one of so many, and two at least.
const CLEAN: u64 = 33;
const FEWEST: u64 = 2;
/// Wipes of a pool that are begun in one pass.
const STEP: u64 = 16;

/// Cards of a room and a board that phones have left.
#[derive(Debug, FromQueryResult)]
struct Left {
    room_id: RoomId,
    board: String,
}

/// Begins the wipes that somebody waits for, or that keep some cards clean.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn serve(app: &App) -> Outcome<()> {
    retired(app).await?;
    let text = format!("SELECT DISTINCT room_id, board FROM saga WHERE {}", states::CLEAR_WAITS);
    let left = Left::find_by_statement(sql::statement(app.db.backend(), text, [])).all(app.db.read()).await?;
    for Left { room_id, board } in &left {
        // Which cards those are is not looked up for each of them with each round: there may be very many.
        for kind in PhonePool::ALL.iter().copied() {
            serve_pool(app, CardPool { room: *room_id, board, kind }).await?;
        }
    }
    Ok(())
}

async fn serve_pool(app: &App, pool: CardPool<'_>) -> Outcome<()> {
    let db = app.db.read();
    let waiting = waits(app, pool, states::PUT_ON_WAITS).await?;
    let fewest = fewest(db, pool).await?;
    if waiting.is_empty() && fewest == 0 {
        return Ok(());
    }
    let ready = Stocks::ready(db, pool).await?;
    // Mostly nobody waits and as many are clean as there should be.
    if waiting.is_empty() && ready.clean.all() + ready.wiping.all() >= fewest {
        return Ok(());
    }
    let Wipes { of_image, others } = wipes(&waiting, ready.and_sealed(db, pool).await?, fewest);
    let mut left = STEP;
    for (image, count) in of_image {
        let which = sealed(pool).filter(saga::Column::PlacementId.in_subquery(on_image(image)));
        begin(app, which, count, &mut left).await?;
    }
    begin(app, sealed(pool), others, &mut left).await
}

/// Begins so many wipes, as far as some are left of this pass.
async fn begin(app: &App, which: Select<saga::Entity>, count: u64, left: &mut u64) -> Outcome<()> {
    let most = count.min(*left);
    *left -= most;
    if most == 0 { Ok(()) } else { unseal(app, which, most).await }
}

/// Begins the wipes of some cards, those that were left first before the others.
async fn unseal(app: &App, which: Select<saga::Entity>, most: u64) -> Outcome<()> {
    let which = which.filter(apart::sagas(app)).order_by_asc(saga::Column::RankAt).order_by_asc(saga::Column::Id);
    let sealed = which.limit(most).select_only().column(saga::Column::Id).into_tuple();
    let sealed: Vec<SagaId> = sealed.all(app.db.read()).await?;
    apart::each(app, &sealed, |app, some| unseal_these(app, some).boxed()).await
}

async fn unseal_these(app: &App, sagas: &[SagaId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let which = saga::Entity::find().filter(saga::Column::Id.is_in(sagas.iter().copied()));
    // Their phones may have come back to them since.
    let which = which.filter(Expr::cust(states::CLEAR_STANDS)).order_by_asc(saga::Column::RankAt);
    let sealed = which.order_by_asc(saga::Column::Id).lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for sealed in &sealed {
        desk.unseal(sealed).await?;
    }
    desk.told.commit(app, tx).await
}

/// Of a card that was retired nothing is wiped: what is on it goes with it.
async fn retired(app: &App) -> Outcome<()> {
    let retired = card::Entity::find().select_only().column(card::Column::Id);
    let retired = retired.filter(card::Column::Lifecycle.eq(card::Lifecycle::Retired)).into_query();
    let on_retired = placement::Entity::find()
        .select_only()
        .column(placement::Column::Id)
        .filter(placement::Column::Role.eq(placement::Role::Outgoing))
        .filter(placement::Column::CardId.in_subquery(retired))
        .into_query();
    let stands = saga::Entity::find().filter(Expr::cust(states::CLEAR_STANDS));
    let left = stands.filter(saga::Column::PlacementId.in_subquery(on_retired));
    unseal(app, left, STEP).await
}

/// So many cards of a pool are clean, or about to be, whoever waits. None of those that phones have for themselves: one that has left
/// its card comes back to it, unless another one needs it.
async fn fewest(db: &impl ConnectionTrait, pool: CardPool<'_>) -> Outcome<u64> {
    if pool.kind == PhonePool::Dedicated {
        return Ok(0);
    }
    let models = fleet::models_of_board(db, pool.board).await?;
    let all = card::Entity::find()
        .filter(card::Column::RoomId.eq(pool.room))
        .filter(card::Column::ModelId.is_in(models))
        .filter(card::Column::IsOvercommit.eq(true))
        .filter(card::Column::Lifecycle.eq(card::Lifecycle::Registered))
        .count(db)
        .await?;
    Ok(all.div_ceil(CLEAN).max(FEWEST))
}
