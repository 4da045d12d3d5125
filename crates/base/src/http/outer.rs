//! The outer middleware of every request: facts, language, headers, metrics, the error catalogue, and general refusals.

use std::time::Instant;

use aws_lc_rs::digest;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue, Method, header};
use kernel::rules::Violation;

use super::answer::{self, Pending};
use super::deadline::Late;
use super::guard::Action;
use super::held::Held;
use super::meta::Meta;
use super::requests::Requests;
use crate::app::App;
use crate::fault::Fault;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What the outer middleware needs.
#[derive(Clone, Debug)]
pub struct Surroundings {
    app: App,
    requests: Requests,
}

impl Surroundings {
    /// That of an application.
    #[must_use]
    pub fn of(app: &App) -> Self {
        Self { app: app.clone(), requests: Requests::new(app.config.max_connections_per_ip) }
    }
}

/// Adds the facts to the request, and gives the response its final form.
pub async fn surround(
    State(Surroundings { app, requests }): State<Surroundings>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let peer = request.extensions().get::<ConnectInfo<std::net::SocketAddr>>().map(|info| info.0);
    let meta = Meta::of(&app, peer, request.headers());
    let method = request.method().clone();
    let late = request.extensions().get::<Late>().cloned().unwrap_or_default();
    request.extensions_mut().insert(meta.clone());
    request.extensions_mut().insert(app);

    let under_way = requests.begin(meta.ip);
    let mut response = match refusal(&request) {
        Some(fault) => fault.into_response(),
        None if under_way.is_none() => Fault::TooMany { retry_after_s: 1 }.into_response(),
        None => next.run(request).await,
    };
    if late.is_set() {
        response = Fault::TooSlow.into_response();
    }
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
    secure(&mut response, meta.https);

    let action = response.extensions().get::<Action>().map_or("other", |action| action.0);
    let status = response.status().as_u16();
    let seconds = started.elapsed().as_secs_f64();
    metrics::counter!("skyrack_http_requests_total", "action" => action, "status" => status.to_string()).increment(1);
    metrics::histogram!("skyrack_http_request_seconds", "action" => action).record(seconds);
    tracing::debug!(request.id = %meta.request_id, %method, action, status, ms = seconds * 1000.0, ip = %meta.ip, "request");
    response.map(|body| Body::new(Held::new(body, under_way)))
}

/// What no endpoint accepts: a tunnel, or a request for two hosts, which two programs on its way could read
/// differently.
fn refusal(request: &Request) -> Option<Fault> {
    if request.method() == Method::CONNECT {
        return Some(Fault::field("method", Violation::new("method.connect")));
    }
    if request.uri().path().to_ascii_lowercase().contains("%00") {
        return Some(Fault::field("path", Violation::new("text.control")));
    }
    let hosts = request.headers().get_all(header::HOST).iter().count();
    (hosts > 1).then(|| Fault::field("host", Violation::new("host.twice")))
}

/// What a page may load (ASVS 3.4). Styles may be inline, since the component library sets them; scripts may not.
const POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; \
    form-action 'self'; frame-ancestors 'none'";

/// The policy of a page with inline scripts: exactly these may run in addition to the files of this server.
#[must_use]
pub fn policy_with(scripts: &[&str]) -> Option<HeaderValue> {
    let own = scripts.iter().fold("script-src 'self'".to_owned(), |allowed, script| {
        let hash = STANDARD.encode(digest::digest(&digest::SHA256, script.as_bytes()));
        format!("{allowed} 'sha256-{hash}'")
    });
    HeaderValue::try_from(POLICY.replacen("script-src 'self'", &own, 1)).ok()
}

/// Headers that every response carries (ASVS 3.4).
pub fn secure(response: &mut Response, is_https: bool) {
    const HEADERS: [(HeaderName, &str); 6] = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin-allow-popups"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ];
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_https {
        let year = HeaderValue::from_static("max-age=31536000");
        response.headers_mut().insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}
