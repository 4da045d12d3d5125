//! Each application is told by itself, one event at a time: one that does not answer, or takes long for each, holds up nobody
//! else.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

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
/// After so long nothing more is begun in a turn: with as many slow ones as there are turns at a time, somebody else has to wait
/// for one of them, and not for all that they are to be told.
const TURN_LASTS: Duration = Duration::from_secs(5);

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

/// Tells everybody who is to be told something now, for one turn each. Returns how many that were.
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
    /// Which turn each of those for whom something is due had last.
    last: HashMap<OpenAppId, u64>,
    begun: u64,
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
        for to in self.in_order(queue::due(app).await?) {
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
            self.begun += 1;
            self.last.insert(to, self.begun);
        }
        Ok(())
    }

    /// Those for whom something is due: first who had no turn since nothing was, then whose turn is longest ago. By time alone,
    /// who has much that is old would have one turn after the other.
    fn in_order(&mut self, mut due: Vec<OpenAppId>) -> Vec<OpenAppId> {
        let these: HashSet<OpenAppId> = due.iter().copied().collect();
        self.last.retain(|to, _| these.contains(to));
        due.sort_by_key(|to| self.last.get(to).copied());
        due
    }
}

/// Tells an application what is due, one after the other, until it does not take something or its turn is over.
async fn turn(app: &App, to: OpenAppId) -> Outcome<()> {
    let began = Instant::now();
    for _ in 0..TURN {
        if began.elapsed() >= TURN_LASTS {
            return Ok(());
        }
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
