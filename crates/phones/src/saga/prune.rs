//! What was done to phones long ago is not kept: what began and ended their stays on cards is, as long as there is the phone.

use base::app::App;
use base::fault::Outcome;
use entity::phone::{self, Life};
use entity::{SagaId, saga, saga_step};
use kernel::text::{Message, text};
use kernel::time::UtcTime;
use queue::{Job, JobCtx, JobError};
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _,
};
use serde::{Deserialize, Serialize};

use super::states;
use crate::settings::PhoneLife;

const DAY: i64 = 86_400;
/// Sagas removed in one transaction, each with its steps.
const STEP: u64 = 200;
/// With which copy the next one of a stay is compared is told by those that made copies of a stopped phone in that stay: they are
/// kept until it is over.
const NOT_HERE: &str = "NOT (EXISTS (SELECT 1 FROM placement stay WHERE stay.id = saga.placement_id AND stay.role <> 0) \
     AND EXISTS (SELECT 1 FROM backup made WHERE made.id = saga.backup_id AND NOT made.is_live))";

/// Removes what was done to phones long ago. Safe to run twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct PruneSagas {}

impl Job for PruneSagas {
    type State = App;
    const KIND: &'static str = "phone.prune";

    fn title(&self) -> Message {
        text("清理云手机的过程记录", "Remove old steps of phones").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<queue::Outcome, JobError> {
        let app = ctx.state();
        let days = app.settings.get::<PhoneLife>(app).await?.step_days;
        let before = app.clock.now().plus_seconds(-days * DAY);
        let mut removed = 0;
        for of in [Of::Others, Of::Erased] {
            let mut after = SagaId(0);
            while let Some((step, last)) = prune(app, of, before, after).await? {
                ctx.check()?;
                removed += step;
                after = last;
                ctx.progress(removed, None);
            }
        }
        let said = text("已清理 {n} 条过程记录", "What was done to phones, removed: {n}");
        Ok(queue::Outcome::done().say(said.with("n", removed)))
    }
}

/// Which of what was done to phones.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// What neither began nor ended a stay.
    Others,
    /// All of phones that were erased.
    Erased,
}

impl Of {
    fn condition(self) -> Condition {
        match self {
            Self::Others => Condition::all().add(Expr::cust(states::OTHERS_ENDED)).add(Expr::cust(NOT_HERE)),
            Self::Erased => {
                let erased = phone::Entity::find().select_only().column(phone::Column::Id);
                let erased = erased.filter(phone::Column::Life.eq(Life::Erased)).into_query();
                Condition::all().add(saga::Column::PhoneId.in_subquery(erased))
            }
        }
    }
}

/// Removes some of these that ended before a moment, with their steps, in the order of their ids after one. Returns how many, and
/// the last of them; none if there are no more.
///
/// # Errors
/// When the database refuses.
pub async fn prune(app: &App, of: Of, before: UtcTime, after: SagaId) -> Outcome<Option<(i64, SagaId)>> {
    let old = saga::Entity::find()
        .select_only()
        .column(saga::Column::Id)
        .filter(of.condition())
        .filter(saga::Column::EndedAt.lt(before))
        .filter(saga::Column::Id.gt(after))
        .order_by_asc(saga::Column::Id)
        .limit(STEP);
    let ids: Vec<SagaId> = old.into_tuple().all(app.db.read()).await?;
    let Some(last) = ids.last().copied() else { return Ok(None) };
    // What is over stays so.
    let tx = app.db.begin_write().await?;
    let steps = saga_step::Entity::delete_many().filter(saga_step::Column::SagaId.is_in(ids.iter().copied()));
    steps.exec(&*tx).await?;
    saga::Entity::delete_many().filter(saga::Column::Id.is_in(ids.iter().copied())).exec(&*tx).await?;
    tx.commit().await?;
    Ok(Some((i64::try_from(ids.len()).unwrap_or(i64::MAX), last)))
}
