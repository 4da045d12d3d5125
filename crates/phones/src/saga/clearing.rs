//! What phones leave on cards: a saga of the card takes off the mark, or wipes everything with proof.

use base::fault::Outcome;
use entity::card::{self, Lifecycle, Occupancy};
use entity::phone::{self, UseType};
use entity::placement::{self, Role};
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{CardId, PhoneId, PlacementId, RoomId, backup};
use sea_orm::{ActiveModelTrait as _, ActiveValue::Set, EntityTrait as _};
use wire::{Carried, Reason};

use super::admit::own;
use super::advance::Desk;
use super::machine::wait_after;

impl Desk<'_> {
    /// Writes down what the card has to be marked with from now on to count as clean: it follows from the card, this wipe
    /// and the start after which it was proved, and nobody else can say it.
    pub(super) async fn seal(&mut self, saga: &Saga, card: CardId, boot_id: &str) -> Outcome<()> {
        let text = format!("{card} {} {boot_id}", saga.id);
        let (_, seal) = self.app.vault.sign("card.clean", text.as_bytes());
        let clean_mark = format!("{}{}", Carried::CLEAN, hex::encode(seal));
        let change = card::ActiveModel { id: Set(card), clean_mark: Set(clean_mark), ..Default::default() };
        card::Entity::update(change).exec(&**self.tx).await?;
        Ok(())
    }

    /// What may be on the card goes, by a saga of its own that holds up nobody.
    pub(super) async fn clear(&mut self, saga: &Saga, card: CardId, fault: Option<&str>) -> Outcome<()> {
        let Some(stay) = saga.placement_id else { return Ok(()) };
        // It has come back to a card that it had left.
        if !saga.proof.is_empty() {
            return self.stale(saga, stay, card).await;
        }
        self.set_role(stay, Role::Outgoing).await?;
        self.occupy(saga, card, Occupancy::Wiping, fault).await?;
        let pool = (saga.room_id, saga.board.as_str());
        if self.may_have(saga, card, &[StepName::Install, StepName::Restore]).await? {
            let card = self.card(card).await?;
            self.begin_wipe((saga.phone_id, stay), pool, &card).await?;
            return Ok(());
        }
        let row = own(SagaKind::Clear, saga.phone_id, pool, StepName::Unclaim, self.now);
        let clearing = saga::ActiveModel { placement_id: Set(Some(stay)), ..row }.insert(&**self.tx).await?;
        self.write_step(&clearing, StepName::Unclaim, card, 0).await
    }

    /// What an erased phone has left on the card of this stay is wiped, once its row no longer says that it is there. If
    /// nobody has tried a wipe on such a board, a person decides about it.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn wipe(&mut self, phone: &phone::Model, stay: PlacementId) -> Outcome<()> {
        let found = placement::Entity::find_by_id(stay).one(&**self.tx).await?;
        let Some(placement) = found.filter(|row| row.role == Role::Holds) else { return Ok(()) };
        self.set_role(stay, Role::Outgoing).await?;
        let card = self.card(placement.card_id).await?;
        let saga = self.begin_wipe((phone.id, stay), (card.room_id, phone.plan.board()), &card).await?;
        self.told.phones.push(phone.id);
        self.occupy(&saga, card.id, Occupancy::Wiping, None).await
    }

    /// A card that a phone has left stays as it is until somebody needs it: its clearing waits. It is wiped then if it has not
    /// restarted since the phone was copied.
    pub(super) async fn keep_sealed(&mut self, saga: &Saga, stay: PlacementId, card: CardId) -> Outcome<()> {
        self.set_role(stay, Role::Outgoing).await?;
        self.occupy(saga, card, Occupancy::Sealed, None).await?;
        let row = saga::ActiveModel {
            placement_id: Set(Some(stay)),
            state: Set(SagaState::Waiting),
            proof: Set(saga.proof.clone()),
            ..own(SagaKind::Clear, saga.phone_id, (saga.room_id, &saga.board), StepName::Wipe, self.now)
        };
        saga::Entity::insert(row).exec_without_returning(&**self.tx).await?;
        Ok(())
    }

    /// Somebody needs a card that a phone has left: it is wiped.
    pub(super) async fn unseal(&mut self, sealed: &Saga) -> Outcome<()> {
        let Some(stay) = self.stay_of(sealed).await? else { return Ok(()) };
        let card = self.card(stay.card_id).await?;
        let is_retired = card.lifecycle == Lifecycle::Retired;
        // What is there may be all that is left of a phone that is off: it can come back to it.
        let phone = phone::Entity::find_by_id(sealed.phone_id).one(&**self.tx).await?;
        let kept = match phone.filter(|phone| phone.use_type == UseType::Off).and_then(|phone| phone.kept_id) {
            Some(kept) => backup::Entity::find_by_id(kept).one(&**self.tx).await?,
            None => None,
        };
        if !is_retired && kept.is_some_and(|kept| !kept.damage.is_empty()) {
            return self.waits(sealed, Reason::CopyDamaged).await;
        }
        let profile = fleet::tried_profile(&**self.tx, card.image_id).await?;
        let change = saga::ActiveModel {
            state: Set(SagaState::Running),
            code: Set(String::new()),
            profile_id: Set(profile),
            ..Default::default()
        };
        let saga = self.change(sealed, change).await?;
        self.occupy(&saga, card.id, Occupancy::Wiping, None).await?;
        // What is on a card that was retired goes with it.
        if is_retired {
            self.end_stay(&saga, card.id).await?;
            return self.done(&saga).await;
        }
        self.wipe_by(&saga, card.id).await
    }

    /// A wipe begins, if somebody has tried one on such a board; otherwise a person decides about it.
    pub(super) async fn wipe_by(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        match saga.profile_id {
            Some(_) => self.write_step(saga, StepName::Wipe, card, 0).await,
            None => self.hold(saga, Reason::NoProfile.code()).await,
        }
    }

    /// A phone has not come back to the card that it had left, or not for good. If its apps may have run there, a person
    /// decides about what they wrote; otherwise the card is as it was.
    pub(super) async fn stale(&mut self, saga: &Saga, stay: PlacementId, card: CardId) -> Outcome<()> {
        if !self.may_have(saga, card, &[StepName::Start]).await? {
            return self.keep_sealed(saga, stay, card).await;
        }
        self.set_role(stay, Role::Outgoing).await?;
        self.occupy(saga, card, Occupancy::Wiping, None).await?;
        let row = saga::ActiveModel {
            placement_id: Set(Some(stay)),
            ..own(SagaKind::Clear, saga.phone_id, (saga.room_id, &saga.board), StepName::Wipe, self.now)
        };
        let clearing = row.insert(&**self.tx).await?;
        self.quarantine(&clearing, card, Reason::AppsRan.code()).await
    }

    /// What is on a card may be in no copy: it is copied before anything is wiped, at once if that was not tried yet.
    pub(super) async fn quarantine(&mut self, saga: &Saga, card: CardId, code: &str) -> Outcome<()> {
        if let Some(id) = saga.placement_id {
            self.set_aside(id, true).await?;
        }
        let wait = if saga.holds == 0 { 0 } else { wait_after(saga.holds.into()) };
        self.is_left(saga, card, code, Some(wait)).await
    }

    pub(super) async fn set_aside(&mut self, id: PlacementId, is_quarantined: bool) -> Outcome<()> {
        let change = placement::ActiveModel { id: Set(id), is_quarantined: Set(is_quarantined), ..Default::default() };
        placement::Entity::update(change).exec(&**self.tx).await?;
        Ok(())
    }

    /// What ran on a card that was lost is stopped, and somebody has said that nobody needs what is there: it is wiped.
    pub(super) async fn wipe_halted(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let image = self.card(card).await?.image_id;
        let Some(best) = fleet::best_profile(&**self.tx, image).await? else {
            return self.hold(saga, Reason::NoProfile.code()).await;
        };
        let change = saga::ActiveModel { step: Set(StepName::Wipe), profile_id: Set(Some(best)), ..Default::default() };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, StepName::Wipe, card, 0).await
    }

    /// A person says that nobody needs what is on a card, and nobody knows yet how that is wiped. It may be retired.
    async fn needs_profile(&mut self, saga: &Saga, stay: &placement::Model) -> Outcome<Saga> {
        self.set_aside(stay.id, false).await?;
        // What was stopped may start again, and is stopped once more then.
        let step = if saga.step == StepName::Halt { saga.step } else { StepName::Wipe };
        let (step, code) = (Set(step), Set(Reason::NoProfile.code().to_owned()));
        self.change(saga, saga::ActiveModel { step, code, proof: Set(String::new()), ..Default::default() }).await
    }

    /// Begins to wipe a card whose stay is over; if nobody has tried a wipe on such a board, a person decides about it.
    async fn begin_wipe(
        &mut self,
        (phone, stay): (PhoneId, PlacementId),
        pool: (RoomId, &str),
        card: &card::Model,
    ) -> Outcome<Saga> {
        let row = saga::ActiveModel {
            placement_id: Set(Some(stay)),
            profile_id: Set(fleet::tried_profile(&**self.tx, card.image_id).await?),
            ..own(SagaKind::Clear, phone, pool, StepName::Wipe, self.now)
        };
        let saga = row.insert(&**self.tx).await?;
        self.wipe_by(&saga, card.id).await?;
        Ok(saga)
    }

    /// A person says that a clearing that waits for him goes on: a wipe from its beginning, after what is known of the
    /// image by now. What may be in no copy is copied before that ([`super::salvage`]): it takes two who say that nobody needs it
    /// ([`super::left`]).
    ///
    /// # Errors
    /// Nothing is known of the image, or the write fails.
    pub(super) async fn retry(&mut self, saga: &Saga) -> Outcome<Result<Saga, Reason>> {
        match self.stay_of(saga).await? {
            None => Ok(Err(Reason::PhoneGone)),
            Some(stay) if stay.is_quarantined => self.salvages_now(saga).await.map(Ok),
            Some(stay) => self.goes_on_with(saga, &stay).await,
        }
    }

    /// A clearing that was held goes on, and nobody needs what is on the card.
    pub(super) async fn goes_on_with(&mut self, saga: &Saga, stay: &placement::Model) -> Outcome<Result<Saga, Reason>> {
        // What runs on a card that was lost is stopped before anything else, whoever needs what is there.
        let is_told =
            [Reason::CardWasLost, Reason::LossIsBack, Reason::NoProfile].iter().any(|why| why.code() == saga.code);
        // It may be held since it could not be copied, too.
        let is_stopped = is_told || self.is_halted(saga, stay.card_id).await?;
        if saga.step == StepName::Halt && !is_stopped {
            self.set_aside(stay.id, false).await?;
            return Ok(Ok(saga.clone()));
        }
        let (step, profile) = if saga.step == StepName::Unclaim {
            (StepName::Unclaim, None)
        } else {
            let card = self.card(stay.card_id).await?;
            match fleet::best_profile(&**self.tx, card.image_id).await? {
                Some(best) => (StepName::Wipe, Some(best)),
                None if stay.is_quarantined => return self.needs_profile(saga, stay).await.map(Ok),
                None => return Ok(Err(Reason::NoProfile)),
            }
        };
        // What was in quarantine may be wiped in whichever start of the card: whoever says so knows that nobody needs it.
        let proof = if stay.is_quarantined { String::new() } else { saga.proof.clone() };
        self.set_aside(stay.id, false).await?;
        let change = saga::ActiveModel {
            state: Set(SagaState::Running),
            step: Set(step),
            profile_id: Set(profile),
            proof: Set(proof),
            code: Set(String::new()),
            retry_at: Set(None),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.occupy(&saga, stay.card_id, Occupancy::Wiping, None).await?;
        self.write_step(&saga, step, stay.card_id, 0).await?;
        Ok(Ok(saga))
    }
}
