//! A try of a step by itself: what it is called on the wire, its time, its row.

use base::fault::Outcome;
use db::WriteTx;
use entity::saga_step::{self, Model as Row, StepName};
use entity::{SagaId, SagaStepId};
use sea_orm::sea_query::{Condition, IntoCondition};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};
use wire::Key;

use super::advance::Desk;

/// The key of a try. Each is sent once: a repetition is a row of its own.
pub(super) const fn key(id: SagaStepId) -> Key {
    Key::phone(id.0, 1)
}

/// Steps that meet a condition, at most `most` of them, locked in the order in which everybody locks them.
///
/// # Errors
/// When the database refuses.
pub(super) async fn locked(tx: &WriteTx, which: impl IntoCondition, most: u64) -> Outcome<Vec<Row>> {
    let rows = saga_step::Entity::find().filter(which).order_by_asc(saga_step::Column::Id).limit(most);
    Ok(rows.lock_exclusive().all(&**tx).await?)
}

impl Desk<'_> {
    /// Those of these steps that are like this still, to be settled: locked, and with all that they need for it read at once.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn steps(&mut self, ids: &[SagaStepId], which: impl IntoCondition) -> Outcome<Vec<Row>> {
        let these = saga_step::Column::Id.is_in(ids.iter().copied());
        let these = Condition::all().add(these).add(which.into_condition());
        let steps = locked(self.tx, these, ids.len() as u64).await?;
        self.ahead.read_steps(&**self.tx, &steps).await?;
        Ok(steps)
    }

    /// Reads at once what these sagas need of which the next step is written.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn read_ahead(&mut self, sagas: &[SagaId]) -> Outcome<()> {
        self.ahead.read_sagas(&**self.tx, sagas).await
    }
}

/// How long an agent has for a step, in seconds: from when it has its place at the card, or for so long may it come no
/// further.
pub const fn seconds(step: StepName) -> u32 {
    match step {
        StepName::Check => 60,
        StepName::Claim
        | StepName::Unclaim
        | StepName::MarkClean
        | StepName::Packages
        | StepName::Copy
        | StepName::Verify
        | StepName::Erase
        | StepName::Install
        | StepName::Restore => 120,
        StepName::Health | StepName::Start | StepName::Halt => 180,
        StepName::Boot | StepName::Stop => 300,
        StepName::Still => 900,
        StepName::Prove => 1_800,
        StepName::Wipe => 3_600,
        // The console's own.
        StepName::Reserve | StepName::Bind | StepName::Seal | StepName::Decide => 1,
    }
}
