//! The card's side of ADB: one task a connection, no task a stream.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use adb::PublicKey;
use adb::link::{Link, LinkError};
use adb::wire::{self, Packet};
use bytes::{Bytes, BytesMut};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

use crate::card::{Card, Phase};
use crate::fault::Fault;
use crate::services::{Reaction, Service};

/// Whom a card lets in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Everybody: the usual thing with array cards.
    #[default]
    Open,
    /// Whoever has a key; a new one is approved at once, as if somebody sat there.
    Approves,
    /// Only keys that it knows.
    Known,
}

/// After so many bytes of one direction [`Fault::Drops`] cuts the connection.
const CUT: usize = 96 * 1024;

struct Stream {
    remote: u32,
    service: Service,
    waiting: VecDeque<Bytes>,
    /// A payload is out that the host has not taken yet.
    busy: bool,
    ending: bool,
}

struct Session {
    card: Arc<Card>,
    link: Link,
    payload: usize,
    last_id: u32,
    streams: HashMap<u32, Stream>,
    timers: Vec<(Instant, u32, Reaction)>,
    moved: usize,
}

/// What ends a connection from this side.
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
    let mut session = Session {
        card,
        link,
        payload: wire::PAYLOAD_V1,
        last_id: 0,
        streams: HashMap::new(),
        timers: Vec::new(),
        moved: 0,
    };
    if let Err(End::Cut) = session.run(trust).await {
        reset(session.link.socket());
    }
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
                () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => self.fire()?,
            }
        }
    }

    /// The handshake; whether the host is in.
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
                    // A question on a screen that nobody looks at.
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
        let features = if old { "" } else { "features=shell_v2,cmd,stat_v2,ls_v2,sendrecv_v2,fixed_push_mkdir" };
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
                let card = Arc::clone(&self.card);
                let reaction = stream.service.input(&card, &packet.payload);
                self.react(ours, reaction, vec![Packet::bare(wire::OKAY, ours, theirs)])
            }
            wire::OKAY => {
                if let Some(stream) = self.streams.get_mut(&ours) {
                    stream.busy = false;
                    stream.waiting.extend(stream.service.more());
                }
                self.pump(ours, Vec::new())
            }
            wire::CLSE => {
                if self.streams.remove(&ours).is_some() {
                    self.timers.retain(|timer| timer.1 != ours);
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
        let Some((service, reaction)) = Service::open(&self.card, name.trim_end_matches('\0')) else {
            return self.close(0, remote);
        };
        self.last_id += 1;
        let ours = self.last_id;
        let stream = Stream { remote, service, waiting: VecDeque::new(), busy: false, ending: false };
        self.streams.insert(ours, stream);
        let slow = self.card.faults.has(Fault::Slow);
        let open = Packet::bare(wire::OKAY, ours, remote);
        if slow {
            self.link.send(&open)?;
            self.timers.push((Instant::now() + Duration::from_secs(2), ours, reaction));
            return Ok(());
        }
        self.react(ours, reaction, vec![open])
    }

    /// Does what a service wants; `first` goes out before it, in the same write.
    fn react(&mut self, id: u32, reaction: Reaction, first: Vec<Packet>) -> Result<(), End> {
        if !reaction.after.is_zero() {
            self.link.send_all(&first)?;
            let at = Instant::now() + reaction.after;
            self.timers.push((at, id, Reaction { after: Duration::ZERO, ..reaction }));
            return Ok(());
        }
        if let Some(stream) = self.streams.get_mut(&id) {
            let mut bytes = reaction.bytes;
            while !bytes.is_empty() {
                stream.waiting.push_back(bytes.split_to(bytes.len().min(self.payload)));
            }
            stream.ending |= reaction.ends;
        }
        self.pump(id, first)?;
        if reaction.restarts {
            self.card.count("reboot");
            self.card.restart();
        }
        Ok(())
    }

    /// Sends the next payload of a stream if it is its turn, and closes it when all is said.
    fn pump(&mut self, id: u32, mut packets: Vec<Packet>) -> Result<(), End> {
        let mut sent = 0;
        if let Some(stream) = self.streams.get_mut(&id)
            && !stream.busy
        {
            if let Some(bytes) = stream.waiting.pop_front() {
                sent = bytes.len();
                stream.busy = true;
                packets.push(Packet::new(wire::WRTE, id, stream.remote, bytes));
            } else if stream.ending {
                packets.push(Packet::bare(wire::CLSE, id, stream.remote));
                self.streams.remove(&id);
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
            let (_, id, reaction) = self.timers.swap_remove(at);
            self.react(id, reaction, Vec::new())?;
        }
        Ok(())
    }
}
