//! What a phone has left on a card in quarantine may be in no copy. Where the card answers and carries the mark of that stay, it is
//! copied as a further backup of its phone, and only then wiped; nobody has to decide. The phone goes on wherever it is, and
//! whatever is to be copied of it there goes before.
//!
//! One whose apps have run since its phone left is copied by itself. A card that was lost and is back is stopped, since its
//! phone may run elsewhere: what is installed on it can be asked only while it runs, so that a person says when.

use base::app::App;
use base::fault::Outcome;
use entity::backup::{self, BackupState};
use entity::card::{Lifecycle, NetworkStatus};
use entity::phone::{self, Life, Model as Phone};
use entity::saga::{self, Model as Saga, SagaState};
use entity::saga_step::{self, StepName, StepState};
use entity::{BackupId, CardId, PhoneId, PlacementId, RoomId, SagaId, placement, repo};
use fleet::Connections;
use futures::FutureExt as _;
use kernel::time::UtcTime;
use sea_orm::sea_query::{Condition, Expr, SelectStatement};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait as _, EntityTrait as _, ExprTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, QueryTrait as _, Select,
};
use wire::Reason;

use super::advance::{Desk, last_step, last_try};
use super::apart::{self, Subject};
use super::at_once::{Hosts, LOOK};
use super::copying::{able, of};
use super::held::SAFE;
use super::machine::{End, wait_after};
use super::salvaging::{Next, after};
use super::shrunk::Shrunk;
use super::{made, states};
use crate::backup::packages;
use crate::backup::place::{AskedBy, place};

/// Cards of a room that are copied at once; where somebody waits for a copy that was asked for, one.
const MOST: u64 = 4;
/// Those that give way in one transaction.
const STEP: u64 = 100;

/// Begins those whose time has come, room by room.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn serve(app: &App) -> Outcome<()> {
    give_way(app).await?;
    let rooms = due(app.clock.now()).filter(apart::sagas(app)).select_only().column(saga::Column::RoomId).distinct();
    let rooms: Vec<RoomId> = rooms.into_tuple().all(app.db.read()).await?;
    for room in rooms {
        apart::tried(app, Subject::Room(room, "quarantined cards"), serve_room(app, room)).await?;
    }
    Ok(())
}

async fn serve_room(app: &App, room: RoomId) -> Outcome<()> {
    let db = app.db.read();
    let waits = states::of_room(room, states::COPY_WAITS).limit(1).count(db).await? > 0;
    let most = if waits { 1 } else { MOST };
    let free = most.saturating_sub(states::of_room(room, states::SALVAGES).count(db).await?);
    if free == 0 || !app.part::<Connections>().rooms().contains(&room) {
        return Ok(());
    }
    // Those that have failed come after those that were not tried yet.
    let begin = due(app.clock.now())
        .filter(saga::Column::RoomId.eq(room))
        .filter(apart::sagas(app))
        .order_by_asc(saga::Column::RetryAt)
        .order_by_asc(saga::Column::Id)
        .limit(LOOK);
    let begin = begin.select_only().columns([saga::Column::Id, saga::Column::PlacementId]);
    let begin: Vec<(SagaId, Option<PlacementId>)> = begin.into_tuple().all(db).await?;
    if begin.is_empty() {
        return Ok(());
    }
    let begin = Hosts::of(db, room).await?.choose(db, begin, free).await?;
    apart::each(app, &begin, |app, some| begin_these(app, some).boxed()).await
}

async fn begin_these(app: &App, sagas: &[SagaId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let rows = due(app.clock.now()).filter(saga::Column::Id.is_in(sagas.iter().copied()));
    let rows = rows.order_by_asc(saga::Column::RetryAt).order_by_asc(saga::Column::Id);
    let rows = rows.lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &rows {
        desk.salvage(row).await?;
    }
    desk.told.commit(app, tx).await
}

/// The clearings that are held of cards in quarantine that can be copied now: the card is up and says itself that it is still what
/// that phone has left, and the phone is not being copied elsewhere. A card that was lost is stopped before anything else, whoever has
/// said meanwhile that it is to be copied: its phone may run elsewhere.
fn due(now: UtcTime) -> Select<saga::Entity> {
    let (online, retired) = (NetworkStatus::Online.code(), Lifecycle::Retired.code());
    let (halt, done) = (StepName::Halt.code(), StepState::Done.code());
    let answers = format!(
        "EXISTS (SELECT 1 FROM placement stay JOIN card ON card.id = stay.card_id WHERE stay.id = saga.placement_id \
         AND stay.is_quarantined AND card.network_status = {online} AND card.lifecycle <> {retired} \
         AND card.mark = stay.phone_id || '.' || stay.id \
         AND (saga.step <> {halt} OR EXISTS (SELECT 1 FROM saga_step stopped WHERE stopped.name = {halt} \
         AND stopped.state = {done} AND stopped.ended_at >= card.network_since \
         AND stopped.id = (SELECT MAX(try.id) FROM saga_step try WHERE try.saga_id = saga.id))))"
    );
    saga::Entity::find()
        .filter(Expr::cust(states::CLEAR_HELD))
        .filter(saga::Column::RetryAt.lte(now))
        .filter(Expr::cust(answers))
        // Each has an index; what is open of copies, in one, has none.
        .filter(saga::Column::PhoneId.not_in_subquery(phones_of(states::COPY_WAITS)))
        .filter(saga::Column::PhoneId.not_in_subquery(phones_of(states::COPY_RUNS)))
        .filter(saga::Column::PhoneId.not_in_subquery(phones_of(states::SALVAGES)))
        .filter(Expr::cust(states::COPY_STOPS).not())
}

fn phones_of(which: &'static str) -> SelectStatement {
    saga::Entity::find().select_only().column(saga::Column::PhoneId).filter(Expr::cust(which)).into_query()
}

/// Breaks those off whose phones are to be copied where they are: in a repository one copy at a time is made.
async fn give_way(app: &App) -> Outcome<()> {
    let rows = in_the_way().filter(apart::sagas(app)).order_by_asc(saga::Column::Id).limit(STEP);
    let rows: Vec<SagaId> = rows.select_only().column(saga::Column::Id).into_tuple().all(app.db.read()).await?;
    apart::each(app, &rows, |app, some| break_off(app, some).boxed()).await
}

fn in_the_way() -> Select<saga::Entity> {
    let rows = saga::Entity::find().filter(Expr::cust(states::SALVAGES));
    rows.filter(saga::Column::PhoneId.in_subquery(phones_of(states::COPY_WAITS)))
}

async fn break_off(app: &App, sagas: &[SagaId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let rows = in_the_way().filter(saga::Column::Id.is_in(sagas.iter().copied())).order_by_asc(saga::Column::Id);
    let rows = rows.lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &rows {
        let Some(stay) = desk.stay_of(row).await? else { continue };
        let why = Reason::Preempted.code();
        desk.call_off(row.id, why).await?;
        desk.not_salvaged(row, stay.card_id, why).await?;
    }
    desk.told.commit(app, tx).await
}

impl Desk<'_> {
    /// The stay on the card that a saga is about.
    pub(super) async fn stay_of(&mut self, saga: &Saga) -> Outcome<Option<placement::Model>> {
        let Some(stay) = saga.placement_id else { return Ok(None) };
        Ok(placement::Entity::find_by_id(stay).one(&**self.tx).await?)
    }

    /// Whether what a phone has left on some card is being copied, or its agent has not let go of that yet.
    pub(super) async fn is_salvaged(&mut self, phone: PhoneId) -> Outcome<bool> {
        let is_at_it = Condition::any().add(Expr::cust(states::SALVAGES)).add(Expr::cust(states::SALVAGE_STOPS));
        let rows = saga::Entity::find().filter(saga::Column::PhoneId.eq(phone)).filter(is_at_it);
        Ok(rows.limit(1).count(&**self.tx).await? > 0)
    }

    /// Begins to copy what is on a card in quarantine, if a node takes it.
    async fn salvage(&mut self, saga: &Saga) -> Outcome<()> {
        let phone = phone::Entity::find_by_id(saga.phone_id).lock_exclusive().one(&**self.tx).await?;
        let (Some(phone), Some(stay)) = (phone, self.stay_of(saga).await?) else {
            return self.salvages_later(saga, Reason::PhoneGone).await;
        };
        // Nobody has it any more, and none of its copies.
        if phone.life == Life::Erased {
            return self.wipe_salvaged(saga, stay.card_id).await;
        }
        // By now that row is locked: whoever begins a copy of the phone comes after this.
        if states::of_phones([phone.id], states::COPY_OPEN).limit(1).count(&**self.tx).await? > 0
            || self.is_salvaged(phone.id).await?
        {
            return Ok(());
        }
        let card = self.card(stay.card_id).await?;
        let agents = able(self.app, saga.kind, (StepName::Copy, false), card.room_id);
        let repo = match place(self.app, self.tx, (&phone, AskedBy::Somebody), &agents, self.now).await? {
            Ok(repo) => repo,
            Err(why) => return self.salvages_later(saga, why).await,
        };
        let copy = self.further_copy(&phone, &repo, (card.id, stay.id)).await?;
        let change = saga::ActiveModel {
            state: Set(SagaState::Running),
            step: Set(StepName::Start),
            backup_id: Set(Some(copy)),
            proof: Set(String::new()),
            still: Set(String::new()),
            code: Set(String::new()),
            retry_at: Set(None),
            held_after: Set(last_try(self.tx, saga).await?),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, StepName::Start, card.id, 0).await
    }

    /// A further copy of a phone, which nobody has begun to make yet, and which is kept for a while.
    async fn further_copy(
        &mut self,
        phone: &Phone,
        repo: &repo::Model,
        at: (CardId, PlacementId),
    ) -> Outcome<BackupId> {
        let copy = self.new_copy(phone, repo, at, false).await?;
        let safe_until = Set(Some(self.now.plus_seconds(SAFE)));
        let change = backup::ActiveModel { id: Set(copy), is_salvaged: Set(true), safe_until, ..Default::default() };
        backup::Entity::update(change).exec(&**self.tx).await?;
        Ok(copy)
    }

    /// Settles a try of a step for which a card in quarantine is copied, and does what comes next.
    pub(super) async fn salvages(
        &mut self,
        saga: &Saga,
        step: &saga_step::Model,
        end: End,
        (code, said): (&str, &str),
    ) -> Outcome<()> {
        // It was called off, and told of it too late.
        if saga.held_after.is_some_and(|last| step.id.0 <= last.0) {
            return Ok(());
        }
        let card = step.card_id;
        match after(step.name, self.tries(saga, step).await?, end) {
            Next::Step(next) => self.next_step(saga, next, card).await,
            Next::Again(wait) => self.write_step(saga, step.name, card, wait).await,
            Next::Packed => self.salvage_packed(saga, card, said).await,
            Next::Stopped => self.stopped(saga, card, said).await,
            Next::Copied => self.salvage_made(saga, card, said).await,
            Next::Verified => self.salvage_verified(saga, card).await,
            Next::Wipe => self.salvaged(saga, card).await,
            Next::Afresh => self.salvage_afresh(saga, card).await,
            Next::Damaged => {
                self.no_copy(saga, code).await?;
                self.distrust(saga).await?;
                self.not_salvaged(saga, card, code).await
            }
            Next::Gone => {
                self.no_copy_unless_made(saga, code).await?;
                self.end_stay(saga, card).await?;
                self.done(saga).await
            }
            Next::Fails => self.not_salvaged(saga, card, code).await,
        }
    }

    /// The packages of its apps lie at the storage node, as the agent says: it is stopped.
    async fn salvage_packed(&mut self, saga: &Saga, card: CardId, installed: &str) -> Outcome<()> {
        let Some((copy, repo)) = of(&**self.tx, saga.backup_id).await? else {
            return self.not_salvaged(saga, card, Reason::PhoneGone.code()).await;
        };
        if !packages::are_whole(&**self.tx, &copy, repo.node_id).await? {
            return self.not_salvaged(saga, card, Reason::PackagesMissing.code()).await;
        }
        let proof = Set(installed.chars().take(64).collect());
        let saga = self.change(saga, saga::ActiveModel { proof, ..Default::default() }).await?;
        self.next_step(&saga, StepName::Stop, card).await
    }

    /// The copy was made, as the agent says: it is read back.
    async fn salvage_made(&mut self, saga: &Saga, card: CardId, told: &str) -> Outcome<()> {
        let Some(made) = made::read(told, true) else {
            return self.not_salvaged(saga, card, Reason::RepoDamaged.code()).await;
        };
        let Some((copy, repo)) = of(&**self.tx, saga.backup_id).await? else {
            return self.not_salvaged(saga, card, Reason::PhoneGone.code()).await;
        };
        self.is_made(saga, (&copy, &repo), &made, Shrunk::No).await?;
        let saga = self.change(saga, saga::ActiveModel { still: Set(made.still), ..Default::default() }).await?;
        self.next_step(&saga, StepName::Verify, card).await
    }

    /// The copy was read back. Its phone does not live by it.
    async fn salvage_verified(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let change = backup::ActiveModel {
            state: Set(BackupState::Verified),
            verified_at: Set(Some(self.now)),
            packs: Set(String::new()),
            code: Set(String::new()),
            ..Default::default()
        };
        self.set_copy(saga, change).await?;
        self.next_step(saga, StepName::Still, card).await
    }

    /// The card is still what was copied: it is wiped, unless the copy was found damaged since.
    async fn salvaged(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let found = of(&**self.tx, saga.backup_id).await?;
        // Without a start in which it was stopped it would be wiped in any.
        let is_fit = |copy: &backup::Model| {
            copy.state == BackupState::Verified && copy.damage.is_empty() && !saga.proof.is_empty()
        };
        let Some((copy, repo)) = found.filter(|(copy, _)| is_fit(copy)) else {
            return self.not_salvaged(saga, card, Reason::CopyUnfit.code()).await;
        };
        // Somebody else has read one of them back meanwhile. The card has it still.
        if !packages::are_whole(&**self.tx, &copy, repo.node_id).await? {
            return self.not_salvaged(saga, card, Reason::PackagesMissing.code()).await;
        }
        if let Some(phone) = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await? {
            self.log(saga, &phone, "phone_left_copied", format!("backup {}, {} bytes", copy.id, copy.bytes));
        }
        self.wipe_salvaged(saga, card).await
    }

    /// What is on a card in quarantine is in a copy, or nobody's any more: it is wiped; where it was copied, only in the start since
    /// which it was stopped for that.
    async fn wipe_salvaged(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        if let Some(stay) = saga.placement_id {
            self.set_aside(stay, false).await?;
        }
        let image = self.card(card).await?.image_id;
        let change = saga::ActiveModel {
            state: if saga.state == SagaState::Held { Set(SagaState::Running) } else { NotSet },
            step: Set(StepName::Wipe),
            profile_id: Set(fleet::tried_profile(&**self.tx, image).await?),
            code: Set(String::new()),
            retry_at: Set(None),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.wipe_by(&saga, card).await
    }

    /// It has restarted while it was copied: once more from the beginning. A copy that was made is one of that moment.
    async fn salvage_afresh(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let phone = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await?;
        let (Some((copy, repo)), Some(phone), Some(stay)) =
            (of(&**self.tx, saga.backup_id).await?, phone, saga.placement_id)
        else {
            return self.not_salvaged(saga, card, Reason::PhoneGone.code()).await;
        };
        let copy = if copy.state.is_made() { self.further_copy(&phone, &repo, (card, stay)).await? } else { copy.id };
        let change = saga::ActiveModel {
            backup_id: Set(Some(copy)),
            proof: Set(String::new()),
            still: Set(String::new()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.next_step(&saga, StepName::Start, card).await
    }

    /// There is no copy of all that is on a card in quarantine: it stays as it is, and is tried again later; one that was lost at a
    /// person's word, unless it has only given way.
    async fn not_salvaged(&mut self, saga: &Saga, card: CardId, code: &str) -> Outcome<()> {
        self.no_copy_unless_made(saga, code).await?;
        if code == Reason::RepoDamaged.code() {
            self.distrust(saga).await?;
        }
        let wait = wait_after(saga.holds.saturating_add(1).into());
        let by_itself = code == Reason::Preempted.code() || !self.was_lost(saga).await?;
        self.is_left(saga, card, code, by_itself.then_some(wait)).await
    }

    /// A card in quarantine stays as it is. What is on it is copied after so many seconds, if not at a person's word alone. One that
    /// was lost may run by now: it is stopped once more before anything else.
    pub(super) async fn is_left(&mut self, saga: &Saga, card: CardId, code: &str, wait: Option<i64>) -> Outcome<()> {
        let is_stopped = self.was_lost(saga).await?;
        let change = saga::ActiveModel {
            step: Set(if is_stopped { StepName::Halt } else { StepName::Wipe }),
            proof: Set(String::new()),
            holds: Set(saga.holds.saturating_add(1)),
            retry_at: Set(wait.map(|wait| self.now.plus_seconds(wait))),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        if is_stopped { self.write_step(&saga, StepName::Halt, card, 0).await } else { self.hold(&saga, code).await }
    }

    /// Whether the card of a clearing was lost with its phone on it.
    async fn was_lost(&mut self, saga: &Saga) -> Outcome<bool> {
        let halts = saga_step::Entity::find()
            .filter(saga_step::Column::SagaId.eq(saga.id))
            .filter(saga_step::Column::Name.eq(StepName::Halt));
        Ok(halts.limit(1).count(&**self.tx).await? > 0)
    }

    /// Whether what ran on a card that was lost is stopped, and has not restarted since, as far as anybody knows.
    pub(super) async fn is_halted(&mut self, saga: &Saga, card: CardId) -> Outcome<bool> {
        let halted =
            last_step(self.tx, saga).await?.filter(|step| step.name == StepName::Halt && step.state == StepState::Done);
        let Some(at) = halted.and_then(|step| step.ended_at) else { return Ok(false) };
        Ok(self.card(card).await?.network_since <= at)
    }

    /// A clearing that is held could not begin to copy what is on its card, for this: it is tried again later.
    async fn salvages_later(&mut self, saga: &Saga, why: Reason) -> Outcome<()> {
        let holds = saga.holds.saturating_add(1);
        let change = saga::ActiveModel {
            code: Set(why.code().to_owned()),
            holds: Set(holds),
            retry_at: Set(Some(self.now.plus_seconds(wait_after(holds.into())))),
            ..Default::default()
        };
        self.change(saga, change).await?;
        Ok(())
    }

    /// What is on a card in quarantine is copied as soon as that can be done, by a person's word.
    pub(super) async fn salvages_now(&mut self, saga: &Saga) -> Outcome<Saga> {
        self.change(saga, saga::ActiveModel { retry_at: Set(Some(self.now)), ..Default::default() }).await
    }
}
