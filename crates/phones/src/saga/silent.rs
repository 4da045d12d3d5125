//! Steps whose agent is connected and says nothing of them: they end, and their cards are free for others.

use std::collections::{BTreeMap, HashMap};

use base::app::App;
use base::fault::Outcome;
use entity::operation_task::TaskEffect;
use entity::saga_step::{self, StepName};
use entity::{RoomAgentId, RoomId, SagaStepId};
use fleet::{Connections, Fleet};
use futures::FutureExt as _;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::sea_query::Expr;
use sea_orm::{EntityTrait as _, QueryFilter as _, QuerySelect as _};
use wire::{Key, Reason};

use super::advance::Desk;
use super::apart::{self, SetAside, Subject};
use super::machine::End;
use super::states;
use super::step::{key, seconds};

/// Seconds beyond a step's own time within which a connected agent has told of it, as for the tasks of operations: it ends
/// each step itself, and tells every two seconds that one waits for its place or comes further.
const SILENCE: i64 = 120 + 900;
/// Steps that end in one transaction.
const STEP: usize = 500;

/// When something was heard last of the steps that agents have, by the steady clock. It is not stored: after a restart of
/// the console each has its whole time again.
#[derive(Debug, Default)]
pub struct Heard(Mutex<HashMap<SagaStepId, UtcTime>>);

impl Heard {
    /// Agents have told of these steps.
    pub(super) fn note(&self, steps: impl IntoIterator<Item = SagaStepId>, steady: UtcTime) {
        self.0.lock().extend(steps.into_iter().map(|step| (step, steady)));
    }

    /// Those of the `running` steps of which nothing was heard for too long.
    fn overdue(&self, running: &[(SagaStepId, StepName)], steady: UtcTime) -> Vec<SagaStepId> {
        let mut heard = self.0.lock();
        let overdue = running.iter().filter(|(step, name)| {
            let last = *heard.entry(*step).or_insert(steady);
            last.plus_seconds(i64::from(seconds(*name)) + SILENCE) <= steady
        });
        let overdue = overdue.map(|(step, _)| *step).collect();
        if heard.len() > running.len() {
            heard.retain(|step, _| running.iter().any(|(id, _)| id == step));
        }
        overdue
    }
}

/// Ends steps of which a connected agent has said nothing for too long, and tells it. Those of an agent that is gone are
/// given to another one earlier.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn silent(app: &App) -> Outcome<()> {
    let running: Vec<(SagaStepId, StepName)> = saga_step::Entity::find()
        .select_only()
        .columns([saga_step::Column::Id, saga_step::Column::Name])
        .filter(Expr::cust(states::STEP_RUNS))
        .into_tuple()
        .all(app.db.read())
        .await?;
    let mut overdue = app.part::<Heard>().overdue(&running, app.clock.steady());
    // Of those that have ended in an error it may have told how they ended.
    overdue.retain(|step| !apart::is_left_alone(app, &Subject::Step(*step)) && !app.part::<SetAside>().is_told(*step));
    overdue.truncate(STEP);
    apart::each(app, &overdue, |app, some| end_silent(app, some).boxed()).await
}

async fn end_silent(app: &App, steps: &[SagaStepId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let mut desk = Desk::new(app, &mut tx);
    let rows = desk.steps(steps, Expr::cust(states::STEP_RUNS)).await?;
    let mut told: BTreeMap<(RoomId, RoomAgentId), Vec<Key>> = BTreeMap::new();
    for row in &rows {
        let Some(agent) = row.agent_id.filter(|agent| app.part::<Fleet>().connected_since(*agent).is_some()) else {
            continue;
        };
        let end = End::Failed { why: Some(Reason::AgentSilent), effect: effect(row.name) };
        desk.settle(row, end, Reason::AgentSilent.code(), "").await?;
        told.entry((row.room_id, agent)).or_default().push(key(row.id));
    }
    desk.told.commit(app, tx).await?;
    for ((room, agent), keys) in told {
        tracing::warn!(
            agent = agent.0,
            room = room.0,
            steps = keys.len(),
            "steps ended of which their agent said nothing"
        );
        app.part::<Connections>().call_off(room, agent, keys);
    }
    Ok(())
}

/// What a step may have done of which nothing was heard.
const fn effect(step: StepName) -> TaskEffect {
    match step {
        StepName::Check
        | StepName::Health
        | StepName::Packages
        | StepName::Copy
        | StepName::Verify
        | StepName::Still => TaskEffect::NeverBegan,
        StepName::Reserve
        | StepName::Claim
        | StepName::Boot
        | StepName::Bind
        | StepName::Install
        | StepName::Restore
        | StepName::Stop
        | StepName::Start
        | StepName::Seal
        | StepName::Halt
        | StepName::Erase
        | StepName::Decide
        | StepName::Wipe
        | StepName::Prove
        | StepName::MarkClean
        | StepName::Unclaim => TaskEffect::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use entity::SagaStepId;
    use entity::saga_step::StepName;
    use kernel::time::UtcTime;

    use super::Heard;

    #[test]
    fn each_step_has_its_own_time_from_when_it_was_heard_of_last() {
        let heard = Heard::default();
        let start = UtcTime(0);
        let (check, wipe) = ((SagaStepId(1), StepName::Check), (SagaStepId(2), StepName::Wipe));
        assert!(heard.overdue(&[check, wipe], start).is_empty());
        assert!(heard.overdue(&[check, wipe], start.plus_seconds(1_079)).is_empty());
        assert_eq!(heard.overdue(&[check, wipe], start.plus_seconds(1_080)), [check.0]);
        heard.note([check.0], start.plus_seconds(1_080));
        assert!(heard.overdue(&[check, wipe], start.plus_seconds(2_159)).is_empty());
        assert_eq!(heard.overdue(&[check, wipe], start.plus_seconds(4_620)), [check.0, wipe.0]);
        // One that is over is forgotten.
        assert_eq!(heard.overdue(&[wipe], start.plus_seconds(4_620)), [wipe.0]);
        assert_eq!(heard.0.lock().len(), 1);
    }
}
