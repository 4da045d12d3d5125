//! What phones leave on cards: a saga of the card takes off the mark, or wipes everything with proof.

use base::fault::Outcome;
use entity::card::{self, Occupancy};
use entity::placement::{self, Role};
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{CardId, PhoneId, PlacementId, RoomId, phone};
use sea_orm::{ActiveModelTrait as _, ActiveValue::Set, EntityTrait as _};
use wire::{Carried, Reason};

use super::admit::own;
use super::advance::Desk;

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
        self.set_role(stay, Role::Outgoing).await?;
        self.occupy(saga, card, Occupancy::Wiping, fault).await?;
        let pool = (saga.room_id, saga.board.as_str());
        if self.has_brought(saga, card).await? {
            let card = self.card(card).await?;
            self.begin_wipe((saga.phone_id, stay), pool, &card, "").await?;
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
        let saga = self.begin_wipe((phone.id, stay), (card.room_id, phone.plan.board()), &card, "").await?;
        self.told.phones.push(phone.id);
        self.occupy(&saga, card.id, Occupancy::Wiping, None).await
    }

    /// A phone that lives by its copy from here on leaves its card, which is wiped if it has not restarted since it was
    /// copied.
    pub(super) async fn leave(&mut self, saga: &Saga, stay: PlacementId, card: CardId) -> Outcome<()> {
        self.set_role(stay, Role::Outgoing).await?;
        self.occupy(saga, card, Occupancy::Wiping, None).await?;
        let card = self.card(card).await?;
        self.begin_wipe((saga.phone_id, stay), (saga.room_id, &saga.board), &card, &saga.proof).await?;
        Ok(())
    }

    /// What is on a card may be in no copy: a person decides about it.
    pub(super) async fn quarantine(&mut self, saga: &Saga, code: &str) -> Outcome<()> {
        if let Some(id) = saga.placement_id {
            let change = placement::ActiveModel { id: Set(id), is_quarantined: Set(true), ..Default::default() };
            placement::Entity::update(change).exec(&**self.tx).await?;
        }
        self.hold(saga, code).await
    }

    /// Begins to wipe a card whose stay is over, if it is still in the start in which it was copied, where that is told; if
    /// nobody has tried a wipe on such a board, a person decides about it.
    async fn begin_wipe(
        &mut self,
        (phone, stay): (PhoneId, PlacementId),
        pool: (RoomId, &str),
        card: &card::Model,
        copied: &str,
    ) -> Outcome<Saga> {
        let profile = fleet::tried_profile(&**self.tx, card.image_id).await?;
        let (state, code) = match profile {
            Some(_) => (SagaState::Running, ""),
            None => (SagaState::Held, Reason::NoProfile.code()),
        };
        let row = saga::ActiveModel {
            placement_id: Set(Some(stay)),
            state: Set(state),
            code: Set(code.to_owned()),
            profile_id: Set(profile),
            proof: Set(copied.to_owned()),
            ..own(SagaKind::Clear, phone, pool, StepName::Wipe, self.now)
        };
        let saga = row.insert(&**self.tx).await?;
        if state == SagaState::Running {
            self.write_step(&saga, StepName::Wipe, card.id, 0).await?;
        }
        Ok(saga)
    }

    /// A person says that a clearing that waits for him goes on: a wipe from its beginning, after what is known of the
    /// image by now.
    ///
    /// # Errors
    /// Nothing is known of the image, or the write fails.
    pub(super) async fn retry(&mut self, saga: &Saga) -> Outcome<Result<Saga, Reason>> {
        let Some(stay) = saga.placement_id else { return Ok(Err(Reason::PhoneGone)) };
        let found = placement::Entity::find_by_id(stay).one(&**self.tx).await?;
        let Some(placement) = found else { return Ok(Err(Reason::PhoneGone)) };
        let (step, profile) = if saga.step == StepName::Unclaim {
            (StepName::Unclaim, None)
        } else {
            let card = self.card(placement.card_id).await?;
            let best = fleet::best_profile(&**self.tx, card.image_id).await?;
            let Some(best) = best else { return Ok(Err(Reason::NoProfile)) };
            (StepName::Wipe, Some(best))
        };
        // Whoever says so of a card on which apps have run knows that nobody needs what they wrote.
        let proof = if saga.code == Reason::AppsRan.code() { String::new() } else { saga.proof.clone() };
        let change = saga::ActiveModel {
            state: Set(SagaState::Running),
            step: Set(step),
            profile_id: Set(profile),
            proof: Set(proof),
            code: Set(String::new()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, step, placement.card_id, 0).await?;
        Ok(Ok(saga))
    }
}
