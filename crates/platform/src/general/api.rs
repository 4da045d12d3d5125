//! The endpoints that belong to no domain.

use base::app::App;
use base::attention::{self, Concern};
use base::http::ops::OpCtx;
use base::http::{ApiResult, Nothing, Params, Reply, Valid, done, reply};
use base::search::SearchHit;
use http::{HeaderMap, header};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;

use super::about::{self, About};
use super::client_errors::{self, ClientErrorInput};
use super::dashboard::{self, Dashboard, DashboardQuery};
use super::search::{self, SearchQuery};
use super::switches;

/// Describes this installation.
#[utoipa::path(get, path = "/api/general/v1/about", tag = "general", responses((status = 200, body = Reply<About>)))]
pub async fn about(ctx: OpCtx) -> ApiResult<About> {
    reply(about::describe(&ctx.app).await?)
}

/// Returns current figures and the trends of the last days.
#[utoipa::path(get, path = "/api/general/v1/dashboard", tag = "general", params(DashboardQuery),
    responses((status = 200, body = Reply<Dashboard>)))]
pub async fn dashboard(ctx: OpCtx, Params(query): Params<DashboardQuery>) -> ApiResult<Dashboard> {
    reply(dashboard::gather(&ctx, query.days).await?)
}

/// A public setting.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct SwitchQuery {
    /// The setting's key, such as `console`.
    #[serde(default)]
    pub config_key: String,
}

/// Returns a public setting by key, `{}` for unknown keys.
#[utoipa::path(get, path = "/api/publics/config/switch/getValue/toJSONObject", tag = "general", params(SwitchQuery),
    responses((status = 200, body = Reply<Value>)))]
pub async fn switch_get(
    axum::Extension(app): axum::Extension<App>,
    Params(query): Params<SwitchQuery>,
) -> ApiResult<Value> {
    reply(switches::value_of(&app, &query.config_key))
}

/// Returns what needs the caller, the urgent first. Each domain adds what the caller may see of it.
#[utoipa::path(get, path = "/api/general/v1/attention", tag = "general",
    responses((status = 200, body = Reply<Vec<Concern>>)))]
pub async fn attention_list(ctx: OpCtx) -> ApiResult<Vec<Concern>> {
    reply(attention::gather(&ctx).await?)
}

/// Searches everything by part of a name or number.
#[utoipa::path(get, path = "/api/general/v1/search", tag = "general", params(SearchQuery),
    responses((status = 200, body = Reply<Vec<SearchHit>>)))]
pub async fn quick_search(ctx: OpCtx, Params(query): Params<SearchQuery>) -> ApiResult<Vec<SearchHit>> {
    reply(search::find(&ctx, &query.q).await?)
}

/// Reports an error that a browser caught.
#[utoipa::path(post, path = "/api/general/v1/client-errors", tag = "general", request_body = ClientErrorInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn client_error_report(
    ctx: OpCtx,
    headers: HeaderMap,
    Valid(input): Valid<ClientErrorInput>,
) -> ApiResult<()> {
    let browser = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    client_errors::report(&ctx, input, browser).await?;
    done()
}

/// Removes all reported errors.
#[utoipa::path(delete, path = "/api/general/v1/client-errors", tag = "general", responses((status = 200, body = Reply<Nothing>)))]
pub async fn client_error_clear(ctx: OpCtx) -> ApiResult<()> {
    client_errors::clear(&ctx).await?;
    done()
}
