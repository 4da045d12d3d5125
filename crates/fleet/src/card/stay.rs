//! Which phones stay on which cards, for those who show either, and for whatever is done to cards.

use std::collections::{BTreeSet, HashMap};

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

/// The cards of these stays: id and intranet address.
///
/// # Errors
/// When a read fails.
pub async fn cards_of(
    db: &impl ConnectionTrait,
    stays: impl IntoIterator<Item = PlacementId>,
) -> Result<HashMap<PlacementId, (i64, String)>, DbErr> {
    let stays: Vec<PlacementId> = stays.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let mut found = HashMap::with_capacity(stays.len());
    for stays in stays.chunks(VALUES) {
        let select =
            placement::Entity::find().select_only().columns([placement::Column::Id, placement::Column::CardId]);
        let stays: Vec<(PlacementId, CardId)> =
            select.filter(placement::Column::Id.is_in(stays.iter().copied())).into_tuple().all(db).await?;
        let select = card::Entity::find().select_only().columns([card::Column::Id, card::Column::IntranetIp]);
        let cards: Vec<(CardId, Ip4)> =
            select.filter(card::Column::Id.is_in(stays.iter().map(|(_, card)| *card))).into_tuple().all(db).await?;
        let addresses: HashMap<CardId, Ip4> = cards.into_iter().collect();
        found.extend(
            stays.into_iter().filter_map(|(stay, card)| Some((stay, (card.0, addresses.get(&card)?.to_string())))),
        );
    }
    Ok(found)
}

/// The ids of the stays on cards whose address begins with `text`: to be asked within another question. None but an
/// address of at least three characters finds any.
#[must_use]
pub fn stays_at(text: &str) -> SelectStatement {
    let cards = card::Entity::find().select_only().column(card::Column::Id);
    let range = Ip4::beginning_with(text).filter(|_| text.chars().count() >= 3);
    let there = match range {
        Some((from, to)) => Condition::any()
            .add(card::Column::IntranetIp.between(from, to))
            .add(card::Column::ExtranetIp.between(from, to)),
        None => Condition::any().add(card::Column::Id.eq(0)),
    };
    let select = placement::Entity::find().select_only().column(placement::Column::Id);
    select
        .filter(placement::Column::Role.eq(Role::Holds))
        .filter(placement::Column::CardId.in_subquery(cards.filter(there).into_query()))
        .into_query()
}

/// The phones on these cards, by their codes: those that a card is prepared for, those it holds, and those whose data it
/// still has.
///
/// # Errors
/// When a read fails.
pub async fn phones_on(
    db: &impl ConnectionTrait,
    cards: impl IntoIterator<Item = CardId>,
) -> Result<HashMap<CardId, (PhoneId, String)>, DbErr> {
    let cards: Vec<CardId> = cards.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let mut found = HashMap::new();
    for cards in cards.chunks(VALUES) {
        let stays = placement::Entity::find()
            .select_only()
            .columns([placement::Column::CardId, placement::Column::PhoneId])
            .filter(placement::Column::Role.ne(Role::Ended))
            .filter(placement::Column::CardId.is_in(cards.iter().copied()));
        let stays: Vec<(CardId, PhoneId)> = stays.into_tuple().all(db).await?;
        if stays.is_empty() {
            continue;
        }
        let codes = phone::Entity::find().select_only().columns([phone::Column::Id, phone::Column::Code]);
        let codes = codes.filter(phone::Column::Id.is_in(stays.iter().map(|(_, phone)| *phone)));
        let codes: HashMap<PhoneId, String> =
            codes.into_tuple::<(PhoneId, String)>().all(db).await?.into_iter().collect();
        found.extend(stays.into_iter().filter_map(|(card, phone)| Some((card, (phone, codes.get(&phone)?.clone())))));
    }
    Ok(found)
}
