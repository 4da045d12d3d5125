//! Assembles the domains into one router, one document and one access table.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::handler::HandlerWithoutStateExt as _;
use axum::middleware::from_fn_with_state;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use axum::{Extension, extract::Request};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};
use utoipa::Modify as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::agent_link;
use crate::app::App;
use crate::domains;
use crate::exposition;
use crate::fault::Fault;
use crate::http::guard::Route;
use crate::http::{DomainRouter, docs, health, openapi, outer, web};
use crate::settings;

/// Bodies larger than this are refused, except where a route says otherwise.
const BODY_LIMIT: usize = 1024 * 1024;

/// Everything that the server answers.
pub struct Surface {
    /// The calls, each behind its guard.
    pub calls: OpenApiRouter,
    /// The access table.
    pub routes: Vec<Route>,
}

/// Gathers the domains.
#[must_use]
pub fn surface() -> Surface {
    let (calls, routes) = DomainRouter::new()
        .merge(domains::auth::router())
        .merge(domains::client_user::router())
        .merge(domains::fleet::router())
        .merge(domains::general::router())
        .merge(domains::operation::router())
        .merge(domains::staff::router())
        .merge(domains::task::router())
        .merge(settings::api::router())
        .into_parts();
    Surface { calls, routes }
}

/// The API document alone.
#[must_use]
pub fn document() -> OpenApi {
    let (_, mut document) = surface().calls.split_for_parts();
    openapi::Common.modify(&mut document);
    document
}

/// The whole router over a running application.
///
/// # Errors
/// When the document can not be written.
pub fn build(app: &App) -> anyhow::Result<Router> {
    let (calls, mut document) = surface().calls.split_for_parts();
    openapi::Common.modify(&mut document);
    // Leaked once a process: the document lives as long as the server.
    let text: &'static str = openapi::text(&document)?.leak();
    let page: &'static str = docs::page(&serde_json::to_value(&document)?).leak();
    // A file is saved as it is; workbooks are compressed anyway, and a stream of rows must not wait for a block.
    let is_no_file = |_: http::StatusCode, _: http::Version, headers: &http::HeaderMap, _: &http::Extensions| {
        !headers.contains_key(http::header::CONTENT_DISPOSITION)
    };
    let compress = CompressionLayer::new()
        .compress_when(DefaultPredicate::new().and(NotForContentType::new("text/event-stream")).and(is_no_file));
    Ok(calls
        .merge(agent_link::router())
        .route("/api/fleet/v1/shells/{ticket}", get(domains::fleet::connect_shell))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(exposition::metrics))
        .route("/metrics/cards", get(exposition::card_metrics))
        .route("/api/openapi.json", get(move || async move { openapi::json(text) }))
        .route("/api/docs", get(move || async move { Html(page) }))
        .fallback_service(fallback.into_service())
        .method_not_allowed_fallback(|| async { Fault::NoRoute })
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app.clone(), outer::surround))
        .layer(Extension(health::collect_metrics()?))
        .layer(compress))
}

/// What is no call is a page of the console, unless it looks like a call.
async fn fallback(request: Request) -> Response {
    let path = request.uri().path();
    if ["/api/", "/v1/", "/v5/", "/logout/", "/agent/"].iter().any(|prefix| path.starts_with(prefix)) {
        return Fault::NoRoute.into_response();
    }
    web::page(request.uri(), request.headers())
}

fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    Fault::Internal(anyhow::anyhow!("a handler panicked: {text}")).into_response()
}
