//! A storage node, as lists and details show it.

use std::collections::HashMap;

use base::app::App;
use base::fault::{Fault, Outcome};
use base::reference::Reference;
use entity::store_node::{BackupStrategy, Model, StoreDriver, StoreState};
use entity::store_node_agent::{self, StoreStep};
use entity::{RoomAgentId, StoreNodeId, room_agent};
use fleet::{Fleet, earth, reasons};
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde::Serialize;
use utoipa::ToSchema;
use wire::Rates;

use super::sealed_before::outstanding;
use super::share::Shares;

const IN_PARTITION: Text = text("{step}（分区 {partition}）：{reason}", "{step} (partition {partition}): {reason}");
const AT_STEP: Text = text("{step}：{reason}", "{step}: {reason}");

/// A storage node, as lists and details show it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreNodeView {
    pub id: StoreNodeId,
    pub name: String,
    pub city: String,
    pub driver: StoreDriver,
    /// Its folder, as its agents see it.
    pub place: String,
    pub state: StoreState,
    /// Why it cannot be reached, or not by all of its agents; empty if nothing is wrong.
    pub trouble: String,
    /// When an agent last looked; none if none ever did.
    pub checked_at: Option<UtcTime>,
    /// Bytes of what may lie there.
    pub capacity_bytes: i64,
    /// Bytes of what lies there.
    pub used_bytes: i64,
    /// When that was added up; none if it never was.
    pub measured_at: Option<UtcTime>,
    /// Bytes that its disk can still take; none if it does not say.
    pub free_bytes: Option<i64>,
    /// Bytes that fit there in truth: less than the capacity where its disk is smaller.
    pub limit_bytes: i64,
    /// Days until it is full, if it goes on as it did; none if that is not known, or it does not grow.
    pub days_to_full: Option<i32>,
    /// Folders among which repositories are spread.
    pub partitions: i16,
    /// How many of them have been made.
    pub made: i16,
    /// Its file system keeps snapshots, as was said of it: each test looks for one.
    pub snapshots: bool,
    /// When phones are copied there besides when they go off their cards and when somebody asks.
    pub strategy: BackupStrategy,
    /// Days after which a phone that stays on its card is copied again; none if its strategy has no cycle.
    pub cycle: Option<i16>,
    /// Degrees north; with the longitude or not at all.
    pub latitude: Option<f64>,
    /// Degrees east.
    pub longitude: Option<f64>,
    /// Mbit/s at which its agents together may read from it; none is line rate. The limits of their rooms bind besides.
    pub download_mbit: Option<i16>,
    /// The same for what they write there.
    pub upload_mbit: Option<i16>,
    /// Key files there that an earlier master key has sealed: they are sealed anew while agents reach the node. Until there are none,
    /// the earlier key is needed besides for what it has sealed elsewhere.
    pub sealed_before: u64,
    /// The agents that reach it.
    pub agents: Vec<StoreNodeAgentView>,
    /// Incremented with each change that is saved. Send it back when saving.
    pub version: i32,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

/// An agent that reaches a storage node, and what it found there when it was last asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreNodeAgentView {
    pub agent: Reference,
    pub room: Reference,
    /// It is connected now.
    pub connected: bool,
    /// When it last looked; none if it never did.
    pub checked_at: Option<UtcTime>,
    /// How long that took, in milliseconds.
    pub millis: i64,
    /// Why it did not reach the node, as a code; empty if it did.
    pub code: String,
    /// During what.
    pub step: Option<StoreStep>,
    /// In which partition, from 0; none if it was the node itself.
    pub partition: Option<i16>,
    /// The same in the caller's language: during what, and why.
    pub reason: String,
    /// The node's or the system's own words.
    pub detail: String,
    /// Kbit/s at which it may read from the node, its share of all limits; none is line rate, or it is not connected.
    pub download_kbit: Option<u32>,
    /// The same for what it writes there.
    pub upload_kbit: Option<u32>,
}

/// What was wrong, in words; empty if nothing was.
fn words(row: &store_node_agent::Model, lang: Lang) -> String {
    if row.code.is_empty() {
        return String::new();
    }
    let reason = reasons::words(&row.code, lang);
    let Some(step) = row.step else { return reason };
    let said = |text: Text| text.with("step", step.label().get(lang)).with("reason", &reason);
    match row.partition {
        Some(partition) => said(IN_PARTITION).with("partition", partition).get(lang),
        None => said(AT_STEP).get(lang),
    }
}

/// How many bytes fit there in truth.
#[must_use]
pub fn limit(row: &Model) -> i64 {
    let of_disk = row.free_bytes.map(|free| free.saturating_add(row.used_bytes));
    of_disk.map_or(row.capacity_bytes, |disk| disk.min(row.capacity_bytes))
}

/// From this share on, in hundredths, a node takes no phone that has no copy there yet.
pub const FULL: i128 = 95;

/// How full it is, in hundredths.
#[must_use]
pub fn share(row: &Model) -> i128 {
    i128::from(row.used_bytes) * 100 / i128::from(limit(row).max(1))
}

/// Whether it takes no phone that has no copy there yet.
#[must_use]
pub fn is_full(row: &Model) -> bool {
    share(row) >= FULL
}

/// `rows` with their agents.
///
/// # Errors
/// When a read fails.
pub async fn views(
    app: &App,
    db: &impl ConnectionTrait,
    rows: Vec<Model>,
    lang: Lang,
) -> Result<Vec<StoreNodeView>, DbErr> {
    let ids = rows.iter().map(|row| row.id);
    let marks: HashMap<StoreNodeId, &str> = rows.iter().map(|row| (row.id, row.mark.as_str())).collect();
    let found = store_node_agent::Entity::find()
        .filter(store_node_agent::Column::NodeId.is_in(ids))
        .order_by_asc(store_node_agent::Column::AgentId)
        .all(db)
        .await?;
    let agents = room_agent::Entity::find()
        .filter(room_agent::Column::Id.is_in(found.iter().map(|row| row.agent_id)))
        .all(db)
        .await?;
    let rooms = fleet::room_names(db, agents.iter().map(|row| row.room_id)).await?;
    let agents: HashMap<RoomAgentId, room_agent::Model> = agents.into_iter().map(|row| (row.id, row)).collect();
    let mut of_nodes: HashMap<StoreNodeId, Vec<StoreNodeAgentView>> = HashMap::new();
    for row in found {
        let Some(agent) = agents.get(&row.agent_id) else { continue };
        let mark = marks.get(&row.node_id).copied().unwrap_or_default();
        let Rates { down, up } = app.part::<Shares>().of(agent.id, mark);
        of_nodes.entry(row.node_id).or_default().push(StoreNodeAgentView {
            agent: Reference { id: agent.id.0, name: Some(agent.name.clone()) },
            room: Reference::among(agent.room_id, &rooms),
            connected: app.part::<Fleet>().connected_since(agent.id).is_some(),
            checked_at: row.checked_at,
            millis: row.millis,
            reason: words(&row, lang),
            code: row.code,
            step: row.step,
            partition: row.partition,
            detail: row.detail,
            download_kbit: down,
            upload_kbit: up,
        });
    }
    let mut seen = Vec::with_capacity(rows.len());
    for row in rows {
        let sealed_before = outstanding(db, row.id, app.vault.key_id()).await?;
        seen.push(view_of(row, sealed_before, &mut of_nodes));
    }
    Ok(seen)
}

fn view_of(
    row: Model,
    sealed_before: u64,
    of_nodes: &mut HashMap<StoreNodeId, Vec<StoreNodeAgentView>>,
) -> StoreNodeView {
    let agents = of_nodes.remove(&row.id).unwrap_or_default();
    let wrong = agents.iter().find(|agent| !agent.code.is_empty());
    StoreNodeView {
        limit_bytes: limit(&row),
        trouble: wrong.map(|agent| agent.reason.clone()).unwrap_or_default(),
        id: row.id,
        name: row.name,
        city: row.city,
        driver: row.driver,
        place: row.place,
        state: row.state,
        checked_at: row.checked_at,
        capacity_bytes: row.capacity_bytes,
        used_bytes: row.used_bytes,
        measured_at: row.measured_at,
        free_bytes: row.free_bytes,
        days_to_full: row.days_to_full,
        partitions: row.partitions,
        made: row.made,
        snapshots: row.has_snapshots,
        strategy: row.strategy,
        cycle: row.strategy.unit_days().map(|_| row.cycle_days),
        latitude: row.latitude_e6.map(earth::from_e6),
        longitude: row.longitude_e6.map(earth::from_e6),
        download_mbit: row.download_mbit,
        upload_mbit: row.upload_mbit,
        sealed_before,
        agents,
        version: row.version,
        created_at: row.created_at,
        updated_at: row.updated_at,
    }
}

/// One node.
///
/// # Errors
/// When a read fails.
pub async fn view(app: &App, db: &impl ConnectionTrait, row: Model, lang: Lang) -> Outcome<StoreNodeView> {
    let seen = views(app, db, vec![row], lang).await?.pop();
    seen.ok_or_else(|| Fault::internal(anyhow::anyhow!("a storage node lost its view")))
}
