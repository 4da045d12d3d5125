//! Attempts that were running when the agent died or the card was lost: their outcome is read from the card, and
//! nothing is done twice.

use std::time::Duration;

use adb::{Card, Error};
use tokio::time::sleep;
use wire::{Act, Book, Effect, Outcome, Reason, Task, Told};

use crate::act::{Done, State, act, mark, mistaken, package, ready, restarted, script, state, strange};
use crate::journal::Before;
use crate::tools::Tools;

/// What was sent has taken effect by then, if it ever will.
const TAKES_EFFECT: Duration = Duration::from_secs(10);
/// Interval between attempts to reach the card, and between checks of a running script.
const POLL: Duration = Duration::from_secs(1);

/// What is known of an attempt that had started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The card never received it: it can be done now.
    NeverBegan,
    /// The card received it.
    Began,
    /// The card has restarted since, and remembers nothing.
    Restarted,
}

fn judge(task: &Task, before: &Before, now: &State) -> Verdict {
    if now.boot_id != before.boot_id {
        Verdict::Restarted
    } else if now.mark == mark(task) {
        Verdict::Began
    } else {
        Verdict::NeverBegan
    }
}

fn interrupted(effect: Effect, why: &str) -> Done {
    Done::so(Outcome::failed(Reason::Interrupted, why).with(effect))
}

/// Finds the outcome of an attempt, or does it if it never started and is still wanted. The caller's deadline ends it.
pub async fn recover(tools: &Tools, task: &Task, before: &Before, is_called_off: impl Fn() -> bool) -> Done {
    let Some(address) = tools.address(task) else {
        return interrupted(Effect::Unknown, "the card's address is invalid");
    };
    loop {
        // A step that was called off has been given to somebody else: nobody asks what became of this try.
        if task.key.book == Book::Phone && is_called_off() {
            return stopped(task);
        }
        let looked = async {
            let card = tools.cards.get(address).await?;
            let now = state(&card).await?;
            if let Some(why) = mistaken(address, &now, task.serial.as_deref()) {
                return Ok(strange(task, why));
            }
            let verdict = judge(task, before, &now);
            match what_became(tools, &card, task, before, verdict).await? {
                Some(done) => Ok::<_, Error>(done),
                None if is_called_off() => Ok(called_off(task, verdict)),
                // The card never received it, or doing it twice has the same effect as once.
                None => {
                    let now = ready(&card, task).await?;
                    Ok(again(&task.act, act(tools, &card, task, &now).await))
                }
            }
        };
        match looked.await {
            Ok(done) => return done,
            Err(_) => {
                tools.cards.drop_connection(address).await;
                sleep(POLL).await;
            }
        }
    }
}

/// The result of an attempt that had started, and was called off while the agent was away: it is not done again.
pub fn stopped(task: &Task) -> Done {
    called_off(task, Verdict::Began)
}

fn called_off(task: &Task, verdict: Verdict) -> Done {
    match verdict {
        // Steps of phones leave no mark of their own.
        Verdict::NeverBegan if task.key.book.is_operation() => Done::so(Outcome::Cancelled),
        Verdict::NeverBegan | Verdict::Began | Verdict::Restarted => {
            let effect = if task.act.only_reads() { Effect::NeverBegan } else { Effect::Unknown };
            interrupted(effect, "it was called off while the agent was away: what had begun is not done again")
        }
    }
}

/// What an act has come to that was done a second time. That a claim did nothing now does not say that it did nothing the
/// first time, unless the card has said that it is somebody else's.
fn again(act: &Act, mut done: Done) -> Done {
    if *act == Act::Claim
        && let Outcome::Failed { code, effect, .. } = &mut done.outcome
        && *code != Told::Known(Reason::NotOurs)
    {
        *effect = Effect::Unknown;
    }
    done
}

/// Finds the outcome of an attempt during which the card was lost; it is not done again. None if the card never
/// received it, or cannot tell.
pub async fn look_again(tools: &Tools, task: &Task, before: &Before) -> Option<Done> {
    let address = tools.address(task)?;
    if script::script_of(task).is_none() && package::named_by(&task.act).is_none() {
        return None;
    }
    loop {
        sleep(POLL).await;
        let looked = async {
            let card = tools.cards.get(address).await?;
            let now = state(&card).await?;
            if let Some(why) = mistaken(address, &now, task.serial.as_deref()) {
                return Ok(Some(strange(task, why)));
            }
            let verdict = judge(task, before, &now);
            if verdict == Verdict::NeverBegan {
                let why = "the connection was lost before the card was told";
                return Ok(Some(Done::so(Outcome::failed(Reason::AdbClosed, why).with(Effect::NeverBegan))));
            }
            what_became(tools, &card, task, before, verdict).await
        };
        match looked.await {
            Ok(found) => return found,
            Err(_) => tools.cards.drop_connection(address).await,
        }
    }
}

/// The outcome of an attempt that had started; none if it has to be done.
async fn what_became(
    tools: &Tools,
    card: &Card,
    task: &Task,
    before: &Before,
    verdict: Verdict,
) -> Result<Option<Done>, Error> {
    Ok(match (&task.act, verdict) {
        // Reading and writing the same again changes nothing.
        (
            Act::Screenshot
            | Act::PullLog
            | Act::Pull { .. }
            | Act::Push { .. }
            | Act::SpeedLimit { .. }
            | Act::SetProperty { .. }
            // They compare before they write.
            | Act::Check { .. }
            | Act::Claim
            | Act::Unclaim
            | Act::Health { .. }
            | Act::Profile
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
            | Act::Unknown,
            _,
        )
        | (_, Verdict::NeverBegan) => None,
        (Act::Reboot | Act::FactoryReset | Act::Boot, Verdict::Restarted) => Some(restarted(tools, task, &before.boot_id).await?),
        (Act::Reboot | Act::FactoryReset | Act::Boot, Verdict::Began) => {
            sleep(TAKES_EFFECT).await;
            // The card received it, and has not restarted: the command was never executed.
            if state(card).await?.boot_id == before.boot_id {
                return Ok(None);
            }
            Some(restarted(tools, task, &before.boot_id).await?)
        }
        (Act::Install { package: Some(name), .. } | Act::Uninstall { package: name }, _) => {
            Some(packaged(card, task, before, name).await?)
        }
        (Act::Shell { .. } | Act::Wipe, verdict) => Some(scripted(card, task, verdict).await?),
        (Act::Install { package: None, .. } | Act::Power { .. }, _) => {
            Some(interrupted(Effect::Unknown, "the agent stopped while this was running; it is not done again"))
        }
    })
}

/// The outcome of a script: its file on the card has it, once it has ended.
async fn scripted(card: &Card, task: &Task, verdict: Verdict) -> Result<Done, Error> {
    loop {
        if let Some(done) = script::left(card, task).await? {
            return Ok(done);
        }
        if verdict == Verdict::Restarted {
            let why = "the card restarted while this was running: it may have run, and is not run again";
            return Ok(interrupted(Effect::Unknown, why));
        }
        if !script::is_under_way(card, task).await? {
            // It may have ended between the two checks.
            let why = "this was interrupted while running: it may have run in part, and is not run again";
            let left = script::left(card, task).await?;
            return Ok(left.unwrap_or_else(|| interrupted(Effect::Unknown, why)));
        }
        sleep(POLL).await;
    }
}

/// The outcome of an installation or a removal, as the package manager reports it.
async fn packaged(card: &Card, task: &Task, before: &Before, name: &str) -> Result<Done, Error> {
    let was = before.package.as_deref();
    let is_removal = matches!(task.act, Act::Uninstall { .. });
    // The package manager may still be working on what it has received completely.
    for wait in [Duration::ZERO, TAKES_EFFECT] {
        sleep(wait).await;
        let now = package::package(card, name).await?;
        let is_done = if is_removal { now.is_empty() } else { !now.is_empty() && was.is_some_and(|was| was != now) };
        if is_done {
            return Ok(Done::so(Outcome::Succeeded));
        }
    }
    if is_removal {
        return Ok(interrupted(Effect::Proved, "the removal was interrupted: the package is still there"));
    }
    // Without the time of the installation this one cannot be told from the one before.
    if was.is_some_and(package::tells_apart) {
        let why = "the installation was interrupted: the package is unchanged";
        return Ok(Done::so(Outcome::failed(Reason::NotInstalled, why).with(Effect::Proved)));
    }
    Ok(interrupted(
        Effect::Unknown,
        "the installation was interrupted, and the card does not report whether it is complete",
    ))
}

#[cfg(test)]
mod tests {
    use wire::{Act, Effect, Key, Outcome, Reason, Task};

    use super::{Before, Done, State, Verdict, again, called_off, judge};

    #[test]
    fn an_attempt_is_judged_by_what_the_card_remembers() {
        let task = Task::new(Key::operation(7, 2), 1, Act::Reboot);
        let before = Before { boot_id: "one".into(), ..Before::default() };
        let state = |boot_id: &str, mark: &str| State {
            serial: String::new(),
            boot_id: boot_id.into(),
            mark: mark.into(),
            keeps_scripts: false,
        };
        assert_eq!(judge(&task, &before, &state("one", "")), Verdict::NeverBegan);
        assert_eq!(judge(&task, &before, &state("one", "7.1")), Verdict::NeverBegan, "an older try's mark");
        assert_eq!(judge(&task, &before, &state("one", "7.2")), Verdict::Began);
        assert_eq!(judge(&task, &before, &state("two", "")), Verdict::Restarted);
    }

    #[test]
    fn what_was_called_off_says_whether_its_card_was_touched() {
        let interrupted = |effect| {
            let why = "it was called off while the agent was away: what had begun is not done again";
            Outcome::failed(Reason::Interrupted, why).with(effect)
        };
        let (operation, phone) = (Key::operation(7, 2), Key::phone(7, 1));
        for (key, act, verdict, wanted) in [
            (operation, Act::Reboot, Verdict::NeverBegan, Outcome::Cancelled),
            (operation, Act::Reboot, Verdict::Began, interrupted(Effect::Unknown)),
            (operation, Act::Reboot, Verdict::Restarted, interrupted(Effect::Unknown)),
            (operation, Act::Screenshot, Verdict::Began, interrupted(Effect::NeverBegan)),
            (phone, Act::Claim, Verdict::NeverBegan, interrupted(Effect::Unknown)),
        ] {
            assert_eq!(called_off(&Task::new(key, 1, act.clone()), verdict).outcome, wanted, "{act:?}, {verdict:?}");
        }
    }

    #[test]
    fn a_claim_that_fails_the_second_time_may_have_been_made_the_first() {
        for (act, why, wanted) in [
            (Act::Claim, Reason::Interrupted, Effect::Unknown),
            (Act::Claim, Reason::NotOurs, Effect::NeverBegan),
            (Act::Unclaim, Reason::Interrupted, Effect::NeverBegan),
        ] {
            let failed = |effect| Outcome::failed(why, "no").with(effect);
            assert_eq!(again(&act, Done::so(failed(Effect::NeverBegan))).outcome, failed(wanted), "{act:?}");
        }
        assert_eq!(again(&Act::Claim, Done::so(Outcome::Succeeded)).outcome, Outcome::Succeeded);
    }
}
