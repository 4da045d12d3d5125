//! A body that its receiver must read.
//!
//! With HTTP/1, unsent data waits in the socket, and [`super::deadline::Timed`] notices that nothing is read. With
//! HTTP/2 the socket is free while a stream waits for its window: a client that closes it and answers every ping would
//! hold its place for ever. So a body reports when it waits to be polled, and its connection ends when that takes too
//! long.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::connections::Connection;

/// Bytes that are sent at once, within one deadline: the size of an HTTP/2 frame.
const PIECE: usize = 16 * 1024;

/// `body`, whose connection knows since when nobody has polled it.
#[derive(Debug)]
pub struct Taken<B> {
    body: B,
    rest: Bytes,
    connection: Arc<Connection>,
    number: u64,
}

impl<B> Taken<B> {
    /// From now on somebody must read `body`.
    pub fn new(body: B, connection: Arc<Connection>) -> Self {
        let number = connection.waits_for_a_taker(None);
        Self { body, rest: Bytes::new(), connection, number }
    }

    fn piece(&mut self) -> Frame<Bytes> {
        let size = self.rest.len().min(PIECE);
        self.connection.waits_for_a_taker(Some(self.number));
        Frame::data(self.rest.split_to(size))
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Taken<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = self.get_mut();
        // A reader that polls has taken what came before; how long the rest takes to be produced is not its fault.
        this.connection.has_a_taker(this.number);
        if !this.rest.is_empty() {
            return Poll::Ready(Some(Ok(this.piece())));
        }
        let Some(frame) = ready!(Pin::new(&mut this.body).poll_frame(cx)).transpose()? else {
            return Poll::Ready(None);
        };
        Poll::Ready(Some(Ok(match frame.into_data() {
            Ok(data) => {
                this.rest = data;
                this.piece()
            }
            Err(other) => other,
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (inner, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

impl<B> Drop for Taken<B> {
    fn drop(&mut self) {
        self.connection.has_a_taker(self.number);
    }
}
