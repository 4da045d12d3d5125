//! One's own profile and sessions: what every operator may see and change without a permission.

use base::fault::{Outcome, SessionFault};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use entity::SessionId;
use entity::operator::ActiveModel;
use kernel::rules::Check;
use sea_orm::ActiveValue::Set;
use serde::Deserialize;
use utoipa::ToSchema;

use super::input::check_contact;
use super::sessions::{self, SessionView};
use super::view::OperatorView;
use super::{service, store};

/// What operators may change about themselves. Name, group and account type are for administrators.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnProfileInput {
    /// Or empty.
    #[serde(default)]
    pub email: String,
    /// 11 digits, or empty.
    #[serde(default)]
    pub phone: String,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
}

impl Validate for OwnProfileInput {
    fn check(&self, check: &mut Check) {
        check_contact(check, &self.email, &self.phone, &self.remark);
    }
}

/// Returns the caller.
#[utoipa::path(get, path = "/api/user/v1/me", tag = "me", responses((status = 200, body = Reply<OperatorView>)))]
pub async fn own_profile_get(ctx: OpCtx) -> ApiResult<OperatorView> {
    reply(service::get(&ctx, ctx.operator()).await?)
}

/// Updates the caller's own profile.
#[utoipa::path(put, path = "/api/user/v1/me", tag = "me", request_body = OwnProfileInput,
    responses((status = 200, body = Reply<OperatorView>)))]
pub async fn own_profile_update(ctx: OpCtx, Valid(input): Valid<OwnProfileInput>) -> ApiResult<OperatorView> {
    reply(update(&ctx, input).await?)
}

/// Lists the caller's active sessions.
#[utoipa::path(get, path = "/api/user/v1/me/sessions", tag = "me", responses((status = 200, body = Reply<Vec<SessionView>>)))]
pub async fn own_session_list(ctx: OpCtx) -> ApiResult<Vec<SessionView>> {
    reply(sessions::live(&ctx, ctx.operator()).await?)
}

/// Ends one of the caller's sessions.
#[utoipa::path(delete, path = "/api/user/v1/me/sessions/{id}", tag = "me",
    params(("id" = i64, Path, description = "The session's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn own_session_end(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    sessions::end(&ctx, ctx.operator(), SessionId(id)).await?;
    done()
}

async fn update(ctx: &OpCtx, input: OwnProfileInput) -> Outcome<OperatorView> {
    let OwnProfileInput { email, phone, remark } = input;
    let id = ctx.operator();
    let tx = ctx.begin_write().await?;
    let before = store::find(&*tx, id).await?.ok_or(SessionFault::Closed)?;
    let row = ActiveModel {
        id: Set(id),
        email: Set(email),
        phone: Set(phone),
        remark: Set(remark),
        updated_at: Set(ctx.now()),
        ..Default::default()
    };
    let after = store::update(&*tx, row).await?;
    let (before, after) = (store::view(&*tx, before).await?, store::view(&*tx, after).await?);
    tx.commit(Audit::of("operator").id(id).name(&after.username).before(&before).after(&after)).await?;
    Ok(after)
}
