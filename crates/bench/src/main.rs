//! `make bench`: what the console costs, beside a bare axum over the same file and the raw database,
//! in one run on one machine. Absolute figures move with the machine; ratios hold.

mod browser;
mod files;
mod floor;
mod load;
mod plan;
mod raw;
mod report;
mod subject;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(about = "Measures the console beside a floor and the raw database")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Client users to measure on.
    #[arg(long, default_value_t = 1_000_000)]
    rows: u64,
    /// Seconds for each measure at 32 connections.
    #[arg(long, default_value_t = 5)]
    seconds: u64,
    /// The binary under test.
    #[arg(long, default_value = "target/release/skyrack")]
    binary: PathBuf,
    /// PostgreSQL to measure on as well; `scripts/with-postgres.sh` sets it.
    #[arg(long, env = "TEST_PG_URL")]
    postgres: Option<String>,
    /// Where the figures are written.
    #[arg(long, default_value = "docs/benchmarks.md")]
    out: PathBuf,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves the floor (started by the bench itself).
    Floor {
        /// The SQLite file.
        #[arg(long)]
        file: PathBuf,
    },
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    match cli.command {
        Some(Command::Floor { file }) => floor::serve(&file).await,
        None => {
            let mut report = report::Report::new(cli.rows);
            plan::sqlite(&cli.binary, cli.rows, cli.seconds, &mut report).await?;
            if let Some(url) = &cli.postgres {
                plan::postgres(&cli.binary, url, cli.rows, cli.seconds, &mut report).await?;
            }
            report.write(&cli.out)
        }
    }
}
