//! Cards that are lost while they are to be wiped: an agent of their room is there, and does not see them for as long as a card with
//! a phone has until it is lost. They are set aside, as those whose wipe cannot be proved.

use base::app::App;
use base::fault::Outcome;
use entity::card::{self, NetworkStatus, Occupancy};
use entity::placement::{self, Role};
use entity::saga_step::{self, StepName};
use entity::{PlacementId, SagaStepId, saga};
use fleet::Connections;
use futures::FutureExt as _;
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _,
};
use wire::Reason;

use super::advance::Desk;
use super::apart;
use super::lost::Missing;
use super::states;

/// The steps of a wipe, for which the card has to be there. What is marked as clean is done, and waits for it.
const WIPE: [StepName; 2] = [StepName::Wipe, StepName::Prove];
/// Steps in one transaction.
const STEP: u64 = 100;

/// Since when cards that are to be wiped do not answer, as [`Missing`] has it of those with phones.
#[derive(Debug, Default)]
pub struct Unwiped(Missing);

/// Sets those aside that are lost.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn serve(app: &App) -> Outcome<()> {
    let steady = app.clock.steady();
    let Unwiped(missing) = app.part::<Unwiped>();
    if !missing.is_due(steady) {
        return Ok(());
    }
    let lost = missing.lost(&silent(app).await?, steady);
    if lost.is_empty() {
        return Ok(());
    }
    // An agent that is at one says itself that it does not reach it.
    let due = saga_step::Entity::find().filter(waiting(lost)).filter(apart::steps(app)).limit(STEP);
    let due = due.order_by_asc(saga_step::Column::Id).select_only().column(saga_step::Column::Id);
    let due: Vec<SagaStepId> = due.into_tuple().all(app.db.read()).await?;
    apart::each(app, &due, |app, some| set_aside(app, some).boxed()).await
}

async fn set_aside(app: &App, steps: &[SagaStepId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &desk.steps(steps, Expr::cust(states::STEP_WAITS)).await? {
        // It may be back since.
        if desk.card(row.card_id).await?.network_status == NetworkStatus::Offline {
            desk.never_began(row, Reason::CardGone, "").await?;
        }
    }
    desk.told.commit(app, tx).await
}

/// The stays on cards that are being wiped and do not answer, in rooms that have an agent. One that answers without Android can be
/// wiped.
async fn silent(app: &App) -> Outcome<Vec<PlacementId>> {
    let cards = card::Entity::find()
        .select_only()
        .column(card::Column::Id)
        .filter(card::Column::NetworkStatus.eq(NetworkStatus::Offline))
        .filter(card::Column::IsUpgrading.eq(false))
        .filter(card::Column::Occupancy.eq(Occupancy::Wiping))
        .filter(card::Column::RoomId.is_in(app.part::<Connections>().rooms()))
        .into_query();
    let stays = placement::Entity::find()
        .select_only()
        .column(placement::Column::Id)
        .filter(placement::Column::Role.eq(Role::Outgoing))
        .filter(placement::Column::CardId.in_subquery(cards))
        .into_query();
    let wipes = saga::Entity::find().select_only().column(saga::Column::PlacementId);
    Ok(wipes
        .filter(Expr::cust(states::CLEAR_UNDER_WAY))
        .filter(saga::Column::Step.is_in(WIPE))
        .filter(saga::Column::PlacementId.in_subquery(stays))
        .into_tuple()
        .all(app.db.read())
        .await?)
}

/// The steps of wipes on the cards of these stays that no agent has.
fn waiting(stays: Vec<PlacementId>) -> Condition {
    let wipes = saga::Entity::find()
        .select_only()
        .column(saga::Column::Id)
        .filter(Expr::cust(states::CLEAR_UNDER_WAY))
        .filter(saga::Column::PlacementId.is_in(stays))
        .into_query();
    Condition::all()
        .add(Expr::cust(states::STEP_WAITS))
        .add(saga_step::Column::Name.is_in(WIPE))
        .add(saga_step::Column::SagaId.in_subquery(wipes))
}
