//! A phone goes off its card: once its copy was read back and the card is seen to be still what was copied, it lives by the
//! copy, and the card is wiped. Before that moment everything goes back; after it nothing has to.

use base::app::App;
use base::fault::Outcome;
use base::http::ops::Audit;
use db::journal::Entry;
use entity::backup::{self, BackupState};
use entity::phone_session::SessionEnd;
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::{self, StepName, StepState};
use entity::{BackupId, CardId, SagaId, phone};
use fleet::Connections;
use futures::FutureExt as _;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, ExprTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Select,
};
use wire::Reason;

use super::admit::{Asked, Queued};
use super::advance::Desk;
use super::apart;
use super::copying::of;
use super::set_back::may_live_by;
use super::states;
use super::step::{key, locked};
use crate::backup::packages;
use crate::phone::hold::left;
use crate::session::used::in_use;
use crate::stream::warned::AskedOff;

/// Take-offs that are turned back in one transaction.
const STEP: u64 = 100;

impl Desk<'_> {
    /// Queues a phone to be taken off, as somebody has asked. Whoever uses it is warned before, unless it is to be at once.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn take_off(&mut self, phone: &phone::Model, asked: &Asked<'_>, at_once: bool) -> Outcome<()> {
        self.is_to_leave(phone, asked, at_once, None).await
    }

    /// The same; once it is off it comes back with this copy, if there is one.
    pub(super) async fn is_to_leave(
        &mut self,
        phone: &phone::Model,
        asked: &Asked<'_>,
        at_once: bool,
        comes_with: Option<BackupId>,
    ) -> Outcome<()> {
        // Whoever uses it may have been told of another take-off, which came to nothing.
        self.app.part::<AskedOff>().0.forget(phone.id);
        let is_used = !at_once && in_use(&**self.tx, &[phone.id]).await?.contains_key(&phone.id);
        let code = if is_used { Reason::UserWarned.code() } else { "" };
        let rank = asked.rank(SagaKind::TakeOff);
        let queued = Queued { cause: None, rank, warns_user: !at_once, code, comes_with };
        self.queue_copy(phone, asked, SagaKind::TakeOff, queued).await
    }

    /// Nothing has changed since the copy: the phone is off, and lives by it.
    pub(super) async fn sealed(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let before = phone::Entity::find_by_id(saga.phone_id).lock_exclusive().one(&**self.tx).await?;
        let (Some(before), Some(stay)) = (before, saga.placement_id) else {
            return self.goes_back(saga, card, Reason::PhoneGone.code()).await;
        };
        // One that was made while the phone went on is not what is on the card.
        let is_whole =
            |copy: &backup::Model| copy.state == BackupState::Verified && copy.damage.is_empty() && !copy.is_live;
        let found = of(&**self.tx, saga.backup_id).await?.filter(|(copy, _)| is_whole(copy));
        let Some((copy, repo)) = found.filter(|_| before.holds_id == Some(stay)) else {
            return self.goes_back(saga, card, Reason::CopyUnfit.code()).await;
        };
        // Somebody else has read one of them back meanwhile. The card has it still.
        if !packages::are_whole(&**self.tx, &copy, repo.node_id).await? {
            return self.goes_back(saga, card, Reason::PackagesMissing.code()).await;
        }
        let chosen = match saga.comes_with_id {
            // It goes on where it is, with all that it has there.
            Some(chosen) => match may_live_by(&**self.tx, &before, chosen).await? {
                Ok(chosen) => Some(chosen),
                Err(why) => return self.goes_back(saga, card, why.code()).await,
            },
            None => None,
        };
        // This saga's row is locked: whoever wants the phone back has said so by now, or puts it on.
        if saga.is_wanted_back {
            return self.goes_back(saga, card, Reason::CameBack.code()).await;
        }
        let after =
            left(self.app, self.tx, &before, copy.id, saga.cause.unwrap_or(SessionEnd::TakenOff), self.now).await?;
        let audit = Audit::of("phone").id(after.id).name(&after.code).before(&before).after(&after);
        let name = saga.created_by.clone();
        let entry =
            Entry { at: self.now, action: "phone_taken_off".to_owned(), operator_name: name, ..Entry::default() };
        let why = saga.cause.map(|cause| format!("; {cause:?}")).unwrap_or_default();
        self.tx.record(audit.note(format!("backup {}{why}", copy.id)).fill(entry));
        self.keep_sealed(saga, stay, card).await?;
        let saga = self.change(saga, saga::ActiveModel { step: Set(StepName::Seal), ..Default::default() }).await?;
        match chosen {
            Some(chosen) => self.comes_back_with(&saga, &after, &chosen).await,
            None => self.done(&saga).await,
        }
    }

    /// What was copied is not all of it any more: once more from the beginning. A copy that was made is one of that moment.
    pub(super) async fn afresh(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let phone = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await?;
        let (Some((copy, repo)), Some(phone), Some(stay)) =
            (of(&**self.tx, saga.backup_id).await?, phone, saga.placement_id)
        else {
            return self.goes_back(saga, card, Reason::PhoneGone.code()).await;
        };
        let copy =
            if copy.state.is_made() { self.new_copy(&phone, &repo, (card, stay), false).await? } else { copy.id };
        let change = saga::ActiveModel {
            step: Set(StepName::Packages),
            backup_id: Set(Some(copy)),
            proof: Set(String::new()),
            still: Set(String::new()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, StepName::Packages, card, 0).await
    }

    /// The phone stays on its card, and goes on there.
    pub(super) async fn goes_back(&mut self, saga: &Saga, card: CardId, code: &str) -> Outcome<()> {
        let change = saga::ActiveModel {
            step: Set(StepName::Start),
            state: Set(SagaState::GoingBack),
            code: Set(code.to_owned()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, StepName::Start, card, 0).await
    }

    /// Somebody wants a phone that is being taken off: it goes on where it is. Returns whether it is still in time.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn wants_back(&mut self, phone: &phone::Model, asked: &Asked<'_>) -> Outcome<bool> {
        let found = saga::Entity::find()
            .filter(saga::Column::PhoneId.eq(phone.id))
            .filter(Expr::cust(states::LEAVES))
            .lock_exclusive()
            .one(&**self.tx)
            .await?;
        let Some(saga) = found.filter(|saga| !saga.is_wanted_back) else { return Ok(false) };
        let back_for_id = Set(asked.operation);
        let change = saga::ActiveModel { is_wanted_back: Set(true), back_for_id, ..Default::default() };
        self.change(&saga, change).await?;
        Ok(true)
    }

    /// A take-off that is not wanted any more is turned back, unless an agent is at it.
    pub(super) async fn turn_back(&mut self, id: SagaId, card: CardId) -> Outcome<()> {
        let saga = saga::Entity::find_by_id(id).lock_exclusive().one(&**self.tx).await?;
        let is_meant = |saga: &Saga| saga.is_wanted_back && saga.state == SagaState::Running;
        let Some(saga) = saga.filter(is_meant) else { return Ok(()) };
        let waits = saga_step::Column::SagaId.eq(saga.id).and(Expr::cust(states::STEP_WAITS));
        let waiting = locked(self.tx, waits, 1).await?;
        let Some(step) = waiting.first() else { return Ok(()) };
        let change = saga_step::ActiveModel {
            id: Set(step.id),
            state: Set(StepState::Dropped),
            code: Set(Reason::CameBack.code().to_owned()),
            ended_at: Set(Some(self.now)),
            ..Default::default()
        };
        saga_step::Entity::update(change).exec(&**self.tx).await?;
        self.undo(&saga, card, Reason::CameBack.code()).await
    }
}

/// Turns take-offs back whose phones somebody wants: those that wait or are held, and those that wait for an agent; an agent that
/// is at one is told to stop.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn came_back(app: &App) -> Outcome<()> {
    let rows = wanted().filter(apart::sagas(app)).order_by_asc(saga::Column::Id).limit(STEP);
    let rows: Vec<SagaId> = rows.select_only().column(saga::Column::Id).into_tuple().all(app.db.read()).await?;
    apart::each(app, &rows, |app, some| turns_back(app, some).boxed()).await
}

fn wanted() -> Select<saga::Entity> {
    saga::Entity::find().filter(Expr::cust(states::LEAVES)).filter(saga::Column::IsWantedBack.eq(true))
}

async fn turns_back(app: &App, sagas: &[SagaId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let rows = wanted().filter(saga::Column::Id.is_in(sagas.iter().copied())).order_by_asc(saga::Column::Id);
    let rows = rows.lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &rows {
        if matches!(row.state, SagaState::Waiting | SagaState::Held) {
            desk.withdraws(row, Reason::CameBack.code()).await?;
            continue;
        }
        if let Some(stay) = desk.stay_of(row).await? {
            desk.turn_back(row.id, stay.card_id).await?;
        }
    }
    desk.told.commit(app, tx).await?;
    let steps = saga_step::Entity::find()
        .filter(saga_step::Column::SagaId.is_in(rows.iter().map(|row| row.id)))
        .filter(Expr::cust(states::STEP_RUNS))
        .all(app.db.read())
        .await?;
    // A start is what they are to do.
    for step in steps.iter().filter(|step| step.name != StepName::Start) {
        if let Some(agent) = step.agent_id {
            app.part::<Connections>().call_off(step.room_id, agent, vec![key(step.id)]);
        }
    }
    Ok(())
}
