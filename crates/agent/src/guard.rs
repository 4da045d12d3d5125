//! A task that breaks down ends like any other: its agent goes on, and the console hears of it.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use wire::{Effect, Outcome, Reason, Task};

use crate::done::Done;

/// What `work` comes to, also if it panics. What it holds, such as its places, is dropped by then.
pub async fn guarded(task: &Task, work: impl Future<Output = Done>) -> Done {
    // Nothing of it is used afterwards but what other tasks share, behind locks that do not break.
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(done) => done,
        Err(panic) => {
            let why = words(&*panic);
            tracing::error!(key = ?task.key, why, "a task broke down");
            let effect = if task.act.only_reads() { Effect::NeverBegan } else { Effect::Unknown };
            Done::so(Outcome::failed(Reason::AgentBroke, format!("the agent broke down over this: {why}")).with(effect))
        }
    }
}

/// What a panic says.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no words")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use std::sync::Arc;

    use tokio::sync::{Mutex, Semaphore};
    use wire::{Act, Effect, Key, Outcome, Reason, Task};

    use super::{Done, guarded};

    #[tokio::test]
    async fn a_task_that_breaks_down_ends_says_so_and_gives_its_places_back() {
        let (card, host) = (Mutex::new(()), Arc::new(Semaphore::new(1)));
        for (act, effect) in [(Act::Reboot, Effect::Unknown), (Act::Screenshot, Effect::NeverBegan)] {
            let task = Task::new(Key::operation(7, 1), 1, act);
            let breaks = async {
                let _busy = card.lock().await;
                let _place = Arc::clone(&host).acquire_owned().await.unwrap();
                tokio::task::yield_now().await;
                let nothing: Vec<u8> = Vec::new();
                Done::so(Outcome::failed(Reason::ExitCode, nothing[task.seconds as usize].to_string()))
            };
            let Outcome::Failed { code, reason, effect: told } = guarded(&task, breaks).await.outcome else {
                panic!("it has not failed");
            };
            assert_eq!((code.code(), told), ("agent_broke", effect));
            assert!(reason.contains("out of bounds"), "{reason}");
            assert!(card.try_lock().is_ok() && host.available_permits() == 1, "its places are free");
        }
    }
}
