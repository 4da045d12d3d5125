//! Which phones stay on which cards, for those who show either, and for whatever is done to cards.

use std::collections::{BTreeSet, HashMap};

use entity::phone::DiskState;
use entity::placement::{self, Role};
use entity::{CardId, PhoneId, PlacementId, card, phone};
use kernel::ip4::Ip4;
use sea_orm::sea_query::SelectStatement;
use sea_orm::{
    ColumnTrait as _, Condition, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _,
    QueryTrait as _,
};

/// Values in one statement: engines limit them.
const VALUES: usize = 500;

/// What these cards are called: their intranet addresses.
///
/// # Errors
/// When a read fails.
pub async fn card_addresses(
    db: &impl ConnectionTrait,
    cards: impl IntoIterator<Item = CardId>,
) -> Result<HashMap<CardId, String>, DbErr> {
    let cards: BTreeSet<CardId> = cards.into_iter().collect();
    let select = card::Entity::find().select_only().columns([card::Column::Id, card::Column::IntranetIp]);
    let found: Vec<(CardId, Ip4)> = select.filter(card::Column::Id.is_in(cards)).into_tuple().all(db).await?;
    Ok(found.into_iter().map(|(id, address)| (id, address.to_string())).collect())
}

/// The ids of the phones on cards whose address begins with `text`: to be asked within another question. None but an
/// address of at least three characters finds any.
#[must_use]
pub fn phones_at(text: &str) -> SelectStatement {
    let cards = card::Entity::find().select_only().column(card::Column::Id);
    let range = Ip4::beginning_with(text).filter(|_| text.chars().count() >= 3);
    let there = match range {
        Some((from, to)) => Condition::any()
            .add(card::Column::IntranetIp.between(from, to))
            .add(card::Column::ExtranetIp.between(from, to)),
        None => Condition::any().add(card::Column::Id.eq(0)),
    };
    let select = placement::Entity::find().select_only().column(placement::Column::PhoneId);
    select
        .filter(placement::Column::Role.eq(Role::Holds))
        .filter(placement::Column::CardId.in_subquery(cards.filter(there).into_query()))
        .into_query()
}

/// A phone's stay on a card that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// Its id.
    pub id: PlacementId,
    /// The phone.
    pub phone: PhoneId,
    /// The phone's code.
    pub code: String,
    /// What the card is to it.
    pub role: Role,
    /// What lies on the card is to be copied before it goes.
    pub is_quarantined: bool,
    /// How full the phone's disk is.
    pub disk: DiskState,
}

impl Stay {
    /// Whether nothing would be lost with the card: the phone has left it, or was never on it, and only what it left
    /// behind is still to be cleared away.
    #[must_use]
    pub fn is_left_behind(&self) -> bool {
        self.role == Role::Outgoing && !self.is_quarantined
    }
}

/// The phones on these cards: those that a card is prepared for, those it holds, and those whose data it still has.
///
/// # Errors
/// When a read fails.
pub async fn phones_on(
    db: &impl ConnectionTrait,
    cards: impl IntoIterator<Item = CardId>,
) -> Result<HashMap<CardId, Stay>, DbErr> {
    let cards: Vec<CardId> = cards.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let mut found = HashMap::new();
    for cards in cards.chunks(VALUES) {
        let stays = placement::Entity::going_on().filter(placement::Column::CardId.is_in(cards.iter().copied()));
        let stays = stays.all(db).await?;
        if stays.is_empty() {
            continue;
        }
        let columns = [phone::Column::Id, phone::Column::Code, phone::Column::UsedBytes, phone::Column::DiskGb];
        let phones = phone::Entity::find().select_only().columns(columns);
        let phones = phones.filter(phone::Column::Id.is_in(stays.iter().map(|stay| stay.phone_id)));
        let phones: Vec<(PhoneId, String, i64, i32)> = phones.into_tuple().all(db).await?;
        let known: HashMap<PhoneId, (String, DiskState)> =
            phones.into_iter().map(|(id, code, used, disk)| (id, (code, DiskState::of(used, disk)))).collect();
        found.extend(stays.into_iter().filter_map(|stay| {
            let placement::Model { id, phone_id: phone, card_id, role, is_quarantined, .. } = stay;
            let (code, disk) = known.get(&phone)?.clone();
            Some((card_id, Stay { id, phone, code, role, is_quarantined, disk }))
        }));
    }
    Ok(found)
}
