//! What surrounds every request: facts, language, headers, metrics, the error catalogue.

use std::time::Instant;

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue, header};

use super::answer::{self, Pending};
use super::guard::Action;
use super::meta::Meta;
use crate::app::App;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request its facts, and the response its final form.
pub async fn surround(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let peer = request.extensions().get::<ConnectInfo<std::net::SocketAddr>>().map(|info| info.0);
    let meta = Meta::of(&app, peer, request.headers());
    let method = request.method().clone();
    request.extensions_mut().insert(meta.clone());
    request.extensions_mut().insert(app);

    let mut response = next.run(request).await;
    if let Some(Pending(fault)) = response.extensions_mut().remove::<Pending>() {
        let action = response.extensions().get::<Action>().copied();
        response = answer::render(&fault, &meta);
        if let Some(action) = action {
            response.extensions_mut().insert(action);
        }
    }
    if let Ok(id) = HeaderValue::from_str(&meta.request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    secure(&mut response);

    let action = response.extensions().get::<Action>().map_or("other", |action| action.0);
    let status = response.status().as_u16();
    let seconds = started.elapsed().as_secs_f64();
    metrics::counter!("skyrack_http_requests_total", "action" => action, "status" => status.to_string()).increment(1);
    metrics::histogram!("skyrack_http_request_seconds", "action" => action).record(seconds);
    tracing::debug!(request.id = %meta.request_id, %method, action, status, ms = seconds * 1000.0, ip = %meta.ip, "request");
    response
}

/// Headers that every response carries (ASVS 3.4). Styles may be inline, since antd writes its own;
/// scripts may not.
fn secure(response: &mut Response) {
    const HEADERS: [(HeaderName, &str); 6] = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; \
             font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; \
             frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin-allow-popups"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ];
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
