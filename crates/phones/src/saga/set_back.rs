//! A phone lives by another copy of its own again, mostly an older one, as somebody has asked. One that is off comes with that when
//! it is wanted; one that is on a card is taken off first, as any other, with a copy of what it has there, and put on with the other
//! one. What it lived by until then is safe for a while, and can be chosen back.

use std::collections::HashSet;

use base::app::App;
use base::fault::Outcome;
use base::http::ops::Audit;
use db::journal::Entry;
use entity::backup::{self, BackupKind, BackupState};
use entity::card::{self, Lifecycle};
use entity::phone::{self, Model as Phone, UseType};
use entity::rule_value::RuleField;
use entity::saga::{self, Model as Saga, SagaState};
use entity::{BackupId, PhoneId, SagaStepId, connect};
use fleet::Connections;
use kernel::time::UtcTime;
use sea_orm::sea_query::Condition;
use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _,
};
use wire::Reason;

use super::admit::Asked;
use super::advance::{Desk, last_try};
use super::held::SAFE;
use super::lineage::is_of_this_life;
use super::needs::images_of;
use super::returning::has_newer;
use super::waiter::who_waits;
use crate::backup::packages;
use crate::backup::place::within_reach;
use crate::phone::act::{living, puts_on, stays};
use crate::phone::counts::moved;
use crate::rule::effective;

/// The copy of a phone by which it may live from now on.
///
/// # Errors
/// When a read fails. Inside: why it may not.
pub(super) async fn may_live_by(
    db: &impl ConnectionTrait,
    phone: &Phone,
    copy: BackupId,
) -> Outcome<Result<backup::Model, Reason>> {
    let found = backup::Entity::find_by_id(copy).filter(backup::Column::PhoneId.eq(phone.id)).one(db).await?;
    let Some(copy) = found else { return Ok(Err(Reason::CopyUnfit)) };
    if copy.state == BackupState::Uploaded && copy.damage.is_empty() {
        return Ok(Err(Reason::CopyUnread));
    }
    // One that was made while the phone went on is of no one moment.
    let is_whole = copy.state == BackupState::Verified && copy.kind == BackupKind::Full && !copy.is_live;
    if !is_whole
        || !copy.damage.is_empty()
        || !is_of_this_life(db, copy.id).await?
        || !packages::are_whole(db, &copy, copy.node_id).await?
    {
        return Ok(Err(Reason::CopyUnfit));
    }
    if copy.board != phone.plan.board() {
        return Ok(Err(Reason::PhoneOtherBoard));
    }
    Ok(if is_run(db, phone, copy.id).await? { Ok(copy) } else { Err(Reason::ImageGone) })
}

/// Whether one of the cards on which a phone comes, in use or not, runs an image with which a copy was made, if that says so.
async fn is_run(db: &impl ConnectionTrait, phone: &Phone, copy: BackupId) -> Outcome<bool> {
    let Some(images) = images_of(db, HashSet::from([copy])).await?.remove(&copy) else { return Ok(true) };
    let models = fleet::models_of_board(db, phone.plan.board()).await?;
    let cards = card::Entity::find()
        .filter(card::Column::RoomId.eq(phone.room_id))
        .filter(card::Column::ModelId.is_in(models))
        .filter(card::Column::IsOvercommit.eq(phone.pool.is_overcommit()))
        .filter(card::Column::Lifecycle.eq(Lifecycle::Registered))
        .filter(card::Column::ImageId.is_in(images));
    Ok(cards.count(db).await? > 0)
}

/// The copy of a phone to which it can be set back now: for one that is on a card, an agent of its room can bring that.
///
/// # Errors
/// When a read fails. Inside: why it cannot.
pub async fn goes_back_to(
    app: &App,
    db: &impl ConnectionTrait,
    phone: &Phone,
    copy: BackupId,
) -> Outcome<Result<backup::Model, Reason>> {
    let is_on = phone.use_type == UseType::On;
    let lives = if is_on { stays(phone) } else { living(phone) };
    if let Err(why) = lives {
        return Ok(Err(why));
    }
    if !is_on && phone.kept_id == Some(copy) {
        return Ok(Err(Reason::AlreadySo));
    }
    let found = match may_live_by(db, phone, copy).await? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    if !is_on {
        return Ok(if has_newer(db, phone).await? { Err(Reason::NewerOnCard) } else { Ok(found) });
    }
    let agents = app.part::<Connections>().that_restore(phone.room_id);
    let is_near = within_reach(db, &agents, [copy]).await?.contains(&copy);
    Ok(if is_near { Ok(found) } else { Err(Reason::StoreUnreachable) })
}

/// What has to be known to set phones back to a copy: it is of one of them.
#[derive(Debug)]
pub struct SetBack(Option<(PhoneId, Result<backup::Model, Reason>)>);

impl SetBack {
    /// Those of these phones whose copy that is.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of(app: &App, db: &impl ConnectionTrait, phones: &[Phone], copy: BackupId) -> Outcome<Self> {
        let found = backup::Entity::find_by_id(copy).one(db).await?;
        let Some(phone) = found.and_then(|copy| phones.iter().find(|phone| phone.id == copy.phone_id)) else {
            return Ok(Self(None));
        };
        Ok(Self(Some((phone.id, goes_back_to(app, db, phone, copy).await?))))
    }

    /// The copy to which this phone can be set back.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn copy(&self, phone: PhoneId) -> Result<&backup::Model, Reason> {
        match &self.0 {
            Some((of, found)) if *of == phone => found.as_ref().map_err(|why| *why),
            Some(_) | None => Err(Reason::CopyUnfit),
        }
    }
}

/// Copies that were begun after this one, as [`is_newer`](super::lineage::is_newer) has it.
fn later(than: &backup::Model) -> Condition {
    let by_time = backup::Column::BeganAt.gt(than.began_at);
    if than.is_rebuilt {
        return Condition::all().add(by_time);
    }
    let by_number = Condition::all().add(backup::Column::IsRebuilt.eq(false)).add(backup::Column::Id.gt(than.id));
    let anew = Condition::all().add(backup::Column::IsRebuilt.eq(true)).add(by_time);
    Condition::any().add(by_number).add(anew)
}

impl Desk<'_> {
    /// Sets a phone back to a copy of its own, for this reason: at once if it is off, and once it is off otherwise. Returns whether
    /// something was begun with it.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn set_back(
        &mut self,
        phone: &Phone,
        copy: &backup::Model,
        (asked, at_once): (&Asked<'_>, bool),
        reason: &str,
    ) -> Outcome<bool> {
        if phone.use_type == UseType::On {
            self.is_to_leave(phone, asked, at_once, Some(copy.id)).await?;
            return Ok(true);
        }
        self.lives_again_by(phone, copy, (asked.by, reason)).await?;
        Ok(false)
    }

    /// A phone is off, with a copy of what it had on its card: it lives by the one that was chosen, and comes back with that, as
    /// what it was asked for.
    pub(super) async fn comes_back_with(&mut self, saga: &Saga, off: &Phone, copy: &backup::Model) -> Outcome<()> {
        let phone = self.lives_again_by(off, copy, (&saga.created_by, "")).await?;
        let asked = Asked { operation: saga.operation_id, by: &saga.created_by, at: self.now };
        let is_wanted = asked.operation.is_some() || who_waits(&**self.tx, phone.id).await?.is_some();
        if !is_wanted || puts_on(&phone).is_err() {
            return self.done(saga).await;
        }
        // What was asked for is not over: who asked hears of its end.
        self.close(saga, SagaState::Done, "").await?;
        // It has begun in time: the phone was on a card, and does not stay off since its operation expires meanwhile.
        let begun = last_try(self.tx, saga).await?;
        self.comes_again(&phone, &asked, (saga.enqueued_at, begun)).await?;
        Ok(())
    }

    /// Queues a phone that is off, as somebody has asked since then, and as what was begun with that step, if it was before. For its
    /// customer it comes only if somebody waits for it: nobody is given a card that nobody uses. Returns whether it comes.
    pub(super) async fn comes_again(
        &mut self,
        phone: &Phone,
        asked: &Asked<'_>,
        (since, begun): (UtcTime, Option<SagaStepId>),
    ) -> Outcome<bool> {
        let waits = who_waits(&**self.tx, phone.id).await?;
        let (backup_id, held_after) = (Set(phone.kept_id), Set(begun));
        let mut row = saga::ActiveModel { backup_id, held_after, ..asked.row(phone) };
        if asked.operation.is_none() {
            if waits.is_none() {
                return Ok(false);
            }
            let head = effective(&**self.tx, phone).await?.number(RuleField::Head);
            row.rank_at = Set(since.plus_seconds(-head));
        }
        let comes = row.insert(&**self.tx).await?;
        self.told.phones.push(phone.id);
        if let Some(waits) = waits {
            let change = connect::ActiveModel { id: Set(waits.id), saga_id: Set(Some(comes.id)), ..Default::default() };
            connect::Entity::update(change).exec(&**self.tx).await?;
        }
        Ok(true)
    }

    /// A phone that is off lives by this copy of its own from here on, and comes back to no card that it has left: there is what it
    /// was set back from.
    async fn lives_again_by(
        &mut self,
        before: &Phone,
        copy: &backup::Model,
        (by, reason): (&str, &str),
    ) -> Outcome<Phone> {
        if let Some(former) = before.kept_id.filter(|kept| *kept != copy.id)
            && let Some(former) = backup::Entity::find_by_id(former).one(&**self.tx).await?
        {
            self.keep_safe(&former, SAFE).await?;
        }
        self.leaves_later(copy).await?;
        let change = phone::ActiveModel {
            id: Set(before.id),
            kept_id: Set(Some(copy.id)),
            // What it had may have been given up before: it has something again.
            is_blank: Set(false),
            updated_at: Set(self.now),
            ..Default::default()
        };
        let after = phone::Entity::update(change).exec(&**self.tx).await?;
        moved(self.tx.counts(), Some(before), &after);
        self.leaves_for_good(after.id).await?;
        self.told.phones.push(after.id);
        self.told.copies.push(copy.id);
        let action = "phone_went_back".to_owned();
        let entry = Entry { at: self.now, action, operator_name: by.to_owned(), ..Entry::default() };
        let audit = Audit::of("phone").id(after.id).name(&after.code).before(before).after(&after);
        let note =
            if reason.is_empty() { format!("backup {}", copy.id) } else { format!("backup {}; {reason}", copy.id) };
        self.tx.record(audit.note(note).fill(entry));
        Ok(after)
    }

    /// What was copied of a phone after this copy is not what it goes on with. If this one had been left itself, those belong to the
    /// phone again that had been left with it and that it follows.
    async fn leaves_later(&mut self, copy: &backup::Model) -> Outcome<()> {
        let of_phone = |change: backup::ActiveModel| {
            backup::Entity::update_many().set(change).filter(backup::Column::PhoneId.eq(copy.phone_id))
        };
        if let Some(left_at) = copy.left_at {
            let again = backup::ActiveModel { left_at: Set(None), ..Default::default() };
            let with_it = of_phone(again).filter(backup::Column::LeftAt.eq(left_at));
            with_it.filter(later(copy).not()).exec(&**self.tx).await?;
        }
        if copy.is_salvaged {
            // A person has chosen it: it is a copy as any other.
            let change = backup::ActiveModel { id: Set(copy.id), is_salvaged: Set(false), ..Default::default() };
            backup::Entity::update(change).exec(&**self.tx).await?;
        }
        let left = backup::ActiveModel { left_at: Set(Some(self.now)), ..Default::default() };
        of_phone(left)
            .filter(later(copy))
            .filter(backup::Column::LeftAt.is_null())
            .filter(backup::Column::IsSalvaged.eq(false))
            .exec(&**self.tx)
            .await?;
        Ok(())
    }
}
