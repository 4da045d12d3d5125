//! The card's side of ADB: one task per connection, and one for each running program.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use adb::PublicKey;
use adb::link::{Link, LinkError};
use adb::wire::{self, Packet};
use bytes::{Bytes, BytesMut};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};

use crate::card::{Card, Phase};
use crate::fault::Fault;
use crate::services::{Line, Opened, Service};
use crate::shell::fd::{LATE, Said};

/// Which keys a card accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Any host, even without a key: usual for array cards.
    #[default]
    Open,
    /// Any key; a new one is approved at once, as if by a person.
    Approves,
    /// Only known keys.
    Known,
}

/// After this many bytes in one direction [`Fault::Drops`] cuts the connection.
const CUT: usize = 96 * 1024;

struct Stream {
    remote: u32,
    service: Service,
    /// Bytes to be sent, and how many of them are a program's output.
    waiting: VecDeque<(Bytes, usize)>,
    /// A payload has been sent that the host has not acknowledged, or the host has not opened the stream yet.
    busy: bool,
    ending: bool,
    /// The host waits for the permission to send more.
    owed: bool,
}

struct Session {
    card: Arc<Card>,
    link: Link,
    payload: usize,
    last_id: u32,
    streams: HashMap<u32, Stream>,
    /// Programs that continue although their stream was closed.
    lingering: HashMap<u32, Service>,
    /// Answers are delayed.
    timers: Vec<(Instant, u32, Opened)>,
    sender: UnboundedSender<(u32, Said)>,
    said: UnboundedReceiver<(u32, Said)>,
    moved: usize,
}

/// Why this side ends a connection.
enum End {
    Link,
    Cut,
}

impl From<LinkError> for End {
    fn from(_: LinkError) -> Self {
        Self::Link
    }
}

/// Serves one connection to its end.
pub async fn serve(card: Arc<Card>, stream: TcpStream, trust: Trust) {
    if card.faults.has(Fault::Refuses) || matches!(card.phase().0, Phase::Off | Phase::Starting) {
        reset(&stream);
        return;
    }
    let Ok(link) = Link::new(stream) else { return };
    let (sender, said) = unbounded_channel();
    let mut session = Session {
        card,
        link,
        payload: wire::PAYLOAD_V1,
        last_id: 0,
        streams: HashMap::new(),
        lingering: HashMap::new(),
        timers: Vec::new(),
        sender,
        said,
        moved: 0,
    };
    if let Err(End::Cut) = session.run(trust).await {
        reset(session.link.socket());
    }
    session.card.forget_host(&session.sender);
}

/// Makes the close a reset.
fn reset(stream: &TcpStream) {
    let _ = socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

impl Session {
    async fn run(&mut self, trust: Trust) -> Result<(), End> {
        let card = Arc::clone(&self.card);
        let boots = card.boots();
        let mut inbox = BytesMut::new();
        let changed = card.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        let mut let_in = false;
        let mut token = None;
        loop {
            let (phase, left) = card.phase();
            let gone = matches!(phase, Phase::Off | Phase::Starting) || card.boots() != boots;
            if gone || card.faults.has(Fault::Refuses) {
                return Err(End::Cut);
            }
            let phase_end = left.map(|left| Instant::now() + left);
            let next = self.timers.iter().map(|timer| timer.0).chain(phase_end).min();
            tokio::select! {
                received = self.link.receive(&mut inbox) => {
                    let packet = received?;
                    if card.faults.has(Fault::Silent) {
                        continue;
                    }
                    if let_in {
                        self.dispatch(packet)?;
                    } else {
                        let_in = self.greet(&packet, trust, &mut token)?;
                    }
                }
                Err(error) = self.link.flush() => return Err(error.into()),
                () = &mut changed => {
                    changed.set(card.changed.notified());
                    changed.as_mut().enable();
                }
                Some((id, said)) = self.said.recv() => self.hear(id, said)?,
                () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => self.fire()?,
            }
        }
    }

    /// The handshake; returns whether the host is accepted.
    fn greet(&mut self, packet: &Packet, trust: Trust, token: &mut Option<[u8; 20]>) -> Result<bool, End> {
        let stubborn = self.card.faults.has(Fault::Unauthorized);
        match (packet.command, packet.arg0) {
            (wire::CNXN, _) => {
                let theirs = usize::try_from(packet.arg1).unwrap_or(usize::MAX);
                let ours = if self.card.faults.has(Fault::Old) { wire::PAYLOAD_V1 } else { wire::PAYLOAD_MAX };
                self.payload = theirs.clamp(wire::PAYLOAD_V1, ours);
                self.link.take_at_most(ours);
                if stubborn || trust != Trust::Open {
                    self.ask(token)?;
                    return Ok(false);
                }
            }
            (wire::AUTH, wire::AUTH_SIGNATURE) => {
                let known = !stubborn
                    && token.is_some_and(|token| {
                        self.card.state().keys.iter().any(|key| key.verifies(&token, &packet.payload))
                    });
                self.card.count(if known { "auth:known" } else { "auth:unknown" });
                if !known {
                    self.ask(token)?;
                    return Ok(false);
                }
            }
            (wire::AUTH, wire::AUTH_PUBLIC_KEY) => {
                let key = PublicKey::from_line(&String::from_utf8_lossy(&packet.payload));
                match key {
                    Ok(key) if !stubborn && trust == Trust::Approves => self.card.state().keys.push(key),
                    // An approval dialog on a screen that nobody sees.
                    _ => return Ok(false),
                }
            }
            _ => return Ok(false),
        }
        self.welcome()?;
        Ok(true)
    }

    fn ask(&self, token: &mut Option<[u8; 20]>) -> Result<(), End> {
        let mut bytes = [0; 20];
        for part in bytes.chunks_mut(8) {
            part.copy_from_slice(&self.card.fresh().to_le_bytes()[..part.len()]);
        }
        *token = Some(bytes);
        Ok(self.link.send(&Packet::new(wire::AUTH, wire::AUTH_TOKEN, 0, bytes.to_vec()))?)
    }

    fn welcome(&self) -> Result<(), End> {
        let old = self.card.faults.has(Fault::Old);
        let (platform, model, _) = self.card.board();
        // Without `fixed_push_mkdir` a host makes each folder by a command, and empty ones are not left out.
        let features = if old { "" } else { "features=shell_v2,cmd,stat_v2,ls_v2,sendrecv_v2" };
        let banner = format!(
            "device::ro.product.name={platform};ro.product.model={model};ro.product.device={platform};{features}"
        );
        let (version, payload) =
            if old { (wire::VERSION_MIN, wire::PAYLOAD_V1) } else { (wire::VERSION, wire::PAYLOAD_MAX) };
        let payload = u32::try_from(payload).expect("1 MiB");
        self.link.send(&Packet::new(wire::CNXN, version, payload, banner.into_bytes()))?;
        self.link.use_sums(old);
        Ok(())
    }

    fn dispatch(&mut self, packet: Packet) -> Result<(), End> {
        let faults = &self.card.faults;
        if faults.has(Fault::Hangs) {
            return Ok(());
        }
        if faults.has(Fault::Garbage) {
            let noise: Vec<u8> = (0..8).flat_map(|_| self.card.fresh().to_le_bytes()).collect();
            return Ok(self.link.send_raw(&noise)?);
        }
        if faults.has(Fault::Lies) {
            let mut header = BytesMut::new();
            Packet::bare(wire::WRTE, 1, 1).encode(false, &mut header);
            header[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
            return Ok(self.link.send_raw(&header)?);
        }
        let (theirs, ours) = (packet.arg0, packet.arg1);
        match packet.command {
            wire::OPEN => self.open(theirs, &packet.payload),
            wire::WRTE => {
                self.count_moved(packet.payload.len())?;
                let Some(stream) = self.streams.get_mut(&ours) else { return self.close(ours, theirs) };
                let (opened, has_room) = stream.service.input(&self.card, &packet.payload);
                stream.owed = !has_room;
                let okay = if has_room { vec![Packet::bare(wire::OKAY, ours, theirs)] } else { Vec::new() };
                self.react(ours, opened, okay)
            }
            wire::OKAY => {
                if let Some(stream) = self.streams.get_mut(&ours) {
                    (stream.busy, stream.remote) = (false, theirs);
                }
                self.pump(ours, Vec::new())
            }
            wire::CLSE => {
                if let Some(mut stream) = self.streams.remove(&ours) {
                    self.timers.retain(|timer| timer.1 != ours);
                    if stream.service.lingers() {
                        self.lingering.insert(ours, stream.service);
                    }
                    self.close(ours, theirs)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn close(&self, ours: u32, theirs: u32) -> Result<(), End> {
        Ok(self.link.send(&Packet::bare(wire::CLSE, ours, theirs))?)
    }

    fn open(&mut self, remote: u32, name: &[u8]) -> Result<(), End> {
        let name = String::from_utf8_lossy(name);
        let ours = self.last_id + 1;
        let line = Line { card: &self.card, id: ours, sender: &self.sender };
        let Some((service, opened)) = line.open(name.trim_end_matches('\0')) else {
            return self.close(0, remote);
        };
        if name.starts_with("reboot:") && self.card.faults.has(Fault::Sudden) {
            return Err(End::Cut);
        }
        self.last_id = ours;
        let stream = Stream { remote, service, waiting: VecDeque::new(), busy: false, ending: false, owed: false };
        self.streams.insert(ours, stream);
        let okay = Packet::bare(wire::OKAY, ours, remote);
        if self.card.faults.has(Fault::Slow) && (opened.ends || !opened.bytes.is_empty()) {
            self.link.send(&okay)?;
            self.timers.push((Instant::now() + LATE, ours, opened));
            return Ok(());
        }
        self.react(ours, opened, vec![okay])
    }

    /// Handles output of a running program.
    fn hear(&mut self, id: u32, said: Said) -> Result<(), End> {
        if let Said::Dial { target, from_card, to_card } = said {
            self.last_id += 1;
            let ours = self.last_id;
            let line = Line { card: &self.card, id: ours, sender: &self.sender };
            let service = line.port(to_card, Arc::new(from_card));
            let stream =
                Stream { remote: 0, service, waiting: VecDeque::new(), busy: true, ending: false, owed: false };
            self.streams.insert(ours, stream);
            return Ok(self.link.send(&Packet::new(wire::OPEN, ours, 0, format!("{target}\0").into_bytes()))?);
        }
        let Some(stream) = self.streams.get_mut(&id) else {
            if matches!(said, Said::Exit(_)) {
                self.lingering.remove(&id);
            }
            return Ok(());
        };
        let (bytes, printed) = match &said {
            Said::Out(bytes) => (stream.service.wrap(bytes, &[], None), bytes.len()),
            Said::Err(bytes) => (stream.service.wrap(&[], bytes, None), bytes.len()),
            Said::Exit(code) => {
                stream.ending = true;
                (stream.service.wrap(&[], &[], Some(*code)), 0)
            }
            Said::Taken => {
                if stream.owed && stream.service.has_room() {
                    stream.owed = false;
                    self.link.send(&Packet::bare(wire::OKAY, id, stream.remote))?;
                }
                return Ok(());
            }
            Said::Dial { .. } => return Ok(()),
        };
        if !bytes.is_empty() {
            stream.waiting.push_back((bytes, printed));
        }
        self.pump(id, Vec::new())
    }

    /// Sends the answer of a service; `first` is sent before it, in the same write.
    fn react(&mut self, id: u32, opened: Opened, first: Vec<Packet>) -> Result<(), End> {
        if let Some(stream) = self.streams.get_mut(&id) {
            if !opened.bytes.is_empty() {
                stream.waiting.push_back((opened.bytes, 0));
            }
            stream.ending |= opened.ends;
        }
        self.pump(id, first)
    }

    /// Sends the next payload of a stream if it is ready, and closes it at the end.
    fn pump(&mut self, id: u32, mut packets: Vec<Packet>) -> Result<(), End> {
        let mut sent = 0;
        if let Some(stream) = self.streams.get_mut(&id)
            && !stream.busy
        {
            let payload = stream.payload(&self.card, self.payload);
            if payload.is_empty() {
                if stream.ending {
                    packets.push(Packet::bare(wire::CLSE, id, stream.remote));
                    self.streams.remove(&id);
                }
            } else {
                sent = payload.len();
                stream.busy = true;
                packets.push(Packet::new(wire::WRTE, id, stream.remote, payload));
            }
        }
        self.link.send_all(&packets)?;
        self.count_moved(sent)
    }

    fn count_moved(&mut self, bytes: usize) -> Result<(), End> {
        self.moved += bytes;
        if self.moved > CUT && self.card.faults.has(Fault::Drops) { Err(End::Cut) } else { Ok(()) }
    }

    fn fire(&mut self) -> Result<(), End> {
        let now = Instant::now();
        while let Some(at) = self.timers.iter().position(|timer| timer.0 <= now) {
            let (_, id, opened) = self.timers.swap_remove(at);
            self.react(id, opened, Vec::new())?;
        }
        Ok(())
    }
}

impl Stream {
    /// The next bytes to be sent: small ones together, and no more than a payload.
    fn payload(&mut self, card: &Arc<Card>, most: usize) -> Bytes {
        if self.waiting.is_empty() {
            self.waiting.extend(self.service.more(card).map(|bytes| (bytes, 0)));
        }
        let mut payload = BytesMut::new();
        while let Some((bytes, printed)) = self.waiting.front_mut() {
            let room = most - payload.len();
            if bytes.len() > room {
                payload.extend_from_slice(&bytes.split_to(room));
                break;
            }
            let printed = *printed;
            // One that stands alone is not copied.
            let whole = self.waiting.len() == 1 && payload.is_empty();
            let Some((bytes, _)) = self.waiting.pop_front() else { break };
            self.service.give_room(printed);
            if whole {
                return bytes;
            }
            payload.extend_from_slice(&bytes);
        }
        payload.freeze()
    }
}
