//! A pipe between programs, and between a program and the host's input.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::fd::Stop;

/// Whoever writes waits while so many bytes have not been read.
pub const FULL: usize = 64 * 1024;

type Hook = Box<dyn Fn() + Send + Sync>;

/// What both ends share.
#[derive(Default)]
pub struct Pipe {
    queue: Mutex<BytesMut>,
    writers: AtomicUsize,
    readers: AtomicUsize,
    changed: Notify,
    /// Called when something was read, and when somebody waits for something to read.
    taken: Option<Hook>,
}

impl std::fmt::Debug for Pipe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pipe").field("bytes", &self.queue.lock().len()).finish_non_exhaustive()
    }
}

/// The end that is written to.
#[derive(Debug)]
pub struct Writer(Arc<Pipe>);

/// The end that is read.
#[derive(Debug)]
pub struct Reader(Arc<Pipe>);

/// A new pipe.
pub fn pipe() -> (Writer, Reader) {
    with(Pipe::default())
}

/// A new pipe that tells when something was read, and when somebody waits for something to read.
pub fn told(taken: impl Fn() + Send + Sync + 'static) -> (Writer, Reader) {
    with(Pipe { taken: Some(Box::new(taken)), ..Pipe::default() })
}

fn with(pipe: Pipe) -> (Writer, Reader) {
    pipe.writers.store(1, Ordering::SeqCst);
    pipe.readers.store(1, Ordering::SeqCst);
    let pipe = Arc::new(pipe);
    (Writer(Arc::clone(&pipe)), Reader(pipe))
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.writers.fetch_sub(1, Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.readers.fetch_sub(1, Ordering::SeqCst);
        self.0.changed.notify_waiters();
    }
}

impl Writer {
    /// Writes all of it, in turn with whoever reads.
    ///
    /// # Errors
    /// Nobody reads any more.
    pub async fn write(&self, mut bytes: &[u8]) -> Result<(), Stop> {
        let pipe = &self.0;
        while !bytes.is_empty() {
            let changed = pipe.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if pipe.readers.load(Ordering::SeqCst) == 0 {
                return Err(Stop::Broken);
            }
            let written = {
                let mut queue = pipe.queue.lock();
                let count = FULL.saturating_sub(queue.len()).min(bytes.len());
                queue.extend_from_slice(&bytes[..count]);
                count
            };
            if written == 0 {
                changed.await;
            } else {
                bytes = &bytes[written..];
                pipe.changed.notify_waiters();
            }
        }
        Ok(())
    }

    /// Writes without waiting; returns how many bytes have not been read.
    pub fn push(&self, bytes: &[u8]) -> usize {
        let waiting = {
            let mut queue = self.0.queue.lock();
            queue.extend_from_slice(bytes);
            queue.len()
        };
        self.0.changed.notify_waiters();
        waiting
    }

    /// How many bytes have not been read.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.0.queue.lock().len()
    }
}

impl Reader {
    /// Waits for something that `take` finds, or for the end, which takes whatever is left.
    async fn wait(&self, take: impl Fn(&mut BytesMut, bool) -> Option<Bytes>) -> Bytes {
        let pipe = &self.0;
        loop {
            let changed = pipe.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let ended = pipe.writers.load(Ordering::SeqCst) == 0;
            let taken = take(&mut pipe.queue.lock(), ended);
            if let Some(told) = &pipe.taken {
                told();
            }
            if let Some(bytes) = taken {
                pipe.changed.notify_waiters();
                return bytes;
            }
            changed.await;
        }
    }

    /// Up to `most` bytes; none at the end.
    pub async fn read(&self, most: usize) -> Bytes {
        self.wait(|queue, ended| {
            let count = queue.len().min(most);
            if count > 0 || ended { Some(queue.split_to(count).freeze()) } else { None }
        })
        .await
    }

    /// Up to and with the next such byte, or what is left before the end.
    pub async fn read_until(&self, byte: u8) -> Bytes {
        self.wait(|queue, ended| match queue.iter().position(|found| *found == byte) {
            Some(at) => Some(queue.split_to(at + 1).freeze()),
            None if ended || queue.len() >= FULL => Some(queue.split().freeze()),
            None => None,
        })
        .await
    }
}
