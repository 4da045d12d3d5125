//! Everything that this program serves.

use axum::middleware::from_fn_with_state;
use axum::routing::get;
use axum::{Extension, Router};
use base::app::App;
use base::fault::Fault;
use base::http::{health, outer};
use base::router::{self, Surface, panicked};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::OpenApi;

use crate::{domains, exposition, web};

/// The endpoints of all domains, and the access table.
#[must_use]
pub fn surface() -> Surface {
    router::surface(domains::all())
}

/// Only the API document.
#[must_use]
pub fn document() -> OpenApi {
    router::document(domains::all())
}

/// The whole router over a running application.
///
/// # Errors
/// When metrics cannot be collected.
pub fn build(app: &App) -> anyhow::Result<Router> {
    build_of(surface(), app)
}

/// The same of a surface that was made before the application.
///
/// # Errors
/// When metrics cannot be collected.
pub fn build_of(surface: Surface, app: &App) -> anyhow::Result<Router> {
    router::build(app, surface, domains::all(), web::page)
}

/// The Prometheus endpoints, for a listener of their own: a proxy in front of the console never leads here.
///
/// # Errors
/// When metrics cannot be collected.
pub fn metrics(app: &App) -> anyhow::Result<Router> {
    Ok(Router::new()
        .route("/metrics", get(exposition::metrics))
        .route("/metrics/cards", get(exposition::card_metrics))
        .fallback(|| async { Fault::NoRoute })
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(outer::Surroundings::of(app), outer::surround))
        .layer(Extension(health::collect_metrics()?)))
}
