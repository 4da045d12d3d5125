//! While the database is unreachable, requests are refused at once instead of waiting one by one.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use db::trouble::in_doubt;
use db::{Commits, Trouble};
use sea_orm::{DbErr, RuntimeErr};

use super::hang_up;
use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::http::answer::Pending;

/// Answers an endpoint that needs the database while it is reachable. A request that only reads ends when it is lost, or
/// when its caller hangs up; one that changes something is worked on to its end once it has asked for a commit
/// ([`hang_up`]). Then the caller is told that it may have been saved, whichever way the request ends: that the database
/// cannot be reached means to him that nothing was.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let commits = Commits::default();
    let only_reads = request.method().is_safe();
    let work = next.run(request);
    let answer = if only_reads {
        // Who hangs up may do so in the middle of a statement.
        let work = app.db.health().watched(commits.count(work));
        unless_lost(&app, async { Ok(work.await) }).await
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
