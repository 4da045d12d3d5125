//! Who connects to phones, as their pages show it.

use std::collections::HashMap;

use base::reference::Reference;
use entity::connect::{Column, ConnectState, Entity, Model};
use entity::{OpenAppId, PhoneId, open_app};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use serde::Serialize;
use utoipa::ToSchema;

/// Somebody who connects to a phone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectView {
    pub state: ConnectState,
    /// Since when that is so.
    pub since: UtcTime,
    /// By which application.
    pub app: Reference,
}

/// Who connects to these phones.
///
/// # Errors
/// When a read fails.
pub async fn connects(
    db: &impl ConnectionTrait,
    phones: impl Iterator<Item = PhoneId>,
) -> Result<HashMap<PhoneId, ConnectView>, DbErr> {
    let phones: Vec<PhoneId> = phones.collect();
    if phones.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = Entity::find()
        .filter(Column::PhoneId.is_in(phones))
        // As the index has it.
        .filter(Expr::cust("state IN (1, 2, 3)"))
        .all(db)
        .await?;
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let select = open_app::Entity::find().select_only().columns([open_app::Column::Id, open_app::Column::Name]);
    let named = open_app::Column::Id.is_in(rows.iter().map(|row| row.app_id));
    let names: Vec<(OpenAppId, String)> = select.filter(named).into_tuple().all(db).await?;
    let names: HashMap<OpenAppId, String> = names.into_iter().collect();
    let view = |row: Model| {
        let Model { app_id, phone_id, state, asked_at, granted_at, connected_at, .. } = row;
        let since = connected_at.or(granted_at).unwrap_or(asked_at);
        (phone_id, ConnectView { state, since, app: Reference::among(app_id, &names) })
    };
    Ok(rows.into_iter().map(view).collect())
}
