//! The demo company's storage nodes: one at the agent of each simulated room.

use base::app::App;
use base::fault::Outcome;
use entity::RoomAgentId;
use entity::store_node::{BackupStrategy, Column, Entity, Model};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};

use super::round::wake;
use super::service::{CapacityUnit, StoreNodeInput, insert};

/// What a demo node is called, and where it is.
#[derive(Clone, Copy, Debug)]
pub struct DemoNode<'a> {
    pub name: &'a str,
    pub city: &'a str,
    pub latitude: f64,
    pub longitude: f64,
}

/// Makes the node of a room whose agent has just joined, unless there is one of this name.
///
/// # Errors
/// When the database refuses.
pub async fn make(app: &App, agent: RoomAgentId, of: DemoNode<'_>) -> Outcome<()> {
    let tx = app.db.begin_write().await?;
    if Entity::find().filter(Column::Name.eq(of.name)).count(&*tx).await? > 0 {
        return Ok(());
    }
    let made = row(&*tx, agent, of, app.clock.now()).await?;
    tx.commit().await?;
    wake(app, made.id);
    Ok(())
}

/// The row of such a node.
///
/// # Errors
/// When the database refuses.
pub async fn row(tx: &impl ConnectionTrait, agent: RoomAgentId, of: DemoNode<'_>, now: UtcTime) -> Outcome<Model> {
    let DemoNode { name, city, latitude, longitude } = of;
    let input = StoreNodeInput {
        name: name.to_owned(),
        city: city.to_owned(),
        place: "copies".to_owned(),
        agents: vec![agent],
        capacity: 500,
        unit: CapacityUnit::Gb,
        partitions: 4,
        snapshots: false,
        strategy: BackupStrategy::Daily,
        cycle: Some(1),
        latitude: Some(latitude),
        longitude: Some(longitude),
        download_mbit: None,
        upload_mbit: None,
        version: None,
    };
    insert(tx, input, now).await
}
