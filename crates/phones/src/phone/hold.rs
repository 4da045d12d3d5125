//! A phone on a card.

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::phone::{self, Entity, Model, UseType};
use entity::phone_session::SessionEnd;
use entity::placement::{self, Role};
use entity::{BackupId, CardId, PlacementId, RoomId};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, EntityTrait as _};

use super::counts::moved;
use crate::connect::over::gone;
use crate::news;
use crate::session::book::{began, ended};

/// What a phone has on its card.
#[derive(Clone, Debug)]
pub struct Held {
    pub image: String,
    pub used_bytes: i64,
}

/// Records that `before`, which is off the machine, is on `card` since `at`. From then on it is not blank.
///
/// # Errors
/// When the card holds another phone, or the write fails.
pub async fn hold(tx: &mut WriteTx, before: &Model, card: CardId, held: Held, at: UtcTime) -> Outcome<Model> {
    let stay = placement::ActiveModel {
        phone_id: Set(before.id),
        card_id: Set(card),
        role: Set(Role::Holds),
        is_quarantined: Set(false),
        began_at: Set(at),
        ended_at: Set(None),
        ..Default::default()
    };
    let stay = placement::Entity::insert(stay).exec(&**tx).await?.last_insert_id;
    bound(tx, before, (stay, card), held, None, at).await
}

/// Records that `before` is off its card since `at`, for this reason, and lives by this copy. From then on whoever was connected
/// is not.
///
/// # Errors
/// When that is no verified copy of all of the phone, or the write fails.
pub async fn left(
    app: &App,
    tx: &mut WriteTx,
    before: &Model,
    copy: BackupId,
    why: SessionEnd,
    at: UtcTime,
) -> Outcome<Model> {
    let row = phone::ActiveModel {
        id: Set(before.id),
        use_type: Set(UseType::Off),
        holds_id: Set(None),
        kept_id: Set(Some(copy)),
        endpoint_rev: Set(before.endpoint_rev + 1),
        updated_at: Set(at),
        ..Default::default()
    };
    let after = Entity::update(row).exec(&**tx).await?;
    gone(tx, before.id, at).await?;
    ended(app, tx, before.id, why, at).await?;
    moved(tx.counts(), Some(before), &after);
    news::off(tx, &after, why, at).await?;
    Ok(after)
}

/// Records that `before` is off its card since `at`, and that nothing of it is left: it is as new. From then on whoever was
/// connected is not.
///
/// # Errors
/// When no loss of what it had there is recorded, or the write fails.
pub async fn emptied(app: &App, tx: &mut WriteTx, before: &Model, at: UtcTime) -> Outcome<Model> {
    let row = phone::ActiveModel {
        id: Set(before.id),
        use_type: Set(UseType::Off),
        is_blank: Set(true),
        holds_id: Set(None),
        kept_id: Set(None),
        endpoint_rev: Set(before.endpoint_rev + 1),
        used_bytes: Set(0),
        image: Set(String::new()),
        updated_at: Set(at),
        ..Default::default()
    };
    let after = Entity::update(row).exec(&**tx).await?;
    gone(tx, before.id, at).await?;
    ended(app, tx, before.id, SessionEnd::GivenUp, at).await?;
    moved(tx.counts(), Some(before), &after);
    news::off(tx, &after, SessionEnd::GivenUp, at).await?;
    Ok(after)
}

/// Records that the home of `before`, which is off the machine, is this room since `at`: there it is put on.
///
/// # Errors
/// When there is no such room, or the write fails.
pub async fn rehomed(tx: &mut WriteTx, before: &Model, room: RoomId, at: UtcTime) -> Outcome<Model> {
    let row = phone::ActiveModel { id: Set(before.id), room_id: Set(room), updated_at: Set(at), ..Default::default() };
    let after = Entity::update(row).exec(&**tx).await?;
    moved(tx.counts(), Some(before), &after);
    Ok(after)
}

/// Records that `before` is on the card of `stay`, which holds it, since `at`. Somebody asked for that at `asked`, if it is
/// known.
///
/// # Errors
/// When the write fails.
pub async fn bound(
    tx: &mut WriteTx,
    before: &Model,
    (stay, card): (PlacementId, CardId),
    held: Held,
    asked: Option<UtcTime>,
    at: UtcTime,
) -> Outcome<Model> {
    let row = phone::ActiveModel {
        id: Set(before.id),
        use_type: Set(UseType::On),
        is_blank: Set(false),
        holds_id: Set(Some(stay)),
        endpoint_rev: Set(before.endpoint_rev + 1),
        image: Set(held.image),
        used_bytes: Set(held.used_bytes),
        last_used_at: Set(Some(at)),
        updated_at: Set(at),
        ..Default::default()
    };
    let after = Entity::update(row).exec(&**tx).await?;
    began(tx, &after, (stay, card), asked, at).await?;
    moved(tx.counts(), Some(before), &after);
    news::on(tx, &after, at).await?;
    Ok(after)
}
