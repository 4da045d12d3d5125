//! `skyrack agent`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use outbound::{Net, Rule};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::consoles::Consoles;
use crate::identity::Identity;
use crate::link::{Agent, Settings};

/// Flags of `skyrack agent`.
#[derive(Debug, Args)]
pub struct Flags {
    /// The console, for example `https://console.example.com`. Several that share one database, of which one is active
    /// at a time, are given one after the other, or separated by commas.
    #[arg(long, value_name = "URL", env = "SKYRACK_AGENT_CONSOLE", value_delimiter = ',', required = true)]
    console: Vec<Url>,
    /// A join token from the console; needed once. `SKYRACK_AGENT_TOKEN` is taken out of the environment before these
    /// flags are read, and passed by [`Flags::with_token`].
    #[arg(long, value_name = "TOKEN", env = "SKYRACK_AGENT_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// The agent's name in the console.
    #[arg(long, value_name = "NAME", env = "SKYRACK_AGENT_NAME", default_value = "room-agent")]
    name: String,
    /// Folder for the credential, the room's ADB key and the journal.
    #[arg(long, value_name = "DIR", env = "SKYRACK_AGENT_DATA_DIR", default_value = "data/agent")]
    data_dir: PathBuf,
    /// Certificates (PEM) to trust in addition to the system's.
    #[arg(long, value_name = "FILE", env = "SKYRACK_AGENT_CA")]
    ca: Option<PathBuf>,
    /// Connect to a console on another machine without TLS; only if something else encrypts the connection.
    #[arg(long, env = "SKYRACK_AGENT_INSECURE_HTTP")]
    insecure_http: bool,
    /// Cards polled concurrently.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u16).range(1..=4096))]
    looks: u16,
    /// Allow connections to this machine, for a simulated room.
    #[arg(long, env = "SKYRACK_AGENT_ALLOW_LOOPBACK")]
    allow_loopback: bool,
    /// A network in which the room's BMCs are, such as `10.1.0.0/16`; more than once, or separated by commas. Whatever
    /// the console says, no BMC elsewhere is connected to. Without it the console's networks of the room count alone.
    #[arg(long, value_name = "CIDR", env = "SKYRACK_AGENT_MANAGEMENT_NET", value_delimiter = ',')]
    management_net: Vec<Net>,
    /// A folder in which storage nodes may lie, besides `stores` in the agent's own folder; more than once, or separated
    /// by commas. Whatever the console says, nothing is written for one elsewhere.
    #[arg(long, value_name = "DIR", env = "SKYRACK_AGENT_STORE_ROOT", value_delimiter = ',')]
    store_root: Vec<PathBuf>,
}

impl Flags {
    /// Adds a join token from elsewhere, unless the flags have one.
    #[must_use]
    pub fn with_token(mut self, token: Option<String>) -> Self {
        self.token = self.token.or(token);
        self
    }
}

/// Joins if necessary, and works until the process is stopped.
///
/// # Errors
/// The token is refused, the credential was revoked, or the folder cannot be used.
pub async fn agent(flags: Flags, version: &'static str) -> anyhow::Result<()> {
    for console in &flags.console {
        crate::transport::admit(console, flags.insecure_http)?;
    }
    let tls = crate::tls::config(flags.ca.as_deref())?;
    let consoles = Consoles::new(flags.console).context("--console is missing")?;
    let identity =
        Identity::open(&flags.data_dir, &consoles, flags.token.as_deref(), &flags.name, version, &tls).await?;
    println!("Room agent {} (room {}) connecting to {}", identity.agent, identity.room, consoles);
    let targets = if flags.allow_loopback { simulated_room() } else { Rule::default().knowing_itself() };
    let settings = Settings {
        data_dir: flags.data_dir,
        version,
        looks: usize::from(flags.looks),
        pace: 1,
        leash: crate::leash::LONGEST,
        tls,
        targets,
        management_nets: flags.management_net,
        store_roots: flags.store_root,
    };
    let agent = Agent::open(identity, settings).await?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        stopped().await;
        stopping.cancel();
    });
    agent.run(stop).await
}

/// The rule for a room that is simulated on this machine: its cards and BMCs are at loopback addresses.
#[must_use]
pub fn simulated_room() -> Rule {
    Rule::new(vec![Net::LOOPBACK])
}

async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
