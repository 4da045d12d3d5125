//! Writes stays down: when a phone comes on a card and goes off it, and when somebody begins and ends to use it.

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::phone::Model as Phone;
use entity::phone_session::{ActiveModel, Column, Entity, Model, SessionEnd};
use entity::placement::Model as Placement;
use entity::{CardId, OpenAppId, PhoneId, PlacementId, connect, phone};
use fleet::room_zone;
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _,
    QueryTrait as _,
};

use super::counts::moved;
use super::used::{count, may_come_back, used as seen};
use crate::rule::moment::Moment;

/// As the indexes have it.
const OPEN: &str = "ended_at IS NULL";
/// A stay whose phone somebody uses, as far as anybody knows.
pub const USED: &str = "stream_at IS NOT NULL";
/// Phones in one statement.
const NAMED: usize = 1000;

/// A phone has come on a card, for which somebody asked at `asked`, if that is known.
///
/// # Errors
/// When the write fails.
pub async fn began(
    tx: &mut WriteTx,
    phone: &Phone,
    (stay, card): (PlacementId, CardId),
    asked: Option<UtcTime>,
    at: UtcTime,
) -> Outcome<()> {
    insert(tx, phone, (stay, card), asked, at).await?;
    Ok(())
}

async fn insert(
    tx: &mut WriteTx,
    phone: &Phone,
    (stay, card): (PlacementId, CardId),
    asked: Option<UtcTime>,
    at: UtcTime,
) -> Outcome<Model> {
    let row = ActiveModel {
        phone_id: Set(phone.id),
        placement_id: Set(stay),
        card_id: Set(card),
        room_id: Set(phone.room_id),
        board: Set(phone.plan.board().to_owned()),
        // A clock that was set back meanwhile tells nothing.
        asked_at: Set(asked.filter(|asked| *asked <= at)),
        began_at: Set(at),
        ended_at: Set(None),
        why: Set(None),
        app_id: Set(None),
        gateway: Set(String::new()),
        streams: Set(0),
        streamed_s: Set(0),
        first_stream_at: Set(None),
        last_stream_at: Set(None),
        stream_at: Set(None),
        ..Default::default()
    };
    let row = row.insert(&**tx).await?;
    moved(tx.counts(), None, &row);
    Ok(row)
}

/// The stay of a phone that goes on.
async fn open(tx: &WriteTx, phone: PhoneId) -> Outcome<Option<Model>> {
    Ok(Entity::find().filter(Column::PhoneId.eq(phone)).filter(Expr::cust(OPEN)).one(&**tx).await?)
}

/// Whether somebody uses a phone, or is about to.
///
/// # Errors
/// When a read fails.
pub async fn is_wanted(tx: &WriteTx, phone: PhoneId) -> Outcome<bool> {
    let used = seen(&**tx, phone).await?;
    Ok(used.since.is_some() || used.is_awaited)
}

/// What a stay is once nobody uses the phone any more.
fn unused(before: &Model, at: UtcTime) -> Model {
    let Some(since) = before.stream_at else { return before.clone() };
    let seconds = at.seconds_since(since).max(0);
    let streamed_s = before.streamed_s.saturating_add(seconds);
    Model { streamed_s, last_stream_at: Some(at.max(since)), stream_at: None, ..before.clone() }
}

async fn write(app: &App, tx: &mut WriteTx, before: &Model, after: Model) -> Outcome<()> {
    // Another use may have begun in its place.
    if let (Some(since), true) = (before.stream_at, before.stream_at != after.stream_at) {
        let zone = room_zone(&**tx, app.config.zone(), before.room_id).await?;
        let until = Moment { at: after.last_stream_at.unwrap_or(since), zone };
        count(tx, before.phone_id, since, until).await?;
    }
    let row = ActiveModel {
        id: Set(after.id),
        ended_at: Set(after.ended_at),
        why: Set(after.why),
        app_id: Set(after.app_id),
        gateway: Set(after.gateway.clone()),
        streams: Set(after.streams),
        streamed_s: Set(after.streamed_s),
        first_stream_at: Set(after.first_stream_at),
        last_stream_at: Set(after.last_stream_at),
        stream_at: Set(after.stream_at),
        ..Default::default()
    };
    Entity::update(row).exec(&**tx).await?;
    moved(tx.counts(), Some(before), &after);
    Ok(())
}

/// A phone has gone off its card. One that came there before stays were written has none.
///
/// # Errors
/// When the write fails.
pub async fn ended(app: &App, tx: &mut WriteTx, phone: PhoneId, why: SessionEnd, at: UtcTime) -> Outcome<()> {
    let Some(before) = open(tx, phone).await? else { return Ok(()) };
    let after = Model { ended_at: Some(at.max(before.began_at)), why: Some(why), ..unused(&before, at) };
    write(app, tx, &before, after).await?;
    if before.stream_at.is_some() {
        used(tx, phone, at).await?;
    }
    Ok(())
}

/// Somebody begins to use a phone on its card, by an application and a gateway. Whoever used it before does not any more.
///
/// # Errors
/// When the write fails.
pub async fn stream_began(
    app: &App,
    tx: &mut WriteTx,
    phone: &Phone,
    stay: &Placement,
    (by, gateway): (OpenAppId, &str),
    at: UtcTime,
) -> Outcome<()> {
    let before = match open(tx, phone.id).await? {
        Some(before) => before,
        // It was on its card before stays were written.
        None => insert(tx, phone, (stay.id, stay.card_id), None, stay.began_at).await?,
    };
    let after = Model {
        app_id: Some(by),
        gateway: gateway.to_owned(),
        streams: before.streams.saturating_add(1),
        first_stream_at: before.first_stream_at.or(Some(at)),
        stream_at: Some(at),
        ..unused(&before, at)
    };
    write(app, tx, &before, after).await
}

/// Nobody uses a phone any more.
///
/// # Errors
/// When the write fails.
pub async fn stream_ended(app: &App, tx: &mut WriteTx, phone: PhoneId, at: UtcTime) -> Outcome<()> {
    let Some(before) = open(tx, phone).await? else { return Ok(()) };
    if before.stream_at.is_some() {
        let after = unused(&before, at);
        write(app, tx, &before, after).await?;
        used(tx, phone, at).await?;
    }
    Ok(())
}

/// A phone was used until then.
async fn used(tx: &WriteTx, phone: PhoneId, at: UtcTime) -> Outcome<()> {
    let row = phone::ActiveModel { id: Set(phone), last_used_at: Set(Some(at)), ..Default::default() };
    phone::Entity::update(row).exec(&**tx).await?;
    Ok(())
}

/// Uses that nobody can say of any more when they end: after a restore those who connect are not in the database (its dump
/// leaves them out). They count for nothing, instead of until somebody connects anew.
///
/// # Errors
/// When the database refuses.
pub async fn begin(app: &App) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let known = connect::Entity::find().select_only().column(connect::Column::PhoneId);
    let known = known.filter(connect::Column::StreamAt.is_not_null()).into_query();
    let lost = Entity::find().filter(Expr::cust(USED)).filter(Column::PhoneId.not_in_subquery(known));
    let lost = lost.all(&*tx).await?;
    for before in &lost {
        let after = Model { last_stream_at: before.stream_at, stream_at: None, ..before.clone() };
        write(app, &mut tx, before, after).await?;
    }
    let now = app.clock.now();
    for some in lost.chunks(NAMED) {
        may_come_back(&tx, &some.iter().map(|stay| stay.phone_id).collect::<Vec<_>>(), now).await?;
    }
    tx.commit().await?;
    Ok(())
}
