//! Customers ask to have their accounts closed, and change their minds. Operators complete it.

use axum::response::Response;
use base::http::body::PathId;
use base::http::ops::Audit;
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use customers::{closing_of, closings_since, request_closing, withdraw_closing};
use entity::logout_request::{LogoutStatus, Model};
use kernel::lang::Lang;
use kernel::rules::{Check, max_chars, single_line};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::acts::{Act, Acted, Acting, Doing};
use super::guard::Caller;
use super::refusal::Refusal;
use super::users::{find, find_within, not_closed};

const NONE_OPEN: Text = text("该客户没有待处理的注销申请", "There is no open request to close this account");

const TOO_OFTEN: Text = text(
    "该客户一天内申请注销的次数过多，请明天再试",
    "This customer has asked for it too often today; try again tomorrow",
);
const DAY: i64 = 86_400;
/// Requests of a customer in a day: operators read each of them.
const A_DAY: u64 = 5;

/// A request to close an account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenClosing {
    pub id: String,
    pub user_id: String,
    /// 1 requested, 2 withdrawn, 3 completed: the account is closed.
    pub status: LogoutStatus,
    /// The same in words.
    pub status_name: String,
    /// Empty if none was given.
    pub reason: String,
    pub requested_at: UtcTime,
    /// Null while it is open.
    pub handled_at: Option<UtcTime>,
}

impl OpenClosing {
    fn of(row: Model, lang: Lang) -> Self {
        Self {
            id: row.id.to_string(),
            user_id: row.user_id.to_string(),
            status: row.status,
            status_name: row.status.label().get(lang).to_owned(),
            reason: row.reason,
            requested_at: row.requested_at,
            handled_at: row.handled_at,
        }
    }
}

/// Why a customer closes the account.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenClosingInput {
    /// Up to 256 characters, in one line.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for OpenClosingInput {
    fn check(&self, check: &mut Check) {
        check.field("reason", max_chars(&self.reason, 256).and_then(|()| single_line(&self.reason)));
    }
}

/// Asks for it.
struct Ask {
    id: String,
    reason: String,
}

impl Act for Ask {
    type Answer = OpenClosing;

    async fn run(self, doing: &mut Doing) -> Acted<OpenClosing> {
        let user = find_within(doing, &self.id).await?;
        // Whoever was disabled may go all the same.
        not_closed(&user)?;
        let lang = doing.caller.lang;
        if let Some(open) = closing_of(&*doing.tx, &user).await?.filter(|last| last.status == LogoutStatus::Requested) {
            return Ok(OpenClosing::of(open, lang));
        }
        if closings_since(&*doing.tx, &user, doing.now.plus_seconds(-DAY)).await? >= A_DAY {
            return Err(Refusal::Conflict("closing_too_often", TOO_OFTEN));
        }
        let made = request_closing(&*doing.tx, &user, self.reason, doing.now).await?;
        let after = serde_json::json!({ "status": made.status, "reason": made.reason, "userId": user.id });
        doing.log(Audit::of("logoutRequest").id(made.id).name(&user.name).after(&after));
        Ok(OpenClosing::of(made, lang))
    }
}

/// Takes it back.
struct TakeBack(String);

impl Act for TakeBack {
    type Answer = OpenClosing;

    async fn run(self, doing: &mut Doing) -> Acted<OpenClosing> {
        let user = find_within(doing, &self.0).await?;
        not_closed(&user)?;
        let last = closing_of(&*doing.tx, &user).await?.filter(|last| last.status == LogoutStatus::Requested);
        let open = last.ok_or(Refusal::Conflict("closing_none", NONE_OPEN))?;
        let by = doing.who();
        let (before, after) = withdraw_closing(&*doing.tx, open.id, doing.now, &by).await?;
        let status = |status| serde_json::json!({ "status": status });
        let audit = Audit::of("logoutRequest").id(after.id).name(&user.name);
        doing.log(audit.before(&status(before.status)).after(&status(after.status)));
        Ok(OpenClosing::of(after, doing.caller.lang))
    }
}

/// Returns the last request to close a customer's account; null if there never was one.
#[utoipa::path(get, path = "/open/v1/users/{id}/closing", tag = "user",
    params(("id" = String, Path, description = "The customer's id")),
    responses((status = 200, body = Reply<Option<OpenClosing>>)))]
pub async fn open_user_closing_get(caller: Caller, PathId(id): PathId<String>) -> ApiResult<Option<OpenClosing>> {
    let user = find(&caller, &id).await?;
    let last = closing_of(caller.app.db.read(), &user).await?;
    reply(last.map(|row| OpenClosing::of(row, caller.lang)))
}

/// Asks for a customer's account to be closed. Operators complete it; until then it can be withdrawn. While a request is
/// open, asking again answers that one.
#[utoipa::path(post, path = "/open/v1/users/{id}/closing", tag = "user", request_body = OpenClosingInput,
    params(("id" = String, Path, description = "The customer's id")),
    responses((status = 200, body = Reply<OpenClosing>)))]
pub async fn open_user_closing_create(
    acting: Acting,
    PathId(id): PathId<String>,
    Valid(input): Valid<OpenClosingInput>,
) -> Response {
    acting.once(Ask { id, reason: input.reason }).await
}

/// Withdraws the open request: the account is kept.
#[utoipa::path(delete, path = "/open/v1/users/{id}/closing", tag = "user",
    params(("id" = String, Path, description = "The customer's id")),
    responses((status = 200, body = Reply<OpenClosing>)))]
pub async fn open_user_closing_delete(acting: Acting, PathId(id): PathId<String>) -> Response {
    acting.once(TakeBack(id)).await
}
