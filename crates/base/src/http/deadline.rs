//! Time limits for the peer: for its first request, for each header, between requests, for each body, and for reading
//! what it is sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::connections::{Connection, Doing};

/// Until the first request has arrived: its first byte, the protocol and the header. Also for each later header.
const HEAD: Duration = Duration::from_secs(10);
/// Between two requests: longer than browsers and proxies keep a connection.
const QUIET: Duration = Duration::from_secs(90);
/// The longest pause in a body.
const PAUSE: Duration = Duration::from_secs(10);
/// The base allowance for a body, in addition to that for its bytes.
const BODY: Duration = Duration::from_secs(10);
/// Bytes per second below which a body is too slow.
const RATE: u64 = 64 * 1024;
/// How often a busy connection is checked, since its end does not wake the reader.
const LOOK: Duration = Duration::from_secs(5);

/// A connection whose reads and writes have deadlines.
#[derive(Debug)]
pub struct Timed<S> {
    stream: S,
    connection: Arc<Connection>,
    /// When the header that is arriving started.
    head: Option<Instant>,
    wake: Pin<Box<Sleep>>,
    /// The deadline for the peer to accept data.
    stall: Option<Pin<Box<Sleep>>>,
}

impl<S> Timed<S> {
    /// Applies deadlines to `stream` according to the state of its connection.
    pub fn new(stream: S, connection: Arc<Connection>) -> Self {
        Self { stream, connection, head: None, wake: Box::pin(sleep_until(Instant::now() + HEAD)), stall: None }
    }

    /// The deadline for the next data; none while a request is running.
    fn due(&self) -> Option<Instant> {
        match self.connection.doing() {
            Doing::Work => None,
            Doing::Silent(since) => Some(since + HEAD),
            Doing::Quiet(since) => {
                Some(self.head.filter(|head| *head > since).map_or(since + QUIET, |head| head + HEAD))
            }
        }
    }

    /// Records that bytes have arrived, which are a header if no request is running.
    fn heard(&mut self) {
        if let Doing::Quiet(since) = self.connection.doing()
            && self.head.is_none_or(|head| head <= since)
        {
            self.head = Some(Instant::now());
        }
    }

    fn poll_due(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            let (now, due) = (Instant::now(), self.due());
            // While an answer waits for its reader a request is running, so there is no other deadline.
            let due = self.connection.to_be_taken_by().into_iter().chain(due).min();
            if due.is_some_and(|due| due <= now) {
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
            let wake = due.map_or(now + LOOK, |due| due.min(now + LOOK));
            if self.wake.is_elapsed() || self.wake.deadline() > wake {
                self.wake.as_mut().reset(wake);
            }
            ready!(self.wake.as_mut().poll(cx));
        }
    }

    /// Passes on the result of a write; an error if it has waited too long.
    fn written<T>(&mut self, cx: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.stall = None;
            return outcome;
        }
        let patience = self.connection.stall();
        let stall = self.stall.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + patience)));
        stall.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        match Pin::new(&mut this.stream).poll_read(cx, buf) {
            Poll::Ready(outcome) => {
                if buf.filled().len() > before {
                    this.heard();
                }
                Poll::Ready(outcome)
            }
            Poll::Pending => this.poll_due(cx).map(Err),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.written(cx, outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(cx, slices);
        this.written(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_flush(cx);
        this.written(cx, outcome)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_shutdown(cx);
        this.written(cx, outcome)
    }
}

/// Whether the body of a request was sent too slowly; a request carries it.
#[derive(Clone, Debug, Default)]
pub struct Late(Arc<AtomicBool>);

impl Late {
    /// Whether it was.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// The body was sent too slowly.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the body was sent too slowly")]
pub struct TooSlow;

/// A body that must keep arriving. Only the time counts while somebody waits for it: a server that is slow to read is
/// not the sender's fault.
#[derive(Debug)]
pub struct TimedBody {
    body: Incoming,
    late: Late,
    received: u64,
    waited: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    /// A piece was returned, and the next one has to be polled again. A multipart reader takes everything available
    /// before it looks at it: with a fast sender that would be megabytes in memory.
    is_break: bool,
}

impl TimedBody {
    /// Applies deadlines to `body`, and sets `late`.
    #[must_use]
    pub fn new(body: Incoming, late: Late) -> Self {
        Self { body, late, received: 0, waited: Duration::ZERO, waiting: None, is_break: false }
    }
}

/// How long the next piece may take.
fn patience(received: u64, waited: Duration) -> Duration {
    (BODY + Duration::from_secs(received / RATE)).saturating_sub(waited).min(PAUSE)
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let this = self.get_mut();
        if std::mem::take(&mut this.is_break) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(cx) {
            if let Some((since, _)) = this.waiting.take() {
                this.waited += since.elapsed();
            }
            if let Some(bytes) = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()) {
                this.received += bytes.len() as u64;
                this.is_break = true;
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let (_, until) = this.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + patience(this.received, this.waited))))
        });
        ready!(until.as_mut().poll(cx));
        this.late.0.store(true, Relaxed);
        Poll::Ready(Some(Err(TooSlow.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{PAUSE, RATE, patience};

    #[test]
    fn a_body_earns_its_time_by_its_bytes() {
        let second = Duration::from_secs(1);
        assert_eq!(patience(0, Duration::ZERO), PAUSE);
        assert_eq!(patience(0, 9 * second), second);
        assert_eq!(patience(0, 60 * second), Duration::ZERO, "a byte now and then is not enough");
        assert_eq!(patience(3 * RATE, 9 * second), 4 * second);
        assert_eq!(patience(1000 * RATE, 900 * second), PAUSE, "a pause has an end, however much came before");
    }
}
