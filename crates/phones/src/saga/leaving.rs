//! A phone goes off its card: once its copy was read back and the card is seen to be still what was copied, it lives by the
//! copy, and the card is wiped. Before that moment everything goes back; after it nothing has to.

use base::fault::Outcome;
use base::http::ops::Audit;
use db::journal::Entry;
use entity::backup::{BackupState, Entity as Backup};
use entity::saga::{self, Model as Saga, SagaState};
use entity::saga_step::StepName;
use entity::{CardId, phone};
use sea_orm::{ActiveValue::Set, EntityTrait as _, QuerySelect as _};
use wire::Reason;

use super::advance::Desk;
use super::copying::of;
use crate::phone::hold::left;

impl Desk<'_> {
    /// Nothing has changed since the copy: the phone is off, and lives by it.
    pub(super) async fn sealed(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let before = phone::Entity::find_by_id(saga.phone_id).lock_exclusive().one(&**self.tx).await?;
        let (Some(before), Some(stay)) = (before, saga.placement_id) else {
            return self.goes_back(saga, card, Reason::PhoneGone.code()).await;
        };
        let copy = match saga.backup_id {
            Some(copy) => Backup::find_by_id(copy).one(&**self.tx).await?,
            None => None,
        };
        let is_whole = |copy: &entity::backup::Model| copy.state == BackupState::Verified && copy.damage.is_empty();
        let Some(copy) = copy.filter(is_whole).filter(|_| before.holds_id == Some(stay)) else {
            return self.goes_back(saga, card, Reason::CopyUnfit.code()).await;
        };
        let after = left(self.tx, &before, copy.id, self.now).await?;
        let audit = Audit::of("phone").id(after.id).name(&after.code).before(&before).after(&after);
        let name = saga.created_by.clone();
        let entry =
            Entry { at: self.now, action: "phone_taken_off".to_owned(), operator_name: name, ..Entry::default() };
        self.tx.record(audit.note(format!("backup {}", copy.id)).fill(entry));
        self.keep_sealed(saga, stay, card).await?;
        let saga = self.change(saga, saga::ActiveModel { step: Set(StepName::Seal), ..Default::default() }).await?;
        self.done(&saga).await
    }

    /// What was copied is not all of it any more: once more from the beginning. A copy that was made is one of that moment.
    pub(super) async fn afresh(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let phone = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await?;
        let (Some((copy, repo)), Some(phone), Some(stay)) =
            (of(&**self.tx, saga.backup_id).await?, phone, saga.placement_id)
        else {
            return self.goes_back(saga, card, Reason::PhoneGone.code()).await;
        };
        let is_made = matches!(copy.state, BackupState::Uploaded | BackupState::Verified);
        let copy = if is_made { self.new_copy(&phone, repo.id, (card, stay)).await? } else { copy.id };
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
}
