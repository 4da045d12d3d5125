//! `skyrack agent`.

use std::path::PathBuf;

use clap::Args;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::identity::Identity;
use crate::link::{Agent, Settings};

/// Flags of `skyrack agent`.
#[derive(Debug, Args)]
pub struct Flags {
    /// The console, for example `https://console.example.com`.
    #[arg(long, value_name = "URL", env = "SKYRACK_AGENT_CONSOLE")]
    console: Url,
    /// A join token from the console; needed once.
    #[arg(long, value_name = "TOKEN", env = "SKYRACK_AGENT_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// How this agent is called in the console.
    #[arg(long, value_name = "NAME", env = "SKYRACK_AGENT_NAME", default_value = "room-agent")]
    name: String,
    /// Folder for the credential, the room's ADB key and the journal.
    #[arg(long, value_name = "DIR", env = "SKYRACK_AGENT_DATA_DIR", default_value = "data/agent")]
    data_dir: PathBuf,
    /// Certificates (PEM) that are trusted beside the system's, for a console with one of its own.
    #[arg(long, value_name = "FILE", env = "SKYRACK_AGENT_CA")]
    ca: Option<PathBuf>,
    /// Cards that are looked at in the same moment.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4096))]
    looks: u16,
}

/// Joins if need be, and works until the process is stopped.
///
/// # Errors
/// The token is refused, the credential was revoked, or the folder can not be used.
pub async fn agent(flags: Flags, version: &'static str) -> anyhow::Result<()> {
    let tls = crate::tls::config(flags.ca.as_deref())?;
    let identity =
        Identity::open(&flags.data_dir, &flags.console, flags.token.as_deref(), &flags.name, version, &tls).await?;
    println!("Room agent {} of room {} works for {}", identity.agent, identity.room, flags.console);
    let settings = Settings { data_dir: flags.data_dir, version, looks: usize::from(flags.looks), tls };
    let agent = Agent::open(identity, settings).await?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        stopped().await;
        stopping.cancel();
    });
    agent.run(stop).await
}

async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
