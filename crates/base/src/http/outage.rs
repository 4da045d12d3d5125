//! While the database is unreachable, requests are refused at once instead of waiting one by one.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use sea_orm::{DbErr, RuntimeErr};

use crate::app::App;
use crate::fault::{Fault, Outcome};

/// Answers an endpoint that needs the database while it is reachable. A running request ends when it is lost; its
/// commit continues, and whether it was saved is unknown.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let answer = unless_lost(&app, async { Ok(next.run(request).await) }).await;
    answer.unwrap_or_else(Fault::into_response)
}

/// Does `work` unless the database is lost, or until it is.
///
/// # Errors
/// Those of `work`; [`Fault::Unavailable`] when the database is lost.
pub async fn unless_lost<T>(app: &App, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
    let health = app.db.health();
    tokio::select! {
        biased;
        () = health.lost() => {
            let lost = DbErr::Conn(RuntimeErr::Internal("the database cannot be reached".to_owned()));
            Err(Fault::Unavailable(lost.into()))
        }
        outcome = work => outcome,
    }
}
