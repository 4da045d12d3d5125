//! The copy with which a phone was to be put on is damaged, and an older one is whole: a person decides whether the phone comes
//! with that, or stays off. What the damaged one holds is left as it is: it may be read after all.

use std::collections::HashMap;

use base::fault::Outcome;
use db::WriteTx;
use entity::backup::{self, BackupState};
use entity::operation_task::TaskEffect;
use entity::phone::{self, Model as Phone};
use entity::saga::{self, Model as Saga, SagaState};
use entity::saga_step::StepName;
use entity::{BackupId, PhoneId};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QuerySelect as _,
};
use wire::Reason;

use super::advance::{Desk, last_try};
use super::decided::Decides;
use super::lineage::older;
use super::states;
use crate::backup::place::in_hand;
use crate::phone::counts::moved;

/// So often a put-on that is held goes on by itself, once its copy was read back and is whole: if it does not come on a card even so,
/// a person has to look.
const TRUSTED: i16 = 1;

/// What has to be known of a phone whose put-on is held until somebody accepts an older copy.
#[derive(Clone, Copy, Debug)]
pub struct Older {
    /// The older copy with which it would come.
    offered: Option<BackupId>,
    /// The copy that it lives by is being read back just now: it may be whole after all.
    is_read: bool,
}

impl Older {
    /// Those of these phones whose put-ons are held for that.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashMap<PhoneId, Self>> {
        let sagas = states::of_phones(phones.iter().map(|phone| phone.id), states::PUT_ON_HELD).all(db).await?;
        let mut found = HashMap::new();
        for saga in sagas {
            let kept = phones.iter().find(|phone| phone.id == saga.phone_id).and_then(|phone| phone.kept_id);
            let is_read = match kept.filter(|kept| Some(*kept) != saga.backup_id) {
                Some(kept) => in_hand(db, kept).await?,
                None => false,
            };
            found.insert(saga.phone_id, Self { offered: saga.backup_id, is_read });
        }
        Ok(found)
    }

    /// The older copy with which it would come.
    pub const fn offered(self) -> Option<BackupId> {
        self.offered
    }

    /// Whether it may come with this older one, which a person has seen: another one may be on offer by now.
    ///
    /// # Errors
    /// Why not.
    pub fn comes(self, named: Option<BackupId>) -> Result<(), Reason> {
        if self.is_read {
            Err(Reason::PhoneUnderWay)
        } else if named.is_none() || named != self.offered {
            Err(Reason::CopyNotOffered)
        } else {
            Ok(())
        }
    }
}

/// The put-on of a phone that is held until somebody accepts an older copy, locked.
pub(super) async fn asking(tx: &WriteTx, phone: PhoneId) -> Outcome<Option<Saga>> {
    let found = saga::Entity::find().filter(saga::Column::PhoneId.eq(phone)).filter(Expr::cust(states::PUT_ON_HELD));
    Ok(found.lock_exclusive().one(&**tx).await?)
}

impl Desk<'_> {
    /// A put-on whose copy is damaged is held until somebody accepts this older one. It keeps its rank, and has no card.
    pub(super) async fn asks_for_older(&mut self, saga: &Saga, older: BackupId) -> Outcome<()> {
        let change = saga::ActiveModel {
            placement_id: Set(None),
            backup_id: Set(Some(older)),
            step: Set(StepName::Decide),
            holds: Set(saga.holds.saturating_add(1)),
            held_after: Set(last_try(self.tx, saga).await?),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.hold(&saga, Reason::OlderCopy.code()).await
    }

    /// A person accepts the older copy: the phone lives by it from here on, and its put-on goes on with it.
    pub(super) async fn accept_older(
        &mut self,
        before: &Phone,
        saga: &Saga,
        by: Decides<'_>,
    ) -> Outcome<Result<(), Reason>> {
        let offered = match saga.backup_id {
            Some(copy) => backup::Entity::find_by_id(copy).one(&**self.tx).await?,
            None => None,
        };
        let is_whole = |copy: &backup::Model| copy.state == BackupState::Verified && copy.damage.is_empty();
        let Some(copy) = offered.filter(is_whole) else { return Ok(Err(Reason::CopyUnfit)) };
        let change = phone::ActiveModel {
            id: Set(before.id),
            kept_id: Set(Some(copy.id)),
            updated_at: Set(self.now),
            ..Default::default()
        };
        let after = phone::Entity::update(change).exec(&**self.tx).await?;
        moved(self.tx.counts(), Some(before), &after);
        let note = format!("backup {}; {}", copy.id, by.reason);
        self.decided("phone_copy_accepted", by, (before, &after), note);
        self.queue_again(saga, copy.id).await?;
        Ok(Ok(()))
    }

    /// A copy was read back, and is whole. If its phone lives by it, and a put-on was held since it seemed to be damaged, nobody has to
    /// be asked: that goes on with it.
    pub(super) async fn need_not_ask(&mut self, phone: PhoneId, whole: BackupId) -> Outcome<()> {
        let Some(saga) = asking(self.tx, phone).await? else { return Ok(()) };
        let is_newer = saga.backup_id.is_some_and(|offered| whole > offered);
        let kept = phone::Entity::find_by_id(phone).one(&**self.tx).await?.and_then(|phone| phone.kept_id);
        if saga.holds > TRUSTED || !is_newer || kept != Some(whole) {
            return Ok(());
        }
        self.queue_again(&saga, whole).await
    }

    /// A copy was found to be damaged. A put-on to which it was offered is offered the next older one, or ends.
    pub(super) async fn offers_another(&mut self, copy: &backup::Model) -> Outcome<()> {
        let found = asking(self.tx, copy.phone_id).await?;
        let Some(saga) = found.filter(|saga| saga.backup_id == Some(copy.id)) else { return Ok(()) };
        match older(&**self.tx, copy).await? {
            Some(next) => {
                self.change(&saga, saga::ActiveModel { backup_id: Set(Some(next.id)), ..Default::default() }).await?;
                Ok(())
            }
            None => {
                let code = Reason::CopyDamaged.code();
                self.end(&saga, SagaState::Failed, code, Some(TaskEffect::NeverBegan)).await
            }
        }
    }

    /// A put-on that was held is in the queue again, where it was.
    async fn queue_again(&mut self, saga: &Saga, copy: BackupId) -> Outcome<()> {
        let change = saga::ActiveModel {
            backup_id: Set(Some(copy)),
            step: Set(StepName::Reserve),
            state: Set(SagaState::Waiting),
            code: Set(String::new()),
            ..Default::default()
        };
        self.change(saga, change).await?;
        Ok(())
    }
}
