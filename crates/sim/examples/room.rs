//! A simulated room without the server around it: `cargo run -p sim --example room -- --cards 3`.

use clap::Parser;

#[derive(Debug, Parser)]
struct Cli {
    #[command(flatten)]
    flags: sim::Simulate,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    sim::simulate(Cli::parse().flags).await
}
