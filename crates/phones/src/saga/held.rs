//! Take-offs that cannot read their cards. The phone goes on where it is; it is tried again by itself, ever less often, and at once
//! at a person's word. Meanwhile it has no place in the queue, and whoever wants the phone turns it back.

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::card::NetworkStatus;
use entity::operation_task::TaskEffect;
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::{self, StepName};
use entity::{PhoneId, SagaStepId};
use fleet::Connections;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};
use wire::Reason;

use super::admit::Asked;
use super::advance::Desk;
use super::machine::wait_after;
use super::states;

/// Take-offs that go back to the queue in one transaction.
const STEP: u64 = 100;

/// Whether a card, or something on it, could not be read: somebody may unlock it or give it root, and then it can.
const fn is_unread(why: Reason) -> bool {
    matches!(why, Reason::NotReadable | Reason::Locked | Reason::NotCovered | Reason::NotRoot)
}

/// Tries those again whose time has come, where an agent is there and the card is up.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn serve(app: &App) -> Outcome<()> {
    let online = NetworkStatus::Online.code();
    let up = format!(
        "EXISTS (SELECT 1 FROM placement stay JOIN card ON card.id = stay.card_id \
         WHERE stay.id = saga.placement_id AND card.network_status = {online})"
    );
    let due = saga::Entity::find()
        .filter(Expr::cust(states::LEAVE_HELD))
        .filter(saga::Column::IsWantedBack.eq(false))
        .filter(saga::Column::RetryAt.lte(app.clock.now()))
        .filter(saga::Column::RoomId.is_in(app.part::<Connections>().rooms()))
        .filter(Expr::cust(up));
    // Mostly there is nothing: that is seen without the lane of writers.
    if due.clone().limit(1).count(app.db.read()).await? == 0 {
        return Ok(());
    }
    let mut tx = app.db.begin_write().await?;
    let rows = due.order_by_asc(saga::Column::RetryAt).order_by_asc(saga::Column::Id).limit(STEP);
    let rows = rows.lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &rows {
        desk.requeue(row).await?;
    }
    desk.told.commit(app, tx).await
}

impl Desk<'_> {
    /// A phone that was to be copied, or to leave its card, goes on there: that is over, or held where its card could not be read.
    pub(super) async fn stays(&mut self, saga: &Saga, code: &str, effect: TaskEffect) -> Outcome<()> {
        let is_unread = Reason::from_code(code).is_some_and(is_unread);
        if saga.kind != SagaKind::TakeOff || saga.is_wanted_back || !is_unread {
            return self.end(saga, SagaState::Failed, code, Some(effect)).await;
        }
        let holds = saga.holds.saturating_add(1);
        let change = saga::ActiveModel {
            step: Set(StepName::Packages),
            holds: Set(holds),
            retry_at: Set(Some(self.now.plus_seconds(wait_after(holds.into())))),
            held_after: Set(last_try(self.tx, saga).await?),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.hold(&saga, code).await
    }

    /// A take-off that is held goes back to the queue, behind those that wait there already.
    pub(super) async fn requeue(&mut self, saga: &Saga) -> Outcome<Saga> {
        let asked = Asked { operation: None, by: "", at: self.now };
        let change = saga::ActiveModel {
            state: Set(SagaState::Waiting),
            rank_at: Set(asked.rank(SagaKind::TakeOff)),
            retry_at: Set(None),
            proof: Set(String::new()),
            still: Set(String::new()),
            ..Default::default()
        };
        self.change(saga, change).await
    }

    /// A take-off that waits for its turn, or is held, is not wanted any more: it leaves the queue.
    pub(super) async fn withdraws(&mut self, saga: &Saga, code: &str) -> Outcome<()> {
        let saga = if saga.state == SagaState::Held { self.requeue(saga).await? } else { saga.clone() };
        self.give_up(&saga, SagaState::Cancelled, code).await
    }

    /// Ends the take-off of a phone if it is held: something else is done about the phone.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn lets_go(&mut self, phone: PhoneId, why: Reason) -> Outcome<()> {
        let held = saga::Entity::find().filter(saga::Column::PhoneId.eq(phone)).filter(Expr::cust(states::LEAVE_HELD));
        let Some(saga) = held.lock_exclusive().one(&**self.tx).await? else { return Ok(()) };
        self.end(&saga, SagaState::Failed, why.code(), Some(TaskEffect::NeverBegan)).await
    }
}

/// The last try of a step of a saga.
async fn last_try(tx: &WriteTx, saga: &Saga) -> Outcome<Option<SagaStepId>> {
    let tries = saga_step::Entity::find().filter(saga_step::Column::SagaId.eq(saga.id));
    Ok(tries.order_by_desc(saga_step::Column::Id).one(&**tx).await?.map(|step| step.id))
}
