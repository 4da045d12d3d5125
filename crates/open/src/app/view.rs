//! An application, as lists and details show it.

use std::collections::HashMap;

use entity::open_app::{Model, OpenOwner, OpenScope};
use entity::{OpenAppId, OpenKeyId, open_key};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde::Serialize;
use utoipa::ToSchema;

/// An application, as lists and details show it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenAppView {
    pub id: OpenAppId,
    pub name: String,
    pub owner: OpenOwner,
    /// Which agent or partner; empty for the company.
    pub owner_name: String,
    /// What it may call.
    pub scopes: Vec<OpenScope>,
    /// Networks from which it may call, with spaces between them; empty if any address may.
    pub ips: String,
    pub per_second: i32,
    /// Thousands of calls a day; none if a day has no limit.
    pub per_day: Option<i32>,
    pub enabled: bool,
    /// The live ones, two at most.
    pub keys: Vec<OpenKeyView>,
    /// All that it ever made.
    pub calls: i64,
    pub remark: String,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

/// A live key. Its secret was shown when it was made, and is shown no more.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenKeyView {
    pub id: OpenKeyId,
    /// What callers name it by.
    pub code: String,
    pub created_at: UtcTime,
    pub created_by: String,
    /// To the minute; none if it was never used.
    pub last_used_at: Option<UtcTime>,
}

/// `rows` with their live keys.
///
/// # Errors
/// When a read fails.
pub async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<OpenAppView>, DbErr> {
    let of_these = open_key::Column::AppId.is_in(rows.iter().map(|row| row.id));
    let live = open_key::Entity::find().filter(of_these).filter(open_key::Column::RevokedAt.is_null());
    let mut keys: HashMap<OpenAppId, Vec<OpenKeyView>> = HashMap::new();
    for row in live.order_by_asc(open_key::Column::Id).all(db).await? {
        let open_key::Model { id, app_id, code, created_at, created_by, last_used_at, .. } = row;
        keys.entry(app_id).or_default().push(OpenKeyView { id, code, created_at, created_by, last_used_at });
    }
    let view = |row: Model| {
        let Model {
            id,
            name,
            owner,
            owner_name,
            scopes,
            ips,
            per_second,
            per_day,
            is_enabled,
            remark,
            calls,
            day: _,
            day_calls: _,
            created_at,
            updated_at,
        } = row;
        OpenAppView {
            keys: keys.remove(&id).unwrap_or_default(),
            id,
            name,
            owner,
            owner_name,
            scopes: OpenScope::listed(&scopes),
            ips,
            per_second,
            per_day,
            enabled: is_enabled,
            calls,
            remark,
            created_at,
            updated_at,
        }
    };
    Ok(rows.into_iter().map(view).collect())
}
