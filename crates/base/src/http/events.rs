//! Server-sent events: filtered by permission, resumed after a broken connection.
//!
//! Each topic keeps its last events in memory with their numbers. A reconnecting client names the last one it saw
//! (`Last-Event-ID`) and gets what followed; if that is no longer known (too long ago, or the server was restarted) it
//! gets the event `reset` and reloads. So does a new client if something happened just before it came: what it shows may
//! have been read before that. Events are hints: the truth is in the database.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event as SseEvent, Sse};
use axum::response::{IntoResponse as _, Response};
use entity::OperatorId;
use futures::Stream;
use http::{HeaderMap, HeaderName, HeaderValue};
use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ops::OpCtx;
use crate::access::session::{self, Session};
use crate::topic::Topic;

/// Events of a topic that a client may have missed and can still get.
const KEPT: usize = 1024;
/// Interval of keep-alives, by which proxies and clients can tell a quiet stream from a dead one. A page says that its
/// figures have stopped after twice as long (`web/src/api/event-stream.ts`).
const BEAT: Duration = Duration::from_secs(5);
/// How much older than its stream a page may be: it reads ahead, from the click on, and an answer is taken for new for
/// five seconds (`web/src/api/query.ts`).
const READ_BEFORE: Duration = Duration::from_secs(10);

/// Who may receive an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audience {
    /// Whoever has this permission code.
    pub code: Option<&'static str>,
    /// Also this operator, whatever permissions they have.
    pub operator: Option<OperatorId>,
}

impl Audience {
    fn includes(self, session: &Session) -> bool {
        self.code.is_some_and(|code| session.may(code)) || self.operator == Some(session.operator)
    }
}

#[derive(Debug)]
struct Event {
    number: u64,
    at: Instant,
    name: &'static str,
    data: String,
    audience: Audience,
}

/// The events of the server, by topic.
#[derive(Debug)]
pub struct EventHub {
    /// Distinguishes this start of the server from others.
    epoch: String,
    topics: Mutex<HashMap<&'static str, Arc<Channel>>>,
    closed: CancellationToken,
}

/// The last events of a topic.
#[derive(Debug)]
struct Channel {
    ring: Mutex<VecDeque<Arc<Event>>>,
    /// The number of the newest event.
    newest: watch::Sender<u64>,
}

impl Default for EventHub {
    fn default() -> Self {
        Self {
            epoch: format!("{:08x}", rand::random::<u32>()),
            topics: Mutex::default(),
            closed: CancellationToken::new(),
        }
    }
}

impl EventHub {
    /// Publishes `name` to `audience`. `data` must not contain more than the audience may see.
    pub fn publish(&self, topic: Topic, name: &'static str, data: &impl Serialize, audience: Audience) {
        let data = match serde_json::to_string(data) {
            Ok(data) => data,
            Err(error) => return tracing::error!(topic = topic.name, name, %error, "an event cannot be written"),
        };
        let channel = self.channel(topic);
        let mut ring = channel.ring.lock();
        let number = *channel.newest.borrow() + 1;
        if ring.len() == KEPT {
            ring.pop_front();
        }
        ring.push_back(Arc::new(Event { number, at: Instant::now(), name, data, audience }));
        channel.newest.send_replace(number);
    }

    /// Ends every stream: the server is shutting down.
    pub fn close(&self) {
        self.closed.cancel();
    }

    /// Cancelled when the server shuts down.
    #[must_use]
    pub fn closed(&self) -> CancellationToken {
        self.closed.clone()
    }

    fn channel(&self, topic: Topic) -> Arc<Channel> {
        self.topics
            .lock()
            .entry(topic.name)
            .or_insert_with(|| Arc::new(Channel { ring: Mutex::default(), newest: watch::Sender::new(0) }))
            .clone()
    }

    /// The number after which the client resumes, or none if that is no longer known.
    fn resume(&self, channel: &Channel, headers: &HeaderMap) -> Option<u64> {
        let newest = *channel.newest.borrow();
        let Some(last) = headers.get("last-event-id").and_then(|value| value.to_str().ok()) else {
            return Some(newest);
        };
        let (epoch, number) = last.split_once('-')?;
        let number: u64 = number.parse().ok().filter(|number| epoch == self.epoch && *number <= newest)?;
        let oldest = channel.ring.lock().front().map_or(newest + 1, |event| event.number);
        (number + 1 >= oldest).then_some(number)
    }
}

impl Channel {
    /// Whether something of what this operator hears happened so recently.
    fn happened_within(&self, time: Duration, session: &Session) -> bool {
        let ring = self.ring.lock();
        ring.iter().rev().take_while(|event| event.at.elapsed() < time).any(|event| event.audience.includes(session))
    }
}

/// Answers with the events of `topic` that the operator may receive, as long as the session lasts.
#[must_use]
pub fn stream(ctx: OpCtx, topic: Topic, headers: &HeaderMap) -> Response {
    let channel = ctx.app.events.channel(topic);
    let after = ctx.app.events.resume(&channel, headers);
    let is_new = !headers.contains_key("last-event-id");
    let listener = Listener {
        news: channel.newest.subscribe(),
        sessions: ctx.app.sessions.changes(),
        session: ctx.session.clone(),
        after: after.unwrap_or_else(|| *channel.newest.borrow()),
        must_reset: after.is_none() || is_new && channel.happened_within(READ_BEFORE, &ctx.session),
        beat_at: Instant::now(),
        channel,
        ctx,
    };
    let mut response = Sse::new(listener.run()).into_response();
    // Some proxies buffer an answer before they pass it on.
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// One open stream.
struct Listener {
    ctx: OpCtx,
    channel: Arc<Channel>,
    session: Arc<Session>,
    /// The last event that was considered.
    after: u64,
    must_reset: bool,
    news: watch::Receiver<u64>,
    sessions: watch::Receiver<u64>,
    beat_at: Instant,
}

impl Listener {
    fn run(self) -> impl Stream<Item = Result<SseEvent, Infallible>> {
        futures::stream::unfold(self, |mut listener| async move {
            let event = listener.next().await?;
            Some((Ok(event), listener))
        })
    }

    async fn next(&mut self) -> Option<SseEvent> {
        let closed = self.ctx.app.events.closed.clone();
        loop {
            // After a change of permissions events are filtered by the new ones, whichever is noticed first.
            if self.sessions.has_changed().unwrap_or(true) {
                self.sessions.mark_unchanged();
                self.look().await?;
            }
            if self.must_reset {
                self.must_reset = false;
                return Some(self.numbered(self.after, "reset").data("{}"));
            }
            if let Some(event) = self.take() {
                return Some(self.numbered(event.number, event.name).data(&event.data));
            }
            if self.must_reset {
                continue;
            }
            let beat = tokio::time::sleep_until(self.beat_at);
            let must_look = tokio::select! {
                () = closed.cancelled() => return None,
                _ = self.news.changed() => false,
                _ = self.sessions.changed() => true,
                () = beat => true,
            };
            if must_look {
                self.look().await?;
            }
            if Instant::now() >= self.beat_at {
                self.beat_at = Instant::now() + BEAT;
                return Some(SseEvent::default().comment("beat"));
            }
        }
    }

    /// Reloads the session's permissions; none if it has ended.
    async fn look(&mut self) -> Option<()> {
        // It must not keep the session alive: a forgotten tab would never be signed out.
        self.session = Arc::new(session::watch(&self.ctx.app, self.session.id).await.ok()?);
        Some(())
    }

    /// The next event for this operator.
    fn take(&mut self) -> Option<Arc<Event>> {
        let ring = self.channel.ring.lock();
        let oldest = ring.front()?.number;
        if oldest > self.after + 1 {
            // The client reads more slowly than events occur.
            self.after = ring.back()?.number;
            self.must_reset = true;
            return None;
        }
        let skip = usize::try_from(self.after + 1 - oldest).unwrap_or(usize::MAX);
        let found = ring.iter().skip(skip).find(|event| event.audience.includes(&self.session)).cloned();
        self.after =
            found.as_ref().map_or_else(|| ring.back().map_or(self.after, |event| event.number), |event| event.number);
        found
    }

    fn numbered(&self, number: u64, name: &str) -> SseEvent {
        SseEvent::default().id(format!("{}-{number}", self.ctx.app.events.epoch)).event(name)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::{Audience, EventHub, KEPT, Topic};
    use crate::http::Need;

    const TASK: Topic = Topic { name: "task", about: "", need: Need::Session };

    fn headers(last: &str) -> HeaderMap {
        HeaderMap::from_iter([(http::HeaderName::from_static("last-event-id"), last.parse().expect("ASCII"))])
    }

    #[test]
    fn a_client_resumes_where_it_was_unless_that_is_forgotten() {
        let hub = EventHub::default();
        let channel = hub.channel(TASK);
        assert_eq!(hub.resume(&channel, &HeaderMap::new()), Some(0));
        for n in 0..KEPT as u64 + 10 {
            hub.publish(TASK, "task", &n, Audience::default());
        }
        let (newest, oldest) = (KEPT as u64 + 10, 11);
        let id = |number: u64| format!("{}-{number}", hub.epoch);

        assert_eq!(hub.resume(&channel, &HeaderMap::new()), Some(newest));
        assert_eq!(hub.resume(&channel, &headers(&id(newest))), Some(newest));
        assert_eq!(hub.resume(&channel, &headers(&id(oldest - 1))), Some(oldest - 1));
        for forgotten in
            [id(oldest - 2), id(newest + 1), format!("00000000x-{newest}"), "nonsense".to_owned(), "-".to_owned()]
        {
            assert_eq!(hub.resume(&channel, &headers(&forgotten)), None, "{forgotten}");
        }
    }
}
