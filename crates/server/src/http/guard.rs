//! The access table: a route exists only together with what it needs.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use http::request::Parts;
use http::{HeaderMap, Method, header};
use kernel::text::{Text, text};
use utoipa::openapi::PathItem;
use utoipa::openapi::path::Operation;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter, UtoipaMethodRouterExt as _};

use super::meta::{Meta, cookie};
use super::ops::{Audit, OpCtx};
use crate::access::half;
use crate::access::session::{Fit, Session, bind, hash};
use crate::app::App;
use crate::fault::{Fault, SessionFault};

/// What a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing: anybody may call it.
    Nothing,
    /// A session.
    Session,
    /// A session, also one that must change its password before anything else.
    AnySession,
    /// A session with this permission code.
    Code(&'static str),
}

/// A row of the access table.
#[derive(Clone, Debug)]
pub struct Route {
    /// GET, POST, PUT, PATCH or DELETE.
    pub method: Method,
    /// The path with its parameters in braces.
    pub path: String,
    /// The operation's id.
    pub operation: &'static str,
    /// What it needs.
    pub need: Need,
    /// Whether it changes anything. An act writes a line to the operation log.
    pub acts: bool,
}

impl Route {
    /// The act that the operation log knows: both paths of a call are one.
    #[must_use]
    pub fn action(&self) -> &'static str {
        self.operation.strip_suffix(BARE).unwrap_or(self.operation)
    }
}

/// What each act needs, for those who put acts into words.
#[derive(Clone, Debug)]
pub struct Acts(Arc<BTreeMap<&'static str, Need>>);

impl Acts {
    /// The acts among `routes`.
    #[must_use]
    pub fn of(routes: &[Route]) -> Self {
        Self(Arc::new(routes.iter().filter(|route| route.acts).map(|route| (route.action(), route.need)).collect()))
    }

    /// What the act needs; none for a word that is no act, or no longer.
    #[must_use]
    pub fn need(&self, action: &str) -> Option<Need> {
        self.0.get(action).copied()
    }

    /// Every act, by name.
    pub fn all(&self) -> impl Iterator<Item = &'static str> {
        self.0.keys().copied()
    }
}

/// The routes of a domain, each with its guard.
#[derive(Default)]
pub struct DomainRouter {
    inner: OpenApiRouter,
    routes: Vec<Route>,
}

impl DomainRouter {
    /// A domain without routes yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A call that only reads.
    #[must_use]
    pub fn view(self, need: Need, routes: UtoipaMethodRouter) -> Self {
        self.add(need, false, routes)
    }

    /// A call that changes something and writes a line to the operation log.
    #[must_use]
    pub fn act(self, need: Need, routes: UtoipaMethodRouter) -> Self {
        self.add(need, true, routes)
    }

    /// [`Self::view`] under its path and, as the specification writes it, without `/api/user`.
    #[must_use]
    pub fn view_both(self, need: Need, routes: UtoipaMethodRouter) -> Self {
        let bare = without_prefix(&routes);
        self.view(need, routes).view(need, bare)
    }

    /// [`Self::act`] under its path and, as the specification writes it, without `/api/user`.
    #[must_use]
    pub fn act_both(self, need: Need, routes: UtoipaMethodRouter) -> Self {
        let bare = without_prefix(&routes);
        self.act(need, routes).act(need, bare)
    }

    /// All routes of another part of the domain.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.inner = self.inner.merge(other.inner);
        self.routes.extend(other.routes);
        self
    }

    /// The parts: the router with its document, and the access table.
    #[must_use]
    pub fn into_parts(self) -> (OpenApiRouter, Vec<Route>) {
        (self.inner, self.routes)
    }

    fn add(mut self, need: Need, acts: bool, mut routes: UtoipaMethodRouter) -> Self {
        let mut action = "";
        for (path, item) in &mut routes.1.paths {
            for (method, operation) in operations(item) {
                // Leaked once a route at start: the id then needs no copy per request.
                let id: &'static str = operation.operation_id.clone().unwrap_or_default().leak();
                // Two paths of one call are one act: the log and its filter know a single name.
                action = id.strip_suffix(BARE).unwrap_or(id);
                operation.security = (need != Need::Nothing)
                    .then(|| vec![utoipa::openapi::SecurityRequirement::new("token", Vec::<String>::new())]);
                if let Need::Code(code) = need {
                    operation.extensions =
                        Some(utoipa::openapi::extensions::Extensions::builder().add("x-permission", code).build());
                }
                self.routes.push(Route { method, path: path.clone(), operation: id, need, acts });
            }
        }
        let guarded = routes.layer(from_fn(move |request, next| guard(need, acts, action, request, next)));
        self.inner = self.inner.routes(guarded);
        self
    }
}

/// Ends the operation id of a call's second path: ids have to be unique.
const BARE: &str = "_v1";

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
    "超级用户必须先启用两步验证，请在个人中心设置",
    "Accounts of the type power need a second factor first; set it up under your own account",
);

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Lets a request through to its handler if it brings what the route needs.
fn guard(need: Need, acts: bool, action: &'static str, request: Request, next: Next) -> Answer {
    Box::pin(async move {
        let (mut parts, body) = request.into_parts();
        if need != Need::Nothing {
            match admit(need, acts, action, &parts).await {
                Ok(ctx) => {
                    parts.extensions.insert(ctx);
                }
                Err(fault) => return fault.into_response(),
            }
        }
        let mut response = next.run(Request::from_parts(parts, body)).await;
        response.extensions_mut().insert(Action(action));
        response
    })
}

/// The operation that a response belongs to, for metrics and logs.
#[derive(Clone, Copy, Debug)]
pub struct Action(pub &'static str);

async fn admit(need: Need, acts: bool, action: &'static str, request: &Parts) -> Result<OpCtx, Fault> {
    let missing = || Fault::Internal(anyhow::anyhow!("the request did not pass the outer middleware"));
    let app = request.extensions.get::<App>().ok_or_else(missing)?.clone();
    let meta = request.extensions.get::<Meta>().ok_or_else(missing)?.clone();
    let session = match bearer(&request.headers) {
        Some(token) => app.sessions.find(&app, token).await?,
        None => return Err(SessionFault::Missing.into()),
    };
    let shown = cookie(&request.headers, &half::cookie_name(session.operator, meta.https)).map(hash);
    match session.fit(shown.as_ref()) {
        Fit::Good => {}
        Fit::ToBind => bind(&app, session.id).await?,
        Fit::Stranger => {
            tracing::warn!(session.id = session.id.0, ip = %meta.ip, "a token came without the other half of its session");
            metrics::counter!("skyrack_session_strangers_total").increment(1);
            return Err(SessionFault::Missing.into());
        }
    }
    check_state(need, &session)?;
    let ctx = OpCtx { app, session, meta, action };
    if ctx.session.lacks_second_factor && matches!(need, Need::Code(_)) {
        return Err(Fault::status(4003, SECOND_FACTOR_FIRST));
    }
    if let Need::Code(code) = need
        && !ctx.may(code)
    {
        if acts {
            let refused = Audit::of("permission").name(code).note("refused");
            let mut tx = ctx.app.db.begin_write().await?;
            tx.record(db::journal::Entry { status: 4003, ..refused.fill(ctx.entry()) });
            tx.commit().await?;
        }
        return Err(Fault::Denied(code));
    }
    Ok(ctx)
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
