//! Steps at a storage node that no agent of the room reaches.

use base::app::App;
use base::fault::Outcome;
use entity::saga::{self, SagaKind};
use entity::{SagaStepId, saga_step};
use fleet::Connections;
use futures::FutureExt as _;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use wire::Reason;

use super::advance::Desk;
use super::apart;
use super::copying::{AT_STORE, able, of};
use super::states;
use crate::backup::place::is_reached_by;

/// A step waits so long for an agent that reaches its node while others of the room are there, in seconds.
const STRANDED: i64 = 120;
/// Rows in one transaction.
const STEP: u64 = 100;

/// Ends steps that no agent takes although some of their room are there: none of those reaches the storage node.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn stranded(app: &App) -> Outcome<()> {
    let waiting = saga_step::Entity::find()
        .filter(Expr::cust(states::STEP_WAITS))
        .filter(saga_step::Column::Name.is_in(AT_STORE))
        .filter(saga_step::Column::NotBefore.lte(app.clock.steady().plus_seconds(-STRANDED)))
        .filter(apart::steps(app))
        .order_by_asc(saga_step::Column::Id)
        .limit(STEP);
    let (mut left, mut after) = (Vec::new(), SagaStepId(0));
    // Those that wait for other reasons hide none behind them.
    while left.is_empty() {
        let rows = waiting.clone().filter(saga_step::Column::Id.gt(after)).all(app.db.read()).await?;
        let Some(last) = rows.last() else { break };
        after = last.id;
        for row in &rows {
            if is_stranded(app, app.db.read(), row).await? {
                left.push(row.id);
            }
        }
    }
    apart::each(app, &left, |app, some| strand(app, some).boxed()).await
}

async fn strand(app: &App, steps: &[SagaStepId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &desk.steps(steps, Expr::cust(states::STEP_WAITS)).await? {
        desk.never_began(row, Reason::StoreUnreachable, "no agent of the room reaches its storage node").await?;
    }
    desk.told.commit(app, tx).await
}

async fn is_stranded(app: &App, db: &impl ConnectionTrait, step: &saga_step::Model) -> Outcome<bool> {
    let Some(saga) = saga::Entity::find_by_id(step.saga_id).one(db).await? else { return Ok(false) };
    // A phone that is to be copied waits for its room; who wants a copy to be read, or removed, asks another one.
    let is_any = matches!(saga.kind, SagaKind::Verify | SagaKind::Erase);
    if !is_any && !app.part::<Connections>().does_steps(step.room_id) {
        return Ok(false);
    }
    let Some((copy, repo)) = of(db, saga.backup_id).await? else { return Ok(true) };
    Ok(!is_reached_by(db, able(app, saga.kind, (step.name, copy.is_live), step.room_id), repo.node_id).await?)
}
