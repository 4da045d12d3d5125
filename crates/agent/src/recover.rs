//! Tries that were under way when the agent died: what became of them is read at the card, and nothing is done twice.

use std::time::Duration;

use adb::{Command, Device as _, Error};
use tokio::time::sleep;
use wire::{Act, Outcome, Task};

use crate::act::{Done, State, act, mark, restarted, state};
use crate::journal::Before;
use crate::work::Tools;

/// A restart that was ordered is under way by then, if it ever will be.
const TAKES_EFFECT: Duration = Duration::from_secs(10);
/// Between two tries to reach the card.
const POLL: Duration = Duration::from_secs(1);

/// What is known of a try that had begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The card was never told: it can be done now.
    NeverBegan,
    /// The card was told.
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

fn interrupted(why: &str) -> Done {
    Done::so(Outcome::failed("interrupted", why))
}

/// Finds out what became of a try, or does it if it never began. The caller's deadline ends it.
pub async fn recover(tools: &Tools, task: &Task, before: &Before) -> Done {
    let Some(address) = tools.address(task) else { return interrupted("the card's address is none") };
    loop {
        let looked = async {
            let card = tools.cards.get(address).await?;
            let now = state(&card).await?;
            Ok::<_, Error>((card, now))
        };
        let (card, now) = match looked.await {
            Ok(found) => found,
            Err(_) => {
                tools.cards.drop_connection(address).await;
                sleep(POLL).await;
                continue;
            }
        };
        let verdict = judge(task, before, &now);
        return match (&task.act, verdict) {
            // Reading and writing the same again changes nothing.
            (
                Act::Screenshot
                | Act::PullLog
                | Act::Pull { .. }
                | Act::Push { .. }
                | Act::SpeedLimit { .. }
                | Act::SetProperty { .. },
                _,
            ) => act(tools, &card, task, &now.boot_id).await,
            (Act::Reboot | Act::FactoryReset, Verdict::Restarted) => {
                restarted(tools, task, &before.boot_id).await.unwrap_or_else(Done::from)
            }
            (Act::Reboot | Act::FactoryReset, Verdict::Began) => {
                sleep(TAKES_EFFECT).await;
                let again = async { state(&tools.cards.get(address).await?).await };
                match again.await {
                    // It was told, and stands as before: the order was never sent.
                    Ok(still) if still.boot_id == before.boot_id => act(tools, &card, task, &still.boot_id).await,
                    Ok(_) | Err(_) => restarted(tools, task, &before.boot_id).await.unwrap_or_else(Done::from),
                }
            }
            (Act::Install { package: Some(package), .. }, Verdict::Began | Verdict::Restarted) => {
                match card.run(&Command::new("pm").arg("path").arg(package), adb::shell::COMMAND).await {
                    Ok(output) if output.succeeded() && output.text().contains("package:") => {
                        Done::so(Outcome::Succeeded)
                    }
                    Ok(_) => interrupted("the agent stopped while the package was installed, and it is not there"),
                    Err(error) => error.into(),
                }
            }
            (_, Verdict::NeverBegan) => act(tools, &card, task, &now.boot_id).await,
            (_, Verdict::Began) => {
                interrupted("the agent stopped while this was under way: it ran once, what it printed is lost")
            }
            (_, Verdict::Restarted) => interrupted(
                "the agent stopped while this was under way, and the card has restarted since: it may have run, and is not run again",
            ),
        };
    }
}

#[cfg(test)]
mod tests {
    use wire::{Act, Key, Task};

    use super::{Before, State, Verdict, judge};

    #[test]
    fn a_try_is_judged_by_what_the_card_remembers() {
        let task = Task {
            key: Key { task: 7, attempt: 2 },
            card: 1,
            address: String::new(),
            serial: None,
            host: None,
            seconds: 1,
            act: Act::Reboot,
        };
        let before = Before { boot_id: "one".into() };
        let state =
            |boot_id: &str, mark: &str| State { serial: String::new(), boot_id: boot_id.into(), mark: mark.into() };
        assert_eq!(judge(&task, &before, &state("one", "")), Verdict::NeverBegan);
        assert_eq!(judge(&task, &before, &state("one", "7.1")), Verdict::NeverBegan, "an older try's mark");
        assert_eq!(judge(&task, &before, &state("one", "7.2")), Verdict::Began);
        assert_eq!(judge(&task, &before, &state("two", "")), Verdict::Restarted);
    }
}
