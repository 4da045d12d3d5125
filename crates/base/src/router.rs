//! Assembles the domains into one router, one API document and one access table.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::handler::HandlerWithoutStateExt as _;
use axum::middleware::from_fn_with_state;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use http::{HeaderMap, Uri};
use serde_json::json;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate as _};
use utoipa::Modify as _;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::access::need::Route;
use crate::app::App;
use crate::domain::{self, Domain};
use crate::fault::{Fault, Outcome};
use crate::http::{DomainRouter, docs, health, listen, openapi, outage, outer};
use crate::search;

/// Bodies larger than this are refused, unless a route specifies otherwise.
const BODY_LIMIT: usize = 1024 * 1024;

/// Everything that the server serves.
pub struct Surface {
    /// The endpoints, each behind its guard.
    pub calls: OpenApiRouter,
    /// The access table.
    pub routes: Vec<Route>,
}

/// Collects the domains.
#[must_use]
pub fn surface(domains: &[Domain]) -> Surface {
    let imports = |domain: &Domain| domain.imports.iter().map(|import| (import.routes)());
    let events = |domain: &Domain| domain.events.iter().map(|topic| listen::routes(*topic));
    let parts = domains
        .iter()
        .flat_map(|domain| std::iter::once((domain.routes)()).chain(imports(domain)).chain(events(domain)));
    let all = parts.fold(DomainRouter::new(), DomainRouter::merge);
    let (calls, routes) = all.into_parts();
    Surface { calls, routes }
}

/// Only the API document.
#[must_use]
pub fn document(domains: &[Domain]) -> OpenApi {
    let (_, mut document) = surface(domains).calls.split_for_parts();
    openapi::Common.modify(&mut document);
    domains.iter().flat_map(|domain| domain.lists).for_each(|list| (list.label)(&mut document));
    domains.iter().flat_map(|domain| domain.settings).for_each(|settings| settings.describe(&mut document));
    let search = search::described(domains.iter().flat_map(|domain| domain.search).copied());
    let console: BTreeMap<_, _> =
        domain::catalogue(domains).described().into_iter().chain([("search", search)]).collect();
    // One extension and no more: their order in the document is random.
    document.extensions.get_or_insert_default().insert("x-console".to_owned(), json!(console));
    document
}

/// The page of the console for an address.
pub type Pages = fn(&Uri, &HeaderMap) -> Response;

/// The whole router over a running application, of what [`surface`] has collected of these domains.
pub fn build(app: &App, surface: Surface, domains: &'static [Domain], pages: Pages) -> Router {
    let Surface { calls, routes } = surface;
    let (calls, _) = calls.split_for_parts();
    // A file is sent as it is; workbooks are compressed already, and a stream of rows must not wait for a block.
    let is_no_file = |_: http::StatusCode, _: http::Version, headers: &http::HeaderMap, _: &http::Extensions| {
        !headers.contains_key(http::header::CONTENT_DISPOSITION)
    };
    let compress = CompressionLayer::new()
        .compress_when(DefaultPredicate::new().and(NotForContentType::new("text/event-stream")).and(is_no_file));
    let links = domains.iter().fold(Router::new(), |all, domain| all.merge((domain.links)()));
    let fallback = move |request: Request| async move { page_or_no_route(&request, pages) };
    calls
        .merge(links)
        // Only for the routes above: pages and the state of the process need no database.
        .route_layer(from_fn_with_state(outage::Guarded::of(app, &routes), outage::guard))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route(
            "/api/openapi.json",
            get(move || async move { published(domains).map(|made| openapi::json(&made.text)) }),
        )
        .route("/api/docs", get(move || async move { published(domains).map(|made| Html(made.page.as_str())) }))
        .fallback_service(fallback.into_service())
        .method_not_allowed_fallback(|| async { Fault::NoRoute })
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(outer::Surroundings::of(app), outer::surround))
        .layer(compress)
}

/// The document as it is served, and the page that shows it.
struct Published {
    text: String,
    page: String,
}

/// Generated once per process, on first request.
fn published(domains: &[Domain]) -> Outcome<&'static Published> {
    static MADE: OnceLock<Published> = OnceLock::new();
    if let Some(made) = MADE.get() {
        return Ok(made);
    }
    let document = document(domains);
    let page = docs::page(&serde_json::to_value(&document).map_err(Fault::internal)?);
    let made = Published { text: openapi::text(&document).map_err(Fault::internal)?, page };
    Ok(MADE.get_or_init(|| made))
}

/// An unknown path is a page of the console, unless it looks like an API path.
fn page_or_no_route(request: &Request, pages: Pages) -> Response {
    let path = request.uri().path();
    let calls = ["/api/", "/v1/", "/v5/", "/logout/", "/agent/", "/open/", "/metrics/"];
    if path == "/metrics" || calls.iter().any(|prefix| path.starts_with(prefix)) {
        return Fault::NoRoute.into_response();
    }
    pages(request.uri(), request.headers())
}

/// The answer to a panic in a handler.
pub fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    Fault::Internal(anyhow::anyhow!("a handler panicked: {text}")).into_response()
}
