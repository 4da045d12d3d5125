//! Who is let in: whoever signs with a live key, of late, from where the application may call, what it may call, and not too
//! often.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use base::app::App;
use base::fault::Fault;
use base::http::guard::Action;
use base::http::meta::Meta;
use base::owned::Owned;
use entity::open_app::OpenScope;
use http::HeaderMap;
use http::request::Parts;
use kernel::lang::Lang;
use kernel::time::UtcTime;

use super::refusal::{Coded, Reason, Refusal, with_code};
use crate::call::{Call, note};
use crate::callers::{Callers, Known};
use crate::limits::{Left, Limits};
use crate::settings::OpenDoor;
use crate::sign;

/// How far a caller's clock may be from ours, in seconds.
const CLOCK: i64 = 300;
/// Bytes of a body.
const BODY: usize = 64 * 1024;
/// Headers that a proxy adds.
const FORWARDED: [&str; 5] = ["x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "forwarded", "via"];
/// Characters of a nonce.
const NONCE: std::ops::RangeInclusive<usize> = 16..=64;

/// Said by gateways every few seconds: nothing is done by it that would have to be done once, and nothing logged where it was
/// answered.
pub const REPEATED: &str = "open_stream_heartbeat";

/// What a call needs, and what it is called.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// None if every application may call it.
    pub scope: Option<OpenScope>,
    /// The operation's id.
    pub action: &'static str,
    /// Its path, as the document has it.
    pub path: &'static str,
}

/// An application that was let in, and its call.
#[derive(Clone, Debug)]
pub struct Caller {
    pub app: App,
    pub known: Arc<Known>,
    pub left: Left,
    pub lang: Lang,
    pub meta: Meta,
    /// The operation's id.
    pub action: &'static str,
}

/// What makes a call the one that it is, if it changes something or may be made once.
#[derive(Clone, Debug)]
pub struct Signed {
    pub nonce: String,
    /// From then on its time is refused as too old.
    pub ends_at: UtcTime,
    /// As it was sent; empty if it was not, or twice.
    pub idempotency_key: String,
    /// See [`sign::Parts::asked`].
    pub asked: String,
}

impl Caller {
    /// Whose things it sees.
    pub fn whose(&self) -> Owned {
        self.known.whose()
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Fault> {
        let missing =
            || Fault::Internal(anyhow::anyhow!("a handler asks for a caller on a route without the door's guard"));
        parts.extensions.get::<Self>().cloned().ok_or_else(missing)
    }
}

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Lets a call through to its handler, or refuses it, and notes it for the log.
pub fn guard(rule: Rule, request: Request, next: Next) -> Answer {
    Box::pin(async move {
        let facts = (request.extensions().get::<App>().cloned(), request.extensions().get::<Meta>().cloned());
        let (Some(app), Some(meta)) = facts else {
            return Fault::Internal(anyhow::anyhow!("the call did not pass the outer middleware")).into_response();
        };
        let (began, at, method) = (Instant::now(), app.clock.now(), request.method().clone());
        // Whoever has no live key is in no log but that of the proxy in front: it would be anybody's to fill.
        let mut who = None;
        let (response, is_let_in) = match enter(&app, &meta, rule, request, &mut who).await {
            Ok(request) => (next.run(request).await, true),
            Err(refusal) => (refusal.answer(&meta), false),
        };
        let mut response = with_code(response, &meta).await;
        response.extensions_mut().insert(Action(rule.action));
        let is_noted = rule.action != REPEATED || !response.status().is_success();
        if let Some(known) = who.filter(|_| is_noted) {
            let millis = i32::try_from(began.elapsed().as_millis()).unwrap_or(i32::MAX);
            let code = response.extensions().get::<Coded>().map(|coded| coded.0.clone()).unwrap_or_default();
            let status = i16::try_from(response.status().as_u16()).unwrap_or(i16::MAX);
            let call = Call {
                app: known.app,
                key_id: known.key_id,
                key: known.key.clone(),
                method: method.as_str().to_owned(),
                path: rule.path,
                status,
                code,
                millis,
                ip: meta.ip,
                at,
                is_let_in,
            };
            note(&app, call);
        }
        response
    })
}

/// The request with its caller, or why it is refused. `who` is told who calls as soon as that is claimed.
async fn enter(
    app: &App,
    meta: &Meta,
    rule: Rule,
    request: Request,
    who: &mut Option<Arc<Known>>,
) -> Result<Request, Refusal> {
    // What a proxy on this machine hands on comes from another one.
    let is_local = meta.ip.is_loopback() && !FORWARDED.iter().any(|name| request.headers().contains_key(*name));
    if !meta.https && !is_local && !app.settings.get::<OpenDoor>(app).await?.plain_http {
        return Err(Refusal::PlainHttp);
    }
    let (parts, body) = request.into_parts();
    let key = told(&parts.headers, "x-sky-key");
    let found = app.part::<Callers>().find(app, key).await?;
    let known = found.ok_or(Refusal::Unsigned(Reason::UnknownKey))?;
    *who = Some(known.clone());

    let time = told(&parts.headers, "x-sky-time");
    let now = app.clock.now().millis().div_euclid(1000);
    let seconds = time.parse::<i64>().ok().filter(|time| now.abs_diff(*time) <= CLOCK.unsigned_abs());
    let seconds = seconds.ok_or(Refusal::Unsigned(Reason::Clock))?;
    let nonce = told(&parts.headers, "x-sky-nonce");
    let is_act = !parts.method.is_safe();
    let is_nonce = NONCE.contains(&nonce.len()) && nonce.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_nonce && (is_act || !nonce.is_empty()) {
        return Err(Refusal::Unsigned(Reason::Nonce));
    }

    let body = to_bytes(body, BODY).await.map_err(|_| Fault::TooLarge)?;
    let signed = sign::Parts {
        key,
        method: parts.method.as_str(),
        path: parts.uri.path(),
        query: parts.uri.query().unwrap_or_default(),
        time,
        nonce,
        body: &body,
        idempotency_key: told(&parts.headers, "idempotency-key"),
    };
    if !signed.are_signed(known.secret.expose(), told(&parts.headers, "x-sky-signature")) {
        return Err(Refusal::Unsigned(Reason::Signature));
    }

    // From here on it is known who calls, so that more can be said.
    if !known.is_enabled {
        return Err(Refusal::AppOff);
    }
    if !known.may_come_from(meta.ip) {
        return Err(Refusal::Address);
    }
    if let Some(scope) = rule.scope.filter(|scope| !known.scopes.contains(scope)) {
        return Err(Refusal::Scope(scope.name()));
    }
    let left = app.part::<Limits>().admit(app, &known).map_err(|retry_after_s| Fault::TooMany { retry_after_s })?;
    // A call that only reads has one if it says a nonce.
    let once = (is_act || !nonce.is_empty()).then(|| Signed {
        nonce: nonce.to_owned(),
        ends_at: UtcTime((seconds + CLOCK + 1) * 1000),
        idempotency_key: signed.idempotency_key.to_owned(),
        asked: signed.asked(),
    });
    let caller = Caller { app: app.clone(), known, left, lang: meta.lang, meta: meta.clone(), action: rule.action };
    let mut request = Request::from_parts(parts, Body::from(body));
    request.extensions_mut().insert(caller);
    if let Some(once) = once {
        request.extensions_mut().insert(once);
    }
    Ok(request)
}

/// A header that was sent once; empty if it was not, or is no text.
fn told<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let mut all = headers.get_all(name).iter();
    let (first, second) = (all.next(), all.next());
    if second.is_some() {
        return "";
    }
    first.and_then(|value| value.to_str().ok()).unwrap_or_default()
}
