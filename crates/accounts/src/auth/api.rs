//! The sign-in endpoints, under the paths that existing clients use.

use axum::Extension;
use axum::response::{AppendHeaders, IntoResponse};
use base::access::catalog::codes_of;
use base::access::session as sessions;
use base::app::App;
use base::fault::Fault;
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Meta, Nothing, Reply, Valid, Validate, done, reply};
use entity::operator;
use entity::session::EndReason;
use entity::{OperatorId, session};
use http::{HeaderMap, header};
use kernel::rules::Check;
use kernel::text::text;
use sea_orm::{ColumnTrait as _, EntityTrait as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::attempt::SignedIn;
use super::own_password::{self, OwnPasswordInput, PasswordNeed};
use super::sign_in::{self, CaptchaImage, CaptchaInput, SignInInput, Welcome};
use crate::auth::memory::Auth;
use crate::screens::perm;

/// The key that passwords are encrypted with.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginKey {
    /// base64 of an RSA `SubjectPublicKeyInfo` in DER, without PEM armour.
    pub public_key: String,
}

impl Validate for SignInInput {
    // Input is not validated separately: a malformed name is a wrong one.
    fn check(&self, _: &mut Check) {}
}

/// Returns the key to encrypt passwords with.
#[utoipa::path(post, path = "/api/user/v1/client/login/getPbKey", tag = "auth", responses((status = 200, body = Reply<LoginKey>)))]
pub async fn login_key_get(Extension(app): Extension<App>) -> ApiResult<LoginKey> {
    reply(LoginKey { public_key: app.part::<Auth>().keys.public(app.clock.now()).await? })
}

impl Validate for CaptchaInput {
    fn check(&self, _: &mut Check) {}
}

/// Draws a captcha for the account to sign in to.
#[utoipa::path(post, path = "/api/user/v1/client/login/captcha", tag = "auth", request_body = CaptchaInput,
    responses((status = 200, body = Reply<CaptchaImage>)))]
pub async fn captcha_draw(
    Extension(app): Extension<App>,
    meta: Meta,
    Valid(input): Valid<CaptchaInput>,
) -> ApiResult<CaptchaImage> {
    reply(sign_in::captcha(&app, &meta, &input).await?)
}

/// Signs an operator in.
#[utoipa::path(post, path = "/api/user/v1/designjet/login", tag = "auth", request_body = SignInInput,
    responses((status = 200, body = Reply<SignedIn>)))]
pub async fn session_create(
    Extension(app): Extension<App>,
    meta: Meta,
    headers: HeaderMap,
    Valid(input): Valid<SignInInput>,
) -> Result<impl IntoResponse, Fault> {
    let Welcome { session, cookies } = sign_in::sign_in(&app, &meta, &headers, input).await?;
    Ok((AppendHeaders(cookies.map(|cookie| (header::SET_COOKIE, cookie))), reply(session)))
}

/// Ends the caller's session.
#[utoipa::path(post, path = "/api/user/v1/designjet/logout", tag = "auth", responses((status = 200, body = Reply<Nothing>)))]
pub async fn session_end(ctx: OpCtx) -> ApiResult<()> {
    let tx = ctx.begin_write().await?;
    sessions::end_in(&*tx, ctx.now(), EndReason::SignedOut, session::Column::Id.eq(ctx.session.id)).await?;
    tx.commit(Audit::of("session").id(ctx.session.id)).await?;
    ctx.app.sessions.forget();
    done()
}

/// Changes the caller's password and signs them out everywhere.
#[utoipa::path(post, path = "/api/user/v1/designjet/login/updatePassword", tag = "auth", request_body = OwnPasswordInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn own_password_update(ctx: OpCtx, Valid(input): Valid<OwnPasswordInput>) -> ApiResult<()> {
    own_password::change(&ctx, input).await?;
    done()
}

/// Returns whether the caller must change the password now.
#[utoipa::path(post, path = "/api/user/v5/user/checkUpdatePsw", tag = "auth", responses((status = 200, body = Reply<PasswordNeed>)))]
pub async fn own_password_check(ctx: OpCtx) -> ApiResult<PasswordNeed> {
    reply(own_password::need(&ctx).await?)
}

/// An operator as the app shell shows them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserInfo {
    /// The permission codes; `none` if there are none, since clients interpret an empty list as an administrator's.
    pub roles: Vec<String>,
    /// The username.
    pub name: String,
    /// A picture's address; empty if there is none.
    pub avatar: String,
    /// The remark.
    pub introduction: String,
}

/// Returns an operator: the caller, or another one with the permission to view operators.
#[utoipa::path(get, path = "/api/v1.0/users/{id}/", tag = "auth", params(("id" = i64, Path, description = "The operator's id")),
    responses((status = 200, body = Reply<UserInfo>)))]
pub async fn user_info_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<UserInfo> {
    let id = OperatorId(id);
    if id != ctx.operator() {
        ctx.must_be_past_password()?;
        if !ctx.holds(perm::OPERATOR_GET) {
            return Err(Fault::Denied(perm::OPERATOR_GET.code()));
        }
    }
    let who = operator::Entity::find_by_id(id)
        .one(ctx.read())
        .await?
        .ok_or_else(|| Fault::not_found(text("操作员不存在", "User not found")))?;
    let codes = match who.group_id {
        Some(group) if who.is_enabled => codes_of(ctx.read(), group).await?,
        Some(_) | None => Default::default(),
    };
    let mut roles: Vec<String> = codes.into_iter().collect();
    roles.sort_unstable();
    if roles.is_empty() {
        roles.push("none".to_owned());
    }
    reply(UserInfo { roles, name: who.username, avatar: String::new(), introduction: who.remark })
}
