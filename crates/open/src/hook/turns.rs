//! Each application is told by itself, one event at a time: one that does not answer holds up nobody else.

use std::collections::HashMap;
use std::time::Duration;

use base::app::App;
use base::fault::{Fault, Outcome};
use entity::OpenAppId;
use tokio::task::{Id, JoinSet};
use tokio::time::MissedTickBehavior;

use super::send::Sender;
use super::{address, queue, receiver};

/// Interval between two looks for what is due.
const LOOK: Duration = Duration::from_millis(500);
/// Applications that are told at a time.
const AT_ONCE: usize = 32;
/// Events that one is told before others are looked for.
const TURN: usize = 200;

/// Tells applications what they are to be told, for as long as the program works. Whatever it is cut off in is done again, with
/// the same id.
pub async fn keep(app: App) {
    let mut ticks = tokio::time::interval(LOOK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut turns = Turns::default();
    loop {
        ticks.tick().await;
        if let Err(fault) = turns.look(&app).await {
            tracing::error!(?fault, "it cannot be seen what applications are to be told; it is looked for again");
        }
    }
}

/// Tells everybody who is to be told something now, until something is not taken. Returns how many that were.
///
/// # Errors
/// When the read fails.
pub async fn deliver(app: &App) -> Outcome<usize> {
    let mut turns = Turns::default();
    turns.look(app).await?;
    let told = turns.at_work.len();
    while turns.running.join_next().await.is_some() {}
    Ok(told)
}

/// Applications that are being told.
#[derive(Default)]
struct Turns {
    running: JoinSet<()>,
    at_work: HashMap<Id, OpenAppId>,
}

impl Turns {
    /// Begins with those for whom something is due, and who are not at it.
    async fn look(&mut self, app: &App) -> Outcome<()> {
        while let Some(ended) = self.running.try_join_next_with_id() {
            let task = match ended {
                Ok((task, ())) => task,
                Err(error) => error.id(),
            };
            self.at_work.remove(&task);
        }
        for to in queue::due(app).await? {
            if self.at_work.len() >= AT_ONCE {
                break;
            }
            if self.at_work.values().any(|one| *one == to) {
                continue;
            }
            let app = app.clone();
            let task = self.running.spawn(async move {
                if let Err(fault) = turn(&app, to).await {
                    tracing::error!(?fault, app.id = to.0, "an application could not be told; it is tried again");
                }
            });
            self.at_work.insert(task.id(), to);
        }
        Ok(())
    }
}

/// Tells an application what is due, one after the other, until it does not take something.
async fn turn(app: &App, to: OpenAppId) -> Outcome<()> {
    for _ in 0..TURN {
        let Some((receiver, settings)) = receiver::of(app, to).await? else { return Ok(()) };
        let Some(row) = queue::next(app, to).await? else { return Ok(()) };
        let rule = address::rule(app, &settings);
        let sender = app.part::<Sender>();
        let tried = sender.tell(&rule, &receiver, &row, app.clock.now()).await.map_err(Fault::internal)?;
        let is_taken = tried.failure.is_none();
        queue::settle(app, &row, tried).await?;
        if !is_taken {
            return Ok(());
        }
    }
    Ok(())
}
