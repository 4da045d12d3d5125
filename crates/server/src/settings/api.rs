//! The calls about settings documents: three plain functions each.

use kernel::page::Page;
use utoipa_axum::routes;

use super::{SettingsInput, SettingsVersion, SettingsView, SignIn, history, save, view};
use crate::access::catalog::perm;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, DomainRouter, PageInput, Params, Reply, Valid, reply};

/// The access table of the settings that belong to no domain.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::SIGN_IN_SETTING_GET, routes!(sign_in_setting_get))
        .view(perm::SIGN_IN_SETTING_GET, routes!(sign_in_setting_history))
        .act(perm::SIGN_IN_SETTING_UPDATE, routes!(sign_in_setting_update))
}

/// Shows how operators sign in.
#[utoipa::path(get, path = "/api/platform/v1/settings/sign-in", tag = "platform",
    responses((status = 200, body = Reply<SettingsView<SignIn>>)))]
pub async fn sign_in_setting_get(ctx: OpCtx) -> ApiResult<SettingsView<SignIn>> {
    reply(view(&ctx).await?)
}

/// Changes how operators sign in. Sessions that exist follow the new idle time.
#[utoipa::path(put, path = "/api/platform/v1/settings/sign-in", tag = "platform", request_body = SettingsInput<SignIn>,
    responses((status = 200, body = Reply<SettingsView<SignIn>>)))]
pub async fn sign_in_setting_update(
    ctx: OpCtx,
    Valid(input): Valid<SettingsInput<SignIn>>,
) -> ApiResult<SettingsView<SignIn>> {
    let view = save(&ctx, input).await?;
    ctx.app.sessions.forget();
    reply(view)
}

/// Lists how operators signed in before, newest first.
#[utoipa::path(get, path = "/api/platform/v1/settings/sign-in/history", tag = "platform", params(PageInput),
    responses((status = 200, body = Reply<Page<SettingsVersion<SignIn>>>)))]
pub async fn sign_in_setting_history(
    ctx: OpCtx,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<SettingsVersion<SignIn>>> {
    reply(history(&ctx, page.get()?).await?)
}
