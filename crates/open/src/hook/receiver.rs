//! Who is told, as it stands just now.

use std::sync::Arc;

use base::app::App;
use base::fault::Outcome;
use entity::{OpenAppId, open_app, webhook};
use sea_orm::EntityTrait as _;

use super::send::Receiver;
use super::{address, secret};
use crate::settings::OpenDoor;

/// Where an application is told, and what the settings say of that; none if it is not told anything just now.
///
/// # Errors
/// When a read fails.
pub async fn of(app: &App, id: OpenAppId) -> Outcome<Option<(Receiver, Arc<OpenDoor>)>> {
    let db = app.db.read();
    let hook = webhook::Entity::find_by_id(id).one(db).await?;
    let Some(hook) = hook.filter(|hook| hook.is_enabled) else { return Ok(None) };
    let owner = open_app::Entity::find_by_id(id).one(db).await?;
    if !owner.is_some_and(|owner| owner.is_enabled) {
        return Ok(None);
    }
    let Ok(url) = address::parsed(&hook.url) else { return Ok(None) };
    let settings = app.settings.get::<OpenDoor>(app).await?;
    let is_encrypted_enough = address::is_encrypted_enough(&url, &settings);
    let secret = secret::of(app, &hook).await?;
    Ok(Some((Receiver { url, code: hook.key_code, secret, is_encrypted_enough }, settings)))
}
