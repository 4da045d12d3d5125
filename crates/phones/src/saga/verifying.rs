//! Reading copies back, and what follows if one is damaged: the next copy lies elsewhere, and what the phone lives by is a
//! copy that was read since.

use base::fault::Outcome;
use base::http::ops::Audit;
use db::journal::Entry;
use entity::backup::{self, BackupKind, BackupState};
use entity::operation_task::TaskEffect;
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{BackupId, CardId, PhoneId, RoomId, SagaId, phone, repo};
use sea_orm::{ActiveModelTrait as _, ActiveValue::Set, ConnectionTrait, EntityTrait as _, QuerySelect as _};
use wire::Reason;

use super::admit::own;
use super::advance::Desk;
use super::copying::of;
use super::held::SAFE;
use super::lineage::{age, is_newer, is_of_this_life, newest_whole};
use crate::backup::place::{in_hand, room_that_reaches};
use crate::phone::counts::moved;

/// Characters of what an agent says of a damage that are kept.
const WORDS: usize = 250;

impl Desk<'_> {
    /// Has all of a copy read back by the agents of a room. Its phone goes on meanwhile, and may be dealt with.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn verify(&mut self, copy: &backup::Model, room: RoomId, by: &str) -> Outcome<SagaId> {
        let row = saga::ActiveModel {
            backup_id: Set(Some(copy.id)),
            created_by: Set(by.to_owned()),
            ..own(SagaKind::Verify, copy.phone_id, (room, &copy.board), StepName::Verify, self.now)
        };
        let saga = row.insert(&**self.tx).await?;
        self.told.copies.push(copy.id);
        self.told.phones.push(copy.phone_id);
        self.write_step(&saga, StepName::Verify, copy.card_id, 0).await?;
        Ok(saga.id)
    }

    /// A copy was read back: the phone lives by it from here on, unless by a newer one.
    pub(super) async fn verified(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let Some((copy, _)) = of(&**self.tx, saga.backup_id).await? else {
            return self.end(saga, SagaState::Failed, Reason::CopyUnfit.code(), Some(TaskEffect::Proved)).await;
        };
        let mut change = backup::ActiveModel {
            verified_at: Set(Some(self.now)),
            packs: Set(String::new()),
            code: Set(String::new()),
            damage: Set(String::new()),
            ..Default::default()
        };
        if copy.state == BackupState::Uploaded {
            change.state = Set(BackupState::Verified);
        }
        self.set_copy(saga, change).await?;
        let phone = phone::Entity::find_by_id(saga.phone_id).lock_exclusive().one(&**self.tx).await?;
        if let Some(phone) = phone {
            let kept = kept(&**self.tx, &phone).await?;
            let is_better = kept.as_ref().is_none_or(|kept| is_newer(age(&copy), age(kept)) || !kept.damage.is_empty());
            // What it was set back from it lives by again only if somebody chooses that.
            let is_its = copy.left_at.is_none() && is_of_this_life(&**self.tx, copy.id).await?;
            if copy.kind == BackupKind::Full && !copy.is_live && !copy.is_salvaged && is_better && is_its {
                let mut change =
                    phone::ActiveModel { id: Set(phone.id), kept_id: Set(Some(copy.id)), ..Default::default() };
                // The books were new and took it for one that was never used: it comes with what it had.
                if copy.is_rebuilt && phone.is_blank {
                    change.is_blank = Set(false);
                    change.used_bytes = Set(copy.bytes);
                    change.last_backup_at = Set(Some(copy.began_at));
                }
                let after = phone::Entity::update(change).exec(&**self.tx).await?;
                moved(self.tx.counts(), Some(&phone), &after);
                if let Some(before) = kept.filter(|before| copy.is_shrunk && before.id != copy.id) {
                    self.keep_safe(&before, SAFE).await?;
                }
                self.lives_by_copy(phone.id).await?;
            }
            self.need_not_ask(phone.id, copy.id).await?;
            let action = if saga.kind == SagaKind::Verify { "phone_copy_verified" } else { "phone_copied" };
            self.log(saga, &phone, action, format!("backup {}, {} bytes", copy.id, copy.bytes));
        }
        if saga.kind != SagaKind::TakeOff {
            return self.done(saga).await;
        }
        let saga = self.change(saga, saga::ActiveModel { step: Set(StepName::Still), ..Default::default() }).await?;
        self.write_step(&saga, StepName::Still, card, 0).await
    }

    /// A copy could not be read for now.
    pub(super) async fn not_verified(&mut self, saga: &Saga, code: &str) -> Outcome<()> {
        self.set_copy(saga, backup::ActiveModel { code: Set(code.to_owned()), ..Default::default() }).await?;
        self.end(saga, SagaState::Failed, code, Some(TaskEffect::Proved)).await
    }

    /// What was read is not what was written. A copy that nobody had read is none; one that was is told to be damaged, and
    /// stays: a damaged copy beats none. So does one that was found at its node: it may be all that there is, and whole the next
    /// time.
    pub(super) async fn damaged(&mut self, saga: &Saga, card: CardId, code: &str, said: &str) -> Outcome<()> {
        let Some((copy, _)) = of(&**self.tx, saga.backup_id).await? else { return self.done(saga).await };
        if copy.state == BackupState::Verified || copy.is_rebuilt {
            let words: String = said.chars().filter(|c| !c.is_control()).take(WORDS).collect();
            let damage = if words.is_empty() { code.to_owned() } else { words };
            self.set_copy(saga, backup::ActiveModel { damage: Set(damage), ..Default::default() }).await?;
            self.lives_by_damaged(&copy).await?;
            self.offers_another(&copy).await?;
        } else {
            self.no_copy(saga, code).await?;
        }
        let phone = phone::Entity::find_by_id(saga.phone_id).lock_exclusive().one(&**self.tx).await?;
        if let Some(phone) = &phone {
            self.log(saga, phone, "phone_copy_damaged", format!("backup {}: {said}", copy.id));
        }
        if saga.kind == SagaKind::TakeOff {
            self.goes_back(saga, card, code).await?;
        } else {
            self.end(saga, SagaState::Failed, code, Some(TaskEffect::Proved)).await?;
        }
        self.distrust(saga).await
    }

    /// Something in the repository of a copy is damaged: the next copy is not made of what lies there, and what the phone
    /// lives by is read.
    pub(super) async fn distrust(&mut self, saga: &Saga) -> Outcome<()> {
        let Some((_, repo)) = of(&**self.tx, saga.backup_id).await? else { return Ok(()) };
        if repo.damaged_at.is_none() {
            let change = repo::ActiveModel { id: Set(repo.id), damaged_at: Set(Some(self.now)), ..Default::default() };
            repo::Entity::update(change).exec(&**self.tx).await?;
        }
        let Some(next) = self.to_read(saga.phone_id).await? else { return Ok(()) };
        if !self.read_back(&next, saga.room_id).await? {
            tracing::warn!(copy = next.id.0, "nobody can read the copy that a phone is to live by");
        }
        Ok(())
    }

    /// Has all of a copy read back by the agents of a room that reaches it, this one first, unless that is being done. Returns
    /// whether there is somebody.
    pub(super) async fn read_back(&mut self, copy: &backup::Model, near: RoomId) -> Outcome<bool> {
        if in_hand(&**self.tx, copy.id).await? {
            return Ok(true);
        }
        let Some(home) = repo::Entity::find_by_id(copy.repo_id).one(&**self.tx).await? else { return Ok(false) };
        let Some(room) = room_that_reaches(self.app, &**self.tx, home.node_id, near).await? else { return Ok(false) };
        self.verify(copy, room, "").await?;
        Ok(true)
    }

    /// The copy that a phone lives by, if it may be whole; otherwise the newest of the others that may be.
    async fn to_read(&self, phone: PhoneId) -> Outcome<Option<backup::Model>> {
        let Some(phone) = phone::Entity::find_by_id(phone).one(&**self.tx).await? else { return Ok(None) };
        let Some(kept) = kept(&**self.tx, &phone).await? else { return Ok(None) };
        if kept.damage.is_empty() {
            return Ok(Some(kept));
        }
        newest_whole(&**self.tx, phone.id).await
    }

    pub(super) fn log(&mut self, saga: &Saga, phone: &phone::Model, action: &str, note: String) {
        let name = saga.created_by.clone();
        let entry = Entry { at: self.now, action: action.to_owned(), operator_name: name, ..Entry::default() };
        let audit = Audit::of("phone").id(phone.id).name(&phone.code).note(note);
        self.tx.record(audit.fill(entry));
    }
}

/// The copy that a phone lives by.
async fn kept(db: &impl ConnectionTrait, phone: &phone::Model) -> Outcome<Option<backup::Model>> {
    let Some(id) = phone.kept_id else { return Ok(None) };
    let id: BackupId = id;
    Ok(backup::Entity::find_by_id(id).one(db).await?)
}
