//! The phones that are on cards of a room, read page by page: what is read follows from how many are there, and not from how many
//! phones there are.

use std::collections::{HashMap, HashSet};

use base::fault::Outcome;
use entity::card::{self, NetworkStatus};
use entity::phone::{self, Life, Plan};
use entity::phone_session::{self, Model as Stay};
use entity::{CardId, ImageId, PhoneId, RoomId, saga};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _, Select,
};
use wire::Reason;

use super::states;
use crate::rule::off::{Facts, Use};
use crate::rule::{Place, Rules};
use crate::session::used::used_in;

/// Phones in a page.
pub const PAGE: u64 = 1000;

/// A phone that is on a card.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// Which rules hold for it.
    pub place: Place,
    pub life: Life,
    /// Days bought in one piece.
    pub term: i32,
    pub used: Use,
    /// Its card is online.
    pub is_up: bool,
    /// It has its card for itself.
    pub is_dedicated: bool,
    /// What its card runs, if that is online.
    pub image: Option<ImageId>,
}

impl Here {
    /// What decides by these rules whether it leaves its card, which nobody needs.
    #[must_use]
    pub fn facts<'a>(&self, rules: &'a Rules, is_busy: bool) -> Facts<'a> {
        let Self { life, term, used, is_up, is_dedicated, .. } = *self;
        let unreachable = (!is_up).then_some(Reason::CardLost);
        Facts { is_busy, unreachable, life, rules, used, term, is_dedicated, is_needed: false }
    }
}

/// A page of the stays that go on in a room: those of the phones that come after this one.
#[must_use]
pub fn stays_here(room: RoomId, after: PhoneId) -> Select<phone_session::Entity> {
    use phone_session::{Column, Entity};
    let open = Entity::find().filter(Column::RoomId.eq(room)).filter(Expr::cust("ended_at IS NULL"));
    open.filter(Column::PhoneId.gt(after)).order_by_asc(Column::PhoneId).limit(PAGE)
}

/// The phones that are on cards of a room.
///
/// # Errors
/// When a read fails.
pub async fn here(db: &impl ConnectionTrait, room: RoomId) -> Outcome<Vec<Here>> {
    let (mut all, mut after) = (Vec::new(), PhoneId(0));
    loop {
        let stays = stays_here(room, after).all(db).await?;
        let Some(last) = stays.last() else { return Ok(all) };
        after = last.phone_id;
        all.extend(of(db, room, &stays).await?);
    }
}

/// A phone, if it is on a card.
///
/// # Errors
/// When a read fails.
pub async fn here_phone(db: &impl ConnectionTrait, phone: PhoneId) -> Outcome<Option<Here>> {
    let open = phone_session::Entity::find().filter(phone_session::Column::PhoneId.eq(phone));
    let Some(stay) = open.filter(Expr::cust("ended_at IS NULL")).one(db).await? else { return Ok(None) };
    Ok(of(db, stay.room_id, std::slice::from_ref(&stay)).await?.pop())
}

/// The rooms on whose cards phones are.
///
/// # Errors
/// When the read fails.
pub async fn rooms(db: &impl ConnectionTrait) -> Outcome<Vec<RoomId>> {
    let open = phone_session::Entity::find().select_only().column(phone_session::Column::RoomId).distinct();
    Ok(open.filter(Expr::cust("ended_at IS NULL")).into_tuple().all(db).await?)
}

/// The phones of a room to which something is being done.
///
/// # Errors
/// When the read fails.
pub async fn busy(db: &impl ConnectionTrait, room: RoomId) -> Outcome<HashSet<PhoneId>> {
    let select = states::of_room(room, states::LOCKED).select_only().column(saga::Column::PhoneId);
    let found: Vec<PhoneId> = select.into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}

/// The phones of a page.
async fn of(db: &impl ConnectionTrait, room: RoomId, stays: &[Stay]) -> Outcome<Vec<Here>> {
    use card::Column as Of;
    let on = card::Entity::find().select_only().columns([Of::Id, Of::NetworkStatus, Of::IsOvercommit, Of::ImageId]);
    let on = on.filter(Of::RoomId.eq(room)).filter(Of::Id.is_in(stays.iter().map(|stay| stay.card_id)));
    let on: Vec<(CardId, NetworkStatus, bool, Option<ImageId>)> = on.into_tuple().all(db).await?;
    let on: HashMap<CardId, (bool, bool, Option<ImageId>)> = on
        .into_iter()
        .map(|(card, network, is_overcommit, image)| (card, (network == NetworkStatus::Online, !is_overcommit, image)))
        .collect();
    let cards: HashMap<PhoneId, CardId> = stays.iter().map(|stay| (stay.phone_id, stay.card_id)).collect();
    let used = used_in(db, stays).await?;
    let rows = phone::Entity::find().select_only();
    let rows = rows.columns([phone::Column::Id, phone::Column::Plan, phone::Column::Life, phone::Column::Term]);
    let rows = rows.filter(phone::Column::Id.is_in(cards.keys().copied()));
    let rows: Vec<(PhoneId, Plan, Life, i32)> = rows.into_tuple().all(db).await?;
    let one = |(phone, plan, life, term): (PhoneId, Plan, Life, i32)| {
        let card = cards.get(&phone).and_then(|card| on.get(card)).copied();
        let (is_up, is_dedicated, image) = card.unwrap_or((false, false, None));
        let (place, used, image) = (Place { phone, plan, room }, *used.get(&phone)?, image.filter(|_| is_up));
        Some(Here { place, life, term, used, is_up, is_dedicated, image })
    };
    Ok(rows.into_iter().filter_map(one).collect())
}
