//! Storage nodes: made, changed, drained, retired, deleted.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use base::fault::Fault;
use base::prelude::*;
use entity::store_node::{ActiveModel, BackupStrategy, Entity, Model, StoreDriver, StoreState};
use entity::{RoomAgentId, StoreNodeId, repo, room_agent, store_node_agent, store_usage};
use fleet::{check_speed, earth};
use kernel::rules::{Violation, at_least_one, at_most, integer_between, line, max_chars};
use sea_orm::{ConnectionTrait, PaginatorTrait as _};

use super::round::wake;
use super::view::{StoreNodeView, view};
use crate::screens::perm;

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("name", "name")];
const NOT_FOUND: Text = text("存储节点不存在", "Storage node not found");
const HAD_COPIES: Text = text(
    "节点上曾有已清除云手机的备份，记录须保留；可停用，不能删除",
    "Backups of phones that are erased by now were there, and the books keep that: retire the node instead",
);
const HAS_COPIES: Text = text("节点上仍有 {count} 部云手机的备份", "Copies of {count} phones are still there");
const NOT_NOW: Text = text("当前状态不允许此操作", "Not possible in this state");
const RETIRED: Text = text("节点已停用", "The node is retired");
const CHANGED_MEANWHILE: Text =
    text("节点已被他人修改，请刷新后重试", "Somebody else has changed this node; reload and try again");
/// Agents that reach a node, at most.
const AGENTS: usize = 16;

kernel::named_enum! {
    /// In what a capacity is told.
    pub enum CapacityUnit {
        /// 2^30 bytes.
        Gb = "gb" ("GB", "GB"),
        /// 2^40 bytes.
        Tb = "tb" ("TB", "TB"),
    }
}

/// A storage node, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StoreNodeInput {
    /// 1 to 48 characters, unique.
    #[schema(min_length = 1, max_length = 48)]
    pub name: String,
    /// 1 to 40 characters.
    #[schema(min_length = 1, max_length = 40)]
    pub city: String,
    /// Its folder, as its agents see it: below the agents' own folder for stores (`copies`), where it is made, or absolute
    /// (`/mnt/copies`), where it has to be there.
    #[schema(min_length = 1, max_length = 256)]
    pub place: String,
    /// The agents that reach it, 1 to 16; all of them see the same folder.
    #[schema(min_items = 1, max_items = 16)]
    pub agents: Vec<RoomAgentId>,
    /// What may lie there, 1 to 99,999.
    #[schema(minimum = 1, maximum = 99_999)]
    pub capacity: i32,
    /// Of `capacity`.
    pub unit: CapacityUnit,
    /// Folders among which repositories are spread, 1 to 100; each may be a disk of its own.
    #[schema(minimum = 1, maximum = 100)]
    pub partitions: i16,
    /// Its file system keeps snapshots (`.snapshot`, `.zfs/snapshot` or `.snap` below the folder): each test looks for the node's
    /// marker in one of them. Without, whoever rules over an agent's machine can delete every copy.
    #[serde(default)]
    pub snapshots: bool,
    /// When phones are copied there besides when they go off their cards and when somebody asks; daily if it is not given.
    #[serde(default = "daily")]
    pub strategy: BackupStrategy,
    /// A phone that stays on its card is copied again after so many days: 1 to 30; with the weekly strategy 7, 14, 21 or 28. A day
    /// or a week if it is not given; the other strategies have no cycle.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 30)]
    pub cycle: Option<i16>,
    /// Degrees north, -90 to 90; with the longitude or not at all.
    #[serde(default)]
    #[schema(minimum = -90, maximum = 90)]
    pub latitude: Option<f64>,
    /// Degrees east, -180 to 180.
    #[serde(default)]
    #[schema(minimum = -180, maximum = 180)]
    pub longitude: Option<f64>,
    /// Mbit/s at which its agents together may read from it, 1 to 1000; none is line rate. The limits of their rooms bind
    /// besides.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1000)]
    pub download_mbit: Option<i16>,
    /// The same for what they write there.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1000)]
    pub upload_mbit: Option<i16>,
    /// The version that was read, of a node that is changed; a new one has none.
    #[serde(default)]
    #[schema(minimum = 1)]
    pub version: Option<i32>,
}

impl Validate for StoreNodeInput {
    fn check(&self, check: &mut Check) {
        let Self {
            name,
            city,
            place,
            agents,
            capacity,
            unit: _,
            partitions,
            snapshots: _,
            strategy,
            cycle,
            latitude,
            longitude,
            download_mbit,
            upload_mbit,
            version: _,
        } = self;
        check_speed(check, *download_mbit, *upload_mbit);
        check.field("name", line(name, 48));
        check.field("city", line(city, 40));
        if check.field("place", line(place, 256).and_then(|()| max_chars(place, 256))).is_some() && !is_place(place) {
            check.add("place", Violation::new("path.node"));
        }
        check.field("agents", at_least_one(agents.len()).and_then(|()| at_most(agents.len(), AGENTS)));
        check.field("capacity", integer_between((*capacity).into(), 1, 99_999));
        check.field("partitions", integer_between((*partitions).into(), 1, 100));
        if let (Some(unit), Some(cycle)) = (strategy.unit_days(), *cycle)
            && check.field("cycle", integer_between(cycle.into(), 1, 30)).is_some()
            && cycle % unit != 0
        {
            check.add("cycle", Violation::not_a_choice("7, 14, 21, 28"));
        }
        earth::check(check, *latitude, *longitude);
    }
}

/// What a node has whose plan is not said.
const fn daily() -> BackupStrategy {
    BackupStrategy::Daily
}

/// Whether a node may lie there: a folder by its name, and by no detour.
fn is_place(place: &str) -> bool {
    let parts = || Path::new(place).components();
    parts().any(|part| matches!(part, Component::Normal(_)))
        && parts().all(|part| matches!(part, Component::Normal(_) | Component::RootDir))
}

impl StoreNodeInput {
    fn capacity_bytes(&self) -> i64 {
        let unit = match self.unit {
            CapacityUnit::Gb => 1 << 30,
            CapacityUnit::Tb => 1 << 40,
        };
        i64::from(self.capacity) * unit
    }

    /// What an operator may say of a row, the rest is as it was; and the agents that reach the node.
    fn into_row(self, now: UtcTime) -> (ActiveModel, Vec<RoomAgentId>) {
        let capacity_bytes = self.capacity_bytes();
        let Self {
            name,
            city,
            place,
            agents,
            partitions,
            snapshots,
            strategy,
            cycle,
            latitude,
            longitude,
            download_mbit,
            upload_mbit,
            capacity: _,
            unit: _,
            version: _,
        } = self;
        let unit = strategy.unit_days();
        let row = ActiveModel {
            name: Set(name),
            city: Set(city),
            place: Set(place),
            latitude_e6: Set(latitude.map(earth::to_e6)),
            longitude_e6: Set(longitude.map(earth::to_e6)),
            capacity_bytes: Set(capacity_bytes),
            partitions: Set(partitions),
            has_snapshots: Set(snapshots),
            strategy: Set(strategy),
            cycle_days: Set(unit.map_or(1, |unit| cycle.unwrap_or(unit))),
            download_mbit: Set(download_mbit),
            upload_mbit: Set(upload_mbit),
            updated_at: Set(now),
            ..Default::default()
        };
        (row, agents)
    }
}

/// The node, or "not found".
///
/// # Errors
/// When there is none.
pub async fn find(db: &impl ConnectionTrait, id: StoreNodeId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

/// Phones whose copies lie there.
async fn copies(db: &impl ConnectionTrait, id: StoreNodeId) -> Outcome<u64> {
    let repos = repo::Entity::find().filter(repo::Column::NodeId.eq(id));
    Ok(repos.filter(repo::Column::ErasedAt.is_null()).count(db).await?)
}

/// Writes down which agents reach a node. What those found that did so before stays.
async fn write_agents(tx: &impl ConnectionTrait, id: StoreNodeId, wanted: &[RoomAgentId]) -> Outcome<()> {
    use store_node_agent::{ActiveModel, Column, Entity};
    let wanted: BTreeSet<RoomAgentId> = wanted.iter().copied().collect();
    let there = room_agent::Entity::find()
        .filter(room_agent::Column::Id.is_in(wanted.iter().copied()))
        .filter(room_agent::Column::RevokedAt.is_null())
        .count(tx)
        .await?;
    if there < wanted.len() as u64 {
        return Err(Fault::field("agents", Violation::unknown_reference()));
    }
    let others = Entity::delete_many().filter(Column::NodeId.eq(id)).filter(Column::AgentId.is_not_in(wanted.clone()));
    others.exec(tx).await?;
    let kept = Entity::find().filter(Column::NodeId.eq(id)).all(tx).await?;
    let kept: BTreeSet<RoomAgentId> = kept.into_iter().map(|row| row.agent_id).collect();
    let new = wanted.difference(&kept).map(|agent| ActiveModel {
        node_id: Set(id),
        agent_id: Set(*agent),
        checked_at: Set(None),
        millis: Set(0),
        code: Set(String::new()),
        step: Set(None),
        partition: Set(None),
        detail: Set(String::new()),
    });
    let new: Vec<_> = new.collect();
    if !new.is_empty() {
        Entity::insert_many(new).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// A new node, for the form and for the demo company. It counts as unreachable until one of its agents has seen it.
///
/// # Errors
/// When the name is taken, or an agent is not there.
pub async fn insert(tx: &impl ConnectionTrait, input: StoreNodeInput, now: UtcTime) -> Outcome<Model> {
    let (said, agents) = input.into_row(now);
    let row = ActiveModel {
        driver: Set(StoreDriver::Folder),
        host: Set(String::new()),
        account: Set(String::new()),
        secret: Set(String::new()),
        is_tls: Set(false),
        pin: Set(String::new()),
        used_bytes: Set(0),
        made: Set(0),
        mark: Set(format!("{:032x}", rand::random::<u128>())),
        state: Set(StoreState::Unreachable),
        trouble: Set(String::new()),
        created_at: Set(now),
        version: Set(1),
        ..said
    };
    let row = Entity::insert(row).exec_with_returning(tx).await.map_err(unique("store_node", UNIQUE))?;
    write_agents(tx, row.id, &agents).await?;
    Ok(row)
}

async fn create(ctx: &OpCtx, input: StoreNodeInput) -> Outcome<StoreNodeView> {
    let tx = ctx.begin_write().await?;
    let row = insert(&*tx, input, ctx.now()).await?;
    let made = view(&ctx.app, &*tx, row, ctx.lang()).await?;
    tx.commit(Audit::of("storeNode").id(made.id).name(&made.name).after(&made)).await?;
    wake(&ctx.app, made.id);
    Ok(made)
}

async fn update(ctx: &OpCtx, id: StoreNodeId, input: StoreNodeInput) -> Outcome<StoreNodeView> {
    let tx = ctx.begin_write().await?;
    let row = find(&*tx, id).await?;
    if row.state == StoreState::Retired {
        return Err(Fault::conflict(RETIRED));
    }
    let version = input.version.ok_or_else(|| Fault::field("version", Violation::new("required")))?;
    if version != row.version {
        return Err(Fault::conflict(CHANGED_MEANWHILE));
    }
    // Where nothing lies yet, another place is a new one. Otherwise what lies there has moved with its markers.
    let is_new_place = row.place != input.place && copies(&*tx, id).await? == 0;
    let (said, agents) = input.into_row(ctx.now());
    let change = ActiveModel {
        id: Set(id),
        made: Set(if is_new_place { 0 } else { row.made }),
        version: Set(version + 1),
        ..said
    };
    let before = view(&ctx.app, &*tx, row, ctx.lang()).await?;
    let row = Entity::update(change).exec(&*tx).await.map_err(unique("store_node", UNIQUE))?;
    write_agents(&*tx, id, &agents).await?;
    let after = view(&ctx.app, &*tx, row, ctx.lang()).await?;
    tx.commit(Audit::of("storeNode").id(id).name(&after.name).before(&before).after(&after)).await?;
    wake(&ctx.app, id);
    Ok(after)
}

async fn delete(ctx: &OpCtx, id: StoreNodeId) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let before = view(&ctx.app, &*tx, find(&*tx, id).await?, ctx.lang()).await?;
    none_left(&*tx, id).await?;
    if repo::Entity::find().filter(repo::Column::NodeId.eq(id)).count(&*tx).await? > 0 {
        return Err(Fault::conflict(HAD_COPIES));
    }
    store_usage::Entity::delete_many().filter(store_usage::Column::NodeId.eq(id)).exec(&*tx).await?;
    store_node_agent::Entity::delete_many().filter(store_node_agent::Column::NodeId.eq(id)).exec(&*tx).await?;
    Entity::delete_by_id(id).exec(&*tx).await?;
    tx.commit(Audit::of("storeNode").id(id).name(&before.name).before(&before)).await?;
    Ok(())
}

async fn none_left(db: &impl ConnectionTrait, id: StoreNodeId) -> Outcome<()> {
    match copies(db, id).await? {
        0 => Ok(()),
        count => Err(Fault::conflict(HAS_COPIES.with("count", count))),
    }
}

/// Moves a node from one of these states to another.
async fn turn(ctx: &OpCtx, id: StoreNodeId, from: &[StoreState], to: StoreState) -> Outcome<StoreNodeView> {
    let tx = ctx.begin_write().await?;
    let row = find(&*tx, id).await?;
    if !from.contains(&row.state) || !row.state.may_become(to) {
        return Err(Fault::conflict(NOT_NOW));
    }
    if to == StoreState::Retired {
        none_left(&*tx, id).await?;
    }
    let before = view(&ctx.app, &*tx, row, ctx.lang()).await?;
    let change = ActiveModel { id: Set(id), state: Set(to), updated_at: Set(ctx.now()), ..Default::default() };
    let after = view(&ctx.app, &*tx, Entity::update(change).exec(&*tx).await?, ctx.lang()).await?;
    tx.commit(Audit::of("storeNode").id(id).name(&after.name).before(&before).after(&after)).await?;
    wake(&ctx.app, id);
    Ok(after)
}

/// Returns one storage node.
#[utoipa::path(get, path = "/api/storage/v1/nodes/{id}", tag = "storage",
    params(("id" = i64, Path, description = "The node's id")), responses((status = 200, body = Reply<StoreNodeView>)))]
async fn store_node_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<StoreNodeView> {
    let row = find(ctx.read(), StoreNodeId(id)).await?;
    reply(view(&ctx.app, ctx.read(), row, ctx.lang()).await?)
}

/// Creates a storage node. Its agents make its folder, or see that it is there and empty, within seconds.
#[utoipa::path(post, path = "/api/storage/v1/nodes", tag = "storage", request_body = StoreNodeInput,
    responses((status = 200, body = Reply<StoreNodeView>)))]
async fn store_node_create(ctx: OpCtx, Valid(input): Valid<StoreNodeInput>) -> ApiResult<StoreNodeView> {
    reply(create(&ctx, input).await?)
}

/// Changes a storage node, if nobody else has since it was read. Once copies lie there, another place has to hold them already, with the node's marker.
#[utoipa::path(put, path = "/api/storage/v1/nodes/{id}", tag = "storage", request_body = StoreNodeInput,
    params(("id" = i64, Path, description = "The node's id")), responses((status = 200, body = Reply<StoreNodeView>)))]
async fn store_node_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<StoreNodeInput>,
) -> ApiResult<StoreNodeView> {
    reply(update(&ctx, StoreNodeId(id), input).await?)
}

/// Deletes a storage node on which no copies lie. Its folder is left as it is.
#[utoipa::path(delete, path = "/api/storage/v1/nodes/{id}", tag = "storage",
    params(("id" = i64, Path, description = "The node's id")), responses((status = 200, body = Reply<Nothing>)))]
async fn store_node_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    delete(&ctx, StoreNodeId(id)).await?;
    done()
}

/// Lets a storage node take no new copies.
#[utoipa::path(post, path = "/api/storage/v1/nodes/{id}/drain", tag = "storage",
    params(("id" = i64, Path, description = "The node's id")), responses((status = 200, body = Reply<StoreNodeView>)))]
async fn store_node_drain(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<StoreNodeView> {
    reply(turn(&ctx, StoreNodeId(id), &[StoreState::Normal, StoreState::Unreachable], StoreState::Draining).await?)
}

/// Lets a storage node that was drained take copies again.
#[utoipa::path(post, path = "/api/storage/v1/nodes/{id}/resume", tag = "storage",
    params(("id" = i64, Path, description = "The node's id")), responses((status = 200, body = Reply<StoreNodeView>)))]
async fn store_node_resume(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<StoreNodeView> {
    reply(turn(&ctx, StoreNodeId(id), &[StoreState::Draining], StoreState::Normal).await?)
}

/// Takes a drained storage node out of use for good, once no copies lie there.
#[utoipa::path(post, path = "/api/storage/v1/nodes/{id}/retire", tag = "storage",
    params(("id" = i64, Path, description = "The node's id")), responses((status = 200, body = Reply<StoreNodeView>)))]
async fn store_node_retire(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<StoreNodeView> {
    reply(turn(&ctx, StoreNodeId(id), &[StoreState::Draining], StoreState::Retired).await?)
}

/// Their access table.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::STORAGE_GET, routes!(store_node_get))
        .act(perm::STORAGE_CREATE, routes!(store_node_create))
        .act(perm::STORAGE_UPDATE, routes!(store_node_update))
        .act(perm::STORAGE_DELETE, routes!(store_node_delete))
        .act(perm::STORAGE_DRAIN, routes!(store_node_drain))
        .act(perm::STORAGE_DRAIN, routes!(store_node_resume))
        .act(perm::STORAGE_RETIRE, routes!(store_node_retire))
}
