//! `skyrack simulate --customers`.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Args;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{Crowd, Settings};

/// A line comes so often.
const LINE: Duration = Duration::from_secs(10);

/// What a crowd has nothing to do with: the flags of a simulated room, beside which these stand.
const OF_ROOM: [&str; 11] = [
    "cards",
    "listen",
    "addresses",
    "bmc",
    "cards_per_host",
    "control",
    "faults",
    "boot_ms",
    "data",
    "writes_ms",
    "auth",
];

/// Flags of a crowd.
#[derive(Debug, Args)]
pub struct CrowdFlags {
    /// Instead of a room: so many customers, who use cloud phones of a console over its Open API.
    #[arg(long, value_name = "N", requires = "against", requires = "key", conflicts_with_all = OF_ROOM,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    customers: Option<u32>,
    /// The console's address.
    #[arg(long, value_name = "URL", requires = "customers")]
    against: Option<Url>,
    /// The name of a key of an application with the scopes user, phone and gateway. Its secret is in SKYRACK_OPEN_SECRET, or
    /// in the file of --secret-file.
    #[arg(long, value_name = "KEY", requires = "customers")]
    key: Option<String>,
    /// A file in which the key's secret stands alone.
    #[arg(long, value_name = "FILE", requires = "customers")]
    secret_file: Option<PathBuf>,
    /// How many seconds of the customers' day pass in one.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1440))]
    speed: u32,
    /// The switchboard (`--control`) of a simulated room whose cards have addresses of their own: it is told which cards are
    /// used, so that their apps write more.
    #[arg(long, value_name = "URL", requires = "customers")]
    switchboard: Option<Url>,
}

impl CrowdFlags {
    /// The crowd that is asked for, if any is. `secret` is what the environment has.
    ///
    /// # Errors
    /// There is no secret, or the file is not read.
    pub fn settings(self, seed: u64, secret: Option<&str>) -> anyhow::Result<Option<Settings>> {
        let Self { customers, against, key, secret_file, speed, switchboard } = self;
        let (Some(customers), Some(console), Some(key)) = (customers, against, key) else { return Ok(None) };
        let secret = match (&secret_file, secret) {
            (Some(file), _) => {
                let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
                text.trim().to_owned()
            }
            (None, secret) => secret.unwrap_or_default().to_owned(),
        };
        ensure!(!secret.is_empty(), "the secret of {key} is missing: set SKYRACK_OPEN_SECRET, or name --secret-file");
        Ok(Some(Settings { console, key, secret, customers, seed, speed, switchboard }))
    }
}

/// Lets a crowd play until the process is stopped.
///
/// # Errors
/// The crowd does not gather.
pub async fn simulate(settings: Settings) -> anyhow::Result<()> {
    let began = Instant::now();
    let crowd = Crowd::gather(settings).await?;
    let (all, with_phone) = crowd.size();
    say(&format!("{all} customers, {with_phone} of them with a phone. Ctrl-C lets them leave."));
    let stop = CancellationToken::new();
    let leaves = async {
        stopped().await;
        stop.cancel();
        say("Everybody leaves.");
        // Whoever asks again does not wait for that.
        stopped().await;
    };
    tokio::select! {
        () = crowd.play(stop.clone()) => {}
        () = lines(&crowd, began) => {}
        () = leaves => {}
    }
    line(&crowd, began);
    Ok(())
}

/// A line every now and then. It has no end.
async fn lines(crowd: &Crowd, began: Instant) {
    loop {
        sleep(LINE).await;
        line(crowd, began);
    }
}

fn line(crowd: &Crowd, began: Instant) {
    say(&format!("{:>6} s  {}", began.elapsed().as_secs(), crowd.figures()));
}

/// A standard output that is full or gone is no reason to end.
fn say(line: &str) {
    _ = writeln!(std::io::stdout(), "{line}");
}

async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else { return };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
