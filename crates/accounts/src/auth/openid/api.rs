//! The endpoints for signing in with a provider.

use axum::Extension;
use axum::extract::Path;
use axum::response::{AppendHeaders, IntoResponse, IntoResponseParts};
use base::app::App;
use base::fault::Fault;
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Meta, Nothing, Params, Reply, Valid, done, reply};
use entity::OperatorId;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

use super::flow::{self, Onward, Returned};
use super::link::{self, LinkAddress, LinkInput, OpenIdLink, SubjectInput};
use super::second_step::{self, Entered, SecondStepInput};
use crate::auth::attempt::SignedIn;
use crate::auth::memory::Auth;

/// A provider for signing in.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProviderView {
    /// Used in addresses.
    pub id: String,
    /// The name shown to people.
    pub name: String,
}

/// Lists the providers for signing in.
#[utoipa::path(get, path = "/api/user/v1/client/login/providers", tag = "auth", responses((status = 200, body = Reply<Vec<ProviderView>>)))]
pub async fn openid_provider_list(Extension(app): Extension<App>) -> ApiResult<Vec<ProviderView>> {
    let providers = app.part::<Auth>().openid.providers.iter().map(|provider| &provider.settings);
    reply(providers.map(|settings| ProviderView { id: settings.id.clone(), name: settings.name.clone() }).collect())
}

/// Redirects the browser to a provider.
#[utoipa::path(get, path = "/api/user/v1/client/login/oidc/{id}/start", tag = "auth",
    params(("id" = String, Path, description = "The provider's id")),
    responses((status = 303, description = "To the provider, or to `/authredirect#error=...`")))]
pub async fn openid_start(
    Extension(app): Extension<App>,
    meta: Meta,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Fault> {
    Ok(go(flow::start(&app, &meta, &id).await?))
}

/// Callback from a provider: signs in the linked operator.
#[utoipa::path(get, path = "/api/user/v1/client/login/oidc/{id}/callback", tag = "auth",
    params(("id" = String, Path, description = "The provider's id"),
        ("code" = Option<String>, Query, description = "From the provider"),
        ("state" = Option<String>, Query, description = "As it was sent"),
        ("error" = Option<String>, Query, description = "From the provider")),
    responses((status = 303, description = "To `/authredirect#token=...&id=...&groupId=...`, `#codeFor=...` where a one-time code is needed, `#linked=...` or `#error=...`")))]
pub async fn openid_callback(
    Extension(app): Extension<App>,
    meta: Meta,
    headers: HeaderMap,
    Path(id): Path<String>,
    Params(returned): Params<Returned>,
) -> Result<impl IntoResponse, Fault> {
    Ok(go(flow::finish(&app, &meta, &headers, &id, &returned).await?))
}

/// Completes a sign-in with a provider that did not prove a second factor, with the operator's own code. What the
/// provider has proved is in the browser's cookie, for five minutes.
#[utoipa::path(post, path = "/api/user/v1/client/login/oidc/{id}/code", tag = "auth",
    params(("id" = String, Path, description = "The provider's id")), request_body = SecondStepInput,
    responses((status = 200, body = Reply<SignedIn>)))]
pub async fn openid_code(
    Extension(app): Extension<App>,
    meta: Meta,
    headers: HeaderMap,
    Path(id): Path<String>,
    Valid(input): Valid<SecondStepInput>,
) -> Result<impl IntoResponse, Fault> {
    let Entered { session, cookies } = second_step::finish(&app, &meta, &headers, &id, input).await?;
    Ok((with(cookies), reply(session)))
}

fn go(Onward { location, cookies }: Onward) -> impl IntoResponse {
    (StatusCode::SEE_OTHER, [(header::LOCATION, location)], with(cookies), ())
}

fn with(cookies: Vec<HeaderValue>) -> impl IntoResponseParts {
    AppendHeaders(cookies.into_iter().map(|cookie| (header::SET_COOKIE, cookie)))
}

/// Returns the caller's linked account.
#[utoipa::path(get, path = "/api/user/v1/me/openid", tag = "auth", responses((status = 200, body = Reply<OpenIdLink>)))]
pub async fn openid_link_get(ctx: OpCtx) -> ApiResult<OpenIdLink> {
    reply(link::status(&ctx).await?)
}

/// Starts linking the caller's account; a window then opens the address.
#[utoipa::path(post, path = "/api/user/v1/me/openid/link", tag = "auth", request_body = LinkInput,
    responses((status = 200, body = Reply<LinkAddress>)))]
pub async fn openid_link_start(ctx: OpCtx, Valid(input): Valid<LinkInput>) -> Result<impl IntoResponse, Fault> {
    link::admit(&ctx, &input.password).await?;
    let Onward { location, cookies } = flow::start_link(&ctx, &input.provider_id).await?;
    ctx.record(Audit::of("operator").id(ctx.operator()).name(ctx.session.username.as_str()).note(input.provider_id))
        .await?;
    Ok((with(cookies), reply(LinkAddress { url: location })))
}

/// Removes the caller's link.
#[utoipa::path(post, path = "/api/user/v1/me/openid/unlink", tag = "auth", responses((status = 200, body = Reply<Nothing>)))]
pub async fn openid_unlink(ctx: OpCtx) -> ApiResult<()> {
    link::remove(&ctx).await?;
    done()
}

/// Links another operator's account to a provider, or unlinks it.
#[utoipa::path(put, path = "/api/user/v1/operators/{id}/openid", tag = "auth",
    params(("id" = i64, Path, description = "The operator's id")), request_body = SubjectInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn openid_assign(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<SubjectInput>) -> ApiResult<()> {
    link::assign(&ctx, OperatorId(id), &input).await?;
    done()
}
