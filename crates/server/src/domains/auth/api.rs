//! The calls of signing in, under the paths that existing clients know.

use axum::Extension;
use axum::response::{AppendHeaders, IntoResponse};
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
use crate::access::catalog::perm;
use crate::access::session as sessions;
use crate::app::App;
use crate::fault::Fault;
use crate::http::body::PathId;
use crate::http::ops::{Audit, OpCtx};
use crate::http::{ApiResult, Meta, Need, Nothing, Reply, Valid, Validate, done, reply};

/// The key that passwords are encrypted with.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginKey {
    /// base64 of an RSA `SubjectPublicKeyInfo` in DER, without PEM armour.
    pub public_key: String,
}

impl Validate for SignInInput {
    // Nothing is said about what was typed: a malformed name is a wrong one.
    fn check(&self, _: &mut Check) {}
}

/// Hands out the key to encrypt passwords with.
#[utoipa::path(post, path = "/api/user/v1/client/login/getPbKey", tag = "auth", responses((status = 200, body = Reply<LoginKey>)))]
pub async fn login_key_get(Extension(app): Extension<App>) -> ApiResult<LoginKey> {
    reply(LoginKey { public_key: app.auth.keys.public(app.clock.now()).await? })
}

impl Validate for CaptchaInput {
    fn check(&self, _: &mut Check) {}
}

/// Draws a captcha for the account that will be signed in to.
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

/// Ends the asking session.
#[utoipa::path(post, path = "/api/user/v1/designjet/logout", tag = "auth", responses((status = 200, body = Reply<Nothing>)))]
pub async fn session_end(ctx: OpCtx) -> ApiResult<()> {
    let tx = ctx.begin_write().await?;
    sessions::end_in(&*tx, ctx.now(), EndReason::SignedOut, session::Column::Id.eq(ctx.session.id)).await?;
    tx.commit(Audit::of("session").id(ctx.session.id)).await?;
    ctx.app.sessions.forget();
    done()
}

/// Changes the asking operator's password and signs him out everywhere.
#[utoipa::path(post, path = "/api/user/v1/designjet/login/updatePassword", tag = "auth", request_body = OwnPasswordInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn own_password_update(ctx: OpCtx, Valid(input): Valid<OwnPasswordInput>) -> ApiResult<()> {
    own_password::change(&ctx, input).await?;
    done()
}

/// Says whether the asking operator must change the password now.
#[utoipa::path(post, path = "/api/user/v5/user/checkUpdatePsw", tag = "auth", responses((status = 200, body = Reply<PasswordNeed>)))]
pub async fn own_password_check(ctx: OpCtx) -> ApiResult<PasswordNeed> {
    reply(own_password::need(&ctx).await?)
}

/// An operator as the shell shows him.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserInfo {
    /// The permission codes; `none` where there is not one, since clients take an empty list for an administrator.
    pub roles: Vec<String>,
    /// The user name.
    pub name: String,
    /// A picture's address; empty where there is none.
    pub avatar: String,
    /// The remark.
    pub introduction: String,
}

/// Describes an operator: oneself, or another with the right to see operators.
#[utoipa::path(get, path = "/api/v1.0/users/{id}/", tag = "auth", params(("id" = i64, Path, description = "The operator's id")),
    responses((status = 200, body = Reply<UserInfo>)))]
pub async fn user_info_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<UserInfo> {
    let id = OperatorId(id);
    if id != ctx.operator()
        && let Need::Code(code) = perm::OPERATOR_GET
        && !ctx.may(code)
    {
        return Err(Fault::Denied(code));
    }
    let who = operator::Entity::find_by_id(id)
        .one(ctx.read())
        .await?
        .ok_or_else(|| Fault::not_found(text("用户不存在", "There is no such user")))?;
    let codes = match who.group_id {
        Some(group) if who.is_enabled => crate::access::catalog::codes_of(ctx.read(), group).await?,
        Some(_) | None => Default::default(),
    };
    let mut roles: Vec<String> = codes.into_iter().collect();
    roles.sort_unstable();
    if roles.is_empty() {
        roles.push("none".to_owned());
    }
    reply(UserInfo { roles, name: who.username, avatar: String::new(), introduction: who.remark })
}
