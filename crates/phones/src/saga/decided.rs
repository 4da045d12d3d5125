//! What a person decides about a phone whose card is lost: it goes on elsewhere with what its copy holds, or what it had is
//! given up. Either way the card stays as it is, and is nobody else's. What he decides about a copy that is damaged is `older`.

use std::collections::HashMap;

use base::fault::Outcome;
use base::http::ops::Audit;
use db::WriteTx;
use db::journal::Entry;
use entity::card::{self, NetworkStatus, Occupancy};
use entity::operation::Model as Operation;
use entity::phone::Model as Phone;
use entity::phone_session::SessionEnd;
use entity::placement::{self, Role};
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{BackupId, PhoneId, PlacementId, backup, loss};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _,
    QuerySelect as _,
};
use wire::Reason;

use super::admit::{Asked, own};
use super::advance::Desk;
use super::lineage::is_unread;
use super::lost::{is_usual, places, whole};
use super::older::asking;
use super::states;
use crate::phone::act::puts_on;
use crate::phone::hold::{emptied, left};

/// What has to be known to decide about a phone whose card is lost.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// It waits for a person, and nobody is looking whether the card is back.
    waits: bool,
    /// With which it would go on.
    copy: Option<BackupId>,
    /// There is none that was read back, and one that was not.
    is_unread: bool,
    /// Its card has no power, as its BMC said, and was not seen since: it does not come back by itself.
    is_off: bool,
}

impl Lost {
    /// Those of these phones whose cards are lost.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashMap<PhoneId, Self>> {
        let sagas = states::of_phones(phones.iter().map(|phone| phone.id), states::CARD_LOST).all(db).await?;
        let stays = sagas.iter().filter_map(|saga| Some((saga.phone_id, saga.placement_id?)));
        let known = Self::on(db, &stays.collect(), &whole(db, phones).await?).await?;
        let mut lost = HashMap::new();
        for saga in sagas {
            let Some((it, card)) = known.get(&saga.phone_id) else { continue };
            // One that is back is looked at within seconds, unless somebody has found there that it is not what it was.
            let is_back = card.network_status == NetworkStatus::Online && is_usual(&saga.code);
            lost.insert(saga.phone_id, Self { waits: saga.state == SagaState::Held && !is_back, ..*it });
        }
        Ok(lost)
    }

    /// Phones that are on cards, as if these were lost, with their cards: of those phones with these copies.
    ///
    /// # Errors
    /// When a read fails.
    pub(super) async fn on(
        db: &impl ConnectionTrait,
        stays: &HashMap<PhoneId, PlacementId>,
        copies: &HashMap<PhoneId, BackupId>,
    ) -> Outcome<HashMap<PhoneId, (Self, card::Model)>> {
        let places = places(db, stays.values().copied()).await?;
        let off = fleet::surely_off(db, places.values().map(|(_, card)| card)).await?;
        let mut known = HashMap::new();
        for (phone, stay) in stays {
            let Some((_, card)) = places.get(stay) else { continue };
            let copy = copies.get(phone).copied();
            let is_unread = copy.is_none() && is_unread(db, *phone).await?;
            let it = Self { waits: true, copy, is_unread, is_off: off.contains(&card.id) };
            known.insert(*phone, (it, card.clone()));
        }
        Ok(known)
    }

    /// Whether the phone may go on with its copy, if somebody answers for its card or not.
    ///
    /// # Errors
    /// Why not.
    pub const fn goes_on(self, is_answered_for: bool) -> Result<(), Reason> {
        if !self.waits {
            Err(Reason::PhoneUnderWay)
        } else if self.is_unread {
            Err(Reason::CopyUnread)
        } else if self.copy.is_none() {
            Err(Reason::CardLostNoCopy)
        } else if !self.is_off && !is_answered_for {
            Err(Reason::CardNotOff)
        } else {
            Ok(())
        }
    }

    /// Whether the phone may go on with its copy, which has to be this one if one is named.
    ///
    /// # Errors
    /// Why not.
    pub fn goes_on_with(self, named: Option<BackupId>, is_answered_for: bool) -> Result<(), Reason> {
        self.goes_on(is_answered_for)?;
        if named.is_none() || named == self.copy { Ok(()) } else { Err(Reason::CopyNotOffered) }
    }

    /// The copy with which it would go on.
    pub const fn copy(self) -> Option<BackupId> {
        self.copy
    }

    /// Whether what it had may be given up.
    ///
    /// # Errors
    /// Why not.
    pub const fn is_given_up(self) -> Result<(), Reason> {
        if !self.waits {
            Err(Reason::PhoneUnderWay)
        } else if self.copy.is_some() {
            Err(Reason::CopyThere)
        } else if self.is_unread {
            Err(Reason::CopyUnread)
        } else {
            Ok(())
        }
    }
}

/// Who decides about a phone, and why.
#[derive(Clone, Copy, Debug)]
pub struct Decides<'a> {
    /// None if its customer does.
    pub operator: Option<i64>,
    pub name: &'a str,
    pub reason: &'a str,
}

impl<'a> From<&'a Operation> for Decides<'a> {
    fn from(operation: &'a Operation) -> Self {
        let Operation { created_by_id, created_by, reason, .. } = operation;
        Self { operator: Some(created_by_id.0), name: created_by, reason }
    }
}

/// The saga of a phone whose card is lost, locked.
pub(super) async fn of(tx: &WriteTx, phone: PhoneId) -> Outcome<Option<Saga>> {
    let found = saga::Entity::find().filter(saga::Column::PhoneId.eq(phone)).filter(Expr::cust(states::CARD_LOST));
    Ok(found.lock_exclusive().one(&**tx).await?)
}

/// Whether a second operator has let an operation begin.
pub(super) fn is_seconded(operation: &Operation) -> bool {
    !operation.approved_by.is_empty() && operation.approved_by != operation.created_by
}

impl Desk<'_> {
    /// A phone whose card is lost goes on elsewhere with what its copy holds, or stays off, if nobody may use it just now; one
    /// that was to come with a copy that is damaged comes with an older one. Returns whether something was begun with it.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn accept_copy(
        &mut self,
        before: &Phone,
        asked: &Asked<'_>,
        by: Decides<'_>,
    ) -> Outcome<Result<bool, Reason>> {
        if let Some(saga) = asking(self.tx, before.id).await? {
            // It goes on with it as what it was.
            return self.accept_older(before, &saga, by).await.map(|done| done.map(|()| false));
        }
        let (Some(saga), Some(stay)) = (of(self.tx, before.id).await?, before.holds_id) else {
            return Ok(Err(Reason::CardNotLost));
        };
        let copies = whole(&**self.tx, std::slice::from_ref(before)).await?;
        let Some(copy) = copies.get(&before.id).copied() else { return Ok(Err(Reason::CardLostNoCopy)) };
        let after = self.leaves_behind(before, (stay, copy), Some(&saga)).await?;
        let note = format!("backup {copy}; {}", by.reason);
        self.decided("phone_copy_accepted", by, (before, &after), note);
        if puts_on(&after).is_err() {
            return Ok(Ok(false));
        }
        self.comes_again(&after, asked, (self.now, None)).await.map(Ok)
    }

    /// What a phone had on a lost card is given up, by the word of two operators: it is as new.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn give_up_lost(&mut self, before: &Phone, operation: &Operation) -> Outcome<Result<(), Reason>> {
        if !is_seconded(operation) {
            return Ok(Err(Reason::NeedsSecond));
        }
        let Operation { created_by, approved_by, reason, .. } = operation;
        let (Some(saga), Some(stay)) = (of(self.tx, before.id).await?, before.holds_id) else {
            return Ok(Err(Reason::CardNotLost));
        };
        let row = loss::ActiveModel {
            placement_id: Set(stay),
            phone_id: Set(before.id),
            created_by: Set(created_by.clone()),
            approved_by: Set(approved_by.clone()),
            reason: Set(reason.clone()),
            at: Set(self.now),
        };
        loss::Entity::insert(row).exec_without_returning(&**self.tx).await?;
        let after = emptied(self.app, self.tx, before, self.now).await?;
        self.leave_lost(before, stay).await?;
        self.done(&saga).await?;
        self.decided("phone_given_up", operation.into(), (before, &after), format!("{approved_by}; {reason}"));
        Ok(Ok(()))
    }

    /// A phone leaves a card that nobody reaches, and lives by this copy; what was to be decided about it is.
    pub(super) async fn leaves_behind(
        &mut self,
        before: &Phone,
        (stay, copy): (PlacementId, BackupId),
        lost: Option<&Saga>,
    ) -> Outcome<Phone> {
        let after = left(self.app, self.tx, before, copy, SessionEnd::CardLost, self.now).await?;
        // Whatever the phone was set back from before: a person has chosen this one.
        let chosen = backup::ActiveModel { id: Set(copy), left_at: Set(None), ..Default::default() };
        backup::Entity::update(chosen).exec(&**self.tx).await?;
        self.leave_lost(before, stay).await?;
        if let Some(saga) = lost {
            self.done(saga).await?;
        }
        Ok(after)
    }

    /// The stay on a lost card is over for its phone. The card is waited for: nobody else gets it, and what is on it stays.
    async fn leave_lost(&mut self, phone: &Phone, stay: PlacementId) -> Outcome<()> {
        let found = placement::Entity::find_by_id(stay).one(&**self.tx).await?;
        let Some(place) = found else { return Ok(()) };
        let change = placement::ActiveModel {
            id: Set(stay),
            role: Set(Role::Outgoing),
            is_quarantined: Set(true),
            ..Default::default()
        };
        placement::Entity::update(change).exec(&**self.tx).await?;
        let room = self.card(place.card_id).await?.room_id;
        let row = saga::ActiveModel {
            placement_id: Set(Some(stay)),
            state: Set(SagaState::Held),
            code: Set(Reason::CardAway.code().to_owned()),
            ..own(SagaKind::Clear, phone.id, (room, phone.plan.board()), StepName::Halt, self.now)
        };
        let clearing = row.insert(&**self.tx).await?;
        self.occupy(&clearing, place.card_id, Occupancy::Wiping, None).await
    }

    pub(super) fn decided(&mut self, action: &str, by: Decides<'_>, (before, after): (&Phone, &Phone), note: String) {
        let entry = Entry {
            at: self.now,
            operator_id: by.operator,
            operator_name: by.name.to_owned(),
            action: action.to_owned(),
            ..Entry::default()
        };
        let audit = Audit::of("phone").id(after.id).name(&after.code).before(before).after(after);
        self.tx.record(audit.note(note).fill(entry));
    }
}
