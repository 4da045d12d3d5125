//! What steps that end in one transaction need, read for all of them at once: one by one each would take ways to the
//! database and back, for which everybody waits who writes.

use std::collections::HashMap;

use base::fault::Outcome;
use entity::operation_task::TaskEffect;
use entity::saga_step::{self, Model as Step, StepName, StepState};
use entity::{CardId, PhoneId, RoomId, SagaId, SagaStepId, card, phone, saga};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, FromQueryResult, QueryFilter as _, QuerySelect as _,
    QueryTrait as _,
};

/// A try of a step, as far as others of its saga go by it.
#[derive(Debug, FromQueryResult)]
pub(super) struct Try {
    pub id: SagaStepId,
    pub saga_id: SagaId,
    pub name: StepName,
    pub card_id: CardId,
    pub state: StepState,
    pub effect: Option<TaskEffect>,
    pub began_at: Option<UtcTime>,
}

impl Try {
    /// Whether it is one of the same step on the same card.
    fn is_like(&self, step: &Step) -> bool {
        self.name == step.name && self.card_id == step.card_id
    }
}

/// The tries of some sagas, as they are in the transaction, and what stays the same in it: where cards are, and what phones are
/// called.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    tries: HashMap<SagaId, Vec<Try>>,
    rooms: HashMap<CardId, RoomId>,
    codes: HashMap<PhoneId, String>,
}

impl Ahead {
    /// Reads the tries of sagas that are not known yet.
    ///
    /// # Errors
    /// When the read fails.
    pub async fn read(&mut self, db: &impl ConnectionTrait, sagas: impl IntoIterator<Item = SagaId>) -> Outcome<()> {
        use saga_step::Column;
        let unknown: Vec<SagaId> = sagas.into_iter().filter(|saga| !self.tries.contains_key(saga)).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let found = saga_step::Entity::find()
            .select_only()
            .columns([
                Column::Id,
                Column::SagaId,
                Column::Name,
                Column::CardId,
                Column::State,
                Column::Effect,
                Column::BeganAt,
            ])
            .filter(Column::SagaId.is_in(unknown.iter().copied()))
            .into_model::<Try>()
            .all(db)
            .await?;
        self.tries.extend(unknown.into_iter().map(|saga| (saga, Vec::new())));
        for tried in found {
            self.tries.entry(tried.saga_id).or_default().push(tried);
        }
        Ok(())
    }

    /// The same, and what their phones are called.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn read_sagas(&mut self, db: &impl ConnectionTrait, sagas: &[SagaId]) -> Outcome<()> {
        self.read(db, sagas.iter().copied()).await?;
        let phones = saga::Entity::find().select_only().column(saga::Column::PhoneId);
        let phones = phones.filter(saga::Column::Id.is_in(sagas.iter().copied())).into_query();
        let phones = phone::Entity::find().filter(phone::Column::Id.in_subquery(phones));
        let phones = phones.select_only().columns([phone::Column::Id, phone::Column::Code]);
        let found: Vec<(PhoneId, String)> = phones.into_tuple().all(db).await?;
        self.codes.extend(found);
        Ok(())
    }

    /// The same, and the rooms of their cards, for all of these steps.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn read_steps(&mut self, db: &impl ConnectionTrait, steps: &[Step]) -> Outcome<()> {
        self.read_sagas(db, &steps.iter().map(|step| step.saga_id).collect::<Vec<_>>()).await?;
        let cards = card::Entity::find().select_only().columns([card::Column::Id, card::Column::RoomId]);
        let cards = cards.filter(card::Column::Id.is_in(steps.iter().map(|step| step.card_id)));
        let found: Vec<(CardId, RoomId)> = cards.into_tuple().all(db).await?;
        self.rooms.extend(found);
        Ok(())
    }

    /// What a phone is called, if that was read.
    pub fn code(&self, phone: PhoneId) -> Option<String> {
        self.codes.get(&phone).cloned()
    }

    /// A card was read.
    pub fn know(&mut self, card: &card::Model) {
        self.rooms.insert(card.id, card.room_id);
    }

    /// The room of a card, if that was read.
    pub fn room(&self, card: CardId) -> Option<RoomId> {
        self.rooms.get(&card).copied()
    }

    /// How many tries of a step with this name were written; the tries of the saga have been read.
    pub fn named(&self, saga: SagaId, name: StepName) -> usize {
        self.of(saga).filter(|tried| tried.name == name).count()
    }

    /// How many tries of a step on its card say something of it, after that one.
    pub fn said(&self, step: &Step, after: Option<SagaStepId>) -> usize {
        let is_later = |tried: &&Try| after.is_none_or(|after| tried.id > after);
        let says = |tried: &&Try| matches!(tried.state, StepState::Done | StepState::Failed);
        self.of(step.saga_id).filter(|tried| tried.is_like(step)).filter(is_later).filter(says).count()
    }

    /// Whether an agent had another try of a step on its card, of which nobody knows that it did nothing.
    pub fn was_begun(&self, step: &Step) -> bool {
        let others = self.of(step.saga_id).filter(|tried| tried.is_like(step) && tried.id != step.id);
        others.into_iter().any(|tried| tried.began_at.is_some() && tried.effect != Some(TaskEffect::NeverBegan))
    }

    /// A try was written.
    pub fn wrote(&mut self, tried: Try) {
        if let Some(tries) = self.tries.get_mut(&tried.saga_id) {
            tries.push(tried);
        }
    }

    /// A try has ended.
    pub fn ended(&mut self, step: &Step, state: StepState, effect: Option<TaskEffect>) {
        let tries = self.tries.get_mut(&step.saga_id);
        if let Some(tried) = tries.and_then(|tries| tries.iter_mut().find(|tried| tried.id == step.id)) {
            (tried.state, tried.effect) = (state, effect);
        }
    }

    fn of(&self, saga: SagaId) -> impl Iterator<Item = &Try> {
        self.tries.get(&saga).into_iter().flatten()
    }
}
