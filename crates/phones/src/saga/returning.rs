//! A phone comes back to the card that it has left, while nobody has needed that: its data is there as it was copied, and
//! Android is started again.

use std::collections::{HashMap, HashSet};

use base::fault::Outcome;
use entity::card::{self, Lifecycle, Maintenance, NetworkStatus, Occupancy};
use entity::phone::{Model as Phone, UseType};
use entity::saga::{self, Model as Saga, SagaState};
use entity::saga_step::StepName;
use entity::{PhoneId, RoomId, backup, card_busy, phone, placement};
use sea_orm::sea_query::{Expr, SelectStatement};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, QueryTrait as _, Select,
};
use wire::Reason;

use super::advance::Desk;
use super::states;
use crate::forbidden::withheld::may_not_return;

/// The clearings that wait of cards that these phones have left.
fn sealed(phones: impl IntoIterator<Item = PhoneId>) -> Select<saga::Entity> {
    let waits = saga::Entity::find().filter(Expr::cust(states::CLEAR_WAITS));
    waits.filter(saga::Column::PhoneId.is_in(phones)).filter(saga::Column::Proof.ne(""))
}

/// Which of these phones have left a card of their home room that is still as it was, reachable or not, and come back to it.
///
/// # Errors
/// When the read fails.
pub async fn have_sealed(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashSet<PhoneId>> {
    let select = sealed(phones.iter().map(|row| row.id)).select_only();
    let select = select.columns([saga::Column::PhoneId, saga::Column::RoomId]);
    let found: Vec<(PhoneId, RoomId)> = select.into_tuple().all(db).await?;
    let homes: HashMap<PhoneId, RoomId> = phones.iter().map(|row| (row.id, row.room_id)).collect();
    let at_home = found.into_iter().filter(|(phone, room)| homes.get(phone) == Some(room));
    let at_home: HashSet<PhoneId> = at_home.map(|(phone, _)| phone).collect();
    let home: Vec<&Phone> = phones.iter().filter(|row| at_home.contains(&row.id)).collect();
    let elsewhere = may_not_return(db, &home).await?;
    Ok(at_home.into_iter().filter(|phone| !elsewhere.contains(phone)).collect())
}

/// Whether what a phone has left on a card, to which it can come back, may be in no whole copy: the one that it lives by, and that
/// was made there, is damaged.
///
/// # Errors
/// When a read fails.
pub(super) async fn has_newer(db: &impl ConnectionTrait, phone: &Phone) -> Outcome<bool> {
    let left = sealed([phone.id]).select_only().column(saga::Column::Code).into_tuple();
    let left: Vec<String> = left.all(db).await?;
    if left.is_empty() || left.iter().any(|code| code == Reason::CopyDamaged.code()) {
        return Ok(!left.is_empty());
    }
    let Some(kept) = phone.kept_id else { return Ok(true) };
    Ok(backup::Entity::find_by_id(kept).one(db).await?.is_none_or(|kept| !kept.damage.is_empty()))
}

/// Phones that have left a card that is still as it was.
pub(super) fn phones_with_own() -> SelectStatement {
    let waits = saga::Entity::find().filter(Expr::cust(states::CLEAR_WAITS)).filter(saga::Column::Proof.ne(""));
    waits.select_only().column(saga::Column::PhoneId).into_query()
}

/// The cards that these phones have left and that are still as they were, with the clearings that wait: up, in service, and
/// nothing at them. Whoever waits in another room by now does not come back. What is found is locked if it `locks`.
///
/// # Errors
/// When a read fails.
pub async fn own(
    db: &impl ConnectionTrait,
    waiting: &[Saga],
    locks: bool,
) -> Outcome<HashMap<PhoneId, (Saga, card::Model)>> {
    let sealed = sealed(waiting.iter().map(|saga| saga.phone_id))
        .order_by_asc(saga::Column::Id)
        .apply_if(locks.then_some(()), |select, ()| select.lock_exclusive())
        .all(db)
        .await?;
    if sealed.is_empty() {
        return Ok(HashMap::new());
    }
    let stays = placement::Entity::find()
        .filter(placement::Column::Id.is_in(sealed.iter().filter_map(|saga| saga.placement_id)))
        .filter(placement::Column::IsQuarantined.eq(false))
        .all(db)
        .await?;
    let busy = card_busy::Entity::find().select_only().column(card_busy::Column::CardId);
    let busy: Vec<entity::CardId> = busy
        .filter(card_busy::Column::CardId.is_in(stays.iter().map(|stay| stay.card_id)))
        .into_tuple()
        .all(db)
        .await?;
    let cards = card::Entity::find()
        .filter(card::Column::Id.is_in(stays.iter().map(|stay| stay.card_id)))
        .filter(card::Column::Id.is_not_in(busy))
        .filter(card::Column::Lifecycle.eq(Lifecycle::Registered))
        .filter(card::Column::Occupancy.eq(Occupancy::Sealed))
        .filter(card::Column::Maintenance.eq(Maintenance::None))
        .filter(card::Column::NetworkStatus.eq(NetworkStatus::Online))
        .filter(card::Column::IsAssignable.eq(true))
        .filter(card::Column::IsUpgrading.eq(false))
        .apply_if(locks.then_some(()), |select, ()| select.lock_exclusive())
        .all(db)
        .await?;
    let homes: HashMap<PhoneId, RoomId> = waiting.iter().map(|saga| (saga.phone_id, saga.room_id)).collect();
    let mut found = HashMap::new();
    for saga in sealed {
        let stay = stays.iter().find(|stay| Some(stay.id) == saga.placement_id);
        let card = stay.and_then(|stay| cards.iter().find(|card| card.id == stay.card_id));
        let is_home =
            |card: &&card::Model| card.room_id == saga.room_id && homes.get(&saga.phone_id) == Some(&card.room_id);
        if let Some(card) = card.filter(is_home) {
            found.insert(saga.phone_id, (saga, card.clone()));
        }
    }
    Ok(found)
}

impl Desk<'_> {
    /// A put-on that waits goes back to the card that its phone had left: the clearing of that is not wanted any more.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn take_back(&mut self, saga: &Saga, sealed: &Saga, card: &card::Model) -> Outcome<()> {
        let change =
            saga::ActiveModel { state: Set(SagaState::Cancelled), ended_at: Set(Some(self.now)), ..Default::default() };
        self.change(sealed, change).await?;
        let change = saga::ActiveModel {
            placement_id: Set(sealed.placement_id),
            proof: Set(sealed.proof.clone()),
            backup_id: Set(None),
            step: Set(StepName::Start),
            state: Set(SagaState::Running),
            code: Set(String::new()),
            ..Default::default()
        };
        let saga = self.change(saga, change).await?;
        self.occupy(&saga, card.id, Occupancy::Restoring, None).await?;
        self.write_step(&saga, StepName::Start, card.id, 0).await
    }

    /// A phone lives by a whole copy again: what it has left on cards is not all that is left of it.
    pub(super) async fn lives_by_copy(&mut self, phone: PhoneId) -> Outcome<()> {
        let again = saga::ActiveModel { code: Set(String::new()), ..Default::default() };
        let left = saga::Entity::update_many().set(again).filter(Expr::cust(states::CLEAR_WAITS));
        left.filter(saga::Column::PhoneId.eq(phone)).exec(&**self.tx).await?;
        Ok(())
    }

    /// A copy was found damaged. If its phone is off and lives by it, what is on the card that it has left may be all that is left:
    /// nobody gets that card.
    pub(super) async fn lives_by_damaged(&mut self, copy: &backup::Model) -> Outcome<()> {
        let off = phone::Entity::find()
            .select_only()
            .column(phone::Column::Id)
            .filter(phone::Column::Id.eq(copy.phone_id))
            .filter(phone::Column::KeptId.eq(copy.id))
            .filter(phone::Column::UseType.eq(UseType::Off))
            .into_query();
        let stays = saga::ActiveModel { code: Set(Reason::CopyDamaged.code().to_owned()), ..Default::default() };
        let left = saga::Entity::update_many().set(stays).filter(Expr::cust(states::CLEAR_WAITS));
        left.filter(saga::Column::PhoneId.in_subquery(off)).exec(&**self.tx).await?;
        Ok(())
    }

    /// A phone that has come on another card, or lives by an older copy by now, does not come back to those that it had left: they
    /// are wiped.
    pub(super) async fn leaves_for_good(&mut self, phone: PhoneId) -> Outcome<()> {
        let sealed = sealed([phone]).order_by_asc(saga::Column::Id).lock_exclusive().all(&**self.tx).await?;
        for sealed in &sealed {
            self.unseal(sealed).await?;
        }
        Ok(())
    }
}
