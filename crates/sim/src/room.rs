//! A room with its cards and BMCs.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::adbd::{self, Trust};
use crate::bmc::{self, Bmc};
use crate::card::{Card, Phase};
use crate::fault::{Fault, Plan};

/// How cards and BMCs are addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One port each, from this address and port on; with port 0 the system chooses each.
    Ports(SocketAddr),
    /// One address each, from this one of 127.0.0.0/8 on, all at this port. More than [`LISTENERS`] share one
    /// listener, so that ten thousand cards need one file descriptor; one that is down resets instead of refusing.
    Addresses(Ipv4Addr, u16),
}

/// This many addresses have their own listener.
pub const LISTENERS: usize = 1_000;

/// What to simulate.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of cards.
    pub cards: usize,
    /// Their address.
    pub layout: Layout,
    /// The address of the BMCs, in the same way; none if not set.
    pub bmcs: Option<Layout>,
    /// Cards per host, which has one BMC.
    pub cards_per_host: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Approximate boot time of a card.
    pub boot: Duration,
    /// Which ADB keys the cards accept.
    pub trust: Trust,
    /// Faults from the start.
    pub faults: Plan,
    /// The time a BMC needs to execute a command.
    pub power_delay: Duration,
    /// Folder for card data too large for memory; the system's temporary folder if not set.
    pub data: Option<PathBuf>,
    /// The username and the password of every BMC.
    pub bmc_login: (String, String),
    /// How often each app writes while it runs; never if not set.
    pub writes: Option<Duration>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cards: 1,
            layout: Layout::Ports(SocketAddr::from(([127, 0, 0, 1], 0))),
            bmcs: None,
            cards_per_host: 8,
            seed: 1,
            boot: Duration::from_secs(8),
            trust: Trust::Open,
            faults: Plan::default(),
            power_delay: Duration::from_secs(1),
            data: None,
            bmc_login: ("admin".into(), "simulated".into()),
            writes: None,
        }
    }
}

/// A running room. It ends when it is dropped.
#[derive(Debug)]
pub struct Room {
    /// The cards, by number.
    pub cards: Arc<[Arc<Card>]>,
    /// The BMCs, by number of the host.
    pub bmcs: Vec<Arc<Bmc>>,
    settings: Settings,
    tasks: JoinSet<()>,
}

impl Room {
    /// Starts listening.
    ///
    /// # Errors
    /// An address is in use, or the process may not open that many files.
    pub async fn start(settings: Settings) -> anyhow::Result<Self> {
        ensure!(settings.cards_per_host > 0, "a host has at least one card");
        let mut tasks = JoinSet::new();
        let mut cards = Vec::with_capacity(settings.cards);
        let mut listeners = Vec::new();
        for index in 0..settings.cards {
            let (address, listener) = place(settings.layout, index, settings.cards).await?;
            let card = Card::new(index, address, settings.seed, settings.boot, settings.data.clone());
            if settings.writes.is_some() {
                card.let_apps_write(settings.writes);
            }
            cards.push(Arc::new(card));
            listeners.extend(listener);
        }
        let cards: Arc<[Arc<Card>]> = cards.into();
        if listeners.is_empty()
            && let Layout::Addresses(first, port) = settings.layout
        {
            let listener = shared(port).await?;
            let (cards, trust) = (Arc::clone(&cards), settings.trust);
            let serve = move |stream: TcpStream, index: usize| {
                if let Some(card) = cards.get(index) {
                    tokio::spawn(adbd::serve(Arc::clone(card), stream, trust));
                }
            };
            tasks.spawn(accept_all(listener, first, serve));
        }
        for (card, listener) in cards.iter().zip(listeners) {
            tasks.spawn(accept_one(Arc::clone(card), listener, settings.trust));
        }
        let mut room = Self { cards, bmcs: Vec::new(), settings, tasks };
        if let Some(layout) = room.settings.bmcs {
            room.start_bmcs(layout).await?;
        }
        let faults = room.settings.faults.clone();
        room.apply(&faults);
        Ok(room)
    }

    async fn start_bmcs(&mut self, layout: Layout) -> anyhow::Result<()> {
        let mut listeners = Vec::new();
        let hosts = self.cards.chunks(self.settings.cards_per_host);
        let count = hosts.len();
        for (host, cards) in hosts.enumerate() {
            let (address, listener) = place(layout, host, count).await?;
            let bmc = Bmc::new(host, address, cards.to_vec(), &self.settings);
            self.bmcs.push(Arc::new(bmc));
            listeners.extend(listener);
        }
        if listeners.is_empty()
            && let Layout::Addresses(first, port) = layout
        {
            let listener = shared(port).await?;
            let bmcs = self.bmcs.clone();
            let serve = move |stream: TcpStream, index: usize| {
                if let Some(bmc) = bmcs.get(index) {
                    tokio::spawn(bmc::serve(Arc::clone(bmc), stream));
                }
            };
            self.tasks.spawn(accept_all(listener, first, serve));
        }
        for (bmc, listener) in self.bmcs.iter().zip(listeners) {
            let bmc = Arc::clone(bmc);
            self.tasks.spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(bmc::serve(Arc::clone(&bmc), stream));
                }
            });
        }
        Ok(())
    }

    /// Switches on what a plan says; returns how many faults that is.
    pub fn apply(&self, plan: &Plan) -> usize {
        apply(&self.cards, self.settings.seed, plan)
    }

    /// Switches a fault of one card on or off.
    pub fn set_fault(&self, card: usize, fault: Fault, on: bool) {
        self.cards[card].faults.set(fault, on);
        self.cards[card].changed.notify_waiters();
    }

    /// What it was started with.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }
}

/// Switches on what a plan says; returns how many faults that is.
pub(crate) fn apply(cards: &[Arc<Card>], seed: u64, plan: &Plan) -> usize {
    let mut switched = 0;
    for (fault, chosen) in plan.cards(seed, cards.len()) {
        for card in chosen {
            cards[card].faults.set(fault, true);
            cards[card].changed.notify_waiters();
            switched += 1;
        }
    }
    switched
}

/// The address of the thing with this number of so many, and its own listener where it has one.
async fn place(layout: Layout, index: usize, of: usize) -> anyhow::Result<(SocketAddr, Option<TcpListener>)> {
    let own = async |address| {
        let listener = TcpListener::bind(address).await;
        listener.with_context(|| format!("cannot listen on {address}"))
    };
    match layout {
        Layout::Ports(first) => {
            let offset = u16::try_from(index).ok().filter(|_| first.port() != 0).unwrap_or(0);
            let port = first.port().checked_add(offset).context("there are not so many ports")?;
            let listener = own(SocketAddr::new(first.ip(), port)).await?;
            Ok((listener.local_addr()?, Some(listener)))
        }
        Layout::Addresses(first, port) => {
            let index = u32::try_from(index).context("too many")?;
            let address = u32::from(first).checked_add(index).map(Ipv4Addr::from);
            let address = address.filter(Ipv4Addr::is_loopback).context("127.0.0.0/8 has not so many addresses")?;
            let address = SocketAddr::new(IpAddr::V4(address), port);
            Ok((address, if of <= LISTENERS { Some(own(address).await?) } else { None }))
        }
    }
}

/// One listener for all of 127.0.0.0/8. What comes in from elsewhere is turned away by [`accept_all`].
async fn shared(port: u16) -> anyhow::Result<TcpListener> {
    let socket = tokio::net::TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from(([0, 0, 0, 0], port))).with_context(|| format!("cannot listen on port {port}"))?;
    Ok(socket.listen(4096)?)
}

async fn accept_all(listener: TcpListener, first: Ipv4Addr, serve: impl Fn(TcpStream, usize)) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(SocketAddr::V4(local)) = stream.local_addr() else { continue };
        if local.ip().is_loopback()
            && let Some(index) = u32::from(*local.ip()).checked_sub(u32::from(first))
        {
            serve(stream, usize::try_from(index).unwrap_or(usize::MAX));
        }
    }
}

/// Listens for one card, but not while the card is down, so that connections are really refused.
async fn accept_one(card: Arc<Card>, listener: TcpListener, trust: Trust) {
    let mut listener = Some(listener);
    loop {
        let changed = card.changed.notified();
        tokio::pin!(changed);
        changed.as_mut().enable();
        let (phase, left) = card.phase();
        let up = matches!(phase, Phase::Booting | Phase::Booted) && !card.faults.has(Fault::Refuses);
        if !up {
            listener = None;
        } else if listener.is_none() {
            listener = TcpListener::bind(card.address).await.ok();
        }
        // Until the card's state changes by itself, and a moment where its port could not be had.
        let wait = left.unwrap_or(if up && listener.is_none() { Duration::from_millis(50) } else { Duration::MAX });
        tokio::select! {
            accepted = async { match &listener {
                Some(listener) => listener.accept().await.ok(),
                None => std::future::pending().await,
            } } => {
                if let Some((stream, _)) = accepted {
                    tokio::spawn(adbd::serve(Arc::clone(&card), stream, trust));
                }
            }
            () = changed => {}
            () = tokio::time::sleep(wait.min(Duration::from_hours(1))) => {}
        }
    }
}
