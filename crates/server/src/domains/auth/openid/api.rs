//! The calls of signing in with a provider.

use axum::Extension;
use axum::extract::Path;
use axum::response::{AppendHeaders, IntoResponse, IntoResponseParts};
use entity::OperatorId;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;
use utoipa::ToSchema;

use super::flow::{self, Onward, Returned};
use super::link::{self, LinkAddress, LinkInput, OpenIdLink, SubjectInput};
use crate::app::App;
use crate::fault::Fault;
use crate::http::body::PathId;
use crate::http::ops::{Audit, OpCtx};
use crate::http::{ApiResult, Meta, Nothing, Params, Reply, Valid, done, reply};

/// A provider that one may sign in with.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProviderView {
    /// Goes into the addresses.
    pub id: String,
    /// As people know it.
    pub name: String,
}

/// Lists the providers that one may sign in with.
#[utoipa::path(get, path = "/api/user/v1/client/login/providers", tag = "auth", responses((status = 200, body = Reply<Vec<ProviderView>>)))]
pub async fn openid_provider_list(Extension(app): Extension<App>) -> ApiResult<Vec<ProviderView>> {
    let providers = app.auth.openid.providers.iter().map(|provider| &provider.settings);
    reply(providers.map(|settings| ProviderView { id: settings.id.clone(), name: settings.name.clone() }).collect())
}

/// Sends the browser to a provider.
#[utoipa::path(get, path = "/api/user/v1/client/login/oidc/{id}/start", tag = "auth",
    params(("id" = String, Path, description = "The provider's id")),
    responses((status = 303, description = "To the provider, or to `/authredirect#error=...`")))]
pub async fn openid_start(
    Extension(app): Extension<App>,
    meta: Meta,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Fault> {
    Ok(go(flow::start(&app, &meta, &headers, &id).await?))
}

/// Receives the browser from a provider and signs the operator in who is linked.
#[utoipa::path(get, path = "/api/user/v1/client/login/oidc/{id}/callback", tag = "auth",
    params(("id" = String, Path, description = "The provider's id"),
        ("code" = Option<String>, Query, description = "From the provider"),
        ("state" = Option<String>, Query, description = "As it was sent"),
        ("error" = Option<String>, Query, description = "From the provider")),
    responses((status = 303, description = "To `/authredirect#token=...&id=...&groupId=...`, `#linked=...` or `#error=...`")))]
pub async fn openid_callback(
    Extension(app): Extension<App>,
    meta: Meta,
    headers: HeaderMap,
    Path(id): Path<String>,
    Params(returned): Params<Returned>,
) -> Result<impl IntoResponse, Fault> {
    Ok(go(flow::finish(&app, &meta, &headers, &id, &returned).await?))
}

fn go(Onward { location, cookies }: Onward) -> impl IntoResponse {
    (StatusCode::SEE_OTHER, [(header::LOCATION, location)], with(cookies), ())
}

fn with(cookies: Vec<HeaderValue>) -> impl IntoResponseParts {
    AppendHeaders(cookies.into_iter().map(|cookie| (header::SET_COOKIE, cookie)))
}

/// Says how the asking operator's account is linked.
#[utoipa::path(get, path = "/api/user/v1/me/openid", tag = "auth", responses((status = 200, body = Reply<OpenIdLink>)))]
pub async fn openid_link_get(ctx: OpCtx) -> ApiResult<OpenIdLink> {
    reply(link::status(&ctx).await?)
}

/// Begins the linking of the asking operator's account; a window then goes to the address.
#[utoipa::path(post, path = "/api/user/v1/me/openid/link", tag = "auth", request_body = LinkInput,
    responses((status = 200, body = Reply<LinkAddress>)))]
pub async fn openid_link_start(
    ctx: OpCtx,
    headers: HeaderMap,
    Valid(input): Valid<LinkInput>,
) -> Result<impl IntoResponse, Fault> {
    link::admit(&ctx, input.password.as_deref()).await?;
    let Onward { location, cookies } =
        flow::start_link(&ctx.app, &ctx.meta, &headers, &input.provider_id, ctx.operator()).await?;
    ctx.record(Audit::of("operator").id(ctx.operator()).name(ctx.session.username.as_str()).note(input.provider_id))
        .await?;
    Ok((with(cookies), reply(LinkAddress { url: location })))
}

/// Removes the asking operator's link.
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
