//! What an application is told of itself.

use base::http::{ApiResult, Reply, reply};
use entity::open_app::{OpenOwner, OpenScope};
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;

use super::guard::Caller;

/// The application that calls.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenSelf {
    pub id: String,
    pub name: String,
    /// 1 the company, which sees everything; 2 an agent, 3 a partner, who see what they brought.
    pub owner: OpenOwner,
    /// Which agent or partner; empty for the company.
    pub owner_name: String,
    /// What it may call.
    pub scopes: Vec<OpenScope>,
    pub limits: OpenLimits,
    pub key: OpenSelfKey,
    /// The clock of the server: yours may be 300 seconds from it.
    pub time: UtcTime,
}

/// How often it may call.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenLimits {
    pub per_second: i32,
    pub left_in_second: i32,
    /// Null if a day has no limit.
    pub per_day: Option<i64>,
    /// Null if a day has no limit.
    pub left_in_day: Option<i64>,
    pub calls_today: i64,
}

/// The key that the call was signed with.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenSelfKey {
    pub code: String,
    pub created_at: UtcTime,
}

/// Says who calls: the application, its scopes, and what is left of its limits. A first call to try the signature with.
#[utoipa::path(get, path = "/open/v1/app", tag = "app", responses((status = 200, body = Reply<OpenSelf>)))]
pub async fn open_app_self(caller: Caller) -> ApiResult<OpenSelf> {
    let (known, left) = (&caller.known, caller.left);
    reply(OpenSelf {
        id: known.app.to_string(),
        name: known.name.clone(),
        owner: known.owner,
        owner_name: known.owner_name.clone(),
        scopes: known.scopes.clone(),
        limits: OpenLimits {
            per_second: known.per_second,
            left_in_second: left.in_second,
            per_day: known.per_day.map(|thousands| i64::from(thousands) * 1000),
            left_in_day: left.in_day,
            calls_today: left.calls_today,
        },
        key: OpenSelfKey { code: known.key.clone(), created_at: known.key_made_at },
        time: caller.app.clock.now(),
    })
}
