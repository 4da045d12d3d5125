//! The access table: a route exists only together with the permission it needs.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use http::request::Parts;
use http::{HeaderMap, Method, header};
use kernel::rules::{FieldError, Violation};
use kernel::text::{Text, text};
use utoipa::openapi::PathItem;
use utoipa::openapi::path::Operation;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter, UtoipaMethodRouterExt as _};

use super::cookies;
use super::decided::Undecided;
use super::meta::Meta;
use super::ops::OpCtx;
use crate::access::need::{BARE, Need, Route};
use crate::access::session::{Fit, Session, bind, hash};
use crate::access::session_cookie;
use crate::app::App;
use crate::fault::{Fault, SessionFault};

/// The guard of an endpoint.
#[derive(Clone, Copy, Debug)]
struct Rule {
    need: Need,
    acts: bool,
    step_up: bool,
    also: &'static [Need],
}

/// A registered endpoint, under all of its paths.
struct Call {
    rule: Rule,
    paths: Vec<UtoipaMethodRouter>,
}

/// The routes of a domain, each with its guard.
#[derive(Default)]
pub struct DomainRouter {
    calls: Vec<Call>,
}

impl DomainRouter {
    /// A domain without routes yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An endpoint that only reads.
    #[must_use]
    pub fn view(self, need: Need, routes: UtoipaMethodRouter) -> Self {
        self.add(need, false, vec![routes])
    }

    /// An endpoint that changes something and writes an operation log entry.
    #[must_use]
    pub fn act(self, need: Need, routes: UtoipaMethodRouter) -> Self {
        self.add(need, true, vec![routes])
    }

    /// [`Self::view`] under its path and, as in the specification, without `/api/user`.
    #[must_use]
    pub fn view_both(self, need: Need, routes: UtoipaMethodRouter) -> Self {
        let bare = without_prefix(&routes);
        self.add(need, false, vec![routes, bare])
    }

    /// [`Self::act`] under its path and, as in the specification, without `/api/user`.
    #[must_use]
    pub fn act_both(self, need: Need, routes: UtoipaMethodRouter) -> Self {
        let bare = without_prefix(&routes);
        self.add(need, true, vec![routes, bare])
    }

    /// The endpoint registered last needs a fresh confirmation of identity: it grants permissions, or accepts a secret.
    #[must_use]
    pub fn step_up(mut self) -> Self {
        if let Some(call) = self.calls.last_mut() {
            call.rule.step_up = true;
        }
        self
    }

    /// The handler of the endpoint registered last asks for these as well where what it is asked about wants it, such as a card
    /// that carries a customer's phone. The guard does not: it knows the path alone.
    #[must_use]
    pub fn also(mut self, needs: &'static [Need]) -> Self {
        if let Some(call) = self.calls.last_mut() {
            call.rule.also = needs;
        }
        self
    }

    /// All routes of another part of the domain.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.calls.extend(other.calls);
        self
    }

    /// The parts: the router with its document, and the access table.
    #[must_use]
    pub fn into_parts(self) -> (OpenApiRouter, Vec<Route>) {
        let (mut inner, mut table) = (OpenApiRouter::default(), Vec::new());
        for Call { rule, paths } in self.calls {
            for routes in paths {
                inner = inner.routes(guarded(rule, routes, &mut table));
            }
        }
        (inner, table)
    }

    fn add(mut self, need: Need, acts: bool, paths: Vec<UtoipaMethodRouter>) -> Self {
        self.calls.push(Call { rule: Rule { need, acts, step_up: false, also: &[] }, paths });
        self
    }
}

/// Maximum size in bytes of a body from unauthenticated clients.
const OPEN_BODY: usize = 64 * 1024;

/// `routes` behind their guard, documented, and entered into the access table.
fn guarded(rule: Rule, mut routes: UtoipaMethodRouter, table: &mut Vec<Route>) -> UtoipaMethodRouter {
    let Rule { need, acts, step_up, also } = rule;
    let mut action = "";
    for (path, item) in &mut routes.1.paths {
        for (method, operation) in operations(item) {
            // Leaked once per route at startup: the id then needs no copy per request.
            let id: &'static str = operation.operation_id.clone().unwrap_or_default().leak();
            // Two paths of one endpoint are one operation: the log and its filter know a single name.
            action = id.strip_suffix(BARE).unwrap_or(id);
            describe(operation, rule);
            table.push(Route { method, path: path.clone(), operation: id, need, acts, step_up, also });
        }
    }
    // The sender is unknown: enough for signing in, and no more.
    let routes = if need == Need::Nothing { routes.layer(DefaultBodyLimit::max(OPEN_BODY)) } else { routes };
    routes.layer(from_fn(move |request, next| guard(rule, action, request, next)))
}

/// The extra requirement of an endpoint for which the token alone is not enough.
const STEP_UP: &str = "step-up";

/// Documents what an endpoint needs. One extension and no more: their order in the document is random.
fn describe(operation: &mut Operation, rule: Rule) {
    let roles = rule.step_up.then_some(STEP_UP);
    operation.security =
        (rule.need != Need::Nothing).then(|| vec![utoipa::openapi::SecurityRequirement::new("token", roles)]);
    let needed = match rule.need {
        Need::Nothing | Need::Session | Need::AnySession => return,
        Need::Code(code) => serde_json::Value::from(code),
        Need::OneOf(_) => serde_json::Value::from(rule.need.codes()),
    };
    let also: Vec<&str> = rule.also.iter().map(|need| need.code()).collect();
    let needed = if also.is_empty() { needed } else { serde_json::json!({ "code": needed, "also": also }) };
    operation.extensions = Some(utoipa::openapi::extensions::Extensions::builder().add("x-permission", needed).build());
}

fn without_prefix((schemas, paths, handlers): &UtoipaMethodRouter) -> UtoipaMethodRouter {
    let mut bare = utoipa::openapi::Paths::new();
    for (path, item) in &paths.paths {
        let mut item = item.clone();
        for (_, operation) in operations(&mut item) {
            operation.operation_id = operation.operation_id.as_ref().map(|id| format!("{id}{BARE}"));
        }
        bare.paths.insert(path.trim_start_matches("/api/user").to_owned(), item);
    }
    (schemas.clone(), bare, handlers.clone())
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (Method, &mut Operation)> {
    [
        (Method::GET, item.get.as_mut()),
        (Method::POST, item.post.as_mut()),
        (Method::PUT, item.put.as_mut()),
        (Method::PATCH, item.patch.as_mut()),
        (Method::DELETE, item.delete.as_mut()),
    ]
    .into_iter()
    .filter_map(|(method, operation)| operation.map(|operation| (method, operation)))
}

const SECOND_FACTOR_FIRST: Text = text(
    "超级用户必须先启用两步验证，请在“系统用户信息”中设置",
    "Power users must turn on two-step verification first; set it up under \"System user info\"",
);

/// Body status of an endpoint that needs a fresh confirmation of identity. Not HTTP 401 or 403: old clients sign people
/// out on those.
const PROVE_AGAIN: i32 = 4011;
const PROOF_NEEDED: Text = text(
    "此操作需要再次确认身份，请输入登录密码或动态码；也可以重新登录后再试",
    "Confirm your identity with your password or a verification code. Signing in again also works",
);

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Lets a request through to its handler if it meets the route's requirements.
fn guard(rule: Rule, action: &'static str, request: Request, next: Next) -> Answer {
    Box::pin(async move {
        let (mut parts, body) = request.into_parts();
        if rule.need != Need::Nothing {
            match admit(rule, action, &parts).await {
                // Whoever asks for the body's case gets the context from `Decided`, and only then.
                Ok(ctx) => match rule.need {
                    Need::OneOf(cases) => _ = parts.extensions.insert(Undecided { ctx, cases }),
                    Need::Nothing | Need::Session | Need::AnySession | Need::Code(_) => {
                        parts.extensions.insert(ctx);
                    }
                },
                Err(fault) => return fault.into_response(),
            }
        }
        let mut response = next.run(Request::from_parts(parts, body)).await;
        response.extensions_mut().insert(Action(action));
        response
    })
}

/// The operation of a response, for metrics and logs.
#[derive(Clone, Copy, Debug)]
pub struct Action(pub &'static str);

async fn admit(rule: Rule, action: &'static str, request: &Parts) -> Result<OpCtx, Fault> {
    let Rule { need, acts, step_up, also: _ } = rule;
    let missing = || Fault::Internal(anyhow::anyhow!("the request did not pass the outer middleware"));
    let app = request.extensions.get::<App>().ok_or_else(missing)?.clone();
    let meta = request.extensions.get::<Meta>().ok_or_else(missing)?.clone();
    let session = match bearer(&request.headers) {
        Some(token) => app.sessions.find(&app, token).await?,
        None => return Err(SessionFault::Missing.into()),
    };
    let shown = cookies::find(&request.headers, &session_cookie::name(session.operator, meta.https)).map(hash);
    match session.fit(shown.as_ref()) {
        Fit::Good => {}
        Fit::ToBind => {
            if let Err(fault) = Box::pin(bind(&app, session.id)).await {
                // Nobody is kept from reading because writing is impossible: the next request tries again.
                app.db.health().trouble().ok_or(fault)?;
            }
        }
        Fit::Stranger => {
            tracing::warn!(session.id = session.id.0, ip = %meta.ip, "a bound token came without its session cookie");
            metrics::counter!("skyrack_session_strangers_total").increment(1);
            return Err(SessionFault::Missing.into());
        }
    }
    check_state(need, &session)?;
    let mut ctx = OpCtx { app, session, meta, action };
    if ctx.session.lacks_second_factor && matches!(need, Need::Code(_) | Need::OneOf(_)) {
        return Err(Fault::status(4003, SECOND_FACTOR_FIRST));
    }
    if let Need::Code(code) = need {
        if acts {
            ctx.require(code).await?;
        } else if !ctx.may(code) {
            return Err(Fault::Denied(code));
        }
    }
    if let Need::OneOf(cases) = need
        && !ctx.holds(need)
        && let Some(first) = cases.first()
    {
        // Whatever the body asks for, it is not read.
        ctx.action = first.action;
        ctx.require(first.code).await?;
    }
    if step_up {
        ctx.proved()?;
    }
    Ok(ctx)
}

impl OpCtx {
    /// Whether who asks has proved who he is a short while ago: for calls of which only some want that.
    ///
    /// # Errors
    /// He has not; which confirmations are accepted.
    pub fn proved(&self) -> Result<(), Fault> {
        if self.session.is_proved(self.app.clock.moment()) { Ok(()) } else { Err(prove_again(&self.session)) }
    }
}

/// Says which confirmations are accepted; any one of them.
fn prove_again(session: &Session) -> Fault {
    let mut ways = vec![FieldError { field: "password".to_owned(), violation: Violation::new("required") }];
    if session.has_second_factor {
        ways.push(FieldError { field: "code".to_owned(), violation: Violation::new("totpRequired") });
    }
    Fault::Status { status: PROVE_AGAIN, message: PROOF_NEEDED.into(), errors: ways }
}

fn check_state(need: Need, session: &Arc<Session>) -> Result<(), SessionFault> {
    if session.must_change && need != Need::AnySession {
        return Err(SessionFault::MustChangePassword);
    }
    Ok(())
}

/// The token of a request, with or without `Bearer`.
#[must_use]
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim();
    let token = match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        Some(_) => return None,
        None => value,
    };
    (!token.is_empty()).then_some(token)
}
