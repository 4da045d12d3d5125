//! Everything that this program serves.

use axum::middleware::from_fn_with_state;
use axum::routing::get;
use axum::{Extension, Router};
use base::app::App;
use base::fault::Fault;
use base::http::outer;
use base::router::{self, Surface, panicked};
use metrics_exporter_prometheus::PrometheusHandle;
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
pub fn build(app: &App) -> Router {
    build_of(surface(), app)
}

/// The same of a surface that was made before the application.
pub fn build_of(surface: Surface, app: &App) -> Router {
    router::build(app, surface, domains::all(), web::page)
}

/// The Prometheus endpoints, for a listener of their own: a proxy in front of the console never leads here.
pub fn metrics(app: &App, collected: PrometheusHandle) -> Router {
    Router::new()
        .route("/metrics", get(exposition::metrics))
        .route("/metrics/cards", get(exposition::card_metrics))
        .fallback(|| async { Fault::NoRoute })
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(outer::Surroundings::of(app), outer::surround))
        .layer(Extension(collected))
}
