//! What is done to a card for a phone.
//!
//! The card guards itself: it carries the mark of whose it is, and each shell line that changes something proves first, in
//! the same line, that the mark is still that of this attempt and that the card has not restarted since the attempt began.
//! So an agent that was stopped for an hour and goes on, or one whose card was given to another, changes nothing.
//!
//! Every act compares before it writes, and may be done twice.

use std::time::Duration;

use adb::{Card, Command, Device as _, DevicePath, Error, Output};
use tokio::time::sleep;
use wire::{Act, Effect, Mark, Outcome, Reason, Task};

use super::{Done, restarted};
use crate::work::Tools;

/// Root's own folder on a card, out of the way of Android and of apps.
const FOLDER: &str = "/data/skyrack";
/// The mark.
const FILE: &str = "/data/skyrack/owner";
/// Prints the mark: `-` if there is none, `?` if that cannot be read. For looks as well.
pub const QUESTION: &str = "cat /data/skyrack/owner 2>/dev/null || { [ \"$(id -u)\" = 0 ] && [ ! -e /data/skyrack/owner ] && echo - || echo '?'; }";
/// What a card says that was wiped, and proved it.
const CLEAN: &str = "clean ";
/// The exit codes of a line that has changed nothing: the card is not marked as it should be, or it has restarted; its
/// shell is not root's.
const NOT_OURS: u8 = 97;
const NOT_ROOT: u8 = 96;
/// The exit code of `timeout`.
const TIMED_OUT: u8 = 124;
/// A line that changes something ends by itself after this many seconds, whatever became of who sent it.
const LINE_SECONDS: u32 = 45;
/// What a line may take beyond that, until its connection is given up.
const LINE: Duration = Duration::from_secs(LINE_SECONDS as u64 + 15);
/// Interval between checks of a card that is not up yet.
const POLL: Duration = Duration::from_secs(1);

/// Does an act for a phone on a card whose boot id this attempt has noted.
///
/// # Errors
/// The card does not answer, or refuses.
pub async fn perform(tools: &Tools, card: &Card, task: &Task, boot_id: &str) -> Result<Done, Error> {
    let Some(mark) = task.mark else {
        return Ok(Done::so(refused(Reason::BadArgument, "it is not said whose the card is")));
    };
    let guard = Guard { mark, boot_id };
    match &task.act {
        Act::Check { fingerprint, space } => check(card, mark, fingerprint.as_deref(), *space).await,
        Act::Claim => guard.change(tools, card, &claim(mark)).await,
        Act::Unclaim => guard.change(tools, card, &unclaim(mark)).await,
        Act::Boot => {
            let line = format!("{}sync; reboot", proof(mark));
            match guard.change(tools, card, &line).await {
                Ok(done) if matches!(done.outcome, Outcome::Failed { effect: Effect::NeverBegan, .. }) => Ok(done),
                // A restart takes the shell with it: the line may be killed, or nobody hears of its end. What it has come
                // to is told by the card alone, once it is back.
                Ok(_) | Err(Error::Closed) => restarted(tools, task, boot_id).await,
                Err(error) => Err(error),
            }
        }
        Act::Health => health(card).await,
        Act::Reboot
        | Act::Power { .. }
        | Act::Shell { .. }
        | Act::Install { .. }
        | Act::Uninstall { .. }
        | Act::Push { .. }
        | Act::Pull { .. }
        | Act::PullLog
        | Act::Screenshot
        | Act::SpeedLimit { .. }
        | Act::SetProperty { .. }
        | Act::FactoryReset
        | Act::Wipe
        | Act::Unknown => Ok(Done::so(refused(Reason::UnknownAct, "this is not done for phones"))),
    }
}

fn refused(code: Reason, why: impl Into<String>) -> Outcome {
    Outcome::failed(code, why).with(Effect::NeverBegan)
}

/// What has to be so for a line to change anything.
struct Guard<'a> {
    mark: Mark,
    boot_id: &'a str,
}

impl Guard<'_> {
    /// Runs a line that changes the card, unless the card has restarted since the attempt began; what else has to be so
    /// the line looks at itself. It waits until the console is there.
    async fn change(&self, tools: &Tools, card: &Card, line: &str) -> Result<Done, Error> {
        tools.leash.hold().await;
        let guarded = format!(
            "[ \"$(cat /proc/sys/kernel/random/boot_id)\" = {} ] || exit {NOT_OURS}\n\
             [ \"$(id -u)\" = 0 ] || exit {NOT_ROOT}\n{line}",
            adb::quoted(self.boot_id)?
        );
        let whole = format!("timeout {LINE_SECONDS} sh -c {}", adb::quoted(&guarded)?);
        let output = card.run(&Command::script(&whole), LINE).await?;
        Ok(Done::so(self.outcome(&output)))
    }

    fn outcome(&self, output: &Output) -> Outcome {
        let why = || super::shortened(output.both().trim()).0;
        match output.exit {
            Some(0) => Outcome::Succeeded,
            Some(NOT_OURS) => {
                let mark = self.mark;
                refused(Reason::NotOurs, format!("the card is not marked as {mark}, or it has restarted: {}", why()))
            }
            Some(NOT_ROOT) => refused(Reason::MarkUnreadable, "the shell of the card is not root's"),
            Some(TIMED_OUT) => {
                Outcome::failed(Reason::AdbTimeout, format!("the card was not done within {LINE_SECONDS} s"))
            }
            Some(code) => {
                Outcome::failed(Reason::DeviceFail, format!("exit code {code}: {}", why())).with(Effect::Proved)
            }
            None => Outcome::failed(Reason::AdbClosed, "the line was cut off"),
        }
    }
}

/// The beginning of a line that changes a card which is marked already.
fn proof(mark: Mark) -> String {
    format!("m=\"$(cat {FILE} 2>/dev/null)\"\n[ \"$m\" = {mark} ] || {{ echo \"$m\"; exit {NOT_OURS}; }}\n")
}

/// Marks the card, if it is nobody's, was wiped, or is marked so already. The mark is there whole or not at all, and is on
/// the flash when the line ends.
fn claim(mark: Mark) -> String {
    format!(
        "if [ -e {FILE} ]; then m=\"$(cat {FILE})\"; case \"$m\" in {mark}) exit 0;; '{CLEAN}'*) ;; *) echo \"$m\"; exit {NOT_OURS};; esac; fi\n\
         mkdir -p {FOLDER} && chmod 700 {FOLDER} && echo {mark} >{FILE}.new && sync && mv {FILE}.new {FILE} && sync"
    )
}

/// Takes the mark off, if it is there.
fn unclaim(mark: Mark) -> String {
    format!("[ -e {FILE} ] || exit 0\n{}rm {FILE} && sync", proof(mark))
}

/// Whether the card can take the phone. It changes nothing.
async fn check(card: &Card, mark: Mark, fingerprint: Option<&str>, space: u64) -> Result<Done, Error> {
    let script = format!("{QUESTION}\ngetprop ro.build.fingerprint");
    let text = card.run(&Command::script(&script), adb::shell::COMMAND).await?.text();
    let mut lines = text.lines().map(str::trim);
    let mut line = || lines.next().unwrap_or_default().to_owned();
    let (found, image) = (line(), line());
    let outcome = match found.as_str() {
        "?" | "" => refused(Reason::MarkUnreadable, "the card does not say whose it is"),
        other if other != "-" && !other.starts_with(CLEAN) && Mark::read(other) != Some(mark) => {
            refused(Reason::NotOurs, format!("the card is marked as {other}"))
        }
        _ => match fingerprint {
            Some(wanted) if wanted != image => {
                refused(Reason::ImageDiffers, format!("the card runs {image}, and not {wanted}"))
            }
            _ => {
                let free = card.disk_free(&DevicePath::new("/data")?).await?.free;
                if free < space {
                    refused(Reason::NoSpace, format!("{free} bytes are free, and {space} are needed"))
                } else {
                    Outcome::Succeeded
                }
            }
        },
    };
    Ok(Done::so(outcome))
}

/// Waits until Android is up and its package manager answers. The caller's deadline ends the wait.
async fn health(card: &Card) -> Result<Done, Error> {
    loop {
        let asked = Command::script("getprop sys.boot_completed; pm list packages");
        let text = card.run(&asked, adb::shell::COMMAND).await?.text();
        let is_up = text.starts_with('1') && text.lines().any(|line| line.trim() == "package:android");
        if is_up {
            return Ok(Done::so(Outcome::Succeeded));
        }
        sleep(POLL).await;
    }
}
