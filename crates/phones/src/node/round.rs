//! Looks at all storage nodes from time to time, and at once at those that were made or changed.

use std::collections::BTreeSet;
use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use entity::StoreNodeId;
use entity::store_node::{Column, Entity, Model, StoreState};
use entity::{store_node_agent, store_usage};
use fleet::Fleet;
use futures::{StreamExt as _, stream};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval};
use wire::{Reason, StoreAim};

use super::check::{look, tell};
use super::seal::seal;
use super::usage::KEPT;

/// Every node is looked at so often.
const LOOK: Duration = Duration::from_mins(1);
/// Nodes whose agent was away are looked at so soon after it has come.
const RETURN: Duration = Duration::from_secs(3);
/// What lies there is added up so often, in milliseconds.
const MEASURE: i64 = 3_600_000;
const DAY: i64 = 24 * MEASURE;
/// Nodes that are looked at at once.
const AT_ONCE: usize = 8;

/// Rings when a node was made or changed.
#[derive(Debug, Default)]
pub struct NodeBell(Notify);

/// Lets a node be looked at now, and open pages know of it.
pub fn wake(app: &App, id: StoreNodeId) {
    app.part::<NodeBell>().0.notify_one();
    tell(app, id);
}

/// Looks at all of them once.
///
/// # Errors
/// When the database refuses.
pub async fn round(app: &App) -> Outcome<()> {
    let nodes = Entity::find().filter(Column::State.ne(StoreState::Retired)).all(app.db.read()).await?;
    look_at(app, nodes).await
}

/// Looks at those whose agent was away when they were looked at, and has come.
///
/// # Errors
/// When the database refuses.
pub async fn returned(app: &App) -> Outcome<()> {
    let away = store_node_agent::Column::Code.eq(Reason::AgentGone.code());
    let rows = store_node_agent::Entity::find().filter(away).all(app.db.read()).await?;
    let is_back = |row: &store_node_agent::Model| app.part::<Fleet>().connected_since(row.agent_id).is_some();
    let nodes: BTreeSet<StoreNodeId> = rows.into_iter().filter(is_back).map(|row| row.node_id).collect();
    if nodes.is_empty() {
        return Ok(());
    }
    let nodes = Entity::find().filter(Column::Id.is_in(nodes)).filter(Column::State.ne(StoreState::Retired));
    look_at(app, nodes.all(app.db.read()).await?).await
}

async fn look_at(app: &App, nodes: Vec<Model>) -> Outcome<()> {
    let now = app.clock.now();
    let is_due = |node: &Model| node.measured_at.is_none_or(|at| now.millis() - at.millis() >= MEASURE);
    let looks = nodes.into_iter().map(|node| {
        let aim = if is_due(&node) { StoreAim::Measure } else { StoreAim::Look };
        look(app, node, aim)
    });
    let ended: Vec<Outcome<()>> = stream::iter(looks).buffer_unordered(AT_ONCE).collect().await;
    ended.into_iter().collect()
}

/// Forgets how full nodes were long ago.
///
/// # Errors
/// When the database refuses.
pub async fn prune(app: &App) -> Outcome<()> {
    let until = UtcTime(app.clock.now().millis() - KEPT * DAY);
    let tx = app.db.begin_write().await?;
    store_usage::Entity::delete_many().filter(store_usage::Column::At.lt(until)).exec(&*tx).await?;
    tx.commit().await?;
    Ok(())
}

/// Looks at them until it is aborted.
pub async fn rounds(app: App) {
    let (mut ticks, mut returns) = (interval(LOOK), interval(RETURN));
    for each in [&mut ticks, &mut returns] {
        each.set_missed_tick_behavior(MissedTickBehavior::Delay);
    }
    let mut pruned = None;
    loop {
        let looked = tokio::select! {
            _ = ticks.tick() => match round(&app).await {
                Ok(()) => seal(&app).await,
                refused => refused,
            },
            () = app.part::<NodeBell>().0.notified() => round(&app).await,
            _ = returns.tick() => returned(&app).await,
        };
        if let Err(fault) = looked {
            tracing::error!(?fault, "storage nodes were not looked at; it is done again");
        }
        let today = app.clock.now().millis() / DAY;
        if pruned != Some(today) {
            match prune(&app).await {
                Ok(()) => pruned = Some(today),
                Err(fault) => tracing::error!(?fault, "how full storage nodes were is not forgotten; it is done again"),
            }
        }
    }
}
