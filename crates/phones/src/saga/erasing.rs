//! What erased phones have left goes: nobody can open their copies from the moment at which they are erased, and an agent that
//! reaches the storage node removes them there. What is on a card that such a phone has left is wiped.

use base::app::App;
use base::fault::Outcome;
use entity::backup::{self, BackupState};
use entity::saga::{self, Model as Saga, SagaKind};
use entity::saga_step::StepName;
use entity::{PhoneId, RepoId, RoomId, backup_package, phone, repo};
use fleet::Connections;
use futures::FutureExt as _;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _, Select,
};
use wire::Reason;

use super::admit::own;
use super::advance::Desk;
use super::apart::{self, Subject};
use super::copying::of;
use super::states;
use crate::backup::counts::moved;
use crate::backup::place::{Locked, forget, reached_by};

/// Seconds between two looks.
const PACE: i64 = 30;
/// A repository that could not be removed is tried again so many seconds later, in whichever room reaches it then.
const AGAIN: i64 = 3_600;
/// Repositories that the agents of a room remove at once.
const MOST: u64 = 2;

/// When it was looked last, by the steady clock.
#[derive(Debug, Default)]
pub struct Erasing(Mutex<Option<UtcTime>>);

/// Of a phone: nobody reads or makes one of its copies just now, nor is about to. What waits for a person since what is on a card in
/// quarantine could not be copied is at none, once its agent has let go of it: it would wait for ever, and is wiped without a copy.
pub const NOT_READ: &str = "NOT EXISTS (SELECT 1 FROM saga reader JOIN backup ON backup.id = reader.backup_id \
     WHERE backup.phone_id = phone.id AND reader.ended_at IS NULL AND (reader.kind <> 3 OR reader.state <> 6 \
     OR EXISTS (SELECT 1 FROM saga_step WHERE saga_step.saga_id = reader.id AND saga_step.state = 2)))";

/// Has removed what erased phones have left at storage nodes, where somebody reaches these.
///
/// # Errors
/// When the database refuses; the next look goes on.
pub async fn serve(app: &App) -> Outcome<()> {
    let steady = app.clock.steady();
    {
        let mut looked = app.part::<Erasing>().0.lock();
        if looked.is_some_and(|at| steady < at.plus_seconds(PACE)) {
            return Ok(());
        }
        *looked = Some(steady);
    }
    for room in app.part::<Connections>().rooms() {
        apart::tried(app, Subject::Room(room, "erased phones"), serve_room(app, room)).await?;
    }
    Ok(())
}

async fn serve_room(app: &App, room: RoomId) -> Outcome<()> {
    let db = app.db.read();
    let agents = app.part::<Connections>().that_erase(room);
    let free = MOST.saturating_sub(states::of_room(room, states::ERASES).count(db).await?);
    if agents.is_empty() || free == 0 {
        return Ok(());
    }
    let lately = app.clock.now().plus_seconds(-AGAIN).millis();
    let not_tried = format!(
        "NOT EXISTS (SELECT 1 FROM saga JOIN backup ON backup.id = saga.backup_id WHERE backup.repo_id = repo.id \
         AND saga.kind = {} AND COALESCE(saga.ended_at, {lately} + 1) > {lately})",
        SagaKind::Erase.code()
    );
    let due = due()
        .filter(repo::Column::NodeId.is_in(reached_by(db, &agents).await?))
        .filter(Expr::cust(not_tried))
        .filter(apart::repos(app))
        .order_by_asc(repo::Column::Id)
        .limit(free);
    let due: Vec<RepoId> = due.select_only().column(repo::Column::Id).into_tuple().all(db).await?;
    apart::each(app, &due, move |app, some| begin(app, room, some).boxed()).await
}

/// Repositories that are to be removed and were not.
fn due() -> Select<repo::Entity> {
    repo::Entity::find().filter(repo::Column::EraseAt.is_not_null()).filter(repo::Column::ErasedAt.is_null())
}

async fn begin(app: &App, room: RoomId, repos: &[RepoId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let rows = due().filter(repo::Column::Id.is_in(repos.iter().copied())).order_by_asc(repo::Column::Id);
    let rows = rows.lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for repo in &rows {
        desk.remove_repo(repo, room).await?;
    }
    desk.told.commit(app, tx).await
}

/// The copies in a repository, oldest first.
fn copies_in(repo: RepoId) -> Select<backup::Entity> {
    backup::Entity::find().filter(backup::Column::RepoId.eq(repo)).order_by_asc(backup::Column::Id)
}

impl Desk<'_> {
    /// These phones are erased: they live by no copy any more, nobody can open theirs, and what they have left on sealed cards is
    /// wiped.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn erase_copies(&mut self, phones: &[PhoneId]) -> Outcome<()> {
        let repos = repo::Entity::find().filter(repo::Column::PhoneId.is_in(phones.iter().copied()));
        let repos = repos.order_by_asc(repo::Column::Id).all(&**self.tx).await?;
        for repo in &repos {
            // The database lets go of no copy that a phone lives by.
            let change = phone::ActiveModel { id: Set(repo.phone_id), kept_id: Set(None), ..Default::default() };
            phone::Entity::update(change).exec(&**self.tx).await?;
            for copy in copies_in(repo.id).all(&**self.tx).await?.iter().filter(|copy| copy.state.is_made()) {
                let state = Set(BackupState::Deleting);
                self.change_copy(copy, backup::ActiveModel { state, ..Default::default() }).await?;
            }
            forget(self.tx, Locked::Repo(repo.id)).await?;
            let change = repo::ActiveModel { id: Set(repo.id), erase_at: Set(Some(self.now)), ..Default::default() };
            repo::Entity::update(change).exec(&**self.tx).await?;
        }
        let sealed = states::of_phones(phones.iter().copied(), states::CLEAR_WAITS).order_by_asc(saga::Column::Id);
        for sealed in sealed.lock_exclusive().all(&**self.tx).await? {
            self.unseal(&sealed).await?;
        }
        // What is in quarantine need not be in a copy any more.
        let held = states::of_phones(phones.iter().copied(), states::CLEAR_HELD).order_by_asc(saga::Column::Id);
        for held in held.lock_exclusive().all(&**self.tx).await? {
            if self.stay_of(&held).await?.is_some_and(|stay| stay.is_quarantined) {
                self.salvages_now(&held).await?;
            }
        }
        Ok(())
    }

    async fn change_copy(&mut self, copy: &backup::Model, mut change: backup::ActiveModel) -> Outcome<()> {
        change.id = Set(copy.id);
        let after = backup::Entity::update(change).exec(&**self.tx).await?;
        moved(self.tx.counts(), Some(copy), &after);
        self.told.copies.push(copy.id);
        Ok(())
    }

    /// An agent of a room removes a repository that nobody can open any more.
    async fn remove_repo(&mut self, repo: &repo::Model, room: RoomId) -> Outcome<()> {
        let Some(copy) = copies_in(repo.id).one(&**self.tx).await? else {
            // Nothing was ever begun in it.
            return self.repo_is_gone(repo).await;
        };
        let row = saga::ActiveModel {
            backup_id: Set(Some(copy.id)),
            ..own(SagaKind::Erase, repo.phone_id, (room, &copy.board), StepName::Erase, self.now)
        };
        let saga = row.insert(&**self.tx).await?;
        self.told.phones.push(repo.phone_id);
        self.write_step(&saga, StepName::Erase, copy.card_id, 0).await
    }

    /// A repository was removed from its node: of what lay there the books keep that it did, and not what it was.
    pub(super) async fn erased(&mut self, saga: &Saga) -> Outcome<()> {
        let Some((_, repo)) = of(&**self.tx, saga.backup_id).await? else { return self.done(saga).await };
        let copies = copies_in(repo.id).all(&**self.tx).await?;
        let needs = backup_package::Column::BackupId.is_in(copies.iter().map(|copy| copy.id));
        backup_package::Entity::delete_many().filter(needs).exec(&**self.tx).await?;
        for copy in &copies {
            let mut change = backup::ActiveModel {
                manifest: Set(String::new()),
                tree: Set(String::new()),
                packs: Set(String::new()),
                ..Default::default()
            };
            if copy.state == BackupState::Deleting {
                change.state = Set(BackupState::Lost);
                change.code = Set(Reason::PhoneErased.code().to_owned());
            }
            self.change_copy(copy, change).await?;
        }
        self.repo_is_gone(&repo).await?;
        if let Some(phone) = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await? {
            self.log(saga, &phone, "phone_copies_erased", format!("repository {}, backups {}", repo.id, copies.len()));
        }
        self.done(saga).await
    }

    async fn repo_is_gone(&mut self, repo: &repo::Model) -> Outcome<()> {
        let change = repo::ActiveModel { id: Set(repo.id), erased_at: Set(Some(self.now)), ..Default::default() };
        repo::Entity::update(change).exec(&**self.tx).await?;
        Ok(())
    }
}
