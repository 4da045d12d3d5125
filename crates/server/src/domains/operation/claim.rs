//! Giving tasks to agents, and finding out what never reached them.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use db::sql;
use entity::card::Model as Card;
use entity::operation::{self, OperationKind, OperationState};
use entity::operation_task::{self as task, Model as Task, TaskStep};
use entity::{CardId, FrameId, HostId, OperationId, OperationTaskId, card};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{
    ColumnTrait as _, Condition, ConnectionTrait as _, EntityTrait as _, FromQueryResult, QueryFilter as _,
    QueryOrder as _, QuerySelect as _, QueryTrait as _, Value,
};
use wire::{Held, Key};

use super::act::Act;
use super::store::{Moved, count, end_if_done, tell};
use crate::app::App;
use crate::domains::fleet::{self, FleetSettings, Session};
use crate::fault::{Fault, Outcome};

/// Waiting tasks that are looked at in one go.
const LOOKED_AT: u64 = 4_000;
/// Tasks given out in one transaction.
const GIVEN: usize = 2_000;

/// A task, as far as its place is concerned.
#[derive(Clone, Copy, FromQueryResult)]
struct Spot {
    id: OperationTaskId,
    operation_id: OperationId,
    card_id: CardId,
    frame_id: Option<FrameId>,
    host_id: Option<HostId>,
}

impl Spot {
    const COLUMNS: [task::Column; 5] = [
        task::Column::Id,
        task::Column::OperationId,
        task::Column::CardId,
        task::Column::FrameId,
        task::Column::HostId,
    ];
}

/// At most so many tasks at a time in a room, in a frame and on a host.
#[derive(Clone, Copy)]
struct Most {
    room: i64,
    frame: i64,
    host: i64,
}

/// How many tasks are under way where.
#[derive(Default)]
struct Load {
    room: i64,
    frames: HashMap<FrameId, i64>,
    hosts: HashMap<HostId, i64>,
}

impl Load {
    fn has_place(&self, spot: &Spot, most: Most) -> bool {
        let in_frame = spot.frame_id.map_or(0, |frame| self.frames.get(&frame).copied().unwrap_or(0));
        let at_host = spot.host_id.map_or(0, |host| self.hosts.get(&host).copied().unwrap_or(0));
        self.room < most.room && in_frame < most.frame && at_host < most.host
    }

    fn note(&mut self, spot: &Spot) {
        self.room += 1;
        if let Some(frame) = spot.frame_id {
            *self.frames.entry(frame).or_insert(0) += 1;
        }
        if let Some(host) = spot.host_id {
            *self.hosts.entry(host).or_insert(0) += 1;
        }
    }
}

/// What a room's agents have in hand: so much more may be given, at which hosts and cards not.
struct InHand {
    all: Load,
    most: Most,
    /// Operations with limits of their own.
    own: HashMap<OperationId, (Load, Most)>,
    cards: HashSet<CardId>,
}

impl InHand {
    async fn read(app: &App, session: &Session) -> Outcome<Self> {
        let settings = app.settings.get::<FleetSettings>(app).await?;
        let most =
            Most { room: settings.tasks_per_room, frame: settings.tasks_per_frame, host: settings.tasks_per_host };
        let limited = operation::Entity::find()
            .filter(operation::Column::State.eq(OperationState::Running))
            .filter(
                Condition::any()
                    .add(operation::Column::PerHost.is_not_null())
                    .add(operation::Column::PerFrame.is_not_null())
                    .add(operation::Column::PerRoom.is_not_null()),
            )
            .all(app.db.read())
            .await?;
        let own = limited.into_iter().map(|row| {
            let of = |limit: Option<i32>| limit.map_or(i64::MAX, i64::from);
            (
                row.id,
                (Load::default(), Most { room: of(row.per_room), frame: of(row.per_frame), host: of(row.per_host) }),
            )
        });
        let mut in_hand = Self { all: Load::default(), most, own: own.collect(), cards: HashSet::new() };
        let running = task::Entity::find()
            .select_only()
            .columns(Spot::COLUMNS)
            .filter(task::Column::RoomId.eq(session.room))
            .filter(task::Column::State.eq(TaskStep::Running))
            .into_model::<Spot>()
            .all(app.db.read())
            .await?;
        for spot in &running {
            in_hand.note(spot);
        }
        Ok(in_hand)
    }

    fn note(&mut self, spot: &Spot) {
        self.cards.insert(spot.card_id);
        self.all.note(spot);
        if let Some((load, _)) = self.own.get_mut(&spot.operation_id) {
            load.note(spot);
        }
    }

    /// Operations that have all that they may have in the room: what waits of them must not hide what waits of others.
    fn full(&self) -> impl Iterator<Item = OperationId> {
        self.own.iter().filter(|(_, (load, most))| load.room >= most.room).map(|(id, _)| *id)
    }

    /// Takes a place for a task, if there is one.
    fn take(&mut self, spot: &Spot) -> bool {
        let is_within = self.own.get(&spot.operation_id).is_none_or(|(load, most)| load.has_place(spot, *most));
        // One thing at a time at each card.
        if !is_within || !self.all.has_place(spot, self.most) || self.cards.contains(&spot.card_id) {
            return false;
        }
        self.note(spot);
        true
    }
}

/// The operations in a state that agents do.
fn in_state(state: OperationState) -> SelectStatement {
    let books = OperationKind::ALL.iter().copied().filter(|kind| kind.is_books());
    let select = operation::Entity::find().select_only().column(operation::Column::Id);
    select.filter(operation::Column::State.eq(state)).filter(operation::Column::Kind.is_not_in(books)).into_query()
}

/// Tasks for the agent of a session, as many as the limits allow. They are its own, on disk, when this returns.
///
/// # Errors
/// When the database refuses; then none of them was given.
pub async fn claim(app: &App, session: &Session) -> Outcome<Vec<wire::Task>> {
    let turn = app.operations.turn(session.room).await;
    let mut in_hand = InHand::read(app, session).await?;
    let waiting = task::Entity::find()
        .select_only()
        .columns(Spot::COLUMNS)
        .filter(task::Column::RoomId.eq(session.room))
        .filter(task::Column::State.eq(TaskStep::Pending))
        .filter(task::Column::OperationId.in_subquery(in_state(OperationState::Running)))
        .filter(task::Column::OperationId.is_not_in(in_hand.full()))
        .order_by_asc(task::Column::Id)
        .limit(LOOKED_AT)
        .into_model::<Spot>()
        .all(app.db.read())
        .await?;
    let fits = waiting.iter().filter(|spot| in_hand.take(spot));
    let chosen: Vec<OperationTaskId> = fits.take(GIVEN).map(|spot| spot.id).collect();
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let given = mark(app, session, &chosen).await?;
    drop(turn);
    let made = tasks_of(app, &given).await?;
    let mut ready = Vec::with_capacity(made.len());
    let mut failed = Vec::new();
    for (row, made) in given.iter().zip(made) {
        match made {
            Ok(task) => ready.push(task),
            Err(code) => failed.push((row.clone(), code)),
        }
    }
    if !failed.is_empty() {
        super::settle::fail_before(app, &failed).await?;
    }
    Ok(ready)
}

/// Marks tasks as the agent's. Answers those that still were there to be taken.
async fn mark(app: &App, session: &Session, chosen: &[OperationTaskId]) -> Outcome<Vec<Task>> {
    let now = app.clock.now();
    let tx = app.db.begin_write().await?;
    let mut given = Vec::with_capacity(chosen.len());
    for chunk in chosen.chunks(500) {
        let ids = chunk.iter().copied();
        let still = task::Entity::find()
            .filter(task::Column::Id.is_in(ids))
            .filter(task::Column::State.eq(TaskStep::Pending))
            .order_by_asc(task::Column::Id)
            .lock_exclusive()
            .all(&*tx)
            .await?;
        if still.is_empty() {
            continue;
        }
        let text = format!(
            "UPDATE operation_task SET state = $1, attempt = attempt + 1, agent_id = $2, started_at = $3, ended_at = NULL, \
             code = '', reason = '' WHERE id IN ({})",
            sql::placeholders(4, still.len())
        );
        let head: [Value; 3] = [TaskStep::Running.code().into(), session.agent.0.into(), now.millis().into()];
        let values = head.into_iter().chain(still.iter().map(|row| Value::from(row.id.0)));
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        given.extend(still.into_iter().map(|row| Task { attempt: row.attempt + 1, ..row }));
    }
    let mut by_operation: HashMap<OperationId, i64> = HashMap::new();
    for row in &given {
        *by_operation.entry(row.operation_id).or_default() += 1;
    }
    for (id, moved) in &by_operation {
        count(&tx, *id, &[Moved { from: TaskStep::Pending, to: TaskStep::Running, count: *moved }]).await?;
    }
    tx.commit().await?;
    tell(app, by_operation.into_keys());
    Ok(given)
}

/// The tasks as the agent gets them; a code for one that can not be done.
async fn tasks_of(app: &App, rows: &[Task]) -> Outcome<Vec<Result<wire::Task, &'static str>>> {
    let mut operations: HashMap<OperationId, (operation::Model, Act)> = HashMap::new();
    let mut cards: HashMap<CardId, Card> = HashMap::new();
    for chunk in rows.chunks(500) {
        let found = card::Entity::find().filter(card::Column::Id.is_in(chunk.iter().map(|row| row.card_id)));
        cards.extend(found.all(app.db.read()).await?.into_iter().map(|card| (card.id, card)));
    }
    let mut made = Vec::with_capacity(rows.len());
    for row in rows {
        if let Entry::Vacant(place) = operations.entry(row.operation_id) {
            let found = super::store::find(app.db.read(), row.operation_id).await?;
            let found = found.ok_or_else(|| Fault::Internal(anyhow::anyhow!("a task without its operation")))?;
            let act = serde_json::from_str(&found.act).map_err(|error| Fault::Internal(error.into()))?;
            place.insert((found, act));
        }
        let (operation, act) = &operations[&row.operation_id];
        let Some(card) = cards.get(&row.card_id).filter(|card| card.room_id == row.room_id) else {
            made.push(Err("retired"));
            continue;
        };
        let act = match (act, act.for_agent()) {
            (_, Some(act)) => act,
            (Act::Power { order }, None) => match bmc_of(app, card).await? {
                Some(bmc) => wire::Act::Power { order: *order, bmc },
                None => {
                    made.push(Err("no_bmc"));
                    continue;
                }
            },
            (_, None) => {
                made.push(Err("bad_argument"));
                continue;
            }
        };
        made.push(Ok(wire::Task {
            key: Key { task: row.id.0, attempt: u32::try_from(row.attempt).unwrap_or(1) },
            card: card.id.0,
            address: card.adb_address(),
            serial: card.serial.clone(),
            host: row.host_id.map(|host| host.0),
            seconds: u32::try_from(operation.seconds).unwrap_or(60),
            act,
        }));
    }
    Ok(made)
}

async fn bmc_of(app: &App, card: &Card) -> Outcome<Option<wire::BmcAccess>> {
    match fleet::bmc_of_card(app.db.read(), card).await? {
        Some((bmc, slot)) => fleet::bmc_access(app, &bmc, slot).await,
        None => Ok(None),
    }
}

/// An agent has connected and says what it holds. What the console believes to be with it and is not among that never
/// arrived: it waits again. Answers what of it the console does not want any more.
///
/// # Errors
/// When the database refuses.
pub async fn resume(app: &App, session: &Session, held: &[Held]) -> Outcome<Vec<Key>> {
    let holds: HashSet<(i64, u32)> = held.iter().map(|held| (held.key.task, held.key.attempt)).collect();
    // Read where it is written: what is settled or expires meanwhile must not be counted as lost.
    let tx = app.db.begin_write().await?;
    let running = task::Entity::find()
        .filter(task::Column::RoomId.eq(session.room))
        .filter(task::Column::State.eq(TaskStep::Running))
        .filter(task::Column::AgentId.eq(session.agent))
        .order_by_asc(task::Column::Id)
        .lock_exclusive()
        .all(&*tx)
        .await?;
    let key = |row: &Task| (row.id.0, u32::try_from(row.attempt).unwrap_or(0));
    let wanted: HashSet<(i64, u32)> = running.iter().map(key).collect();
    let lost: Vec<Task> = running.into_iter().filter(|row| !holds.contains(&key(row))).collect();
    let mut by_operation: HashMap<OperationId, i64> = HashMap::new();
    for chunk in lost.chunks(500) {
        let text = format!(
            "UPDATE operation_task SET state = $1, agent_id = NULL, started_at = NULL WHERE state = $2 AND id IN ({})",
            sql::placeholders(3, chunk.len())
        );
        let head: [Value; 2] = [TaskStep::Pending.code().into(), TaskStep::Running.code().into()];
        let values = head.into_iter().chain(chunk.iter().map(|row| Value::from(row.id.0)));
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        for row in chunk {
            *by_operation.entry(row.operation_id).or_default() += 1;
        }
    }
    let now = app.clock.now();
    for (id, moved) in &by_operation {
        count(&tx, *id, &[Moved { from: TaskStep::Running, to: TaskStep::Pending, count: *moved }]).await?;
        let state = super::store::lock(&tx, *id).await?.map(|row| row.state);
        if state == Some(OperationState::Cancelling) {
            super::store::move_all(&tx, *id, TaskStep::Pending, TaskStep::Cancelled, "", now).await?;
            end_if_done(&tx, *id, now).await?;
        }
    }
    tx.commit().await?;
    tell(app, by_operation.into_keys());
    app.operations.wake([session.room]);
    let unwanted = held.iter().filter(|held| !wanted.contains(&(held.key.task, held.key.attempt)));
    Ok(unwanted.map(|held| held.key).collect())
}

/// What the agent should not begin any more: tasks of operations that are being called off.
///
/// # Errors
/// When the read fails.
pub async fn cancelled(app: &App, session: &Session) -> Outcome<Vec<Key>> {
    let rows = task::Entity::find()
        .filter(task::Column::RoomId.eq(session.room))
        .filter(task::Column::State.eq(TaskStep::Running))
        .filter(task::Column::AgentId.eq(session.agent))
        .filter(task::Column::OperationId.in_subquery(in_state(OperationState::Cancelling)))
        .limit(GIVEN as u64)
        .all(app.db.read())
        .await?;
    Ok(rows.into_iter().map(|row| Key { task: row.id.0, attempt: u32::try_from(row.attempt).unwrap_or(0) }).collect())
}
