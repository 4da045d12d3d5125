//! The fleet as a tree: rooms, their frames, their hosts, each with its counts, and the cells of a frame or a room for
//! the panel.

use std::collections::HashMap;

use base::fault::{Fault, Outcome};
use base::http::ops::OpCtx;
use base::http::{ApiResult, Params, Reply, reply};
use entity::card::{self, Maintenance, NetworkStatus, RunStatus};
use entity::{CardId, FrameId, HostId, RoomId, frame, host, room};
use kernel::rules::Violation;
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, ExprTrait as _, FromQueryResult, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::heard::{self, RoomHeard};
use super::room::place_on_earth;
use crate::counts::{self, StatusCounts};
use crate::screens::perm;
use crate::state::Fleet;

/// What a node of the tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum NodeKind {
    Room,
    Frame,
    Host,
}

/// A room, a frame or a host with its counts.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TreeNode {
    pub kind: NodeKind,
    pub id: i64,
    /// The room of a frame, the frame of a host.
    pub parent_id: Option<i64>,
    pub name: String,
    /// Its place: the city of a room, the location of a frame, the slot of a host.
    pub place: String,
    /// Slots of a frame, positions of a host.
    pub size: Option<i32>,
    pub maintenance: Maintenance,
    pub counts: StatusCounts,
    /// Agents that are connected to a room; null for what is in it.
    pub agents: Option<u32>,
    /// What is known of a room's agents, for those who may see these; null for what is in it.
    pub heard: Option<RoomHeard>,
}

/// Which part of the tree is requested: the rooms if empty; with a room its frames; with a frame its hosts.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct TreeQuery {
    /// The frames of this room.
    pub room_id: Option<i64>,
    /// The hosts of this frame.
    pub frame_id: Option<i64>,
    /// Everything below: with a room its frames and hosts, without one all rooms and frames.
    #[serde(default)]
    pub whole: bool,
}

async fn nodes(ctx: &OpCtx, query: TreeQuery) -> Outcome<Vec<TreeNode>> {
    let TreeQuery { room_id, frame_id, whole } = query;
    Ok(match (room_id, frame_id) {
        (None, None) => {
            let mut found = rooms(ctx).await?;
            if whole {
                found.extend(frames(ctx, None).await?);
            }
            found
        }
        (Some(room), None) => {
            let mut found = frames(ctx, Some(room)).await?;
            if whole {
                found.extend(hosts(ctx, host::Column::RoomId.eq(room)).await?);
            }
            found
        }
        (_, Some(frame)) => hosts(ctx, host::Column::FrameId.eq(frame)).await?,
    })
}

async fn rooms(ctx: &OpCtx) -> Outcome<Vec<TreeNode>> {
    let rows = room::Entity::find().order_by_asc(room::Column::Id).all(ctx.read()).await?;
    let counts = counts::rooms(ctx.read()).await?;
    let heard = if ctx.may(perm::ROOM_AGENT_LIST.code()) { Some(heard::rooms(ctx.read()).await?) } else { None };
    let node = |row: room::Model| TreeNode {
        kind: NodeKind::Room,
        id: row.id.0,
        parent_id: None,
        name: row.name,
        place: row.city,
        size: None,
        maintenance: row.maintenance,
        counts: counts.get(&row.id).copied().unwrap_or_default(),
        agents: Some(ctx.app.part::<Fleet>().agents_in(row.id)),
        heard: heard.as_ref().map(|rooms| rooms.get(&row.id).copied().unwrap_or_default()),
    };
    Ok(rows.into_iter().map(node).collect())
}

async fn frames(ctx: &OpCtx, room: Option<i64>) -> Outcome<Vec<TreeNode>> {
    let mut select = frame::Entity::find();
    if let Some(room) = room {
        select = select.filter(frame::Column::RoomId.eq(room));
    }
    let rows = select.order_by_asc(frame::Column::Id).all(ctx.read()).await?;
    let ids: Vec<FrameId> = rows.iter().map(|row| row.id).collect();
    let counts = counts::frames(ctx.read(), &ids).await?;
    let node = |row: frame::Model| TreeNode {
        kind: NodeKind::Frame,
        id: row.id.0,
        parent_id: Some(row.room_id.0),
        name: row.name,
        place: row.location,
        size: Some(row.slots),
        maintenance: row.maintenance,
        counts: counts.get(&row.id).copied().unwrap_or_default(),
        agents: None,
        heard: None,
    };
    Ok(rows.into_iter().map(node).collect())
}

async fn hosts(ctx: &OpCtx, which: sea_orm::sea_query::SimpleExpr) -> Outcome<Vec<TreeNode>> {
    let rows = host::Entity::find()
        .filter(which)
        .order_by_asc(host::Column::FrameId)
        .order_by_asc(host::Column::Slot)
        .all(ctx.read())
        .await?;
    let ids: Vec<HostId> = rows.iter().map(|row| row.id).collect();
    let counts = counts::hosts(ctx.read(), &ids).await?;
    let node = |row: host::Model| TreeNode {
        kind: NodeKind::Host,
        id: row.id.0,
        parent_id: Some(row.frame_id.0),
        name: row.name,
        place: row.slot.to_string(),
        size: Some(row.positions),
        maintenance: row.maintenance,
        counts: counts.get(&row.id).copied().unwrap_or_default(),
        agents: None,
        heard: None,
    };
    Ok(rows.into_iter().map(node).collect())
}

/// A card as a cell of the panel.
#[derive(Clone, Debug, Serialize, FromQueryResult, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardCell {
    pub id: CardId,
    pub host_id: HostId,
    pub position: i32,
    pub run_status: RunStatus,
    pub network_status: NetworkStatus,
    pub maintenance: Maintenance,
    pub is_assignable: bool,
    pub is_overcommit: bool,
}

/// Which cells are requested.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct CellQuery {
    /// All cards of this room that are in a host.
    pub room_id: Option<i64>,
    /// All cards of this frame.
    pub frame_id: Option<i64>,
}

/// The largest number of cells in one answer.
const MOST_CELLS: u64 = 50_000;

async fn cells(ctx: &OpCtx, query: CellQuery) -> Outcome<Vec<CardCell>> {
    use card::Column;
    let which = match (query.room_id, query.frame_id) {
        (_, Some(frame)) => Column::FrameId.eq(frame),
        (Some(room), None) => Column::RoomId.eq(room).and(Column::HostId.is_not_null()),
        (None, None) => return Err(Fault::field("roomId", Violation::new("required"))),
    };
    let select = card::Entity::find().select_only().columns([
        Column::Id,
        Column::HostId,
        Column::Position,
        Column::RunStatus,
        Column::NetworkStatus,
        Column::Maintenance,
        Column::IsAssignable,
        Column::IsOvercommit,
    ]);
    let select = select.filter(which).order_by_asc(Column::Id).limit(MOST_CELLS);
    Ok(select.into_model::<CardCell>().all(ctx.read()).await?)
}

/// A room as a point of the map.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MapPoint {
    pub room_id: RoomId,
    pub name: String,
    pub city: String,
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    pub maintenance: Maintenance,
    pub counts: StatusCounts,
    /// Agents of the room that are connected.
    pub agents: u32,
}

async fn points(ctx: &OpCtx) -> Outcome<Vec<MapPoint>> {
    let rows = room::Entity::find().order_by_asc(room::Column::Id).all(ctx.read()).await?;
    let counts: HashMap<RoomId, StatusCounts> = counts::rooms(ctx.read()).await?;
    let point = |row: room::Model| {
        let (latitude, longitude) = place_on_earth(&row);
        MapPoint {
            room_id: row.id,
            latitude,
            longitude,
            maintenance: row.maintenance,
            counts: counts.get(&row.id).copied().unwrap_or_default(),
            agents: ctx.app.part::<Fleet>().agents_in(row.id),
            name: row.name,
            city: row.city,
        }
    };
    Ok(rows.into_iter().map(point).collect())
}

/// Returns a level of the fleet, or everything below a node, each place with its counts by status.
#[utoipa::path(get, path = "/api/fleet/v1/tree", tag = "fleet", params(TreeQuery),
    responses((status = 200, body = Reply<Vec<TreeNode>>)))]
pub async fn fleet_tree(ctx: OpCtx, Params(query): Params<TreeQuery>) -> ApiResult<Vec<TreeNode>> {
    reply(nodes(&ctx, query).await?)
}

/// Returns the cards of a frame or a room as cells, for the panel.
#[utoipa::path(get, path = "/api/fleet/v1/cells", tag = "fleet", params(CellQuery),
    responses((status = 200, body = Reply<Vec<CardCell>>)))]
pub async fn fleet_cells(ctx: OpCtx, Params(query): Params<CellQuery>) -> ApiResult<Vec<CardCell>> {
    reply(cells(&ctx, query).await?)
}

/// Returns the rooms as points of a map.
#[utoipa::path(get, path = "/api/fleet/v1/map", tag = "fleet", responses((status = 200, body = Reply<Vec<MapPoint>>)))]
pub async fn fleet_map(ctx: OpCtx) -> ApiResult<Vec<MapPoint>> {
    reply(points(&ctx).await?)
}
