//! What a task does at a card. Each act ends with an answer; deadlines are the caller's.

mod bmc_look;
mod folder_look;
mod power;

use std::net::SocketAddr;
use std::time::Duration;

use adb::{Card, Command, Device as _, DevicePath, Error, InstallOptions, Output, PackageName, PropName};
use tokio::time::sleep;
use wire::{Act, MAX_OUTPUT, Outcome, Task};

use crate::files::Files;
use crate::work::Tools;

pub use bmc_look::look_at_bmc;
pub use folder_look::look_into;
pub use power::{Controllers, power};

/// A card that is being worked on says so in this property: of a try that was interrupted it tells whether it began.
/// Every shell may set properties of this name, and it goes with a restart (AOSP `property_contexts`: `debug.`).
pub const PROPERTY: &str = "debug.skyrack.task";
/// Between two looks at a card that restarts.
const POLL: Duration = Duration::from_millis(500);
/// A screen as PNG is not larger than this, in bytes.
const PICTURE: usize = 16 << 20;
/// A file that is fetched is not larger than this, in bytes: the console takes no more.
const FILE: u64 = 32 << 20;
/// The network's interface on cards of our makers.
const INTERFACE: &str = "eth0";
/// Lines of a log that is sent.
const LOG_LINES: &str = "20000";

/// What an act brought.
#[derive(Debug)]
pub struct Done {
    /// How it ended.
    pub outcome: Outcome,
    /// What was printed.
    pub output: String,
    /// Something of it was cut.
    pub truncated: bool,
    /// The exit code.
    pub exit: Option<u8>,
    /// A file for the console.
    pub file: Option<Vec<u8>>,
    /// A certificate that was seen for the first time.
    pub certificate: Option<String>,
}

impl Done {
    /// It ended so, and there is nothing else to say.
    #[must_use]
    pub const fn so(outcome: Outcome) -> Self {
        Self { outcome, output: String::new(), truncated: false, exit: None, file: None, certificate: None }
    }

    fn ok() -> Self {
        Self::so(Outcome::Succeeded)
    }

    fn printed(output: &Output) -> Self {
        let (text, cut) = shortened(&output.both());
        let outcome = match output.exit {
            Some(0) => Outcome::Succeeded,
            Some(code) => Outcome::failed("exit_code", format!("the command ended with exit code {code}")),
            None => Outcome::failed("too_large", "the command printed without end and was cut off"),
        };
        Self {
            outcome,
            output: text,
            truncated: cut || output.truncated,
            exit: output.exit,
            file: None,
            certificate: None,
        }
    }
}

impl From<Error> for Done {
    fn from(error: Error) -> Self {
        Self::so(Outcome::failed(error.code(), error.to_string()))
    }
}

/// The beginning of a text, and whether something is missing.
fn shortened(text: &str) -> (String, bool) {
    match text.char_indices().nth(MAX_OUTPUT) {
        Some((at, _)) => (text[..at].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

/// Who the card is and how it stands, before anything is done to it.
#[derive(Clone, Debug)]
pub struct State {
    /// What it calls itself; empty if it does not say.
    pub serial: String,
    /// Another one after each restart.
    pub boot_id: String,
    /// The try that it was last told.
    pub mark: String,
}

/// Asks a card who it is.
///
/// # Errors
/// It does not answer.
pub async fn state(card: &Card) -> Result<State, Error> {
    let script = format!("getprop ro.serialno; cat /proc/sys/kernel/random/boot_id; getprop {PROPERTY}");
    let text = card.run(&Command::script(&script), adb::shell::COMMAND).await?.text();
    let mut lines = text.split('\n').map(|line| line.trim().to_owned());
    let mut line = || lines.next().unwrap_or_default();
    Ok(State { serial: line(), boot_id: line(), mark: line() })
}

/// Why a card is not the one that the books have at an address; none where it is, or where the books know no serial.
#[must_use]
pub fn mistaken(at: SocketAddr, found: &State, expected: Option<&str>) -> Option<String> {
    let expected = expected.filter(|expected| *expected != found.serial)?;
    Some(format!("the card at {at} is {}, and not {expected}", found.serial))
}

/// What a card is told of a try.
#[must_use]
pub fn mark(task: &Task) -> String {
    format!("{}.{}", task.key.task, task.key.attempt)
}

/// Does what the task says at a card that has been told the try's mark by the same means.
pub async fn act(tools: &Tools, card: &Card, task: &Task, boot_id: &str) -> Done {
    match perform(tools, card, task, boot_id).await {
        Ok(done) => done,
        Err(error) => error.into(),
    }
}

async fn perform(tools: &Tools, card: &Card, task: &Task, boot_id: &str) -> Result<Done, Error> {
    let deadline = Duration::from_secs(u64::from(task.seconds));
    if let Act::Shell { script } = &task.act {
        // Mark and script go in one: there is no moment between them.
        let line = format!("setprop {PROPERTY} {}\n{script}", mark(task));
        return Ok(Done::printed(&card.run(&Command::script(&line), deadline).await?));
    }
    card.run(&Command::new("setprop").arg(PROPERTY).arg(mark(task)), adb::shell::COMMAND).await?;
    match &task.act {
        Act::Reboot => {
            card.reboot().await?;
            restarted(tools, task, boot_id).await
        }
        Act::FactoryReset => {
            let wish = Command::new("am").args([
                "broadcast",
                "-p",
                "android",
                "-a",
                "android.intent.action.MASTER_CLEAR",
                "--receiver-foreground",
            ]);
            match card.run(&wish, adb::shell::COMMAND).await {
                // It may restart before it has answered.
                Ok(_) | Err(Error::Closed) => restarted(tools, task, boot_id).await,
                Err(error) => Err(error),
            }
        }
        Act::Install { file, .. } => {
            let mut source = open(&tools.files, file).await?;
            card.install(&mut source, file.size, InstallOptions::default()).await?;
            Ok(Done::ok())
        }
        Act::Uninstall { package } => {
            card.uninstall(&PackageName::new(package)?).await?;
            Ok(Done::ok())
        }
        Act::Push { file, path } => {
            let mut source = open(&tools.files, file).await?;
            card.push(&mut source, &DevicePath::new(path)?, 0o644).await?;
            Ok(Done::ok())
        }
        Act::Pull { path } => {
            let (path, mut bytes) = (DevicePath::new(path)?, Vec::new());
            if card.stat(&path).await?.is_none() {
                return Ok(Done::so(Outcome::failed("no_such_file", format!("nothing is at {path}"))));
            }
            card.pull(&path, &mut bytes, FILE).await?;
            Ok(Done { file: Some(bytes), ..Done::ok() })
        }
        Act::PullLog => {
            let command = Command::new("logcat").args(["-d", "-v", "threadtime", "-t", LOG_LINES]);
            let output = card.run(&command, deadline).await?.checked()?;
            Ok(Done { truncated: output.truncated, file: Some(output.stdout), ..Done::ok() })
        }
        Act::Screenshot => Ok(Done { file: Some(card.screenshot(PICTURE).await?), ..Done::ok() }),
        Act::SpeedLimit { kbit: Some(kbit) } => {
            let command = Command::new("tc").args(["qdisc", "replace", "dev", INTERFACE, "root", "tbf", "rate"]);
            let command = command.arg(format!("{kbit}kbit")).args(["burst", "32kbit", "latency", "400ms"]);
            Ok(Done::printed(&card.run(&command, deadline).await?))
        }
        Act::SpeedLimit { kbit: None } => {
            let command = Command::new("tc").args(["qdisc", "del", "dev", INTERFACE, "root"]);
            let output = card.run(&command, deadline).await?;
            // Exit code 2 is how tc says that there is none.
            Ok(if output.exit == Some(2) { Done::ok() } else { Done::printed(&output) })
        }
        Act::SetProperty { name, value } => {
            card.set_prop(&PropName::new(name)?, value).await?;
            Ok(Done::ok())
        }
        Act::Wipe => {
            let command = Command::script("rm -rf /sdcard/* /data/local/tmp/*");
            Ok(Done::printed(&card.run(&command, deadline).await?))
        }
        Act::Shell { .. } | Act::Power { .. } => Err(Error::BadArgument { what: "an act of another kind".into() }),
    }
}

async fn open(files: &Files, file: &wire::FileRef) -> Result<tokio::fs::File, Error> {
    files.get(file).await.map_err(|error| Error::Local { why: format!("{error:#}") })
}

/// Waits until the card has come up as another boot. The caller's deadline ends the wait.
///
/// # Errors
/// None: whatever a card says while it restarts is waited for.
pub async fn restarted(tools: &Tools, task: &Task, boot_id: &str) -> Result<Done, Error> {
    let Some(address) = tools.address(task) else { return Err(Error::BadArgument { what: task.address.clone() }) };
    loop {
        sleep(POLL).await;
        let up = async {
            let card = tools.cards.get(address).await?;
            let now = state(&card).await?;
            Ok::<bool, Error>(now.boot_id != boot_id && !now.boot_id.is_empty() && card.is_booted().await?)
        };
        match up.await {
            Ok(true) => return Ok(Done::ok()),
            Ok(false) => {}
            Err(_) => tools.cards.drop_connection(address).await,
        }
    }
}
