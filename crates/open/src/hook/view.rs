//! Where an application is told, as its detail shows it.

use base::outbox::{DELIVERIES, parts};
use db::kept::{self, Cells};
use entity::OpenAppId;
use entity::webhook::{HookEvent, Model};
use entity::webhook_delivery::DeliveryState;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr};
use serde::Serialize;
use utoipa::ToSchema;

/// Where an application is told what happens, and of what.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenHookView {
    /// Empty if nobody has said.
    pub url: String,
    /// Of what it is told.
    pub events: Vec<HookEvent>,
    /// What receivers know the secret by; none if there is none. The secret was shown when it was made, and is shown no more.
    pub key_code: Option<String>,
    /// Whether it is told.
    pub enabled: bool,
    /// How much is on its way.
    pub pending: u64,
    /// How much waits for a person.
    pub stuck: u64,
    /// When it was changed last; none if it never was.
    pub updated_at: Option<UtcTime>,
}

/// What the operation log has of it: an address may hold somebody's token behind its question mark.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Logged {
    url: String,
    events: String,
    key_code: String,
    enabled: bool,
}

/// The webhook of an application, which may have none yet.
///
/// # Errors
/// When a read fails.
pub async fn view(db: &impl ConnectionTrait, app: OpenAppId, hook: Option<Model>) -> Result<OpenHookView, DbErr> {
    let pending =
        kept::total(db, DELIVERIES.list, Cells::With(&parts(Some(app), None, Some(DeliveryState::Pending)))).await?;
    let stuck =
        kept::total(db, DELIVERIES.list, Cells::With(&parts(Some(app), None, Some(DeliveryState::Stuck)))).await?;
    let Some(Model { app_id: _, url, events, key_code, is_enabled, created_at: _, updated_at }) = hook else {
        let (url, events, key_code) = (String::new(), Vec::new(), None);
        return Ok(OpenHookView { url, events, key_code, enabled: false, pending, stuck, updated_at: None });
    };
    Ok(OpenHookView {
        url,
        events: HookEvent::chosen(events),
        key_code: Some(key_code).filter(|code| !code.is_empty()),
        enabled: is_enabled,
        pending,
        stuck,
        updated_at: Some(updated_at),
    })
}

impl Logged {
    /// What the operation log has of a webhook.
    pub fn of(hook: &Model) -> Self {
        let names: Vec<&str> = HookEvent::chosen(hook.events).into_iter().map(HookEvent::name).collect();
        let url = match hook.url.split_once('?') {
            Some((place, _)) => format!("{place}?…"),
            None => hook.url.clone(),
        };
        Self { url, events: names.join(", "), key_code: hook.key_code.clone(), enabled: hook.is_enabled }
    }
}
