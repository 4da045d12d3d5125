//! Put-ons for which somebody waits in front of a phone's screen: they are nobody's operation.

use base::fault::Outcome;
use entity::connect::{self, ConnectState};
use entity::phone::Model as Phone;
use entity::saga::{self, ActiveModel, Model as Saga, SagaKind, SagaState};
use entity::saga_step::{self, StepName};
use entity::{CardId, PhoneId, SagaId};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _,
};

use super::admit::Asked;
use super::advance::Desk;
use super::pool::{CardPool, put_ons};
use super::states;

/// What is being done to a phone, and lets nothing else be done to it. It is locked if it `locks`.
///
/// # Errors
/// When the read fails.
pub async fn locking(db: &impl ConnectionTrait, phone: PhoneId, locks: bool) -> Outcome<Option<Saga>> {
    let select = saga::Entity::find().filter(saga::Column::PhoneId.eq(phone)).filter(Expr::cust(states::LOCKED));
    Ok(select.apply_if(locks.then_some(()), |select, ()| select.lock_exclusive()).one(db).await?)
}

/// What is being done to these phones, and lets nothing else be done to them.
///
/// # Errors
/// When the read fails.
pub async fn locking_many(db: &impl ConnectionTrait, phones: impl IntoIterator<Item = PhoneId>) -> Outcome<Vec<Saga>> {
    Ok(states::of_phones(phones, states::LOCKED).all(db).await?)
}

/// When somebody waited for a put-on of a phone since then, the first one first. Those who left before anything was done are
/// not among them.
///
/// # Errors
/// When the read fails.
pub async fn asked_since(db: &impl ConnectionTrait, phone: PhoneId, since: UtcTime) -> Outcome<Vec<UtcTime>> {
    let select = saga::Entity::find().select_only().column(saga::Column::EnqueuedAt);
    Ok(select
        .filter(saga::Column::PhoneId.eq(phone))
        .filter(Expr::cust(states::PUT_ON_ASKED))
        .filter(saga::Column::EnqueuedAt.gt(since))
        .order_by_asc(saga::Column::EnqueuedAt)
        .into_tuple()
        .all(db)
        .await?)
}

/// How many phones of a pool wait for a card, for which somebody waits. What operators put on comes after all of them.
///
/// # Errors
/// When the read fails.
pub async fn asked_in(db: &impl ConnectionTrait, pool: CardPool<'_>) -> Outcome<u64> {
    Ok(put_ons(pool, states::WAITER).count(db).await?)
}

/// Some put-ons in the queue that nobody waits for any more.
///
/// # Errors
/// When the read fails.
pub async fn unattended(db: &impl ConnectionTrait, most: u64) -> Outcome<Vec<SagaId>> {
    let nobody = "NOT EXISTS (SELECT 1 FROM connect WHERE connect.phone_id = saga.phone_id AND connect.state = 1)";
    let select = saga::Entity::find().select_only().column(saga::Column::Id);
    Ok(select
        .filter(Expr::cust(states::WAITS))
        .filter(Expr::cust(states::PUT_ON_ASKED))
        .filter(Expr::cust(nobody))
        .limit(most)
        .into_tuple()
        .all(db)
        .await?)
}

impl Desk<'_> {
    /// Queues a phone for which somebody waits, with what its kept copy holds.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn queue_waiter(&mut self, phone: &Phone, by: &str, rank: UtcTime) -> Outcome<Saga> {
        let asked = Asked { operation: None, by, at: self.now };
        let row = ActiveModel { backup_id: Set(phone.kept_id), rank_at: Set(rank), ..asked.row(phone) };
        self.told.phones.push(phone.id);
        Ok(row.insert(&**self.tx).await?)
    }

    /// Nobody waits for a put-on any more: it leaves the queue. One of which nothing was done leaves nothing behind; one whose
    /// card is being looked at ends after that (`checked`). Returns the rank that it had; none if it was in no queue, or
    /// is somebody's operation.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn leaves_queue(&mut self, id: SagaId) -> Outcome<Option<UtcTime>> {
        let saga = saga::Entity::find_by_id(id).lock_exclusive().one(&**self.tx).await?;
        let is_looked_at = |saga: &Saga| saga.state == SagaState::Running && saga.step == StepName::Check;
        let is_meant = |saga: &Saga| is_waiters(saga) && (saga.state == SagaState::Waiting || is_looked_at(saga));
        let Some(saga) = saga.filter(is_meant) else { return Ok(None) };
        if is_looked_at(&saga) {
            return Ok(Some(saga.rank_at));
        }
        let steps = saga_step::Entity::find().filter(saga_step::Column::SagaId.eq(id)).count(&**self.tx).await?;
        if steps > 0 {
            self.give_up(&saga, SagaState::Cancelled, "").await?;
        } else {
            saga::Entity::delete_by_id(id).exec(&**self.tx).await?;
            self.told.phones.push(saga.phone_id);
        }
        Ok(Some(saga.rank_at))
    }

    /// The card of a put-on was looked at, and may be marked. If nobody waits any more, it is left as it was: from the mark on
    /// nothing is turned back.
    pub(super) async fn checked(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        if !is_waiters(saga) || is_waited_for(&**self.tx, saga.phone_id).await? {
            return self.next_step(saga, StepName::Claim, card).await;
        }
        self.end_stay(saga, card).await?;
        let change = ActiveModel {
            placement_id: Set(None),
            step: Set(StepName::Reserve),
            state: Set(SagaState::Waiting),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.give_up(&saga, SagaState::Cancelled, "").await
    }
}

/// Whether a put-on is nobody's operation: somebody waited for it in front of a phone's screen.
fn is_waiters(saga: &Saga) -> bool {
    saga.kind == SagaKind::PutOn && saga.operation_id.is_none()
}

/// Who waits for a phone in front of its screen.
///
/// # Errors
/// When the read fails.
pub(super) async fn who_waits(db: &impl ConnectionTrait, phone: PhoneId) -> Outcome<Option<connect::Model>> {
    let there = connect::Entity::find().filter(connect::Column::PhoneId.eq(phone));
    Ok(there.filter(connect::Column::State.eq(ConnectState::Waiting)).one(db).await?)
}

/// Whether anybody waits for a phone.
async fn is_waited_for(db: &impl ConnectionTrait, phone: PhoneId) -> Outcome<bool> {
    let there = connect::Entity::find().filter(connect::Column::PhoneId.eq(phone));
    Ok(there.filter(connect::Column::State.is_in(ConnectState::OPEN)).count(db).await? > 0)
}
