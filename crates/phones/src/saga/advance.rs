//! The transaction that settles a step and writes the next.

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::ops::Audit;
use db::WriteTx;
use db::journal::Entry;
use entity::card::{self, Lifecycle, Model as Card, Occupancy};
use entity::operation_task::TaskEffect;
use entity::phone;
use entity::placement::{self, Role};
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::{self, StepName, StepState};
use entity::{BackupId, CardId, PlacementId, SagaStepId};
use fleet::{By, Change, write_cards};
use kernel::lang::Lang;
use kernel::time::UtcTime;
use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};
use wire::Reason;

use super::admit::Asked;
use super::ahead::{Ahead, Try};
use super::machine::{End, Turn, after};
use super::salvaging;
use super::told::Told;
use crate::phone::act::puts_on;
use crate::phone::hold::{Held, bound};

/// A put-on is given up after so many cards on which it did not go.
const CARDS: i16 = 3;

/// As much of a text as is kept.
fn cut(text: &str, most: usize) -> String {
    text.chars().filter(|c| *c != '\0').take(most).collect()
}

/// Puts a card out of service, unless it is retired.
fn fail(card: &mut Card, why: &str) {
    if card.lifecycle.may_become(Lifecycle::Faulty) {
        card.lifecycle = Lifecycle::Faulty;
        let words = |lang| fleet::reasons::words(why, lang);
        card.fault_reason = format!("{} / {}", words(Lang::Zh), words(Lang::En));
    }
}

/// The last try of a step of a saga.
pub(super) async fn last_step(tx: &WriteTx, saga: &Saga) -> Outcome<Option<saga_step::Model>> {
    let tries = saga_step::Entity::find().filter(saga_step::Column::SagaId.eq(saga.id));
    Ok(tries.order_by_desc(saga_step::Column::Id).one(&**tx).await?)
}

/// Its number.
pub(super) async fn last_try(tx: &WriteTx, saga: &Saga) -> Outcome<Option<SagaStepId>> {
    Ok(last_step(tx, saga).await?.map(|step| step.id))
}

/// One transaction over sagas.
pub struct Desk<'a> {
    pub app: &'a App,
    pub tx: &'a mut WriteTx,
    pub now: UtcTime,
    pub told: Told,
    pub(super) ahead: Ahead,
}

impl<'a> Desk<'a> {
    pub fn new(app: &'a App, tx: &'a mut WriteTx) -> Self {
        Self { now: app.clock.now(), told: Told::default(), ahead: Ahead::default(), app, tx }
    }

    /// Settles a try that an agent has, or had, and does what comes next.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn settle(&mut self, step: &saga_step::Model, end: End, code: &str, reason: &str) -> Outcome<()> {
        let (state, effect) = match end {
            End::Done => (StepState::Done, None),
            End::Failed { effect, .. } => (StepState::Failed, Some(effect)),
            End::Dropped => (StepState::Dropped, None),
        };
        let code = &*cut(code, 64);
        let change = saga_step::ActiveModel {
            id: Set(step.id),
            state: Set(state),
            effect: Set(effect),
            code: Set(code.to_owned()),
            // What was done needs no words; what an agent has found is no reason.
            reason: Set(if end == End::Done { String::new() } else { cut(reason, 256) }),
            ended_at: Set(Some(self.now)),
            ..Default::default()
        };
        saga_step::Entity::update(change).exec(&**self.tx).await?;
        self.ahead.ended(step, state, effect);
        let saga = saga::Entity::find_by_id(step.saga_id).lock_exclusive().one(&**self.tx).await?;
        let Some(saga) = saga.filter(|saga| saga.step == step.name && !saga.state.is_over()) else { return Ok(()) };
        self.told.phones.push(saga.phone_id);
        self.turn(&saga, step, end, (code, effect), reason).await?;
        if saga.is_wanted_back { self.turn_back(saga.id, step.card_id).await } else { Ok(()) }
    }

    /// Settles a try that has failed before an agent began it.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn never_began(&mut self, step: &saga_step::Model, why: Reason, reason: &str) -> Outcome<()> {
        let end = End::Failed { why: Some(why), effect: TaskEffect::NeverBegan };
        self.settle(step, end, why.code(), reason).await
    }

    /// How often a step that has ended was tried on its card: tries that an agent took with it say nothing of the card,
    /// another card has its own, and what was held begins anew.
    pub(super) async fn tries(&mut self, saga: &Saga, step: &saga_step::Model) -> Outcome<i32> {
        self.ahead.read(&**self.tx, [step.saga_id]).await?;
        Ok(i32::try_from(self.ahead.said(step, saga.held_after)).unwrap_or(i32::MAX))
    }

    /// Whether an agent had an earlier try of this step on this card, of which nobody knows what it did.
    async fn was_begun(&mut self, step: &saga_step::Model) -> Outcome<bool> {
        self.ahead.read(&**self.tx, [step.saga_id]).await?;
        Ok(self.ahead.was_begun(step))
    }

    /// What comes after a step that has ended.
    async fn turn(
        &mut self,
        saga: &Saga,
        step: &saga_step::Model,
        end: End,
        (code, effect): (&str, Option<TaskEffect>),
        reason: &str,
    ) -> Outcome<()> {
        if saga.kind == SagaKind::Clear && salvaging::STEPS.contains(&step.name) {
            return self.salvages(saga, step, end, (code, reason)).await;
        }
        match after(saga.kind, step.name, self.tries(saga, step).await?, end) {
            Turn::Claimed => self.claimed(saga, step.card_id).await,
            Turn::Unfit => self.unfit(saga, step.card_id, code).await,
            // Up to here nothing was done to the card.
            Turn::Step(StepName::Claim) => self.checked(saga, step.card_id).await,
            Turn::Step(next) => self.next_step(saga, next, step.card_id).await,
            Turn::Proved => {
                let boot_id = cut(reason, 64);
                self.seal(saga, step.card_id, &boot_id).await?;
                let change =
                    saga::ActiveModel { step: Set(StepName::MarkClean), proof: Set(boot_id), ..Default::default() };
                let saga = self.change(saga, change).await?;
                self.write_step(&saga, StepName::MarkClean, step.card_id, 0).await
            }
            Turn::Unproved => {
                self.fail_card(saga, step.card_id, code).await?;
                self.hold(saga, code).await
            }
            Turn::Quarantine => self.quarantine(saga, step.card_id, code).await,
            Turn::Again(wait) => self.write_step(saga, step.name, step.card_id, wait).await,
            Turn::Bind => self.bind(saga, step.card_id).await,
            // An agent that was lost with its try may have marked the card, whatever the next one found.
            Turn::Leave if step.name == StepName::Claim && self.was_begun(step).await? => {
                self.clear(saga, step.card_id, None).await?;
                self.next_card(saga, code).await
            }
            Turn::Leave => {
                self.end_stay(saga, step.card_id).await?;
                self.next_card(saga, code).await
            }
            Turn::Clear => {
                self.clear(saga, step.card_id, None).await?;
                self.next_card(saga, code).await
            }
            Turn::Faulty => {
                self.clear(saga, step.card_id, Some(code)).await?;
                self.next_card(saga, code).await
            }
            Turn::Free => {
                self.end_stay(saga, step.card_id).await?;
                self.done(saga).await
            }
            Turn::Finish => self.done(saga).await,
            Turn::Brought => self.brought(saga, reason).await,
            Turn::Erased => self.erased(saga).await,
            Turn::Packed => self.packed(saga, step.card_id, reason).await,
            Turn::Stopped => self.stopped(saga, step.card_id, reason).await,
            Turn::Copied => self.copied(saga, step.card_id, reason).await,
            // The same of one that may have stopped the phone.
            Turn::Untouched if step.name == StepName::Stop && self.was_begun(step).await? => {
                self.undo(saga, step.card_id, code).await
            }
            Turn::Untouched => self.untouched(saga, step.card_id, code).await,
            Turn::Undo => self.undo(saga, step.card_id, code).await,
            Turn::GoesOn => self.goes_on(saga, step.card_id).await,
            Turn::GoesNot => self.goes_not(saga, step.card_id, code).await,
            Turn::Verified => self.verified(saga, step.card_id).await,
            Turn::Damaged => self.damaged(saga, step.card_id, code, reason).await,
            Turn::Seal => self.sealed(saga, step.card_id).await,
            Turn::Halted => self.halted(saga).await,
            Turn::StillLost => self.still_lost(saga, code).await,
            Turn::Afresh => self.afresh(saga, step.card_id).await,
            Turn::NotVerified => self.not_verified(saga, code).await,
            Turn::Fail => {
                // From its second step on a restart has restarted the phone, whatever that step did.
                let effect = if step.name == StepName::Boot { effect } else { Some(TaskEffect::Proved) };
                self.end(saga, SagaState::Failed, code, effect).await
            }
            Turn::Hold => self.hold(saga, code).await,
        }
    }

    /// A person has to look.
    pub(super) async fn hold(&mut self, saga: &Saga, code: &str) -> Outcome<()> {
        let (state, code) = (Set(SagaState::Held), Set(code.to_owned()));
        self.change(saga, saga::ActiveModel { state, code, ..Default::default() }).await?;
        Ok(())
    }

    /// Gives a waiting put-on a card: they belong together from here on, as far as anybody else is concerned. With the phone
    /// comes what this copy holds.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn reserve(&mut self, saga: &Saga, card: &Card, copy: Option<BackupId>) -> Outcome<()> {
        let stay = placement::ActiveModel {
            phone_id: Set(saga.phone_id),
            card_id: Set(card.id),
            role: Set(Role::Incoming),
            is_quarantined: Set(false),
            began_at: Set(self.now),
            ended_at: Set(None),
            ..Default::default()
        };
        let stay = placement::Entity::insert(stay).exec(&**self.tx).await?.last_insert_id;
        // One on which it was tried before was cleared since, and is as any other.
        let held_after = if saga.cards > 0 { last_try(self.tx, saga).await? } else { saga.held_after };
        let change = saga::ActiveModel {
            held_after: Set(held_after),
            placement_id: Set(Some(stay)),
            backup_id: Set(copy),
            step: Set(StepName::Check),
            state: Set(SagaState::Running),
            code: Set(String::new()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.occupy(&saga, card.id, Occupancy::Reserved, None).await?;
        self.ahead.know(card);
        self.write_step(&saga, StepName::Check, card.id, 0).await
    }

    /// Begins the restart of a phone that is on a card.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn restart(&mut self, phone: &phone::Model, asked: &Asked<'_>) -> Outcome<()> {
        let Some(stay) = phone.holds_id else { return Ok(()) };
        let found = placement::Entity::find_by_id(stay).one(&**self.tx).await?;
        let Some(placement) = found else { return Ok(()) };
        let row = saga::ActiveModel {
            kind: Set(SagaKind::Restart),
            phone_id: Set(phone.id),
            locks_phone: Set(true),
            placement_id: Set(Some(stay)),
            step: Set(StepName::Boot),
            state: Set(SagaState::Running),
            ..asked.row(phone)
        };
        let saga = row.insert(&**self.tx).await?;
        self.told.phones.push(phone.id);
        self.write_step(&saga, StepName::Boot, placement.card_id, 0).await
    }

    /// Says why it waits.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn waits(&mut self, saga: &Saga, why: Reason) -> Outcome<()> {
        self.change(saga, saga::ActiveModel { code: Set(why.code().to_owned()), ..Default::default() }).await?;
        Ok(())
    }

    /// Ends a put-on that has not come about, as failed or cancelled: its phone is as it was.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn give_up(&mut self, saga: &Saga, state: SagaState, code: &str) -> Outcome<()> {
        self.end(saga, state, code, Some(TaskEffect::NeverBegan)).await
    }

    pub(super) async fn done(&mut self, saga: &Saga) -> Outcome<()> {
        self.end(saga, SagaState::Done, "", None).await
    }

    /// Ends a saga, and the task of the operation that asked for it; `effect` is what was done to the phone, if it did not
    /// succeed.
    pub(super) async fn end(
        &mut self,
        saga: &Saga,
        state: SagaState,
        code: &str,
        effect: Option<TaskEffect>,
    ) -> Outcome<()> {
        self.close(saga, state, code).await?;
        // Whoever wants a phone back has it, if it has never left, or goes on.
        let goes_on = saga.state == SagaState::GoingBack && code == saga.code;
        let is_back = goes_on || effect == Some(TaskEffect::NeverBegan);
        self.tell_end(saga, (state, code), effect, is_back).await
    }

    /// Writes that a saga is over: nothing locks its phone any more. Call [`Desk::tell_end`] next.
    pub(super) async fn close(&mut self, saga: &Saga, state: SagaState, code: &str) -> Outcome<()> {
        let change = saga::ActiveModel {
            state: Set(state),
            code: Set(code.to_owned()),
            ended_at: Set(Some(self.now)),
            ..Default::default()
        };
        self.change(saga, change).await?;
        self.told.ended.push((saga.kind, state, saga.cause));
        Ok(())
    }

    /// Writes what has become of a saga.
    ///
    /// # Errors
    /// When the write fails, or its state may not follow: then nothing of the transaction is.
    pub(super) async fn change(&mut self, saga: &Saga, mut change: saga::ActiveModel) -> Outcome<Saga> {
        if let Set(next) = change.state
            && !saga.state.may_become(next)
        {
            let what = format!("saga {} cannot go from {:?} to {next:?}", saga.id, saga.state);
            return Err(Fault::internal(anyhow::anyhow!(what)));
        }
        change.id = Set(saga.id);
        self.told.phones.push(saga.phone_id);
        Ok(change.update(&**self.tx).await?)
    }

    /// Writes a try of a step for the agents of the card's room, which get it after `wait` seconds at the earliest.
    pub(super) async fn write_step(&mut self, saga: &Saga, name: StepName, card: CardId, wait: i64) -> Outcome<()> {
        self.ahead.read(&**self.tx, [saga.id]).await?;
        let earlier = self.ahead.named(saga.id, name);
        // A storage node is in no room: whoever reaches it reads there.
        let is_at_node = matches!(name, StepName::Verify | StepName::Erase);
        let room = match self.ahead.room(card) {
            _ if is_at_node => saga.room_id,
            Some(room) => room,
            None => self.card(card).await?.room_id,
        };
        let row = saga_step::ActiveModel {
            saga_id: Set(saga.id),
            name: Set(name),
            attempt: Set(i32::try_from(earlier + 1).unwrap_or(i32::MAX)),
            card_id: Set(card),
            room_id: Set(room),
            agent_id: Set(None),
            state: Set(StepState::Waiting),
            effect: Set(None),
            code: Set(String::new()),
            reason: Set(String::new()),
            not_before: Set(self.app.clock.steady().plus_seconds(wait)),
            created_at: Set(self.now),
            began_at: Set(None),
            ended_at: Set(None),
            ..Default::default()
        };
        let id = saga_step::Entity::insert(row).exec(&**self.tx).await?.last_insert_id;
        let (state, effect, began_at) = (StepState::Waiting, None, None);
        self.ahead.wrote(Try { id, saga_id: saga.id, name, card_id: card, state, effect, began_at });
        self.told.rooms.push(room);
        Ok(())
    }

    pub(super) async fn card(&self, id: CardId) -> Outcome<Card> {
        let found = card::Entity::find_by_id(id).lock_exclusive().one(&**self.tx).await?;
        found.ok_or_else(|| Fault::internal(anyhow::anyhow!("the card of a step is gone")))
    }

    pub(super) async fn occupy(&mut self, saga: &Saga, id: CardId, to: Occupancy, fault: Option<&str>) -> Outcome<()> {
        let before = self.card(id).await?;
        if before.occupancy == to {
            return Ok(());
        }
        if !before.occupancy.may_become(to) {
            let (saga, from) = (saga.id.0, before.occupancy);
            tracing::error!(saga, card = id.0, ?from, ?to, "a card is not as its saga has left it; it stays so");
            return Ok(());
        }
        let mut after = Card { occupancy: to, ..before.clone() };
        if let Some(why) = fault {
            fail(&mut after, why);
        }
        self.write_card(saga, before, after).await
    }

    /// A card is out of service.
    async fn fail_card(&mut self, saga: &Saga, id: CardId, why: &str) -> Outcome<()> {
        let before = self.card(id).await?;
        let mut after = before.clone();
        fail(&mut after, why);
        if after == before {
            return Ok(());
        }
        self.write_card(saga, before, after).await
    }

    async fn write_card(&mut self, saga: &Saga, before: Card, after: Card) -> Outcome<()> {
        let reason = match self.ahead.code(saga.phone_id) {
            Some(code) => code,
            None => {
                phone::Entity::find_by_id(saga.phone_id).one(&**self.tx).await?.map_or_else(String::new, |row| row.code)
            }
        };
        let change = Change { before, after, reason };
        let written = write_cards(self.tx, vec![change], &By::console(), self.now).await?;
        self.told.written.push(written);
        Ok(())
    }

    /// The stay of the saga ends, and its card is free.
    pub(super) async fn end_stay(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        if let Some(id) = saga.placement_id {
            self.set_role(id, Role::Ended).await?;
        }
        self.occupy(saga, card, Occupancy::Free, None).await
    }

    pub(super) async fn set_role(&mut self, id: PlacementId, role: Role) -> Outcome<()> {
        let ended_at = (role == Role::Ended).then_some(self.now);
        let change =
            placement::ActiveModel { id: Set(id), role: Set(role), ended_at: Set(ended_at), ..Default::default() };
        placement::Entity::update(change).exec(&**self.tx).await?;
        Ok(())
    }

    /// Back to its place in the queue, or over if it was tried on too many cards.
    async fn next_card(&mut self, saga: &Saga, code: &str) -> Outcome<()> {
        let cards = saga.cards + 1;
        let change = saga::ActiveModel {
            placement_id: Set(None),
            // It does not come back to that one.
            proof: Set(String::new()),
            step: Set(StepName::Reserve),
            state: Set(SagaState::Waiting),
            cards: Set(cards),
            code: Set(code.to_owned()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        if cards < CARDS {
            return Ok(());
        }
        self.give_up(&saga, SagaState::Failed, code).await
    }

    /// Phone and card belong together, if the phone may still be put on.
    async fn bind(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let before = phone::Entity::find_by_id(saga.phone_id).lock_exclusive().one(&**self.tx).await?;
        let (Some(before), Some(stay)) = (before, saga.placement_id) else {
            return self.give_up(saga, SagaState::Failed, Reason::PhoneGone.code()).await;
        };
        // Whoever is at home elsewhere by now, or on another board, would be bound to a card that its copies fit no more.
        let is_its = before.room_id == saga.room_id && before.plan.board() == saga.board;
        if let Err(why) = puts_on(&before).and(if is_its { Ok(()) } else { Err(Reason::PhoneOtherBoard) }) {
            self.clear(saga, card, None).await?;
            return self.give_up(saga, SagaState::Failed, why.code()).await;
        }
        self.set_role(stay, Role::Holds).await?;
        let image = fleet::image_of(&**self.tx, card).await?;
        let copy = self.restored(saga).await?;
        let used_bytes = copy.as_ref().map_or(before.used_bytes, |copy| copy.bytes);
        let held = Held { image: image.chars().take(64).collect(), used_bytes };
        let after = bound(self.tx, &before, (stay, card), held, Some(saga.enqueued_at), self.now).await?;
        self.occupy(saga, card, Occupancy::InUse, None).await?;
        self.leaves_for_good(saga.phone_id).await?;
        let mut audit = Audit::of("phone").id(after.id).name(&after.code).before(&before).after(&after);
        if let Some(copy) = copy {
            audit = audit.note(format!("backup {}", copy.id));
        }
        let name = saga.created_by.clone();
        let entry = Entry { at: self.now, action: "phone_bound".to_owned(), operator_name: name, ..Entry::default() };
        self.tx.record(audit.fill(entry));
        self.withholds(saga, &after).await?;
        let saga = self.change(saga, saga::ActiveModel { step: Set(StepName::Bind), ..Default::default() }).await?;
        self.done(&saga).await
    }
}
