//! A body that holds a resource until it is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

/// `body`, which releases its holder when it is dropped, sent or not.
#[derive(Debug)]
pub struct Held<T> {
    body: Body,
    _holder: T,
}

impl<T> Held<T> {
    /// Lets `body` hold `holder`.
    pub const fn new(body: Body, holder: T) -> Self {
        Self { body, _holder: holder }
    }
}

impl<T: Unpin> http_body::Body for Held<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
