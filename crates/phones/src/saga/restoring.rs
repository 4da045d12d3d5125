//! A phone comes on a card with what a copy holds: its packages are installed, then its data is restored.

use std::collections::HashSet;

use base::fault::Outcome;
use db::WriteTx;
use entity::backup::{self, BackupKind};
use entity::card::{self, Occupancy};
use entity::operation_task::TaskEffect;
use entity::phone::{self, Model as Phone};
use entity::saga::{self, Model as Saga, SagaState};
use entity::saga_step::{self, StepName, StepState};
use entity::{CardId, image_known};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, ExprTrait as _, PaginatorTrait as _, QueryFilter as _,
};
use wire::{Act, Reason};

use super::advance::Desk;
use super::copying::of;
use super::lineage::older;
use super::machine::is_damage;
use super::needs::{Made, images_of};
use crate::backup::place::in_hand;
use crate::forbidden::withheld::{KEPT, packages, withhold};

/// So many apps that did not come are named in the phone's history.
const NAMED: usize = 20;

/// Whether a copy may come on a card: it is whole, as far as anybody knows, and of the same user and board.
///
/// # Errors
/// Why not.
pub fn fits(copy: &backup::Model, from: &Phone, to: &Phone) -> Result<(), Reason> {
    if !copy.state.is_made() || copy.is_live || copy.kind != BackupKind::Full || !copy.damage.is_empty() {
        return Err(Reason::CopyUnfit);
    }
    if from.user_id != to.user_id {
        return Err(Reason::CopyOfOther);
    }
    if copy.board == to.plan.board() { Ok(()) } else { Err(Reason::PhoneOtherBoard) }
}

/// What a card is asked before a phone comes on it: what was copied runs with the image that it was made with, and with those that
/// take its phones; a phone that was never used takes any of its board.
///
/// # Errors
/// When a read fails.
pub async fn checked(tx: &WriteTx, saga: &Saga, phone: &Phone, on: &card::Model) -> Outcome<Act> {
    let disk = u64::try_from(phone.disk_gb).unwrap_or(0) << 30;
    let Some((copy, _)) = of(&**tx, saga.backup_id).await? else {
        return Ok(Act::Check { fingerprint: None, space: disk });
    };
    let manifest = Made::read(&copy.manifest);
    let bytes = u64::try_from(copy.bytes).unwrap_or(0);
    // A tenth more for what its files take, and for the packages.
    let space = Ord::max(disk, bytes.saturating_add(bytes / 10).saturating_add(manifest.code.bytes));
    let image = match manifest.image {
        // It does not say.
        made if made.is_empty() => None,
        made => Some(taker(tx, &copy, on).await?.unwrap_or(made)),
    };
    Ok(Act::Check { fingerprint: image, space })
}

/// The fingerprint of the image that a card runs, as it has said, if copies like this come on it.
async fn taker(tx: &WriteTx, copy: &backup::Model, on: &card::Model) -> Outcome<Option<String>> {
    let suit = images_of(&**tx, HashSet::from([copy.id])).await?;
    let runs = on.image_id.filter(|image| suit.get(&copy.id).is_some_and(|some| some.contains(image)));
    let Some(image) = runs else { return Ok(None) };
    Ok(image_known::Entity::find_by_id(image).one(&**tx).await?.map(|image| image.fingerprint))
}

impl Desk<'_> {
    /// The card is marked as the phone's: what a copy holds comes on it, or it starts as it is. Which apps phones may not have is
    /// looked up here, so that what is installed and what is restored go by the same.
    pub(super) async fn claimed(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        self.occupy(saga, card, Occupancy::Restoring, None).await?;
        let phone = phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await?;
        if let (Some(phone), Some((copy, _))) = (phone, of(&**self.tx, saga.backup_id).await?) {
            withhold(self.tx, saga.id, &copy, phone.plan).await?;
        }
        let next = if saga.backup_id.is_some() { StepName::Install } else { StepName::Boot };
        self.next_step(saga, next, card).await
    }

    /// A step on the same card.
    pub(super) async fn next_step(&mut self, saga: &Saga, next: StepName, card: CardId) -> Outcome<()> {
        let saga = self.change(saga, saga::ActiveModel { step: Set(next), ..Default::default() }).await?;
        self.write_step(&saga, next, card, 0).await
    }

    /// The copy does not come, on whichever card: the phone stays off, and a person is asked whether an older one comes, if one
    /// is whole. One that is not what it was is read back, so that whoever chooses the next one knows.
    pub(super) async fn unfit(&mut self, saga: &Saga, card: CardId, code: &str) -> Outcome<()> {
        self.clear(saga, card, None).await?;
        let copy = of(&**self.tx, saga.backup_id).await?.map(|(copy, _)| copy);
        let Some(copy) = copy.filter(|_| Reason::from_code(code).is_some_and(is_damage)) else {
            return self.give_up(saga, SagaState::Failed, code).await;
        };
        match older(&**self.tx, &copy).await?.filter(|older| older.phone_id == saga.phone_id) {
            Some(older) => self.asks_for_older(saga, older.id).await?,
            None => self.give_up(saga, SagaState::Failed, code).await?,
        }
        if !in_hand(&**self.tx, copy.id).await? {
            self.verify(&copy, saga.room_id, "").await?;
        }
        Ok(())
    }

    /// Whether one of these steps of a put-on may have done something to a card. It has, if something else was there first.
    pub(super) async fn may_have(&self, saga: &Saga, card: CardId, steps: &[StepName]) -> Outcome<bool> {
        let may_have = saga_step::Column::State
            .is_in([StepState::Done, StepState::Dropped])
            .or(saga_step::Column::Effect.is_in([TaskEffect::Proved, TaskEffect::Unknown]))
            .or(saga_step::Column::Code.eq(Reason::AppsRan.code()));
        let steps = saga_step::Entity::find()
            .filter(saga_step::Column::SagaId.eq(saga.id))
            .filter(saga_step::Column::CardId.eq(card))
            .filter(saga_step::Column::Name.is_in(steps.iter().copied()))
            .filter(may_have);
        Ok(steps.count(&**self.tx).await? > 0)
    }

    /// The copy with which a phone has come on its card; it counts how often it was restored.
    pub(super) async fn restored(&mut self, saga: &Saga) -> Outcome<Option<backup::Model>> {
        let Some((copy, _)) = of(&**self.tx, saga.backup_id).await? else { return Ok(None) };
        let restores = Set(copy.restores + 1);
        backup::Entity::update(backup::ActiveModel { id: Set(copy.id), restores, ..Default::default() })
            .exec(&**self.tx)
            .await?;
        self.told.copies.push(copy.id);
        Ok(Some(copy))
    }

    /// Apps of a copy have come to a phone, but for those that it may not have: the copy, which has these, is kept for a while,
    /// whatever the phone lives by then.
    pub(super) async fn withholds(&mut self, saga: &Saga, phone: &Phone) -> Outcome<()> {
        let apps = packages(&**self.tx, saga.id).await?;
        let Some((copy, _)) = of(&**self.tx, saga.backup_id).await?.filter(|_| !apps.is_empty()) else {
            return Ok(());
        };
        self.keep_safe(&copy, KEPT).await?;
        let more = apps.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = apps.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        self.log(saga, phone, "phone_app_withheld", format!("backup {}: {named}{more}", copy.id));
        Ok(())
    }
}
