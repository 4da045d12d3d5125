//! A TCP connection that carries messages: one reader, one writer, each message in one write.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::{Buf as _, BytesMut};
use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::wire::{self, Malformed, Packet};

const READ: usize = 16 * 1024;
/// Bytes that may be queued for a peer that does not read. Its streams wait for an OKAY each, so this is only reached
/// by one that opens streams without end.
const BACKLOG: usize = 16 * 1024 * 1024;

/// Why there are no more messages.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The peer closed, or the network did.
    #[error("the connection was closed")]
    Closed,
    /// The peer does not follow the ADB protocol, or lies.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The system's reason.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// One connection. Sending never waits and is never partial: what the socket does not accept at once is queued and sent
/// by [`Link::flush`], which the owner of the connection polls while reading.
#[derive(Debug)]
pub struct Link {
    stream: TcpStream,
    outbox: Mutex<BytesMut>,
    waiting: Notify,
    make_sums: AtomicBool,
    check_sums: AtomicBool,
    greatest: AtomicUsize,
}

impl Link {
    /// Takes over a connected socket and turns Nagle's algorithm off.
    ///
    /// # Errors
    /// The socket is already closed.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            outbox: Mutex::default(),
            waiting: Notify::new(),
            make_sums: AtomicBool::new(true),
            check_sums: AtomicBool::new(false),
            greatest: AtomicUsize::new(wire::PAYLOAD_MAX),
        })
    }

    /// The socket.
    #[must_use]
    pub const fn socket(&self) -> &TcpStream {
        &self.stream
    }

    /// From here on checksums are sent and verified, or neither. Before this call they are sent, for peers that need
    /// them, and not verified, since newer peers send 0.
    pub fn use_sums(&self, wanted: bool) {
        self.make_sums.store(wanted, Ordering::Relaxed);
        self.check_sums.store(wanted, Ordering::Relaxed);
    }

    /// The largest payload that is accepted from the peer, in bytes.
    pub fn take_at_most(&self, bytes: usize) {
        self.greatest.store(bytes, Ordering::Relaxed);
    }

    /// Sends a message. Returns at once.
    ///
    /// # Errors
    /// The connection is gone, or the peer has not read for 16 MiB.
    pub fn send(&self, packet: &Packet) -> Result<(), LinkError> {
        self.send_all(std::slice::from_ref(packet))
    }

    /// Sends some messages in one write. Returns at once.
    ///
    /// # Errors
    /// As [`Link::send`].
    pub fn send_all(&self, packets: &[Packet]) -> Result<(), LinkError> {
        let with_sum = self.make_sums.load(Ordering::Relaxed);
        let mut outbox = self.outbox.lock();
        let idle = outbox.is_empty();
        for packet in packets {
            if outbox.len() + packet.payload.len() > BACKLOG {
                return Err(io::Error::from(io::ErrorKind::WouldBlock).into());
            }
            packet.encode(with_sum, &mut outbox);
        }
        if idle {
            self.write_out(&mut outbox)?;
            if !outbox.is_empty() {
                self.waiting.notify_one();
            }
        }
        Ok(())
    }

    /// Sends bytes that are not a message: for simulators of broken devices.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn send_raw(&self, bytes: &[u8]) -> Result<(), LinkError> {
        let mut outbox = self.outbox.lock();
        outbox.extend_from_slice(bytes);
        self.write_out(&mut outbox)?;
        if !outbox.is_empty() {
            self.waiting.notify_one();
        }
        Ok(())
    }

    fn write_out(&self, outbox: &mut BytesMut) -> Result<(), LinkError> {
        while !outbox.is_empty() {
            match self.stream.try_write(outbox) {
                Ok(0) => return Err(LinkError::Closed),
                Ok(sent) => outbox.advance(sent),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        // An idle connection keeps no buffer.
        *outbox = BytesMut::new();
        Ok(())
    }

    /// Sends queued bytes, as long as it is polled. Cancelling it loses nothing.
    ///
    /// # Errors
    /// The connection is gone.
    pub async fn flush(&self) -> Result<(), LinkError> {
        loop {
            if self.outbox.lock().is_empty() {
                self.waiting.notified().await;
                continue;
            }
            self.stream.writable().await?;
            self.write_out(&mut self.outbox.lock())?;
        }
    }

    /// The next message. Cancelling it loses nothing: what has arrived is in `inbox`.
    ///
    /// # Errors
    /// The connection ended, or what arrives is not ADB.
    pub async fn receive(&self, inbox: &mut BytesMut) -> Result<Packet, LinkError> {
        loop {
            let greatest = self.greatest.load(Ordering::Relaxed);
            if let Some(packet) = wire::decode(inbox, greatest, self.check_sums.load(Ordering::Relaxed))? {
                return Ok(packet);
            }
            inbox.reserve(READ);
            match self.stream.try_read_buf(inbox) {
                Ok(0) => return Err(LinkError::Closed),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if inbox.is_empty() {
                        *inbox = BytesMut::new();
                    }
                    self.stream.readable().await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Ends both directions, so that everybody waiting on this connection notices.
    pub fn shut(&self) {
        let _ = socket2::SockRef::from(&self.stream).shutdown(std::net::Shutdown::Both);
    }
}
