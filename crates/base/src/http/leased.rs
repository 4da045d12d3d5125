//! A console that may have lost its lease answers nothing: no new request, no running one, and not the rest of a
//! stream.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use db::fence::Hold;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::meta::language;
use crate::standby;

/// How long to wait for a slow database before a request is refused.
const PATIENCE: Duration = Duration::from_secs(1);
/// The path that reveals nothing.
const OPEN: &str = "/healthz";

/// Lets a request through while the lease is confirmed, and its answer out while it still is.
pub async fn while_active(State(hold): State<Hold>, request: Request, next: Next) -> Response {
    if request.uri().path() == OPEN {
        return next.run(request).await;
    }
    let lang = language(request.headers());
    if !hold.proved(PATIENCE).await {
        return standby::not_begun(lang);
    }
    let response = next.run(request).await;
    if !hold.proved(PATIENCE).await {
        return standby::unproved(lang);
    }
    response.map(|body| Body::new(Leased { body, hold, waits: None }))
}

/// A body that is cut off when the lease is lost.
struct Leased {
    body: Body,
    hold: Hold,
    waits: Option<BoxFuture<'static, bool>>,
}

impl HttpBody for Leased {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.waits.is_none() && !self.hold.is_proved() {
            let hold = self.hold.clone();
            self.waits = Some(async move { hold.proved(PATIENCE).await }.boxed());
        }
        if let Some(waits) = &mut self.waits {
            let is_proved = ready!(waits.poll_unpin(context));
            self.waits = None;
            if !is_proved {
                let gone = std::io::Error::other("this console is no longer active");
                return Poll::Ready(Some(Err(axum::Error::new(gone))));
            }
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
