//! While the database is unreachable, requests are refused at once instead of waiting one by one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use db::trouble::in_doubt;
use db::{Commits, Trouble};
use http::Method;
use sea_orm::{DbErr, RuntimeErr};

use super::hang_up;
use crate::access::need::Route;
use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::http::answer::Pending;

/// What [`guard`] goes by.
#[derive(Clone, Debug)]
pub struct Guarded {
    app: App,
    /// Paths of calls that only read, though their methods do not say so, such as the pages of lists.
    reads: Arc<HashMap<Method, HashSet<String>>>,
}

impl Guarded {
    /// The calls of these routes. Whatever else is asked for may change something.
    #[must_use]
    pub fn of(app: &App, routes: &[Route]) -> Self {
        let mut reads: HashMap<Method, HashSet<String>> = HashMap::new();
        for route in routes.iter().filter(|route| !route.acts && !route.method.is_safe()) {
            reads.entry(route.method.clone()).or_default().insert(route.path.clone());
        }
        Self { app: app.clone(), reads: Arc::new(reads) }
    }

    fn only_reads(&self, request: &Request) -> bool {
        let path = || request.extensions().get::<MatchedPath>();
        let is_known = |paths: &HashSet<String>| path().is_some_and(|path| paths.contains(path.as_str()));
        request.method().is_safe() || self.reads.get(request.method()).is_some_and(is_known)
    }
}

/// Answers an endpoint that needs the database while it is reachable. A request that only reads ends when it is lost, or
/// when its caller hangs up; one that changes something is worked on to its end once it has asked for a commit
/// ([`hang_up`]). Then the caller is told that it may have been saved, whichever way the request ends: that the database
/// cannot be reached means to him that nothing was.
pub async fn guard(State(guarded): State<Guarded>, request: Request, next: Next) -> Response {
    let (commits, only_reads, app) = (Commits::default(), guarded.only_reads(&request), guarded.app);
    let work = next.run(request);
    let answer = if only_reads {
        unless_lost(&app, async { Ok(commits.count(work).await) }).await
    } else {
        unless_lost(&app, hang_up::to_its_end(&app, &commits, work)).await
    };
    let answer = answer.unwrap_or_else(Fault::into_response);
    if commits.any() && says_lost(&answer) {
        return Fault::Unavailable(in_doubt(lost()).into()).into_response();
    }
    answer
}

fn says_lost(answer: &Response) -> bool {
    let Some(Pending(fault)) = answer.extensions().get() else { return false };
    let (Fault::Unavailable(error) | Fault::Internal(error)) = fault.as_ref() else { return false };
    Trouble::in_chain(error.as_ref()) == Some(Trouble::Lost)
}

/// The answer to a request under which the database is lost.
pub(super) fn unavailable() -> Fault {
    Fault::Unavailable(lost().into())
}

fn lost() -> DbErr {
    DbErr::Conn(RuntimeErr::Internal("the database cannot be reached".to_owned()))
}

/// Does `work` unless the database is lost, or until it is.
///
/// # Errors
/// Those of `work`; [`Fault::Unavailable`] when the database is lost.
pub async fn unless_lost<T>(app: &App, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    let health = app.db.health();
    tokio::select! {
        biased;
        () = health.lost() => Err(unavailable()),
        outcome = work => outcome,
    }
}
