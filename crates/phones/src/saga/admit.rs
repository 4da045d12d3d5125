//! Into the queue, and out of it again.

use std::collections::HashSet;

use base::fault::Outcome;
use db::WriteTx;
use entity::phone::{Model as Phone, PhonePool, Plan};
use entity::phone_session::SessionEnd;
use entity::saga::{self, ActiveModel, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{BackupId, OperationId, PhoneId, RoomId};
use kernel::time::UtcTime;
use sea_orm::sea_query::{Condition, Expr, SelectStatement};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QuerySelect as _,
    QueryTrait as _,
};

use super::states;

/// Who asks for something to be done to phones, and when.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// None if somebody waits for it in front of a phone's screen.
    pub operation: Option<OperationId>,
    pub by: &'a str,
    pub at: UtcTime,
}

/// How a phone that is to be copied waits for its turn.
#[derive(Clone, Copy, Debug)]
pub struct Queued {
    /// Why it leaves its card, if nobody has asked for that.
    pub cause: Option<SessionEnd>,
    /// Its place: the smallest first.
    pub rank: UtcTime,
    /// Whoever uses it is warned before it begins, and ended.
    pub warns_user: bool,
    /// Why it does not begin at once; empty where it may.
    pub code: &'static str,
    /// With which copy it comes back, once it is off.
    pub comes_with: Option<BackupId>,
}

/// The head start in the queue of a phone that nobody waits for, in seconds: the plan that costs more waits a little less, and nobody starves.
const fn head(plan: Plan) -> i64 {
    match plan {
        Plan::Svip => 900,
        Plan::Vvip => 840,
        Plan::Vip => 780,
    }
}

/// The head start of whoever is to leave a card: somebody may wait for it.
const DRAIN: i64 = 600;

/// A new saga of the console's own that begins now with a step, holds up nobody and has tried nothing yet.
pub fn own(kind: SagaKind, phone: PhoneId, (room, board): (RoomId, &str), step: StepName, now: UtcTime) -> ActiveModel {
    ActiveModel {
        kind: Set(kind),
        phone_id: Set(phone),
        locks_phone: Set(false),
        placement_id: Set(None),
        room_id: Set(room),
        board: Set(board.to_owned()),
        pool: Set(PhonePool::Shared),
        operation_id: Set(None),
        created_by: Set(String::new()),
        enqueued_at: Set(now),
        rank_at: Set(now),
        step: Set(step),
        state: Set(SagaState::Running),
        cards: Set(0),
        code: Set(String::new()),
        profile_id: Set(None),
        backup_id: Set(None),
        proof: Set(String::new()),
        still: Set(String::new()),
        is_wanted_back: Set(false),
        back_for_id: Set(None),
        cause: Set(None),
        warns_user: Set(false),
        holds: Set(0),
        retry_at: Set(None),
        held_after: Set(None),
        is_accepted: Set(false),
        comes_with_id: Set(None),
        ended_at: Set(None),
        ..Default::default()
    }
}

impl Asked<'_> {
    /// The rank of a phone that is to be copied: one that has to leave its card before those that go on.
    pub fn rank(&self, kind: SagaKind) -> UtcTime {
        if kind == SagaKind::TakeOff { self.at.plus_seconds(-DRAIN) } else { self.at }
    }

    /// A saga of a phone that waits for its turn.
    pub fn row(&self, phone: &Phone) -> ActiveModel {
        let pool = (phone.room_id, phone.plan.board());
        ActiveModel {
            locks_phone: Set(true),
            pool: Set(phone.pool),
            operation_id: Set(self.operation),
            created_by: Set(self.by.to_owned()),
            rank_at: Set(self.at.plus_seconds(-head(phone.plan))),
            state: Set(SagaState::Waiting),
            ..own(SagaKind::PutOn, phone.id, pool, StepName::Reserve, self.at)
        }
    }

    /// Queues phones to be put on, with what a copy holds if one is named; those that were used come with their own.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn queue(&self, tx: &WriteTx, phones: &[Phone], copy: Option<BackupId>) -> Outcome<()> {
        if !phones.is_empty() {
            let rows = phones.iter().map(|row| ActiveModel { backup_id: Set(copy.or(row.kept_id)), ..self.row(row) });
            saga::Entity::insert_many(rows).exec_without_returning(&**tx).await?;
        }
        Ok(())
    }
}

/// The phones that something is being done to. Those whose take-off is held go on as if nobody had asked for it.
pub fn occupied_phones() -> SelectStatement {
    let select = saga::Entity::find().select_only().column(saga::Column::PhoneId);
    select.filter(Expr::cust(states::OCCUPIED)).into_query()
}

/// The phones of which something waits for a person.
pub fn held_phones() -> SelectStatement {
    let select = saga::Entity::find().select_only().column(saga::Column::PhoneId);
    select.filter(Expr::cust(states::HELD)).into_query()
}

/// Which of these phones something like this is being done to.
async fn meant(db: &impl ConnectionTrait, phones: &[Phone], which: Condition) -> Outcome<HashSet<PhoneId>> {
    let select = saga::Entity::find().select_only().column(saga::Column::PhoneId);
    let select = select.filter(saga::Column::PhoneId.is_in(phones.iter().map(|row| row.id))).filter(which);
    let found: Vec<PhoneId> = select.into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}

/// Which of these phones are being taken off, and could still stay. Those that come back with another copy are not among them.
///
/// # Errors
/// When the read fails.
pub async fn leaving(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashSet<PhoneId>> {
    let which = Condition::all().add(Expr::cust(states::LEAVES)).add(saga::Column::IsWantedBack.eq(false));
    let which = which.add(saga::Column::ComesWithId.is_null());
    meant(db, phones, which).await
}

/// Which of these phones are being copied for the first time: whatever is asked for goes before that.
///
/// # Errors
/// When the read fails.
pub async fn give_way(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashSet<PhoneId>> {
    meant(db, phones, Condition::all().add(Expr::cust(states::GIVES_WAY))).await
}

/// Which of these phones something is being done to, but for those whose take-off is held.
///
/// # Errors
/// When the read fails.
pub(super) async fn occupied(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashSet<PhoneId>> {
    meant(db, phones, Condition::all().add(Expr::cust(states::OCCUPIED))).await
}

/// Which of these phones wait in the queue for a card, or for a person since theirs is lost: nobody is at them.
///
/// # Errors
/// When the read fails.
pub async fn waiting(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashSet<PhoneId>> {
    let is_lost = Condition::all().add(Expr::cust(states::CARD_LOST)).add(saga::Column::State.eq(SagaState::Held));
    meant(db, phones, Condition::any().add(Expr::cust(states::PUT_ON_WAITS)).add(is_lost)).await
}

/// Which of these phones something is being done to.
///
/// # Errors
/// When the read fails.
pub async fn busy(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashSet<PhoneId>> {
    meant(db, phones, Condition::all().add(Expr::cust(states::LOCKED))).await
}
