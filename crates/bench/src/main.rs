//! `make bench`: what the console costs, beside a bare axum over the same file and the raw database,
//! in one run on one machine. Absolute figures move with the machine; ratios hold.

mod behind;
mod browser;
mod cards;
mod copies;
mod files;
mod fleet;
mod floor;
mod load;
mod panel;
mod phones;
mod plan;
mod queue;
mod racks;
mod raw;
mod report;
mod reporters;
mod subject;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

#[derive(Debug, Parser)]
#[command(about = "Measures the console beside a floor and the raw database")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Client users to measure on.
    #[arg(long, global = true, default_value_t = 1_000_000)]
    rows: u64,
    /// Cards: of the fleet recorded ones (1,000,000 if not said), of cloud phones and by themselves simulated ones (4,000).
    #[arg(long, global = true)]
    cards: Option<u64>,
    /// Recorded cloud phones.
    #[arg(long, global = true, default_value_t = 1_000_000)]
    phones: u64,
    /// Recorded stays of cloud phones on cards.
    #[arg(long, global = true, default_value_t = 5_000_000)]
    sessions: u64,
    /// Simulated cards for operations.
    #[arg(long, global = true, default_value_t = 10_000)]
    simulated: usize,
    /// Seconds for each measurement at 32 connections.
    #[arg(long, global = true, default_value_t = 5)]
    seconds: u64,
    /// The binary under test.
    #[arg(long, global = true, default_value = "target/release/skyrack")]
    binary: PathBuf,
    /// PostgreSQL to measure as well; set by `scripts/with-postgres.sh`.
    #[arg(long, global = true, env = "TEST_PG_URL")]
    postgres: Option<String>,
    /// Measure PostgreSQL only.
    #[arg(long, global = true)]
    postgres_only: bool,
    /// Measure SQLite only.
    #[arg(long, global = true, conflicts_with = "postgres_only")]
    sqlite_only: bool,
    /// Where the figures are written.
    #[arg(long, global = true, default_value = "docs/benchmarks.md")]
    out: PathBuf,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Measure what simulated cards take of memory, at rest and with the data of a phone on each.
    Cards,
    /// Measure backups and restores of phones beside `restic` and a bare stream over ADB.
    Copies(copies::Size),
    /// Measure the fleet only.
    Fleet,
    /// Measure client users only.
    Users,
    /// Measure the task engine only.
    Queue,
    /// Measure cloud phones only: lists of them, and put-ons on simulated cards.
    Phones {
        /// One of the two.
        part: Option<PhonesPart>,
    },
    /// Measure how a room's panel draws, pans and follows its cards in a browser.
    Panel,
    /// Serve the floor (started by the bench itself).
    Floor {
        /// The SQLite file.
        #[arg(long)]
        file: PathBuf,
    },
}

/// A part of what is measured of cloud phones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PhonesPart {
    /// Lists of recorded phones and of their stays on cards.
    Lists,
    /// Put-ons on simulated cards.
    PutOns,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut cli = Cli::parse();
    if cli.sqlite_only {
        cli.postgres = None;
    }
    match &cli.command {
        Some(Command::Floor { file }) => floor::serve(file).await,
        Some(Command::Cards) => cards(&cli).await,
        Some(Command::Copies(size)) => copies::run(&cli.binary, *size, &cli.out).await,
        Some(Command::Fleet) => fleet(&cli).await,
        Some(Command::Users) => users(&cli).await,
        Some(Command::Queue) => queue(&cli).await,
        Some(Command::Phones { part }) => phones(&cli, *part).await,
        Some(Command::Panel) => panel(&cli).await,
        None => {
            users(&cli).await?;
            fleet(&cli).await?;
            queue(&cli).await?;
            phones(&cli, None).await?;
            cards(&cli).await?;
            panel(&cli).await
        }
    }
}

async fn users(cli: &Cli) -> anyhow::Result<()> {
    let mut report = report::Report::new("figures", format!("{} client users", cli.rows));
    if !cli.postgres_only {
        plan::sqlite(&cli.binary, cli.rows, cli.seconds, &mut report).await?;
    }
    if let Some(url) = &cli.postgres {
        plan::postgres(&cli.binary, url, cli.rows, cli.seconds, &mut report).await?;
    }
    report.write(&cli.out)
}

async fn fleet(cli: &Cli) -> anyhow::Result<()> {
    let cards = cli.cards.unwrap_or(1_000_000);
    let on = format!("{cards} cards recorded, {} simulated ones", cli.simulated);
    let mut report = report::Report::new("fleet figures", on);
    if !cli.postgres_only {
        fleet::operations(&cli.binary, None, cli.simulated, &mut report).await?;
        fleet::books(&cli.binary, None, cards, cli.seconds, &mut report).await?;
    }
    if let Some(url) = &cli.postgres {
        fleet::operations(&cli.binary, Some(&database(url, "bench_operations").await?), cli.simulated, &mut report)
            .await?;
        fleet::books(&cli.binary, Some(&database(url, "bench_cards").await?), cards, cli.seconds, &mut report).await?;
    }
    report.write(&cli.out)
}

async fn queue(cli: &Cli) -> anyhow::Result<()> {
    let mut report = report::Report::new("queue figures", "The task engine, in an empty database".to_owned());
    if !cli.postgres_only {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("queue.db");
        queue::backlog(&format!("sqlite:{}", file.display()), &mut report).await?;
    }
    if let Some(url) = &cli.postgres {
        queue::backlog(&database(url, "bench_queue").await?, &mut report).await?;
    }
    report.write(&cli.out)
}

async fn phones(cli: &Cli, part: Option<PhonesPart>) -> anyhow::Result<()> {
    if part != Some(PhonesPart::PutOns) {
        let size = phones::Size { phones: cli.phones, sessions: cli.sessions };
        let on = format!("{} phones and {} stays recorded", size.phones, size.sessions);
        let mut report = report::Report::new("phone list figures", on);
        if !cli.postgres_only {
            phones::measure_lists(&cli.binary, None, size, cli.seconds, &mut report).await?;
        }
        if let Some(url) = &cli.postgres {
            let url = database(url, "bench_phones").await?;
            phones::measure_lists(&cli.binary, Some(&url), size, cli.seconds, &mut report).await?;
        }
        report.write(&cli.out)?;
    }
    if part != Some(PhonesPart::Lists) {
        let cards = usize::try_from(cli.cards.unwrap_or(4_000))?;
        let on =
            format!("{cards} simulated cards, which take {} ms for a start, give or take a quarter", phones::BOOT_MS);
        let mut report = report::Report::new("put-on figures", on);
        if !cli.postgres_only {
            phones::measure_put_ons(&cli.binary, None, cards, &mut report).await?;
        }
        if let Some(url) = &cli.postgres {
            let url = database(url, "bench_put_ons").await?;
            phones::measure_put_ons(&cli.binary, Some(&url), cards, &mut report).await?;
        }
        report.write(&cli.out)?;
    }
    Ok(())
}

async fn cards(cli: &Cli) -> anyhow::Result<()> {
    let cards = usize::try_from(cli.cards.unwrap_or(4_000))?;
    let mut report = report::Report::new("card figures", format!("{cards} simulated cards in one process"));
    cards::measure(&cli.binary, cards, &mut report).await?;
    report.write(&cli.out)
}

async fn panel(cli: &Cli) -> anyhow::Result<()> {
    let on = format!("A room of {} positions in headless Chromium", panel::POSITIONS);
    let mut report = report::Report::new("panel figures", on);
    panel::measure(&cli.binary, &mut report).await?;
    report.write(&cli.out)
}

/// A fresh database next to the one of `url`.
async fn database(url: &str, name: &str) -> anyhow::Result<String> {
    use sea_orm::ConnectionTrait as _;
    let db = sea_orm::Database::connect(url).await?;
    db.execute_unprepared(&format!("DROP DATABASE IF EXISTS {name}")).await?;
    db.execute_unprepared(&format!("CREATE DATABASE {name}")).await?;
    let (server, _) = url.rsplit_once('/').ok_or_else(|| anyhow::anyhow!("{url} names no database"))?;
    Ok(format!("{server}/{name}"))
}
