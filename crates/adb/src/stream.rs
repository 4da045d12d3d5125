//! A stream to one service of a card.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::connection::Held;
use crate::error::{Error, within};
use crate::wire::{self, Packet};

/// Up to this size a payload is acknowledged when it arrives, above it when it is read: so a stream holds at most this
/// and one payload more, in bytes.
const WINDOW: usize = 256 * 1024;

/// The state of a stream, between the connection's task and the stream's owner.
#[derive(Debug, Default)]
pub(crate) struct Channel {
    state: Mutex<State>,
    readable: Notify,
    writable: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The card's id of the stream; 0 until it is open.
    remote: u32,
    /// Whether the card has accepted the last payload.
    ready: bool,
    arrived: VecDeque<Bytes>,
    buffered: usize,
    /// A payload that is not acknowledged yet.
    owed: bool,
    closed: bool,
    error: Option<Error>,
}

impl Channel {
    /// Handles a payload that arrived; returns whether to acknowledge it at once.
    pub(crate) fn take(&self, remote: u32, payload: Bytes) -> Result<bool, Error> {
        let mut state = self.state.lock();
        if state.remote != remote {
            return Err(Error::protocol("a payload for a stream that is not open"));
        }
        if state.owed {
            return Err(Error::protocol("a payload before the last one was acknowledged"));
        }
        state.buffered += payload.len();
        if !payload.is_empty() {
            state.arrived.push_back(payload);
        }
        state.owed = state.buffered > WINDOW;
        let acknowledge = !state.owed;
        drop(state);
        self.readable.notify_one();
        Ok(acknowledge)
    }

    pub(crate) fn okay(&self, remote: u32) {
        let mut state = self.state.lock();
        if state.remote == 0 {
            state.remote = remote;
        }
        state.ready = true;
        drop(state);
        self.writable.notify_one();
    }

    /// Handles the card closing the stream; returns whether it was open, so that the card must be told as well.
    pub(crate) fn close(&self) -> bool {
        let mut state = self.state.lock();
        state.closed = true;
        let was_open = state.remote != 0;
        drop(state);
        self.wake();
        was_open
    }

    pub(crate) fn fail(&self, error: &Error) {
        let mut state = self.state.lock();
        state.closed = true;
        state.error.get_or_insert_with(|| error.clone());
        drop(state);
        self.wake();
    }

    fn wake(&self) {
        self.readable.notify_one();
        self.writable.notify_one();
    }
}

/// A stream to one service. Dropping it closes it. One task may read while another writes.
#[derive(Debug)]
pub struct Stream {
    held: Arc<Held>,
    id: u32,
    channel: Arc<Channel>,
}

impl Stream {
    pub(crate) fn new(held: Arc<Held>, id: u32, channel: Arc<Channel>) -> Self {
        Self { held, id, channel }
    }

    pub(crate) async fn opened(&self, service: &str) -> Result<(), Error> {
        loop {
            {
                let state = self.channel.state.lock();
                if let Some(error) = &state.error {
                    return Err(error.clone());
                }
                if state.remote != 0 {
                    return Ok(());
                }
                if state.closed {
                    let service = service.split([':', ',']).next().unwrap_or_default().to_owned();
                    return Err(Error::ServiceRefused { service });
                }
            }
            self.channel.writable.notified().await;
        }
    }

    /// The next bytes from the card; `None` when it has closed the stream. Cancelling it loses nothing.
    ///
    /// # Errors
    /// The connection was lost.
    pub async fn read(&self) -> Result<Option<Bytes>, Error> {
        loop {
            if let Some(now) = self.try_read()? {
                return Ok(now);
            }
            self.channel.readable.notified().await;
        }
    }

    /// What [`Stream::read`] would return without waiting; `None` if it would wait.
    pub(crate) fn try_read(&self) -> Result<Option<Option<Bytes>>, Error> {
        let mut state = self.channel.state.lock();
        if let Some(bytes) = state.arrived.pop_front() {
            state.buffered -= bytes.len();
            let acknowledge = state.owed && !state.closed && state.buffered <= WINDOW;
            if acknowledge {
                state.owed = false;
            }
            let remote = state.remote;
            drop(state);
            if acknowledge {
                self.held.shared.send(&Packet::bare(wire::OKAY, self.id, remote))?;
            }
            return Ok(Some(Some(bytes)));
        }
        match (&state.error, state.closed) {
            (Some(error), _) => Err(error.clone()),
            (None, true) => Ok(Some(None)),
            (None, false) => Ok(None),
        }
    }

    /// Sends bytes, and returns when the last of them are being sent; the card may not have accepted them yet.
    ///
    /// # Errors
    /// The card closed the stream, or the connection was lost.
    pub async fn write(&self, mut bytes: Bytes) -> Result<(), Error> {
        while !bytes.is_empty() {
            let part = bytes.split_to(bytes.len().min(self.held.shared.payload));
            let remote = self.ready().await?;
            self.held.shared.send(&Packet::new(wire::WRTE, self.id, remote, part))?;
        }
        Ok(())
    }

    /// Waits until the card has accepted the last payload, and takes the turn.
    async fn ready(&self) -> Result<u32, Error> {
        loop {
            {
                let mut state = self.channel.state.lock();
                if let Some(error) = &state.error {
                    return Err(error.clone());
                }
                if state.closed {
                    return Err(Error::Closed);
                }
                if state.ready {
                    state.ready = false;
                    return Ok(state.remote);
                }
            }
            self.channel.writable.notified().await;
        }
    }

    /// Reads until the card closes the stream. More than `limit` bytes are an error.
    ///
    /// # Errors
    /// Too much data, a silence longer than the limit of a step, or the connection was lost.
    pub async fn read_all(&self, limit: usize) -> Result<BytesMut, Error> {
        let mut all = BytesMut::new();
        while let Some(bytes) = within("an answer", self.held.shared.limits.step, self.read()).await? {
            if all.len() + bytes.len() > limit {
                return Err(Error::TooLarge { limit: limit as u64 });
            }
            all.extend_from_slice(&bytes);
        }
        Ok(all)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let shared = &self.held.shared;
        shared.remove(self.id);
        let state = self.channel.state.lock();
        // Not open yet: the connection closes it when the card's OKAY arrives.
        if !state.closed && state.remote != 0 {
            let remote = state.remote;
            drop(state);
            let _ = shared.send(&Packet::bare(wire::CLSE, self.id, remote));
        }
    }
}
