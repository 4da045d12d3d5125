//! What a task does on a card. Each action ends with an answer; deadlines are up to the caller.

mod bmc_look;
mod bring;
mod cleared;
mod copied;
mod copy_look;
mod described;
mod erased;
mod folder_look;
mod going_on;
mod granted;
mod healthy;
mod installed;
mod noted;
mod ops;
pub mod owned;
pub mod package;
mod packages;
mod pieces;
pub mod power;
mod restored;
mod running;
pub mod script;
mod standing;
mod still;
mod stray;

use std::net::SocketAddr;
use std::time::Duration;

use adb::{Card, Command, Device as _, DevicePath, Error, InstallOptions, Output, PackageName, PropName};
use tokio::time::sleep;
use wire::{Act, Book, Effect, Key, MAX_OUTPUT, Outcome, Reason, Task, Told};

use crate::files::Files;
use crate::tools::Tools;

pub use crate::done::Done;
pub use bmc_look::look_at_bmc;
pub use copy_look::{AT_ONCE as COPIES_AT_ONCE, look_at_copy};
pub use folder_look::look_into;
pub use power::power;

/// A card with a running attempt has its mark in this property: after an interruption it tells whether the attempt
/// started. Every shell may set properties of this name, and a restart clears them (AOSP `property_contexts`:
/// `debug.`).
pub const PROPERTY: &str = "debug.skyrack.task";
/// Interval between checks of a card that restarts.
const POLL: Duration = Duration::from_millis(500);
/// Android's factory reset.
const MASTER_CLEAR: &str = "am broadcast -p android -a android.intent.action.MASTER_CLEAR --receiver-foreground";
/// The largest screenshot (PNG), in bytes.
const PICTURE: usize = 16 << 20;
/// The largest file that is fetched, in bytes: the console accepts no more.
const FILE: u64 = 32 << 20;
/// The network interface on our manufacturers' cards.
const INTERFACE: &str = "eth0";
/// Number of log lines that are sent.
const LOG_LINES: &str = "20000";

impl Done {
    fn ok() -> Self {
        Self::so(Outcome::Succeeded)
    }

    fn printed(output: &Output) -> Self {
        let (text, cut) = shortened(&output.both());
        let outcome = match output.exit {
            Some(0) => Outcome::Succeeded,
            Some(code) => ended_with(code),
            None => Outcome::failed(Reason::TooLarge, "the command's output did not end and was cut off"),
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

impl Done {
    /// It failed before anything was done on the card.
    #[must_use]
    pub fn untouched(error: &Error) -> Self {
        Self::so(Outcome::failed(error.reason(), error.to_string()).with(Effect::NeverBegan))
    }

    /// It failed after it had started.
    fn failed(act: &Act, error: &Error) -> Self {
        Self::so(Outcome::failed(error.reason(), error.to_string()).with(effect_of(act, error)))
    }

    /// Whether the card was lost on the way, so that its effect is unknown.
    #[must_use]
    pub fn has_lost_the_card(&self) -> bool {
        matches!(
            &self.outcome,
            Outcome::Failed {
                code: Told::Known(Reason::AdbClosed | Reason::AdbTimeout | Reason::AdbProtocol),
                effect: Effect::Unknown,
                ..
            }
        )
    }
}

/// The effect on the card of an action that failed.
const fn effect_of(act: &Act, error: &Error) -> Effect {
    if act.only_reads() {
        return Effect::NeverBegan;
    }
    match error {
        // The card itself reports that it failed.
        Error::Install(_) | Error::NoSpace { .. } | Error::DeviceFail { .. } => Effect::Proved,
        Error::Refused
        | Error::Unreachable { .. }
        | Error::AuthRefused
        | Error::AuthNeeded
        | Error::Unsupported { .. }
        | Error::ServiceRefused { .. }
        | Error::AddressRefused { .. }
        | Error::BadArgument { .. } => Effect::NeverBegan,
        // The file cannot be read: nothing was sent, or a part that the package manager discards.
        Error::Local { .. } if matches!(act, Act::Install { .. }) => Effect::NeverBegan,
        Error::Local { .. }
        | Error::Timeout { .. }
        | Error::Closed
        | Error::Protocol { .. }
        | Error::TooLarge { .. } => Effect::Unknown,
        _ => Effect::Unknown,
    }
}

/// A command that ran to its end and reports failure.
fn ended_with(code: u8) -> Outcome {
    Outcome::failed(Reason::ExitCode, format!("the command ended with exit code {code}")).with(Effect::Proved)
}

/// The beginning of a text, and whether it was truncated.
fn shortened(text: &str) -> (String, bool) {
    match text.char_indices().nth(MAX_OUTPUT) {
        Some((at, _)) => (text[..at].to_owned(), true),
        None => (text.to_owned(), false),
    }
}

/// The identity and state of a card, before anything is done on it.
#[derive(Clone, Debug)]
pub struct State {
    /// Its serial; empty if it does not report one.
    pub serial: String,
    /// Changes with each restart.
    pub boot_id: String,
    /// The mark of the last attempt it received.
    pub mark: String,
    /// It has space for what a script leaves behind; set by [`ready`] only.
    pub keeps_scripts: bool,
}

/// Identifies a card.
///
/// # Errors
/// It does not answer.
pub async fn state(card: &Card) -> Result<State, Error> {
    ask(card, "").await
}

/// The same for a card on which a task is about to start, with what the task needs.
///
/// # Errors
/// It does not answer.
pub async fn ready(card: &Card, task: &Task) -> Result<State, Error> {
    let more = if script::script_of(task).is_some() { script::preparation() } else { String::new() };
    ask(card, &more).await
}

async fn ask(card: &Card, more: &str) -> Result<State, Error> {
    let script = format!("getprop ro.serialno; cat /proc/sys/kernel/random/boot_id; getprop {PROPERTY}\n{more}");
    let text = card.run(&Command::script(&script), adb::shell::COMMAND).await?.text();
    let mut lines = text.split('\n').map(|line| line.trim().to_owned());
    let mut line = || lines.next().unwrap_or_default();
    Ok(State { serial: line(), boot_id: line(), mark: line(), keeps_scripts: line() == script::WORD })
}

/// Why a card is not the recorded one at an address; none if it is, or if no serial is recorded.
#[must_use]
pub fn mistaken(at: SocketAddr, found: &State, expected: Option<&str>) -> Option<String> {
    let expected = expected.filter(|expected| *expected != found.serial)?;
    Some(format!("the card at {at} is {}, and not {expected}", found.serial))
}

/// The result of an attempt that had started when another card took the place of its own: what it has done there can no
/// longer be seen, and nothing is done on the other one.
#[must_use]
pub fn strange(task: &Task, why: String) -> Done {
    let effect = if task.act.only_reads() { Effect::NeverBegan } else { Effect::Unknown };
    Done::so(Outcome::failed(Reason::WrongCard, why).with(effect))
}

/// The mark of an attempt on its card.
#[must_use]
pub fn mark(task: &Task) -> String {
    let Key { book, task, attempt } = task.key;
    // Numbers of the two books are not confused.
    format!("{}{task}.{attempt}", if book == Book::Phone { "p" } else { "" })
}

/// Does what a task says that takes place at a storage node alone.
pub async fn act_at_store(tools: &Tools, task: &Task) -> Done {
    if let Act::Verify(order) = &task.act {
        return copied::verify(tools, task, order).await;
    }
    if let Act::Erase(at) = &task.act {
        return erased::erase(tools, task, at).await;
    }
    Done::so(Outcome::failed(Reason::UnknownAct, "this is not done at a storage node").with(Effect::NeverBegan))
}

/// Does what the task says on a card that received the attempt's mark in the same way.
pub async fn act(tools: &Tools, card: &Card, task: &Task, now: &State) -> Done {
    let deadline = Duration::from_secs(u64::from(task.seconds));
    if task.key.book == Book::Phone {
        let done = owned::perform(tools, card, task, &now.boot_id).await;
        return done.unwrap_or_else(|error| Done::failed(&task.act, &error));
    }
    let done = match script::script_of(task) {
        Some(script) => script::run(card, task, &script, now.keeps_scripts, deadline).await,
        None => {
            let told = card.run(&Command::new("setprop").arg(PROPERTY).arg(mark(task)), adb::shell::COMMAND).await;
            if let Err(error) = told {
                return Done::untouched(&error);
            }
            perform(tools, card, task, &now.boot_id, deadline).await
        }
    };
    done.unwrap_or_else(|error| Done::failed(&task.act, &error))
}

async fn perform(tools: &Tools, card: &Card, task: &Task, boot_id: &str, deadline: Duration) -> Result<Done, Error> {
    match &task.act {
        Act::Reboot => restarts(card.reboot().await, tools, task, boot_id).await,
        Act::Profile => cleared::profile(tools, card, task, boot_id).await,
        Act::FactoryReset => {
            let wish = Command::script(&stray::guarded(task, MASTER_CLEAR));
            let asked = card.run(&wish, adb::shell::COMMAND).await;
            let spared = asked.as_ref().ok().and_then(|said| stray::spared(said.exit, &shortened(&said.both()).0));
            match spared {
                Some(outcome) => Ok(Done::so(outcome)),
                None => restarts(asked, tools, task, boot_id).await,
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
                let why = format!("{path} does not exist");
                return Ok(Done::so(Outcome::failed(Reason::NoSuchFile, why).with(Effect::NeverBegan)));
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
            // With exit code 2, tc reports that there is none.
            Ok(if output.exit == Some(2) { Done::ok() } else { Done::printed(&output) })
        }
        Act::SetProperty { name, value } => {
            card.set_prop(&PropName::new(name)?, value).await?;
            Ok(Done::ok())
        }
        Act::Shell { .. }
        | Act::Wipe
        | Act::Power { .. }
        | Act::Check { .. }
        | Act::Claim
        | Act::Unclaim
        | Act::Boot
        | Act::Health { .. }
        | Act::Clear { .. }
        | Act::Prove { .. }
        | Act::MarkClean { .. }
        | Act::Packages { .. }
        | Act::Stop { .. }
        | Act::Copy(_)
        | Act::Start { .. }
        | Act::Halt
        | Act::Verify(_)
        | Act::Erase(_)
        | Act::Apps { .. }
        | Act::Restore(_)
        | Act::Still { .. }
        | Act::Unknown => Err(Error::BadArgument { what: "an act of another kind".into() }),
    }
}

async fn open(files: &Files, file: &wire::FileRef) -> Result<tokio::fs::File, Error> {
    files.get(file).await.map_err(|error| Error::Local { why: format!("{error:#}") })
}

/// Waits for a card that was asked to restart; it may do so before it has answered.
async fn restarts<T>(asked: Result<T, Error>, tools: &Tools, task: &Task, boot_id: &str) -> Result<Done, Error> {
    match asked {
        Ok(_) | Err(Error::Closed) => restarted(tools, task, boot_id).await,
        Err(error) => Err(error),
    }
}

/// Waits until the card has booted again, or another one has at its address. The caller's deadline ends the wait.
///
/// # Errors
/// None: whatever a card answers while it restarts is ignored.
pub async fn restarted(tools: &Tools, task: &Task, boot_id: &str) -> Result<Done, Error> {
    let Some(address) = tools.address(task) else { return Err(Error::BadArgument { what: task.address.clone() }) };
    loop {
        sleep(POLL).await;
        let up = async {
            let card = tools.cards.get(address).await?;
            let now = state(&card).await?;
            let is_up = now.boot_id != boot_id && !now.boot_id.is_empty() && card.is_booted().await?;
            Ok::<_, Error>(is_up.then_some(now))
        };
        match up.await {
            Ok(Some(now)) => {
                let other = mistaken(address, &now, task.serial.as_deref());
                return Ok(other.map_or_else(Done::ok, |why| strange(task, why)));
            }
            Ok(None) => {}
            Err(_) => tools.cards.drop_connection(address).await,
        }
    }
}
