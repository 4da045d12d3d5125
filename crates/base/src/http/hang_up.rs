//! A request that changes something is worked on to its end, whether its caller still listens or not.
//!
//! A handler does more than commit: it wakes rooms, ends connections, tells lists. hyper drops the future of a request
//! whose caller has hung up, and an outage answers him at once: what was saved by then would never have its effect. So
//! such a handler is a task of its own.

use std::pin::pin;
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use db::Commits;

use super::outage;
use crate::app::App;
use crate::fault::{Fault, Outcome};

/// How long a handler that has asked for a commit goes on when the database is lost. One that has saved nothing ends at
/// once: it may hold the write lane on a connection that nobody answers.
const PATIENCE: Duration = Duration::from_secs(30);

/// Does the `work` of a request, whatever becomes of its caller. `commits` counts what it saves.
///
/// # Errors
/// [`Fault::Unavailable`] when the database is lost under it.
pub(super) async fn to_its_end(
    app: &App,
    commits: &Commits,
    work: impl Future<Output = Response> + Send + 'static,
) -> Outcome<Response> {
    let (app, commits) = (app.clone(), commits.clone());
    let task = tokio::spawn(async move {
        let mut work = pin!(commits.count(work));
        tokio::select! {
            biased;
            () = app.db.health().lost() => {}
            answer = &mut work => return Ok(answer),
        }
        if commits.any() {
            // Its caller was answered; what is left is what follows a commit.
            _ = tokio::time::timeout(PATIENCE, work).await;
        }
        Err(outage::unavailable())
    });
    match task.await {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            // As if the handler had been called here: one place answers for all panics.
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Ok(Fault::Internal(anyhow::anyhow!("the process stops")).into_response()),
        },
    }
}
