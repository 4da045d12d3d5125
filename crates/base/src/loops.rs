//! What domains do for as long as the program works.

use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::fault::Outcome;

/// Work that goes on for as long as the program does.
#[derive(Clone, Copy)]
pub enum Loop {
    /// May be cut off anywhere.
    Anywhere(fn(App) -> BoxFuture<'static, ()>),
    /// Ends by itself when it is told to.
    Told(fn(App, CancellationToken) -> BoxFuture<'static, ()>),
}

/// Makes passes over something until it is aborted: one every `interval`, and one at once after any that says so. One that
/// fails is made again; `what` names it in the log.
pub async fn passes<R>(app: App, what: &str, interval: Duration, round: R)
where
    R: for<'a> Fn(&'a App) -> BoxFuture<'a, Outcome<bool>> + Send,
{
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match round(&app).await {
            Ok(true) => ticks.reset_immediately(),
            Ok(false) => {}
            Err(fault) => tracing::error!(?fault, what, "a pass failed; it is made again"),
        }
    }
}
