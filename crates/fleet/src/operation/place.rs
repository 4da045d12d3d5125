//! Places: how many tasks may run at the same time in a room, in a frame, on a host, on a card.

use std::collections::{HashMap, HashSet};

use base::app::App;
use base::fault::Outcome;
use entity::card_busy::{self, Book};
use entity::operation::{self, OperationKind, OperationState, Target};
use entity::operation_task as task;
use entity::{CardId, FrameId, HostId, OperationId, OperationTaskId, RoomId, card};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, FromQueryResult, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    QueryTrait as _,
};

use super::store::RUNNING;
use crate::settings::FleetSettings;

/// A task, as far as its place is concerned.
#[derive(Clone, Copy, Debug, FromQueryResult)]
pub struct Spot {
    pub id: OperationTaskId,
    pub operation_id: OperationId,
    /// An agent has tasks about cards only.
    pub target_id: CardId,
    pub frame_id: Option<FrameId>,
    pub host_id: Option<HostId>,
}

impl Spot {
    pub const COLUMNS: [task::Column; 5] = [
        task::Column::Id,
        task::Column::OperationId,
        task::Column::TargetId,
        task::Column::FrameId,
        task::Column::HostId,
    ];
}

/// Limits of concurrent tasks in a room, in a frame and on a host.
#[derive(Clone, Copy, Debug)]
struct Most {
    room: i64,
    frame: i64,
    host: i64,
}

/// How many tasks are running where.
#[derive(Debug, Default)]
struct Load {
    room: i64,
    frames: HashMap<FrameId, i64>,
    /// With their frames.
    hosts: HashMap<HostId, (Option<FrameId>, i64)>,
}

impl Load {
    fn in_frame(&self, frame: Option<FrameId>) -> i64 {
        frame.map_or(0, |frame| self.frames.get(&frame).copied().unwrap_or(0))
    }

    fn at_host(&self, host: Option<HostId>) -> i64 {
        host.map_or(0, |host| self.hosts.get(&host).map_or(0, |(_, count)| *count))
    }

    fn has_place(&self, spot: &Spot, most: Most) -> bool {
        self.room < most.room && self.in_frame(spot.frame_id) < most.frame && self.at_host(spot.host_id) < most.host
    }

    fn note(&mut self, spot: &Spot) {
        self.room += 1;
        if let Some(frame) = spot.frame_id {
            *self.frames.entry(frame).or_insert(0) += 1;
        }
        if let Some(host) = spot.host_id {
            self.hosts.entry(host).or_insert((spot.frame_id, 0)).1 += 1;
        }
    }

    fn full_hosts(&self, frame: Option<FrameId>, most: Most) -> impl Iterator<Item = HostId> {
        let hosts = self.hosts.iter().filter(move |(_, (at, count))| *at == frame && *count >= most.host);
        hosts.map(|(host, _)| *host)
    }
}

/// A running operation, with its own limits.
#[derive(FromQueryResult)]
struct Running {
    id: OperationId,
    pending: i64,
    per_host: Option<i32>,
    per_frame: Option<i32>,
    per_room: Option<i32>,
}

impl Running {
    fn most(&self) -> Option<Most> {
        let of = |limit: Option<i32>| limit.map_or(i64::MAX, i64::from);
        let is_limited = self.per_host.is_some() || self.per_frame.is_some() || self.per_room.is_some();
        is_limited.then(|| Most { room: of(self.per_room), frame: of(self.per_frame), host: of(self.per_host) })
    }
}

/// The room's running tasks: how many more it may take, and which hosts and cards are full.
#[derive(Debug)]
pub struct InHand {
    all: Load,
    most: Most,
    /// Operations with their own limits.
    own: HashMap<OperationId, (Load, Most)>,
    cards: HashSet<CardId>,
    /// Running operations with waiting tasks, anywhere, the oldest first.
    pub waiting: Vec<OperationId>,
}

impl InHand {
    /// Counts the running tasks of a room.
    pub async fn read(app: &App, room: RoomId) -> Outcome<Self> {
        let settings = app.settings.get::<FleetSettings>(app).await?;
        let most =
            Most { room: settings.tasks_per_room, frame: settings.tasks_per_frame, host: settings.tasks_per_host };
        let of_records = OperationKind::ALL.iter().copied().filter(|kind| kind.is_of_records());
        let operations = operation::Entity::find()
            .select_only()
            .columns([
                operation::Column::Id,
                operation::Column::Pending,
                operation::Column::PerHost,
                operation::Column::PerFrame,
                operation::Column::PerRoom,
            ])
            .filter(operation::Column::State.eq(OperationState::Running))
            .filter(operation::Column::Kind.is_not_in(of_records))
            .order_by_asc(operation::Column::Id)
            .into_model::<Running>()
            .all(app.db.read())
            .await?;
        let own = operations.iter().filter_map(|row| Some((row.id, (Load::default(), row.most()?))));
        let mut in_hand = Self {
            all: Load::default(),
            most,
            own: own.collect(),
            cards: HashSet::new(),
            waiting: operations.iter().filter(|row| row.pending > 0).map(|row| row.id).collect(),
        };
        let running = task::Entity::find()
            .select_only()
            .columns(Spot::COLUMNS)
            .filter(Expr::cust(RUNNING))
            .filter(task::Column::RoomId.eq(room))
            // What is under way with other targets takes no place at a card by itself.
            .filter(task::Column::Target.eq(Target::Card))
            .into_model::<Spot>()
            .all(app.db.read())
            .await?;
        for spot in &running {
            in_hand.note(spot);
        }
        in_hand.cards.extend(with_phones(app, room).await?);
        Ok(in_hand)
    }

    fn note(&mut self, spot: &Spot) {
        self.cards.insert(spot.target_id);
        self.all.note(spot);
        if let Some((load, _)) = self.own.get_mut(&spot.operation_id) {
            load.note(spot);
        }
    }

    /// Whether the room is full, for any operation.
    pub const fn is_full(&self) -> bool {
        self.all.room >= self.most.room
    }

    /// Cards that something works on.
    pub fn busy_cards(&self) -> usize {
        self.cards.len()
    }

    /// Whether a frame has a place for a task of an operation.
    pub fn takes(&self, operation: OperationId, frame: Option<FrameId>) -> bool {
        let is_within = |load: &Load, most: Most| load.room < most.room && load.in_frame(frame) < most.frame;
        is_within(&self.all, self.most) && self.own.get(&operation).is_none_or(|(load, most)| is_within(load, *most))
    }

    /// How many more tasks of an operation a frame takes, however its hosts are.
    pub fn places(&self, operation: OperationId, frame: Option<FrameId>) -> usize {
        let left = |load: &Load, most: Most| (most.room - load.room).min(most.frame - load.in_frame(frame));
        let own = self.own.get(&operation).map_or(i64::MAX, |(load, most)| left(load, *most));
        usize::try_from(left(&self.all, self.most).min(own)).unwrap_or(0)
    }

    /// The hosts of a frame that have no place for a task of an operation.
    pub fn full_hosts(&self, operation: OperationId, frame: Option<FrameId>) -> HashSet<HostId> {
        let own = self.own.get(&operation).map(|(load, most)| load.full_hosts(frame, *most));
        self.all.full_hosts(frame, self.most).chain(own.into_iter().flatten()).collect()
    }

    /// Takes a place for a task, if there is one.
    pub fn take(&mut self, spot: &Spot) -> bool {
        let is_within = self.own.get(&spot.operation_id).is_none_or(|(load, most)| load.has_place(spot, *most));
        // One task at a time on each card.
        if !is_within || !self.all.has_place(spot, self.most) || self.cards.contains(&spot.target_id) {
            return false;
        }
        self.note(spot);
        true
    }
}

/// The cards of a room that something is being done to for a phone.
async fn with_phones(app: &App, room: RoomId) -> Outcome<Vec<CardId>> {
    let there = card::Entity::find().select_only().column(card::Column::Id).filter(card::Column::RoomId.eq(room));
    let busy = card_busy::Entity::find().select_only().column(card_busy::Column::CardId);
    let busy = busy.filter(card_busy::Column::Book.eq(Book::Phone));
    Ok(busy.filter(card_busy::Column::CardId.in_subquery(there.into_query())).into_tuple().all(app.db.read()).await?)
}
