//! `skyrack simulate`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};
use tokio::net::TcpListener;

use crate::adbd::Trust;
use crate::control;
use crate::fault::Plan;
use crate::room::{Layout, Room, Settings};

/// Flags of `skyrack simulate`.
#[derive(Debug, Args)]
pub struct Simulate {
    /// Number of cards.
    #[arg(long, value_name = "N", default_value_t = 72)]
    cards: usize,
    /// Address of the cards: one port each from this address and port on (with `--addresses`: one address each).
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:21000")]
    listen: SocketAddr,
    /// Give each card its own address in 127.0.0.0/8, all on the port of `--listen`. Needs no file descriptor for each
    /// card.
    #[arg(long)]
    addresses: bool,
    /// Address of the BMCs, in the same way; without it there are none.
    #[arg(long, value_name = "ADDR")]
    bmc: Option<SocketAddr>,
    /// Cards per host, which has one BMC.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..))]
    cards_per_host: u16,
    /// Address of the control API (HTTP): effects on the cards, faults on and off.
    #[arg(long, value_name = "ADDR")]
    control: Option<SocketAddr>,
    /// Faults from the start, for example `hangs=1%,no_space=3,drops@0-9+12`.
    #[arg(long, value_name = "PLAN", default_value = "", value_parser = |text: &str| text.parse::<Plan>())]
    faults: Plan,
    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Approximate boot time of a card in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 8000)]
    boot_ms: u64,
    /// Folder for card data too large for memory; default: the system's temporary folder.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// How often each app writes while it runs, in milliseconds; the one that somebody uses twelve times as often. Without
    /// it apps do not write.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    writes_ms: Option<u64>,
    /// Which ADB keys the cards accept.
    #[arg(long, value_enum, default_value_t = Auth::Open)]
    auth: Auth,
}

/// Which ADB keys the cards accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Auth {
    /// Any host, even without a key.
    Open,
    /// Any key; a new one is approved at once.
    Approves,
    /// Only known keys.
    Known,
}

impl Simulate {
    /// The seed of everything random.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    fn settings(&self) -> anyhow::Result<Settings> {
        let layout = |at: SocketAddr| -> anyhow::Result<Layout> {
            if !self.addresses {
                return Ok(Layout::Ports(at));
            }
            let IpAddr::V4(first) = at.ip() else { anyhow::bail!("--addresses wants an address of 127.0.0.0/8") };
            ensure!(first.is_loopback(), "--addresses wants an address of 127.0.0.0/8, and not {first}");
            // 127.0.0.1 itself is what other programs of this machine use.
            let first = if first == Ipv4Addr::LOCALHOST { Ipv4Addr::new(127, 64, 0, 1) } else { first };
            Ok(Layout::Addresses(first, at.port()))
        };
        Ok(Settings {
            cards: self.cards,
            layout: layout(self.listen)?,
            bmcs: self.bmc.map(layout).transpose()?,
            cards_per_host: usize::from(self.cards_per_host),
            seed: self.seed,
            boot: Duration::from_millis(self.boot_ms),
            trust: match self.auth {
                Auth::Open => Trust::Open,
                Auth::Approves => Trust::Approves,
                Auth::Known => Trust::Known,
            },
            faults: self.faults.clone(),
            data: self.data.clone(),
            writes: self.writes_ms.map(Duration::from_millis),
            ..Settings::default()
        })
    }
}

/// Runs the room until the process is stopped.
///
/// # Errors
/// An address is in use, or the process may not open that many files.
pub async fn simulate(flags: Simulate) -> anyhow::Result<()> {
    let files = crate::raise_file_limit();
    ensure!(
        flags.addresses || files > flags.cards as u64 + 200,
        "this process may open {files} files, and {} cards with a port each need more: use --addresses, or raise `ulimit -n`",
        flags.cards
    );
    let control = match flags.control {
        Some(address) => Some(TcpListener::bind(address).await.with_context(|| format!("cannot listen on {address}"))?),
        None => None,
    };
    let room = Room::start(flags.settings()?).await?;
    let ends = |first: Option<SocketAddr>, last: Option<SocketAddr>| match (first, last) {
        (Some(first), Some(last)) => format!("{first} to {last}"),
        _ => "nowhere".to_owned(),
    };
    let adb = ends(room.cards.first().map(|card| card.address), room.cards.last().map(|card| card.address));
    println!("Simulated room is ready: {} cards at {adb}", room.cards.len());
    if !room.bmcs.is_empty() {
        let (name, password) = &room.settings().bmc_login;
        let at = ends(room.bmcs.first().map(|bmc| bmc.address), room.bmcs.last().map(|bmc| bmc.address));
        println!("{} BMCs (https) at {at}, name {name}, password {password}", room.bmcs.len());
    }
    if let Some(listener) = control {
        println!("Switchboard at http://{}", listener.local_addr()?);
        tokio::select! {
            ended = control::serve(&room, listener) => ended?,
            () = stopped() => {}
        }
    } else {
        stopped().await;
    }
    Ok(())
}

async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
