//! The tasks of an operation where their cards are: by frame, host and position; and what ended last.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::fault::Outcome;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Params, Reply, reply};
use entity::operation::Target;
use entity::operation_task::{self as task, TaskStep};
use entity::{CardId, FrameId, HostId, OperationId, RoomId, card, frame, host, room};
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, FromQueryResult, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::api::named;
use super::export::{OperationTaskFilter, tasks_of};
use super::view::OperationTaskView;

/// Above this number of tasks, hosts are not told one by one: nobody could see them.
const MOST_CELLS: i64 = 20_000;
/// Results that are told at once.
const MOST_RESULTS: u64 = 100;

/// Tasks of an operation by state.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepCounts {
    pub pending: i64,
    pub running: i64,
    pub succeeded: i64,
    pub failed: i64,
    /// Skipped, not supported, cancelled or expired.
    pub other: i64,
}

impl StepCounts {
    const fn add(&mut self, step: TaskStep, count: i64) {
        match step {
            TaskStep::Pending => self.pending += count,
            TaskStep::Running => self.running += count,
            TaskStep::Succeeded => self.succeeded += count,
            TaskStep::Failed => self.failed += count,
            TaskStep::Skipped | TaskStep::Incompatible | TaskStep::Cancelled | TaskStep::Expired => self.other += count,
        }
    }
}

/// The tasks on one host: the lists run in step, a card each, by position.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostTasks {
    /// Null for cards without a position.
    pub id: Option<HostId>,
    pub name: String,
    pub slot: i32,
    pub cards: Vec<CardId>,
    /// 0 where the card has left the host since.
    pub positions: Vec<i32>,
    pub states: Vec<TaskStep>,
    /// Places in `codes`, plus one; 0 where there is no reason.
    pub reasons: Vec<usize>,
}

/// The tasks in one frame.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameTasks {
    /// Null for cards without a position.
    pub id: Option<FrameId>,
    pub name: String,
    pub room_id: RoomId,
    pub room: String,
    pub counts: StepCounts,
    /// Empty if the operation has more than 20,000 cards.
    pub hosts: Vec<HostTasks>,
}

/// Where the tasks of an operation are.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationPlaces {
    /// The codes of reasons that occur.
    pub codes: Vec<String>,
    /// By room and name.
    pub frames: Vec<FrameTasks>,
}

#[derive(FromQueryResult)]
struct Cell {
    target_id: CardId,
    room_id: RoomId,
    frame_id: Option<FrameId>,
    host_id: Option<HostId>,
    state: TaskStep,
    code: String,
    at_host: Option<HostId>,
    position: Option<i32>,
}

#[derive(FromQueryResult)]
struct Sum {
    room_id: RoomId,
    frame_id: Option<FrameId>,
    state: TaskStep,
    n: i64,
}

type Place = (RoomId, Option<FrameId>);

/// Returns where the tasks of an operation are, by frame and host, with their states.
#[utoipa::path(get, path = "/api/operation/v1/operations/{id}/places", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id")),
    responses((status = 200, body = Reply<OperationPlaces>)))]
pub async fn operation_places(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperationPlaces> {
    let row = named(&ctx, OperationId(id)).await?;
    let mut frames: BTreeMap<Place, FrameTasks> = BTreeMap::new();
    let mut codes = Vec::new();
    // What is no card stands in a room and nowhere nearer.
    if row.total > MOST_CELLS || row.kind.target() != Target::Card {
        for sum in sums(&ctx, row.id).await? {
            frame_at(&mut frames, (sum.room_id, sum.frame_id)).counts.add(sum.state, sum.n);
        }
    } else {
        let mut known = HashMap::new();
        let mut hosts: BTreeMap<(Place, Option<HostId>), Vec<Cell>> = BTreeMap::new();
        for cell in cells(&ctx, row.id).await? {
            let place = (cell.room_id, cell.frame_id);
            frame_at(&mut frames, place).counts.add(cell.state, 1);
            if !cell.code.is_empty() && !known.contains_key(&cell.code) {
                codes.push(cell.code.clone());
                known.insert(cell.code.clone(), codes.len());
            }
            hosts.entry((place, cell.host_id)).or_default().push(cell);
        }
        for ((place, host), cells) in hosts {
            frame_at(&mut frames, place).hosts.push(host_of(host, cells, &known));
        }
    }
    let frames = with_names(&ctx, frames.into_values().collect()).await?;
    reply(OperationPlaces { codes, frames })
}

async fn cells(ctx: &OpCtx, id: OperationId) -> Outcome<Vec<Cell>> {
    let columns = [
        task::Column::TargetId,
        task::Column::RoomId,
        task::Column::FrameId,
        task::Column::HostId,
        task::Column::State,
        task::Column::Code,
    ];
    // A task keeps no reference to its card, which may have been deleted.
    let card = task::Entity::belongs_to(card::Entity).from(task::Column::TargetId).to(card::Column::Id).into();
    let select = task::Entity::find()
        .select_only()
        .columns(columns)
        .column_as(card::Column::HostId, "at_host")
        .column(card::Column::Position)
        .join(sea_orm::JoinType::LeftJoin, card)
        .filter(task::Column::OperationId.eq(id))
        .order_by_asc(task::Column::TargetId);
    Ok(select.into_model().all(ctx.read()).await?)
}

async fn sums(ctx: &OpCtx, id: OperationId) -> Outcome<Vec<Sum>> {
    let select = task::Entity::find()
        .select_only()
        .columns([task::Column::RoomId, task::Column::FrameId, task::Column::State])
        .column_as(task::Column::Id.count(), "n")
        .filter(task::Column::OperationId.eq(id))
        .group_by(task::Column::RoomId)
        .group_by(task::Column::FrameId)
        .group_by(task::Column::State);
    Ok(select.into_model().all(ctx.read()).await?)
}

fn frame_at(frames: &mut BTreeMap<Place, FrameTasks>, place: Place) -> &mut FrameTasks {
    let (room_id, id) = place;
    let (name, room) = (String::new(), String::new());
    frames.entry(place).or_insert_with(|| FrameTasks {
        id,
        name,
        room_id,
        room,
        counts: StepCounts::default(),
        hosts: Vec::new(),
    })
}

fn host_of(id: Option<HostId>, mut cells: Vec<Cell>, codes: &HashMap<String, usize>) -> HostTasks {
    // Where it is now; a card that has left the host since is told without a position.
    let position = |cell: &Cell| cell.position.filter(|_| id.is_some() && cell.at_host == id).unwrap_or(0);
    cells.sort_by_key(|cell| (position(cell) == 0, position(cell), cell.target_id));
    HostTasks {
        id,
        name: String::new(),
        slot: 0,
        cards: cells.iter().map(|cell| cell.target_id).collect(),
        positions: cells.iter().map(position).collect(),
        states: cells.iter().map(|cell| cell.state).collect(),
        reasons: cells.iter().map(|cell| codes.get(&cell.code).copied().unwrap_or(0)).collect(),
    }
}

/// The names of today; a place that has been deleted since has none.
async fn with_names(ctx: &OpCtx, mut frames: Vec<FrameTasks>) -> Outcome<Vec<FrameTasks>> {
    let rooms: HashSet<RoomId> = frames.iter().map(|frame| frame.room_id).collect();
    let rooms = room::Entity::find().filter(room::Column::Id.is_in(rooms)).all(ctx.read()).await?;
    let rooms: HashMap<RoomId, String> = rooms.into_iter().map(|room| (room.id, room.name)).collect();
    let mut names: HashMap<FrameId, String> = HashMap::new();
    let mut hosts: HashMap<HostId, (String, i32)> = HashMap::new();
    // One query a hundred: a database takes so many values in one statement.
    for some in frames.chunks(100) {
        let ids = some.iter().filter_map(|frame| frame.id);
        let found = frame::Entity::find().filter(frame::Column::Id.is_in(ids)).all(ctx.read()).await?;
        names.extend(found.into_iter().map(|frame| (frame.id, frame.name)));
        let ids = some.iter().filter(|frame| !frame.hosts.is_empty()).filter_map(|frame| frame.id);
        let found = host::Entity::find().filter(host::Column::FrameId.is_in(ids)).all(ctx.read()).await?;
        hosts.extend(found.into_iter().map(|host| (host.id, (host.name, host.slot))));
    }
    for frame in &mut frames {
        frame.room = rooms.get(&frame.room_id).cloned().unwrap_or_default();
        frame.name = frame.id.and_then(|id| names.get(&id).cloned()).unwrap_or_default();
        for host in &mut frame.hosts {
            if let Some((name, slot)) = host.id.and_then(|id| hosts.get(&id)) {
                host.name.clone_from(name);
                host.slot = *slot;
            }
        }
        frame.hosts.sort_by_key(|host| (host.id.is_none(), host.slot, host.id));
    }
    frames.sort_by(|a, b| (&a.room, a.id.is_none(), &a.name).cmp(&(&b.room, b.id.is_none(), &b.name)));
    Ok(frames)
}

/// Returns the tasks that ended last, newest first: at most 100.
#[utoipa::path(get, path = "/api/operation/v1/operations/{id}/results", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id"), OperationTaskFilter),
    responses((status = 200, body = Reply<Vec<OperationTaskView>>)))]
pub async fn operation_results(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(filter): Params<OperationTaskFilter>,
) -> ApiResult<Vec<OperationTaskView>> {
    let tasks = tasks_of(&ctx, id, filter).await?;
    let found = tasks
        .select()
        .filter(task::Column::EndedAt.is_not_null())
        .order_by_desc(task::Column::EndedAt)
        .order_by_desc(task::Column::Id)
        .limit(MOST_RESULTS)
        .all(ctx.read())
        .await?;
    reply(found.into_iter().map(|row| tasks.view(row, ctx.lang())).collect())
}
