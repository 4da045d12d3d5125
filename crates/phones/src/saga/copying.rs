//! A copy of a phone that is on a card: it is stopped, copied, goes on, and the copy is read back. The phone goes on
//! whatever becomes of the copy. One that is to leave its card stays stopped ([`super::leaving`]); one that nobody has asked
//! to be copied is not stopped at all ([`super::first`]).

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::backup::{self, BackupKind, BackupState};
use entity::card::Occupancy;
use entity::operation_task::TaskEffect;
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::{self, StepName};
use entity::{BackupId, CardId, PlacementId, RoomAgentId, RoomId, SagaId, phone, placement, repo, store_node};
use fleet::{Connections, Session};
use futures::FutureExt as _;
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, ExprTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, Select,
};
use wire::copy::{CopyOrder, RepoAt, RestoreOrder, VerifyOrder};
use wire::{Act, Reason};

use super::admit::{Asked, Queued};
use super::advance::Desk;
use super::apart::{self, Subject};
use super::machine::{is_not_so, may_pass};
use super::set_back::goes_back_to;
use super::shrunk::Shrunk;
use super::turn::may_begin;
use super::{at_once, lineage, made, states};
use crate::backup::counts::moved;
use crate::backup::packages;
use crate::backup::place::{AskedBy, place, reaches};
use crate::node;

/// Steps that take place at a storage node as well.
pub const AT_STORE: [StepName; 7] = [
    StepName::Packages,
    StepName::Stop,
    StepName::Copy,
    StepName::Verify,
    StepName::Erase,
    StepName::Install,
    StepName::Restore,
];

/// Begins the copies whose turn it is, room by room.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn serve(app: &App) -> Outcome<()> {
    let waits = saga::Entity::find().filter(Expr::cust(states::COPY_WAITS));
    let rooms: Vec<RoomId> =
        waits.select_only().column(saga::Column::RoomId).distinct().into_tuple().all(app.db.read()).await?;
    for room in rooms {
        apart::tried(app, Subject::Room(room, "copies"), serve_room(app, room)).await?;
    }
    Ok(())
}

async fn serve_room(app: &App, room: RoomId) -> Outcome<()> {
    let free = at_once::most(app, room, false).saturating_sub(under_way(app.db.read(), room, false).await?);
    if free == 0 {
        return Ok(());
    }
    let of_room = states::of_room(room, states::COPY_WAITS).filter(may_begin(app, room).await?);
    // While somebody is warned nothing begins for minutes: that is seen without the lane of writers.
    let begin = at_once::begin(app.db.read(), room, of_room.clone().filter(apart::sagas(app)), free).await?;
    let which = of_room.order_by_asc(saga::Column::RankAt).order_by_asc(saga::Column::Id);
    apart::each(app, &begin, move |app, some| begin_these(app, which.clone(), some).boxed()).await
}

async fn begin_these(app: &App, which: Select<saga::Entity>, sagas: &[SagaId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let which = which.filter(saga::Column::Id.is_in(sagas.iter().copied()));
    let rows = which.lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &rows {
        desk.begin_copy(row).await?;
    }
    desk.told.commit(app, tx).await
}

/// The phones of a room that are being copied: those that go on meanwhile (`is_live`), or those that are stopped for it.
///
/// # Errors
/// When the read fails.
pub(super) async fn under_way(db: &impl ConnectionTrait, room: RoomId, is_live: bool) -> Outcome<u64> {
    let live = saga::Column::Kind.eq(SagaKind::BackUp).and(saga::Column::OperationId.is_null());
    let busy = saga::Entity::find()
        .filter(saga::Column::RoomId.eq(room))
        .filter(if is_live { live } else { live.not() })
        // It goes on by then, unless it is to leave its card.
        .filter(saga::Column::Step.ne(StepName::Verify).or(saga::Column::Kind.eq(SagaKind::TakeOff)))
        .filter(Expr::cust(states::COPY_RUNS));
    Ok(busy.count(db).await?)
}

/// The connected agents of a room that do a step of such a saga at a storage node, where the phone goes on if it `is_live`.
pub(super) fn able(app: &App, kind: SagaKind, (step, is_live): (StepName, bool), room: RoomId) -> Vec<RoomAgentId> {
    let connections = app.part::<Connections>();
    if kind == SagaKind::Erase {
        return connections.that_erase(room);
    }
    if is_live && step == StepName::Copy {
        return connections.that_copy_live(room);
    }
    let is_later = step == StepName::Restore || matches!(kind, SagaKind::TakeOff | SagaKind::Clear);
    if is_later { connections.that_restore(room) } else { connections.that_copy(room) }
}

/// A copy and its repository.
///
/// # Errors
/// When a read fails.
pub(super) async fn of(
    db: &impl ConnectionTrait,
    copy: Option<BackupId>,
) -> Outcome<Option<(backup::Model, repo::Model)>> {
    let Some(copy) = copy else { return Ok(None) };
    let Some(copy) = backup::Entity::find_by_id(copy).one(db).await? else { return Ok(None) };
    let repo = repo::Entity::find_by_id(copy.repo_id).one(db).await?;
    Ok(repo.map(|repo| (copy, repo)))
}

/// What the agent of a session is asked for a step at a storage node; none if it does not reach that.
///
/// # Errors
/// When a read fails.
pub async fn asked(
    app: &App,
    tx: &WriteTx,
    session: &Session,
    saga: &Saga,
    step: &saga_step::Model,
    phone: &phone::Model,
) -> Outcome<Option<Act>> {
    let Some((copy, repo)) = of(&**tx, saga.backup_id).await? else { return Ok(None) };
    let is_able = able(app, saga.kind, (step.name, copy.is_live), session.room).contains(&session.agent);
    if !is_able || !reaches(&**tx, session.agent, repo.node_id).await? {
        return Ok(None);
    }
    let Some(found) = store_node::Entity::find_by_id(repo.node_id).one(&**tx).await? else { return Ok(None) };
    let node = node::told(&found);
    let at = RepoAt { node: node.clone(), folder: repo.folder.clone() };
    if step.name == StepName::Erase {
        return Ok(Some(Act::Erase(Box::new(at))));
    }
    if step.name == StepName::Stop {
        return Ok(Some(Act::Stop { node: Box::new(node), installed: saga.proof.clone() }));
    }
    if step.name == StepName::Packages {
        return Ok(Some(Act::Packages { node: Box::new(node) }));
    }
    if step.name == StepName::Install {
        return Ok(Some(Act::Apps { node: Box::new(node) }));
    }
    if step.name == StepName::Restore {
        let bytes = u64::try_from(copy.bytes).unwrap_or(0);
        return Ok(Some(Act::Restore(Box::new(RestoreOrder { repo: at, snapshot: copy.snapshot, bytes }))));
    }
    if step.name == StepName::Verify {
        let whole = saga.kind == SagaKind::Verify;
        let bytes = u64::try_from(copy.bytes).unwrap_or(0);
        let order = VerifyOrder { repo: at, snapshot: copy.snapshot, whole, bytes };
        return Ok(Some(Act::Verify(Box::new(order))));
    }
    let parent = parent_of(&**tx, &copy).await?;
    let restored = match (&parent, saga.placement_id) {
        (Some(parent), Some(stay)) => lineage::brought(&**tx, stay, parent).await?,
        _ => None,
    };
    let order = CopyOrder {
        repo: at,
        phone: phone.code.clone(),
        board: copy.board.clone(),
        boot_id: saga.proof.clone(),
        parent: parent.map(|parent| parent.snapshot),
        restored: restored.map(|copy| copy.snapshot),
        is_new: repo.made_at.is_none(),
        repair: step.attempt > 1 || was_broken_off(&**tx, &copy).await?,
        at: copy.began_at.millis() / 1_000,
        alone: is_alone(&**tx, &copy).await?,
        live: copy.is_live,
    };
    Ok(Some(Act::Copy(Box::new(order))))
}

/// The copy that one is compared with.
async fn parent_of(db: &impl ConnectionTrait, copy: &backup::Model) -> Outcome<Option<backup::Model>> {
    let Some(parent) = copy.parent_id else { return Ok(None) };
    Ok(backup::Entity::find_by_id(parent).one(db).await?)
}

/// Whether no other copy in its repository has its time, as the repository tells times.
async fn is_alone(db: &impl ConnectionTrait, copy: &backup::Model) -> Outcome<bool> {
    let second = copy.began_at.millis() / 1_000 * 1_000;
    let others = backup::Entity::find()
        .filter(backup::Column::RepoId.eq(copy.repo_id))
        .filter(backup::Column::Id.ne(copy.id))
        .filter(backup::Column::BeganAt.between(UtcTime(second), UtcTime(second + 999)));
    Ok(others.count(db).await? == 0)
}

/// Whether the try before it may have left something in the repository that no copy has.
async fn was_broken_off(db: &impl ConnectionTrait, copy: &backup::Model) -> Outcome<bool> {
    let last = backup::Entity::find()
        .filter(backup::Column::RepoId.eq(copy.repo_id))
        .filter(backup::Column::Id.lt(copy.id))
        .order_by_desc(backup::Column::Id)
        .one(db)
        .await?;
    Ok(last.is_some_and(|last| !last.state.is_made()))
}

impl Desk<'_> {
    /// Queues a phone that is on a card to be copied, and to go on there.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn back_up(&mut self, phone: &phone::Model, asked: &Asked<'_>) -> Outcome<()> {
        let rank = asked.rank(SagaKind::BackUp);
        let queued = Queued { cause: None, rank, warns_user: false, code: "", comes_with: None };
        self.queue_copy(phone, asked, SagaKind::BackUp, queued).await
    }

    /// Queues a phone to be copied, and to go on where it is or off it.
    pub(super) async fn queue_copy(
        &mut self,
        phone: &phone::Model,
        asked: &Asked<'_>,
        kind: SagaKind,
        queued: Queued,
    ) -> Outcome<()> {
        let Some(stay) = phone.holds_id else { return Ok(()) };
        let found = placement::Entity::find_by_id(stay).one(&**self.tx).await?;
        let Some(placement) = found else { return Ok(()) };
        let Queued { cause, rank, warns_user, code, comes_with } = queued;
        let row = saga::ActiveModel {
            kind: Set(kind),
            placement_id: Set(Some(stay)),
            room_id: Set(self.card(placement.card_id).await?.room_id),
            step: Set(StepName::Packages),
            rank_at: Set(rank),
            cause: Set(cause),
            warns_user: Set(warns_user),
            comes_with_id: Set(comes_with),
            code: Set(code.to_owned()),
            ..asked.row(phone)
        };
        saga::Entity::insert(row).exec_without_returning(&**self.tx).await?;
        self.told.phones.push(phone.id);
        Ok(())
    }

    /// Begins a copy whose turn it is, if the phone is still there and a node takes it.
    pub(super) async fn begin_copy(&mut self, saga: &Saga) -> Outcome<()> {
        let phone = phone::Entity::find_by_id(saga.phone_id).lock_exclusive().one(&**self.tx).await?;
        let (Some(phone), Some(stay)) = (phone, self.stay_of(saga).await?) else {
            return self.give_up(saga, SagaState::Failed, Reason::PhoneGone.code()).await;
        };
        if phone.holds_id != Some(stay.id) {
            return self.give_up(saga, SagaState::Failed, Reason::PhoneOffMachine.code()).await;
        }
        // One copy at a time is made in its repository.
        if self.is_salvaged(phone.id).await? {
            return Ok(());
        }
        let card = self.card(stay.card_id).await?;
        if let Some(cause) = saga.cause
            && !self.holds_still(&phone, cause).await?
        {
            let why = if card.is_overcommit { Reason::CameBack } else { Reason::Guaranteed };
            return self.give_up(saga, SagaState::Cancelled, why.code()).await;
        }
        // Nothing moves before it is known that it can come back with what was chosen.
        if let Some(chosen) = saga.comes_with_id
            && let Err(why) = goes_back_to(self.app, &**self.tx, &phone, chosen).await?
        {
            return self.stays(saga, why.code(), TaskEffect::NeverBegan).await;
        }
        // Nobody has asked for it: nobody is interrupted.
        let is_live = saga.kind == SagaKind::BackUp && saga.operation_id.is_none();
        let agents = able(self.app, saga.kind, (StepName::Copy, is_live), card.room_id);
        let by = if is_live { AskedBy::Nobody } else { AskedBy::Somebody };
        let repo = match place(self.app, self.tx, (&phone, by), &agents, self.now).await? {
            Ok(repo) => repo,
            Err(why) => {
                let is_away = !self.app.part::<Connections>().rooms().contains(&card.room_id);
                let why = if is_away { Reason::AgentGone } else { why };
                return self.stays(saga, why.code(), TaskEffect::NeverBegan).await;
            }
        };
        let copy = self.new_copy(&phone, &repo, (card.id, stay.id), is_live).await?;
        let change = saga::ActiveModel {
            state: Set(SagaState::Running),
            backup_id: Set(Some(copy)),
            code: Set(String::new()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, StepName::Packages, card.id, 0).await
    }

    /// A copy of a phone in a repository that nobody has begun to make yet.
    pub(super) async fn new_copy(
        &mut self,
        phone: &phone::Model,
        repo: &repo::Model,
        (card, stay): (CardId, PlacementId),
        is_live: bool,
    ) -> Outcome<BackupId> {
        let copy = backup::ActiveModel {
            phone_id: Set(phone.id),
            repo_id: Set(repo.id),
            node_id: Set(repo.node_id),
            snapshot: Set(String::new()),
            kind: Set(BackupKind::Full),
            parent_id: Set(lineage::parent(&**self.tx, repo.id, stay).await?),
            card_id: Set(card),
            image: Set(phone.image.clone()),
            board: Set(phone.plan.board().to_owned()),
            state: Set(BackupState::Pending),
            damage: Set(String::new()),
            is_live: Set(is_live),
            files: Set(0),
            bytes: Set(0),
            added_bytes: Set(0),
            manifest: Set(String::new()),
            tree: Set(String::new()),
            packs: Set(String::new()),
            read_files: Set(0),
            code: Set(String::new()),
            restores: Set(0),
            millis: Set(0),
            began_at: Set(self.now),
            verified_at: Set(None),
            ..Default::default()
        };
        let copy = backup::Entity::insert(copy).exec_with_returning(&**self.tx).await?;
        moved(self.tx.counts(), None, &copy);
        self.told.copies.push(copy.id);
        Ok(copy.id)
    }

    /// The packages of the phone's apps lie at the storage node, as the agent says: it is stopped, if it is not to go on.
    pub(super) async fn packed(&mut self, saga: &Saga, card: CardId, installed: &str) -> Outcome<()> {
        let Some((copy, repo)) = of(&**self.tx, saga.backup_id).await? else {
            return self.untouched(saga, card, Reason::PhoneGone.code()).await;
        };
        if !packages::are_whole(&**self.tx, &copy, repo.node_id).await? {
            return self.untouched(saga, card, Reason::PackagesMissing.code()).await;
        }
        if copy.is_live {
            return self.stopped(saga, card, "").await;
        }
        self.occupy(saga, card, Occupancy::BackingUp, None).await?;
        let change = saga::ActiveModel {
            step: Set(StepName::Stop),
            proof: Set(installed.chars().take(64).collect()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, StepName::Stop, card, 0).await
    }

    /// The phone is stopped since this start of its card, or goes on: it is copied.
    pub(super) async fn stopped(&mut self, saga: &Saga, card: CardId, boot_id: &str) -> Outcome<()> {
        self.set_copy(saga, backup::ActiveModel { state: Set(BackupState::Running), ..Default::default() }).await?;
        let change = saga::ActiveModel {
            step: Set(StepName::Copy),
            proof: Set(boot_id.chars().take(64).collect()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, StepName::Copy, card, 0).await
    }

    /// The copy was made, as the agent says: the phone goes on.
    pub(super) async fn copied(&mut self, saga: &Saga, card: CardId, told: &str) -> Outcome<()> {
        let stays = saga.kind == SagaKind::TakeOff;
        let Some(made) = made::read(told, stays) else {
            return self.undo(saga, card, Reason::RepoDamaged.code()).await;
        };
        let Some((copy, repo)) = of(&**self.tx, saga.backup_id).await? else {
            return self.undo(saga, card, Reason::PhoneGone.code()).await;
        };
        let shrunk = self.compared(saga, &copy, &made).await?;
        self.is_made(saga, (&copy, &repo), &made, shrunk).await?;
        let change = phone::ActiveModel {
            id: Set(saga.phone_id),
            used_bytes: Set(made::number(made.bytes)),
            last_backup_at: Set(Some(copy.began_at)),
            ..Default::default()
        };
        phone::Entity::update(change).exec(&**self.tx).await?;
        // Whoever sets a phone back does not have it live by this one: often since most of what it had is gone.
        let is_asked = !saga.is_accepted && saga.comes_with_id.is_none();
        if stays && shrunk == Shrunk::Phone && is_asked {
            return self.goes_back(saga, card, Reason::Shrunk.code()).await;
        }
        // One that is to leave its card stays stopped, and one that goes on was never.
        let next = if stays || copy.is_live { StepName::Verify } else { StepName::Start };
        let change = saga::ActiveModel { step: Set(next), still: Set(made.still), ..Default::default() };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, next, card, 0).await
    }

    /// There is no copy, and the phone was not touched.
    pub(super) async fn untouched(&mut self, saga: &Saga, card: CardId, code: &str) -> Outcome<()> {
        self.no_copy(saga, code).await?;
        self.occupy(saga, card, Occupancy::InUse, None).await?;
        self.stays(saga, code, TaskEffect::NeverBegan).await
    }

    /// There is no copy, or not the one that the phone could live by, and it goes on.
    pub(super) async fn undo(&mut self, saga: &Saga, card: CardId, code: &str) -> Outcome<()> {
        let copy = self.no_copy_unless_made(saga, code).await?;
        if code == Reason::RepoDamaged.code() {
            self.distrust(saga).await?;
        }
        // Nobody has stopped it.
        if copy.is_some_and(|copy| copy.is_live) {
            return self.end(saga, SagaState::Failed, code, Some(TaskEffect::NeverBegan)).await;
        }
        self.goes_back(saga, card, code).await
    }

    /// The phone goes on: its copy is read back, if there is one.
    pub(super) async fn goes_on(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        self.occupy(saga, card, Occupancy::InUse, None).await?;
        if saga.state == SagaState::GoingBack {
            return self.stays(saga, &saga.code, TaskEffect::Proved).await;
        }
        let saga = self.change(saga, saga::ActiveModel { step: Set(StepName::Verify), ..Default::default() }).await?;
        self.write_step(&saga, StepName::Verify, card, 0).await
    }

    /// The phone does not go on, or nobody knows. Its copy, if there is one, stays as it is. Where nobody can start it its card is
    /// lost: it looks as if it were up, and nobody may be sent there.
    pub(super) async fn goes_not(&mut self, saga: &Saga, card: CardId, code: &str) -> Outcome<()> {
        self.occupy(saga, card, Occupancy::InUse, None).await?;
        self.close(saga, SagaState::Failed, code).await?;
        match Reason::from_code(code) {
            Some(found) if is_not_so(found) => self.stands_still(saga.phone_id, Some(found)).await?,
            Some(why) if may_pass(why) => self.stands_still(saga.phone_id, None).await?,
            Some(_) | None => {}
        }
        // Whoever waits for it is told that it is lost, and not that it is there.
        self.tell_end(saga, (SagaState::Failed, code), Some(TaskEffect::Proved), false).await
    }

    /// There is no copy, unless it was made before that. Returns what there was.
    pub(super) async fn no_copy_unless_made(&mut self, saga: &Saga, code: &str) -> Outcome<Option<backup::Model>> {
        let copy = of(&**self.tx, saga.backup_id).await?.map(|(copy, _)| copy);
        if !copy.as_ref().is_some_and(|copy| copy.state.is_made()) {
            self.no_copy(saga, code).await?;
        }
        Ok(copy)
    }

    pub(super) async fn no_copy(&mut self, saga: &Saga, code: &str) -> Outcome<()> {
        let change = backup::ActiveModel {
            state: Set(BackupState::Failed),
            code: Set(code.to_owned()),
            packs: Set(String::new()),
            ..Default::default()
        };
        self.set_copy(saga, change).await
    }

    pub(super) async fn set_copy(&mut self, saga: &Saga, mut change: backup::ActiveModel) -> Outcome<()> {
        let Some(id) = saga.backup_id else { return Ok(()) };
        let Some(before) = backup::Entity::find_by_id(id).one(&**self.tx).await? else { return Ok(()) };
        change.id = Set(id);
        let after = backup::Entity::update(change).exec(&**self.tx).await?;
        moved(self.tx.counts(), Some(&before), &after);
        self.told.copies.push(id);
        Ok(())
    }
}
