//! What is done to a card for a phone.
//!
//! The card guards itself: it carries the mark of whose it is, and each shell line that changes something proves first, in
//! the same line, that the mark is still that of this attempt and that the card has not restarted since the attempt began.
//! So an agent that was stopped for an hour and goes on, or one whose card was given to another, changes nothing.
//!
//! Every act compares before it writes, and may be done twice.

use std::time::Duration;

use adb::{Card, Command, Device as _, DevicePath, Error, Output};
use tokio::io::AsyncRead;
use tokio::time::{sleep, timeout};
use wire::{Act, Carried, Effect, Mark, Outcome, Reason, Task, Told};

use super::pieces::Pieces;
use super::{Done, act_at_store, bring, cleared, copied, healthy, packages, restarted, restored, still};
use crate::clean::ROOT;
use crate::listing::ended;
use crate::marked::{FILE, FOLDER, QUESTION};
use crate::refused::{NOT_OURS, NOT_ROOT, RESTARTED, Refused, refused};
use crate::tools::Tools;

/// The exit code of `timeout`.
const TIMED_OUT: u8 = 124;
/// A line that changes something ends by itself after this many seconds, whatever became of who sent it.
const LINE_SECONDS: u32 = 45;
/// What a line may take beyond that, until its connection is given up.
const LINE: Duration = Duration::from_secs(LINE_SECONDS as u64 + 15);
/// The longest that anything is fed, in seconds.
const DAY: u32 = 86_400;
/// Bytes that come from a storage node at once: what is in one pack, and what else is on its way.
const PACK: u64 = 8 << 20;
/// How long a card may take from its restart until Android is up.
const BOOTS: Duration = Duration::from_mins(5);
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
        Act::Check { fingerprint, space } => check(card, task, mark, fingerprint.as_deref(), *space).await,
        Act::Claim => guard.change(tools, card, &claim(mark, task.clean.as_deref())?).await,
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
        Act::Health { restored, launcher } => health(card, mark, (*restored, *launcher)).await,
        Act::Packages { node } => Ok(packages::save(tools, card, task, &guard, node).await),
        Act::Stop { node, installed } => copied::stop(tools, card, task, &guard, node, installed).await,
        Act::Copy(order) => Ok(copied::copy(tools, card, task, &guard, order).await),
        Act::Halt => copied::halt(tools, card, &guard).await,
        Act::Start { boot_id } => copied::start(tools, card, &guard, boot_id.as_deref()).await,
        Act::Verify(_) | Act::Erase(_) => Ok(act_at_store(tools, task).await),
        Act::Apps { node } => Ok(bring::install(tools, card, task, &guard, node).await),
        Act::Restore(order) => Ok(restored::restore(tools, card, task, &guard, order).await),
        Act::Still { boot_id, listing } => Ok(still::still(card, mark, boot_id, listing).await),
        Act::Clear { profile, boot_id } => {
            cleared::clear(tools, card, task, &guard, (profile, boot_id.as_deref())).await
        }
        Act::Prove { profile } => cleared::prove(tools, card, task, &guard, profile).await,
        Act::MarkClean { boot_id, seal } => {
            if !is_seal(seal) {
                return Ok(Done::so(refused(Reason::BadArgument, "what a clean card is marked with is hex")));
            }
            // Since the proof it must not have restarted.
            Guard { mark, boot_id }.change(tools, card, &cleaned(mark, seal)).await
        }
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
        | Act::Profile
        | Act::Unknown => Ok(Done::so(refused(Reason::UnknownAct, "this is not done for phones"))),
    }
}

/// Nothing, if that is how something has ended.
pub(super) fn well(outcome: Outcome) -> Result<(), Refused> {
    match outcome {
        Outcome::Succeeded => Ok(()),
        Outcome::Failed { code: Told::Known(code), reason, .. } => Err(Refused(code, reason)),
        Outcome::Failed { code: Told::Other(code), reason, .. } => {
            Err(Refused(Reason::DeviceFail, format!("{code}: {reason}")))
        }
        Outcome::Cancelled => Err(Refused(Reason::Interrupted, "it was called off".to_owned())),
    }
}

/// What has to be so for a line to change anything.
#[derive(Clone, Copy)]
pub(super) struct Guard<'a> {
    /// Whose the card has to be.
    pub mark: Mark,
    /// Which start of it this has to be.
    pub boot_id: &'a str,
}

impl Guard<'_> {
    /// The beginning of a line that reads the phone: the card has to be the phone's, and not to have restarted.
    pub(super) fn reading(&self) -> String {
        // A boot id is what the card has said; it is not one that could end the quotes.
        let boot_id: String = self.boot_id.chars().filter(|c| c.is_ascii_hexdigit() || *c == '-').collect();
        format!(
            "[ \"$(cat /proc/sys/kernel/random/boot_id)\" = '{boot_id}' ] || exit {RESTARTED}\n{}",
            proof(self.mark)
        )
    }

    /// Runs a line that changes the card, unless the card has restarted since the attempt began; what else has to be so
    /// the line looks at itself. It waits until the console is there.
    pub(super) async fn change(&self, tools: &Tools, card: &Card, line: &str) -> Result<Done, Error> {
        self.change_with(tools, card, line, Vec::new()).await
    }

    /// The same for a line that reads something.
    pub(super) async fn change_with(
        &self,
        tools: &Tools,
        card: &Card,
        line: &str,
        input: Vec<u8>,
    ) -> Result<Done, Error> {
        tools.leash.hold().await;
        let command = self.command(line, LINE_SECONDS)?;
        let command = if input.is_empty() { command } else { command.stdin(input) };
        Ok(Done::so(self.outcome(&card.run(&command, LINE).await?)))
    }

    /// Has a program deal with things below [`ROOT`], some by each line: as many as the card gets done before a line ends by itself.
    /// What a line has done that was cut short, the next one finds done. `told` hears how many are done, and how many there are.
    pub(super) async fn each(
        &self,
        tools: &Tools,
        card: &Card,
        proof: &str,
        (program, names): (&str, &[&[u8]]),
        told: impl Fn(usize, usize) + Send,
    ) -> Result<Done, Error> {
        let line = format!("{proof}cd {ROOT} && xargs -0 -r {program}");
        let mut pieces = Pieces::of(names);
        while let Some(some) = pieces.piece() {
            told(pieces.done(), names.len());
            let done = self.change_with(tools, card, &line, ended(some)).await?;
            match &done.outcome {
                Outcome::Succeeded => pieces.go_on(),
                Outcome::Failed { code, .. } if *code == Reason::AdbTimeout.into() && pieces.halve() => {}
                Outcome::Failed { .. } | Outcome::Cancelled => return Ok(done),
            }
        }
        Ok(Done::so(Outcome::Succeeded))
    }

    /// Such a line, which ends by itself after so many seconds.
    fn command(&self, line: &str, seconds: u32) -> Result<Command, Error> {
        let guarded = format!(
            "[ \"$(cat /proc/sys/kernel/random/boot_id)\" = {} ] || exit {RESTARTED}\n\
             [ \"$(id -u)\" = 0 ] || exit {NOT_ROOT}\n{line}",
            adb::quoted(self.boot_id)?
        );
        Ok(Command::script(&format!("timeout {seconds} sh -c {}", adb::quoted(&guarded)?)))
    }

    /// What the package manager answers to a line on a card that is still the phone's: both its outputs, however it ended.
    /// It may take `seconds`: whoever waits no longer for the package manager has not stopped it.
    pub(super) async fn ask(&self, tools: &Tools, card: &Card, line: &str, seconds: u32) -> Result<String, Refused> {
        tools.leash.hold().await;
        let command = self.command(&format!("{}{line}", proof(self.mark)), seconds)?;
        let output = card.run(&command, Duration::from_secs(u64::from(seconds) + 15)).await?;
        self.answer(&output)
    }

    /// The same for a line that is fed with `size` bytes of a storage node, which may be silent for so long, and for longer
    /// where limits slow it down: they come pack by pack.
    pub(super) async fn feed(
        &self,
        tools: &Tools,
        card: &Card,
        line: &str,
        (source, size): (&mut (dyn AsyncRead + Send + Unpin), u64),
        silence: Duration,
    ) -> Result<String, Refused> {
        tools.leash.hold().await;
        // A card takes at least a megabyte in a second. What it has taken is in a session, and changes nothing yet.
        let slowed = tools.stores.limits.delay(size).as_secs();
        let seconds = u32::try_from((size >> 20).saturating_add(slowed)).unwrap_or(u32::MAX).min(DAY) + LINE_SECONDS;
        let silence = silence + tools.stores.limits.delay(PACK).min(Duration::from_secs(DAY.into()));
        let command = self.command(&format!("{}{line}", proof(self.mark)), seconds)?;
        let output = card.feeding(&command, source, size, silence).await?;
        self.answer(&output)
    }

    fn answer(&self, output: &Output) -> Result<String, Refused> {
        match output.exit {
            Some(TIMED_OUT) => Err(Refused(Reason::AdbTimeout, "the card was not done in time".to_owned())),
            Some(NOT_OURS | NOT_ROOT | RESTARTED) | None => well(self.outcome(output)).map(|()| output.both()),
            // What a program refuses it says; whom a restart kills says nothing.
            Some(code) if code != 0 && output.both().trim().is_empty() => {
                Err(Refused(Reason::AdbClosed, format!("the line was cut off (exit code {code})")))
            }
            Some(_) => Ok(output.both()),
        }
    }

    /// Runs a line on a card that is still the phone's, and reads something: it has to end well.
    ///
    /// # Errors
    /// Why it has not.
    pub(super) async fn must(&self, tools: &Tools, card: &Card, line: &str, input: Vec<u8>) -> Result<(), Refused> {
        well(self.change_with(tools, card, &format!("{}{line}", proof(self.mark)), input).await?.outcome)
    }

    fn outcome(&self, output: &Output) -> Outcome {
        let why = || super::shortened(output.both().trim()).0;
        match output.exit {
            Some(0) => Outcome::Succeeded,
            Some(NOT_OURS) => refused(Reason::NotOurs, format!("the card is not marked as {}: {}", self.mark, why())),
            Some(RESTARTED) => refused(Reason::Interrupted, "the card has restarted meanwhile"),
            Some(NOT_ROOT) => refused(Reason::NotRoot, "the shell of the card is not root's"),
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
pub(super) fn proof(mark: Mark) -> String {
    proof_of(&mark.to_string())
}

/// The beginning of a line that wipes: the card says that this is being done.
pub(super) fn proof_of_wiping(mark: Mark) -> String {
    proof_of(&wiping(mark))
}

fn wiping(mark: Mark) -> String {
    format!("{}{mark}", Carried::WIPING)
}

fn proof_of(text: &str) -> String {
    let file = &*FILE;
    format!("m=\"$(cat {file} 2>/dev/null)\"\n[ \"$m\" = '{text}' ] || {{ echo \"$m\"; exit {NOT_OURS}; }}\n")
}

/// Lines that turn the mark, if it is `from`, into another; it is there whole or not at all, and is on the flash when they
/// end.
fn turned(from: &str, into: &str) -> String {
    let file = &*FILE;
    format!(
        "m=\"$(cat {file} 2>/dev/null)\"\n\
         case \"$m\" in '{into}') exit 0;; '{from}') ;; *) echo \"$m\"; exit {NOT_OURS};; esac\n\
         echo '{into}' >{file}.new && sync && mv {file}.new {file} && sync"
    )
}

/// Writes down that the phone's data is being wiped.
pub(super) fn begins_to_wipe(mark: Mark) -> String {
    turned(&mark.to_string(), &wiping(mark))
}

/// Marks a wiped card as clean.
fn cleaned(mark: Mark, seal: &str) -> String {
    turned(&wiping(mark), &format!("{}{seal}", Carried::CLEAN))
}

/// Whether something may follow `clean ` in a mark.
fn is_seal(seal: &str) -> bool {
    (1..=64).contains(&seal.len()) && seal.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Marks the card, if it is nobody's, says that it is clean in these words, or is marked so already. The mark is there
/// whole or not at all, and is on the flash when the line ends.
fn claim(mark: Mark, clean: Option<&str>) -> Result<String, Error> {
    let file = &*FILE;
    let clean = clean.map(adb::quoted).transpose()?.map_or_else(String::new, |clean| format!("{clean}) ;; "));
    Ok(format!(
        "if [ -e {file} ]; then m=\"$(cat {file})\"; case \"$m\" in {mark}) exit 0;; {clean}*) echo \"$m\"; exit {NOT_OURS};; esac; fi\n\
         mkdir -p {FOLDER} && chmod 700 {FOLDER} && echo {mark} >{file}.new && sync && mv {file}.new {file} && sync"
    ))
}

/// Takes the mark off, if it is there.
fn unclaim(mark: Mark) -> String {
    let file = &*FILE;
    format!("[ -e {file} ] || exit 0\n{}rm {file} && sync", proof(mark))
}

/// Why a card may not be this phone's; none if it carries its mark.
pub(super) fn stranger(carried: &str, mark: Mark) -> Option<Outcome> {
    match Carried::read(carried) {
        Carried::Unreadable => Some(refused(Reason::MarkUnreadable, "the card does not say whose it is")),
        Carried::Of(found) if found == mark => None,
        Carried::Nothing | Carried::Clean | Carried::Of(_) | Carried::Wiping(_) => {
            Some(refused(Reason::NotOurs, format!("the card is marked as {carried}, and not as {mark}")))
        }
    }
}

/// Whether the card can take the phone. It changes nothing.
async fn check(card: &Card, task: &Task, mark: Mark, fingerprint: Option<&str>, space: u64) -> Result<Done, Error> {
    let script = format!("{}\ngetprop ro.build.fingerprint", *QUESTION);
    let text = card.run(&Command::script(&script), adb::shell::COMMAND).await?.text();
    let mut lines = text.lines().map(str::trim);
    let (carried, image) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    // It is nobody's if it says nothing, or that it is clean in the words in which that was written down.
    let is_nobodys = carried == Carried::NOTHING || task.clean.as_deref() == Some(carried);
    if let Some(stranger) = stranger(carried, mark).filter(|_| !is_nobodys) {
        return Ok(Done::so(stranger));
    }
    if let Some(wanted) = fingerprint.filter(|wanted| *wanted != image) {
        let why = format!("the card runs {image}, and not {wanted}");
        return Ok(Done::so(refused(Reason::ImageDiffers, why)));
    }
    let free = card.disk_free(&DevicePath::new("/data")?).await?.free;
    if free < space {
        return Ok(Done::so(refused(Reason::NoSpace, format!("{free} bytes are free, and {space} are needed"))));
    }
    Ok(Done::so(Outcome::Succeeded))
}

/// Waits until Android is up and its package manager answers; the card still has to be the phone's then, and what has come on it as
/// it was left, if something has, and otherwise its launcher has to run where a phone comes. The caller's deadline ends the wait.
async fn health(card: &Card, mark: Mark, (restored, launcher): (bool, bool)) -> Result<Done, Error> {
    let carried = up(card).await?;
    Ok(match stranger(&carried, mark) {
        Some(stranger) => Done::so(stranger),
        None if restored => healthy::as_left(card).await,
        None if launcher => healthy::launches(card).await,
        None => Done::so(Outcome::Succeeded),
    })
}

/// Waits until Android is up, where nobody else ends the wait: a card may have restarted a moment ago.
///
/// # Errors
/// It does not come up, or does not answer.
pub(super) async fn booted(card: &Card) -> Result<(), Refused> {
    match timeout(BOOTS, up(card)).await {
        Ok(carried) => carried.map(|_| ()).map_err(Refused::from),
        Err(_) => Err(Refused(Reason::Unhealthy, format!("Android is not up after {} s", BOOTS.as_secs()))),
    }
}

/// Waits until Android is up; returns what the card says then about whose it is. The caller's deadline ends the wait.
pub(super) async fn up(card: &Card) -> Result<String, Error> {
    let script = format!("{}\ngetprop sys.boot_completed; pm list packages", *QUESTION);
    loop {
        let text = card.run(&Command::script(&script), adb::shell::COMMAND).await?.text();
        let mut lines = text.lines().map(str::trim);
        let (carried, booted) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        if booted == "1" && lines.any(|line| line == "package:android") {
            return Ok(carried.to_owned());
        }
        sleep(POLL).await;
    }
}
