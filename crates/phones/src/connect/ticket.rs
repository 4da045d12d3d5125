//! Tickets: drawn for whoever may connect, used once by a gateway. Only their hashes are kept.

use base::access::session;
use base::app::App;
use base::fault::Outcome;
use base::owned::Owned;
use db::WriteTx;
use entity::connect::{ActiveModel, Column, ConnectState, Entity};
use entity::phone::Model as Phone;
use entity::placement::{self, Role};
use entity::{ConnectId, OpenAppId, card, phone};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _};

use super::ask::row_of;
use super::find::find;
use super::stand::{Stand, stand};
use crate::saga as sagas;
use crate::session::book::stream_began;
use crate::stream::id::StreamId;

/// Seconds for which a ticket is good.
const GOOD: i64 = 60;

/// A ticket that was just drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// 256 bits. It is told this once.
    pub ticket: String,
    pub until: UtcTime,
}

fn hash(ticket: &str) -> String {
    hex::encode(session::hash(ticket))
}

/// Draws a ticket for an application that connects to a phone, which is locked and on its card; the one before is good no
/// more. None if the application does not connect to it.
///
/// # Errors
/// When the database refuses.
pub async fn draw(tx: &WriteTx, phone: &Phone, by: OpenAppId, now: UtcTime) -> Outcome<Option<Drawn>> {
    let row = row_of(&**tx, phone.id, by).await?;
    let Some(row) = row.filter(|row| row.state.is_open()) else { return Ok(None) };
    let (ticket, until) = (session::new_token(), now.plus_seconds(GOOD));
    let is_connected = row.state == ConnectState::Connected;
    let change = ActiveModel {
        id: Set(row.id),
        state: Set(if is_connected { ConnectState::Connected } else { ConnectState::Granted }),
        ticket_hash: Set(Some(hash(&ticket))),
        until: Set(Some(until)),
        endpoint_rev: Set(phone.endpoint_rev),
        granted_at: Set(row.granted_at.or(Some(now))),
        ..Default::default()
    };
    Entity::update(change).exec(&**tx).await?;
    Ok(Some(Drawn { ticket, until }))
}

/// What a ticket that is good opens.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Whoever it was drawn for.
    pub app_id: OpenAppId,
    pub phone: phone::Model,
    pub stay: placement::Model,
    pub card: card::Model,
    /// The stream that goes on of the same application, and by which gateway: it ends with this one.
    pub before: Option<(StreamId, String)>,
    connect: ConnectId,
    /// The stream that it begins.
    stream: i64,
}

/// What a ticket opens for a gateway that may see these phones; none if it is not good any more, or never was.
///
/// # Errors
/// When the database refuses.
pub async fn opened(tx: &WriteTx, whose: Owned, ticket: &str, now: UtcTime) -> Outcome<Option<Opened>> {
    let found = Entity::find().filter(Column::TicketHash.eq(hash(ticket))).lock_exclusive().one(&**tx).await?;
    let Some(row) = found.filter(|row| row.until.is_some_and(|until| now < until)) else { return Ok(None) };
    let phone = find(tx, whose, row.phone_id).await?;
    let Some(phone) = phone.filter(|phone| phone.endpoint_rev == row.endpoint_rev) else { return Ok(None) };
    // One that is being taken off lets nobody in any more, even if that is turned back: then there is another ticket.
    let open = sagas::locking(&**tx, phone.id, true).await?;
    if stand(&phone, open.as_ref()) != Stand::Ready {
        return Ok(None);
    }
    let Some(stay) = phone.holds_id else { return Ok(None) };
    let stay = placement::Entity::find_by_id(stay).one(&**tx).await?;
    let Some(stay) = stay.filter(|stay| stay.role == Role::Holds) else { return Ok(None) };
    let Some(card) = card::Entity::find_by_id(stay.card_id).one(&**tx).await? else { return Ok(None) };
    let (connect, stream) = (row.id, row.stream + 1);
    let before = row.stream_at.map(|_| (StreamId { connect, number: row.stream }, row.gateway));
    Ok(Some(Opened { app_id: row.app_id, phone, stay, card, before, connect, stream }))
}

/// Uses a ticket up: from now on somebody uses the phone by this gateway, and whoever did before does not any more.
///
/// # Errors
/// When the database refuses.
pub async fn spend(app: &App, tx: &mut WriteTx, opened: &Opened, gateway: &str, now: UtcTime) -> Outcome<StreamId> {
    let change = ActiveModel {
        id: Set(opened.connect),
        state: Set(ConnectState::Connected),
        ticket_hash: Set(None),
        until: Set(None),
        connected_at: Set(Some(now)),
        stream: Set(opened.stream),
        stream_at: Set(Some(now)),
        gateway: Set(gateway.to_owned()),
        ..Default::default()
    };
    Entity::update(change).exec(&**tx).await?;
    stream_began(app, tx, &opened.phone, &opened.stay, (opened.app_id, gateway), now).await?;
    Ok(StreamId { connect: opened.connect, number: opened.stream })
}
