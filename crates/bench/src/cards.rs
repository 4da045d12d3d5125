//! What simulated cards take of memory: at rest, and with the data of a phone on each. Nothing of it is a matter of time.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::{Duration, Instant};

use adb::{Card, Command, Options};
use anyhow::{Context as _, ensure};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use tokio::time::sleep;

use crate::fleet::Process;
use crate::report::{Line, Report};

/// Where the first card is; each of the others is at the next address.
const FIRST: Ipv4Addr = Ipv4Addr::new(127, 64, 0, 1);
/// A room of so many tells what the program takes without cards.
const FEW: usize = 10;
/// What each has: files, and bytes of each. Cards compute what is in them.
const FILES: u64 = 500;
const BYTES: u64 = 1_000_000;
const FOLDER: &str = "/data/media/0/DCIM";
/// Cards that are filled at a time.
const AT_ONCE: usize = 32;
/// Longer than a room takes for a start, or a card for its files.
const PATIENCE: Duration = Duration::from_mins(10);

/// A room of simulated cards, which ends with the value.
struct Room {
    process: Process,
    port: u16,
}

impl Room {
    /// Starts one, and waits until its last card answers.
    async fn open(binary: &Path, cards: usize) -> anyhow::Result<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let (count, listen) = (cards.to_string(), format!("{FIRST}:{port}"));
        let process = Process::start(binary, &["simulate", "--cards", &count, "--addresses", "--listen", &listen])?;
        let (room, started) = (Self { process, port }, Instant::now());
        let last = cards.checked_sub(1).context("a room has a card")?;
        while let Err(why) = Card::connect(room.card(last)?, &Options::default()).await {
            ensure!(started.elapsed() < PATIENCE, "the room does not start: {why}");
            sleep(Duration::from_millis(200)).await;
        }
        Ok(room)
    }

    fn card(&self, number: usize) -> anyhow::Result<SocketAddr> {
        let address = u32::from(FIRST).checked_add(u32::try_from(number)?).context("there are no more addresses")?;
        Ok(SocketAddr::from((Ipv4Addr::from(address), self.port)))
    }

    /// Gives a card its files, and reads one of them.
    async fn fill(&self, number: usize) -> anyhow::Result<()> {
        let card = Card::connect(self.card(number)?, &Options::default()).await?;
        let first = number as u64 * FILES;
        let script = format!(
            "cd / && i=0; while [ $i -lt {FILES} ]; do plant {FOLDER}/$i.jpg {BYTES} $(( {first} + i )) || exit 1; \
             i=$(( i + 1 )); done; sha256sum {FOLDER}/0.jpg >/dev/null && stat -c %s {FOLDER}/*.jpg"
        );
        let said = card.run_whole(&Command::script(&script), PATIENCE, 64 << 10).await?.checked()?;
        let said = String::from_utf8_lossy(&said.stdout);
        let sizes: Vec<u64> = said.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let all: u64 = sizes.iter().sum();
        ensure!(all == FILES * BYTES, "card {number} has {all} bytes");
        Ok(())
    }
}

/// Measures a room of so many cards.
pub async fn measure(binary: &Path, cards: usize, report: &mut Report) -> anyhow::Result<()> {
    ensure!(cards > FEW, "more than {FEW} cards are measured");
    let few = Room::open(binary, FEW).await?.process.memory()?;
    let room = Room::open(binary, cards).await?;
    let rest = room.process.memory()?;
    report.add(Line {
        goal: "cards",
        what: format!("{cards} simulated cards that nobody uses: each of them"),
        ours: format!(
            "{:.1} KB ({} MiB in all)",
            rest.saturating_sub(few) as f64 / (cards - FEW) as f64 / 1000.0,
            rest >> 20
        ),
        wanted: "< 100 KB",
        ..Line::default()
    });
    stream::iter(0..cards).map(|number| room.fill(number)).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
    let full = room.process.memory()?;
    report.add(Line {
        goal: "cards",
        what: format!(
            "{cards} simulated cards with {} MB each in {FILES} files, one of which was read on each: all of them",
            FILES * BYTES / 1_000_000
        ),
        ours: format!("{} MB", full / 1_000_000),
        wanted: "≤ 1,000 MB at 4,000",
        ..Line::default()
    });
    Ok(())
}
