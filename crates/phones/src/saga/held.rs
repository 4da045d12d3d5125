//! Take-offs that cannot read their cards, whose card, agent or store is away for a while, or that find far less on the card than the
//! phone lives by. The phone goes on where it is; all but the last are tried again by themselves, ever less often, and all at once at a
//! person's word. Meanwhile they have no place in the queue, and whoever wants the phone turns them back.

use base::app::App;
use base::fault::Outcome;
use entity::card::NetworkStatus;
use entity::operation_task::TaskEffect;
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{PhoneId, SagaId, backup, phone};
use fleet::Connections;
use futures::FutureExt as _;
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use wire::Reason;
use wire::copy::{Amount, CopyMade};

use super::admit::Asked;
use super::advance::{Desk, last_try};
use super::apart;
use super::machine::{is_agents, may_pass, wait_after};
use super::shrunk::{Contents, Shrunk};
use super::states;
use crate::forbidden::withheld::of_copy;

/// Take-offs that go back to the queue in one transaction.
const STEP: u64 = 100;
/// Seconds for which a copy is kept that has far more than the one by which its phone lives now, or what was on a card in quarantine.
pub(super) const SAFE: i64 = 14 * 86_400;

/// Whether a card, or something on it, could not be read, or not as one thing: somebody may unlock it or give it root, or what wrote
/// there has stopped, and then it can.
const fn is_unread(why: Reason) -> bool {
    matches!(
        why,
        Reason::NotReadable
            | Reason::DataChanged
            | Reason::AppsUnknown
            | Reason::Locked
            | Reason::NotCovered
            | Reason::NotRoot
            | Reason::TooManyFiles
    )
}

/// Whether what stands between a phone and its copy may be gone in a while: its card, its agent or its store was not there, or not
/// ready, a person worked on its repository, or apps were being installed.
const fn is_passing(why: Reason) -> bool {
    may_pass(why)
        || is_agents(why)
        || matches!(
            why,
            Reason::AgentGone
                | Reason::StoreUnreachable
                | Reason::StoreFull
                | Reason::RepoLocked
                | Reason::PackagesMissing
                | Reason::AppsChanged
                // Whoever says so has it started.
                | Reason::Unhealthy
        )
}

/// Whether two operators have allowed something to be left out on the card's image since a take-off looked at it last.
fn allowed() -> String {
    let code = Reason::NotCovered.code();
    let steps = [StepName::Packages, StepName::Stop, StepName::Copy].map(|step| step.code().to_string()).join(", ");
    format!(
        "(saga.code = '{code}' AND EXISTS (SELECT 1 FROM placement stay JOIN card ON card.id = stay.card_id \
         JOIN image_exclusion allowed ON allowed.image_id = card.image_id WHERE stay.id = saga.placement_id \
         AND allowed.approved_at > (SELECT MAX(step.began_at) FROM saga_step step \
         WHERE step.saga_id = saga.id AND step.name IN ({steps}))))"
    )
}

/// Tries those again whose time has come, or which two operators have just helped, where an agent is there and the card is up.
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
        .filter(Condition::any().add(saga::Column::RetryAt.lte(app.clock.now())).add(Expr::cust(allowed())))
        .filter(saga::Column::RoomId.is_in(app.part::<Connections>().rooms()))
        .filter(Expr::cust(up));
    let due = due.filter(apart::sagas(app)).order_by_asc(saga::Column::RetryAt).order_by_asc(saga::Column::Id);
    let due = due.limit(STEP).select_only().column(saga::Column::Id).into_tuple();
    let due: Vec<SagaId> = due.all(app.db.read()).await?;
    apart::each(app, &due, |app, some| requeue_these(app, some).boxed()).await
}

async fn requeue_these(app: &App, sagas: &[SagaId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let rows = saga::Entity::find()
        .filter(saga::Column::Id.is_in(sagas.iter().copied()))
        .filter(Expr::cust(states::LEAVE_HELD))
        .filter(saga::Column::IsWantedBack.eq(false))
        .order_by_asc(saga::Column::RetryAt)
        .order_by_asc(saga::Column::Id);
    let rows = rows.lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &rows {
        desk.requeue(row).await?;
    }
    desk.told.commit(app, tx).await
}

impl Desk<'_> {
    /// A phone that was to be copied, or to leave its card, goes on there: that is over, or held where its card could not be read, or
    /// has far less than it had, or where that may go better in a while.
    pub(super) async fn stays(&mut self, saga: &Saga, code: &str, effect: TaskEffect) -> Outcome<()> {
        let is_tried_again = |why| is_unread(why) || is_passing(why);
        let why = Reason::from_code(code).filter(|why| is_tried_again(*why) || *why == Reason::Shrunk);
        let Some(why) = why.filter(|_| saga.kind == SagaKind::TakeOff && !saga.is_wanted_back) else {
            return self.end(saga, SagaState::Failed, code, Some(effect)).await;
        };
        let holds = saga.holds.saturating_add(1);
        // What is not there does not come back by itself.
        let retry_at = is_tried_again(why).then(|| self.now.plus_seconds(wait_after(holds.into())));
        let change = saga::ActiveModel {
            step: Set(StepName::Packages),
            holds: Set(holds),
            retry_at: Set(retry_at),
            held_after: Set(last_try(self.tx, saga).await?),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.hold(&saga, code).await
    }

    /// A take-off that is held goes back to the queue, behind those that wait there already. Whoever says so of a phone that has far
    /// less than it had accepts that.
    pub(super) async fn requeue(&mut self, saga: &Saga) -> Outcome<Saga> {
        let asked = Asked { operation: None, by: "", at: self.now };
        let is_accepted = saga.is_accepted || saga.code == Reason::Shrunk.code();
        let change = saga::ActiveModel {
            is_accepted: Set(is_accepted),
            state: Set(SagaState::Waiting),
            rank_at: Set(asked.rank(SagaKind::TakeOff)),
            retry_at: Set(None),
            proof: Set(String::new()),
            still: Set(String::new()),
            ..Default::default()
        };
        self.change(saga, change).await
    }

    /// How a copy that was made of a phone compares with the one that the phone lives by. What was read while it went on is not
    /// compared.
    pub(super) async fn compared(&mut self, saga: &Saga, copy: &backup::Model, made: &CopyMade) -> Outcome<Shrunk> {
        let phone = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await?;
        let Some(kept) = phone.and_then(|phone| phone.kept_id).filter(|_| !copy.is_live) else { return Ok(Shrunk::No) };
        let Some(kept) = backup::Entity::find_by_id(kept).one(&**self.tx).await? else { return Ok(Shrunk::No) };
        let number = |kept: i64| u64::try_from(kept).unwrap_or(0);
        let mut before = Contents::of(&kept, Amount { files: number(kept.files), bytes: number(kept.bytes) });
        // What the phone was not let have is not missing.
        before.leave_out(&of_copy(&**self.tx, saga.placement_id, kept.id).await?);
        Ok(Contents::of(copy, Amount { files: made.files, bytes: made.bytes }).shrunk(&before))
    }

    /// A phone lives by a copy that has far less than this one, or will: it is kept for a while.
    pub(super) async fn keep_safe(&mut self, before: &backup::Model, seconds: i64) -> Outcome<()> {
        let until = self.now.plus_seconds(seconds).max(before.safe_until.unwrap_or(self.now));
        let change = backup::ActiveModel { id: Set(before.id), safe_until: Set(Some(until)), ..Default::default() };
        backup::Entity::update(change).exec(&**self.tx).await?;
        self.told.copies.push(before.id);
        Ok(())
    }

    /// A take-off or a put-on that waits for its turn, or is held, is not wanted any more: it leaves the queue.
    pub(super) async fn withdraws(&mut self, saga: &Saga, code: &str) -> Outcome<()> {
        let saga = if saga.state == SagaState::Held { self.requeue(saga).await? } else { saga.clone() };
        self.give_up(&saga, SagaState::Cancelled, code).await
    }

    /// A person says that the phone of a take-off that is held stays on its card. Rules that still want it to leave ask again as after
    /// one that has failed, and not at once.
    pub(super) async fn leaves_off(&mut self, saga: &Saga) -> Outcome<()> {
        if saga.operation_id.is_some() {
            return self.withdraws(saga, "").await;
        }
        self.end(saga, SagaState::Failed, &saga.code, Some(TaskEffect::NeverBegan)).await
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
