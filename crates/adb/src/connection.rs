//! One persistent connection to a card, and its streams.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;

use crate::error::{Error, within};
use crate::key::RoomKey;
use crate::link::Link;
use crate::stream::{Channel, Stream};
use crate::wire::{self, Packet};

/// Maximum number of open streams per card.
const STREAMS: usize = 64;

/// How to connect, and the limits of everything on the connection.
#[derive(Clone, Debug)]
pub struct Options {
    /// The room's key; without one only cards with open ADB accept us.
    pub key: Option<Arc<RoomKey>>,
    /// The name that a card shows with the key.
    pub key_name: String,
    /// Limits of time and size.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self { key: None, key_name: "skyrack@room".into(), limits: Limits::default() }
    }
}

/// Limits of time and size. No step waits longer and no buffer grows larger.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// TCP connect timeout.
    pub connect: Duration,
    /// Until the card has identified itself, including signatures.
    pub handshake: Duration,
    /// How long to wait for somebody to approve an unknown key; part of the handshake.
    pub approval: Duration,
    /// A short request, the opening of a stream, or the longest silence in a transfer.
    pub step: Duration,
    /// A whole transfer or installation.
    pub transfer: Duration,
    /// Bytes kept of a command's output, of each of its two streams; the rest is dropped and reported (`truncated`).
    pub output: usize,
    /// The largest payload that we offer, in bytes, up to [`wire::PAYLOAD_MAX`].
    pub payload: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            handshake: Duration::from_secs(10),
            approval: Duration::from_secs(2),
            step: Duration::from_secs(15),
            transfer: Duration::from_mins(15),
            output: 256 * 1024,
            payload: 256 * 1024,
        }
    }
}

/// What a card reported about itself during the handshake.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Banner {
    /// `device`, `recovery`, `sideload`, `rescue`.
    pub kind: String,
    /// `ro.product.name` and the like.
    pub props: Vec<(String, String)>,
    /// The features that it offers.
    pub features: Vec<String>,
}

impl Banner {
    /// Reads `device::ro.product.name=x;features=a,b`.
    fn parse(text: &str) -> Self {
        let mut parts = text.trim_end_matches('\0').splitn(3, ':');
        let kind = parts.next().unwrap_or_default().to_owned();
        let mut banner = Self { kind, ..Self::default() };
        for entry in parts.nth(1).unwrap_or_default().split(';').filter(|entry| !entry.is_empty()) {
            match entry.split_once('=') {
                Some(("features", list)) => banner.features = list.split(',').map(str::to_owned).collect(),
                Some((key, value)) => banner.props.push((key.to_owned(), value.to_owned())),
                None => {}
            }
        }
        banner
    }

    /// Whether the card offers this feature.
    #[must_use]
    pub fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|have| have == feature)
    }
}

/// State shared by the task of a connection and its streams.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) link: Link,
    streams: Mutex<Table>,
    /// The largest payload that the card accepts, in bytes.
    pub(crate) payload: usize,
    banner: Banner,
    pub(crate) limits: Limits,
}

#[derive(Debug, Default)]
struct Table {
    last_id: u32,
    open: HashMap<u32, Arc<Channel>>,
    ended: Option<Error>,
}

/// Ends the connection when the last handle and the last stream are gone.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) shared: Arc<Shared>,
    task: AbortHandle,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.task.abort();
        self.shared.link.shut();
    }
}

/// A connection to one card. Clones share it; it closes with the last clone and the last stream.
#[derive(Clone, Debug)]
pub struct Connection {
    held: Arc<Held>,
}

impl Connection {
    /// Connects and completes the handshake.
    ///
    /// # Errors
    /// The card is not there, refuses us, or does not follow the ADB protocol.
    pub async fn open(address: SocketAddr, options: &Options) -> Result<Self, Error> {
        let limits = options.limits;
        let stream = within("connecting", limits.connect, async {
            TcpStream::connect(address).await.map_err(|error| {
                if error.kind() == std::io::ErrorKind::ConnectionRefused {
                    Error::Refused
                } else if error.kind() == std::io::ErrorKind::TimedOut {
                    Error::Timeout { step: "connecting", after: limits.connect }
                } else {
                    Error::Unreachable { why: error.to_string() }
                }
            })
        })
        .await?;
        // ADB has no ping. The kernel detects a vanished card: 15 s of silence, then 3 probes 10 s apart.
        let keepalive = TcpKeepalive::new()
            .with_time(Duration::from_secs(15))
            .with_interval(Duration::from_secs(10))
            .with_retries(3);
        let socket = SockRef::from(&stream);
        let _ = socket.set_tcp_keepalive(&keepalive);
        let _ = socket.set_tcp_user_timeout(Some(Duration::from_secs(45)));

        let link = Link::new(stream).map_err(|_| Error::Closed)?;
        let offered = limits.payload.clamp(wire::PAYLOAD_V1, wire::PAYLOAD_MAX);
        link.take_at_most(offered);
        let mut inbox = BytesMut::new();
        let (banner, payload) =
            within("the handshake", limits.handshake, shake_hands(&link, &mut inbox, options, offered)).await?;

        let shared = Arc::new(Shared { link, streams: Mutex::default(), payload, banner, limits });
        let task = tokio::spawn(serve(Arc::clone(&shared), inbox)).abort_handle();
        Ok(Self { held: Arc::new(Held { shared, task }) })
    }

    /// What the card reported about itself.
    #[must_use]
    pub fn banner(&self) -> &Banner {
        &self.held.shared.banner
    }

    /// The limits that were set when it was opened.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.held.shared.limits
    }

    /// Whether the connection is open, as far as is known.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.held.shared.streams.lock().ended.is_none()
    }

    /// Opens a stream to a service of the card, for example `sync:`.
    ///
    /// # Errors
    /// The card refuses the service, does not answer in time, or is gone.
    pub async fn stream(&self, service: &str) -> Result<Stream, Error> {
        let shared = &self.held.shared;
        // adbd reads the name up to a NUL, so one is part of it (AOSP protocol.txt, OPEN).
        if service.len() + 1 > shared.payload || service.contains('\0') {
            return Err(Error::BadArgument { what: format!("a command of more than {} bytes", shared.payload) });
        }
        let (id, channel) = shared.add()?;
        let stream = Stream::new(Arc::clone(&self.held), id, channel);
        let mut name = BytesMut::with_capacity(service.len() + 1);
        name.extend_from_slice(service.as_bytes());
        name.extend_from_slice(&[0]);
        shared.send(&Packet::new(wire::OPEN, id, 0, name.freeze()))?;
        within("opening a stream", shared.limits.step, stream.opened(service)).await?;
        Ok(stream)
    }
}

impl Shared {
    pub(crate) fn send(&self, packet: &Packet) -> Result<(), Error> {
        self.link.send(packet).map_err(|error| self.end(error.into()))
    }

    fn add(&self) -> Result<(u32, Arc<Channel>), Error> {
        let mut table = self.streams.lock();
        if let Some(error) = &table.ended {
            return Err(error.clone());
        }
        if table.open.len() >= STREAMS {
            return Err(Error::BadArgument { what: format!("more than {STREAMS} things at once on one card") });
        }
        // 0 is not a valid id, and one that is still in use is skipped.
        loop {
            table.last_id = table.last_id.wrapping_add(1).max(1);
            if !table.open.contains_key(&table.last_id) {
                break;
            }
        }
        let (id, channel) = (table.last_id, Arc::new(Channel::default()));
        table.open.insert(id, Arc::clone(&channel));
        Ok((id, channel))
    }

    pub(crate) fn remove(&self, id: u32) {
        self.streams.lock().open.remove(&id);
    }

    /// Ends the connection and every stream with the first reason.
    fn end(&self, error: Error) -> Error {
        let (first, open) = {
            let mut table = self.streams.lock();
            let first = table.ended.get_or_insert(error).clone();
            (first, std::mem::take(&mut table.open))
        };
        for channel in open.into_values() {
            channel.fail(&first);
        }
        self.link.shut();
        first
    }

    fn dispatch(&self, packet: Packet) -> Result<(), Error> {
        let (theirs, ours) = (packet.arg0, packet.arg1);
        let channel = self.streams.lock().open.get(&ours).cloned();
        match (packet.command, channel) {
            (wire::WRTE, Some(channel)) => {
                if channel.take(theirs, packet.payload)? {
                    self.send(&Packet::bare(wire::OKAY, ours, theirs))?;
                }
            }
            (wire::OKAY, Some(channel)) => channel.okay(theirs),
            // A stream that was given up while it was being opened: it is open now, and must be closed.
            (wire::OKAY | wire::WRTE, None) => self.send(&Packet::bare(wire::CLSE, ours, theirs))?,
            (wire::CLSE, Some(channel)) => {
                self.remove(ours);
                if channel.close() {
                    self.send(&Packet::bare(wire::CLSE, ours, theirs))?;
                }
            }
            (wire::CLSE, None) => {}
            (wire::CNXN, _) => return Err(Error::Closed),
            (wire::AUTH | wire::STLS, _) => return Err(Error::protocol("it asks for a key again")),
            (wire::OPEN, _) => self.send(&Packet::bare(wire::CLSE, 0, theirs))?,
            (other, _) => return Err(Error::protocol(format!("an unknown command {other:08x}"))),
        }
        Ok(())
    }
}

/// Reads and writes until the connection ends.
async fn serve(shared: Arc<Shared>, mut inbox: BytesMut) {
    let error = loop {
        tokio::select! {
            received = shared.link.receive(&mut inbox) => {
                let done = received.map_err(Error::from).and_then(|packet| shared.dispatch(packet));
                if let Err(error) = done {
                    break error;
                }
            }
            Err(error) = shared.link.flush() => break error.into(),
        }
    };
    shared.end(error);
}

/// Our features; a card uses nothing that the host does not list (AOSP `transport.cpp`).
const BANNER: &[u8] = b"host::features=shell_v2,cmd,stat_v2,sendrecv_v2,fixed_push_mkdir";

async fn shake_hands(
    link: &Link,
    inbox: &mut BytesMut,
    options: &Options,
    offered: usize,
) -> Result<(Banner, usize), Error> {
    let offered_word = u32::try_from(offered).unwrap_or(u32::MAX);
    link.send(&Packet::new(wire::CNXN, wire::VERSION, offered_word, Bytes::from_static(BANNER)))?;
    let mut tokens = 0;
    loop {
        let packet = if tokens < 2 {
            link.receive(inbox).await?
        } else {
            // The key was shown. Without a person at the card nothing will follow.
            tokio::time::timeout(options.limits.approval, link.receive(inbox))
                .await
                .map_err(|_| Error::AuthRefused)??
        };
        match (packet.command, packet.arg0) {
            (wire::CNXN, version) => {
                if version < wire::VERSION_MIN {
                    return Err(Error::protocol(format!("version {version:08x}")));
                }
                link.use_sums(version < wire::VERSION);
                let theirs = usize::try_from(packet.arg1).unwrap_or(usize::MAX);
                let payload = theirs.clamp(wire::PAYLOAD_V1, wire::PAYLOAD_MAX).min(offered);
                let text = String::from_utf8_lossy(&packet.payload[..packet.payload.len().min(16 * 1024)]).into_owned();
                return Ok((Banner::parse(&text), payload));
            }
            (wire::AUTH, wire::AUTH_TOKEN) => {
                let Some(key) = &options.key else { return Err(Error::AuthNeeded) };
                tokens += 1;
                let answer = match tokens {
                    1 => {
                        let (key, token) = (Arc::clone(key), packet.payload);
                        let signed = tokio::task::spawn_blocking(move || key.sign(&token)).await;
                        Packet::new(wire::AUTH, wire::AUTH_SIGNATURE, 0, signed.map_err(|_| Error::Closed)??)
                    }
                    2 => {
                        let mut line = key.public().line(&options.key_name).into_bytes();
                        line.push(0);
                        Packet::new(wire::AUTH, wire::AUTH_PUBLIC_KEY, 0, line)
                    }
                    _ => return Err(Error::AuthRefused),
                };
                link.send(&answer)?;
            }
            (wire::STLS, _) => return Err(Error::Unsupported { what: "it wants TLS; turn wireless debugging off" }),
            (other, _) => return Err(Error::protocol(format!("command {other:08x} during the handshake"))),
        }
    }
}
