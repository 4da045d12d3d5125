//! Writing down which cards an operation is about, and which of them it will leave out.

use std::collections::BTreeMap;

use db::sql;
use entity::card::{Fact, Lifecycle, Model as Card, Occupancy};
use entity::operation::{Model, OperationKind, OperationState};
use entity::operation_task::TaskStep;
use entity::{CardId, RoomId, bmc_range, card};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Value,
};

use super::act::Act;
use super::store::{count_new, set_state, tell};
use crate::app::App;
use crate::domains::fleet::{BookAct, CardSelection, FleetSettings};
use crate::fault::{Fault, Outcome};

/// Cards in one transaction.
const STEP: usize = 2_000;
/// Tasks in one statement.
const ROWS: usize = 50;

/// How a card fits an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    pub step: TaskStep,
    /// Why it is left out; empty for one that is not.
    pub code: &'static str,
    /// A user is on it, and will feel it.
    pub hits_user: bool,
}

/// Judges cards. What it needs of the books is read once.
pub struct Preflight {
    kind: OperationKind,
    /// What is changed in the books, as far as it is known.
    books: Option<BookAct>,
    is_forced: bool,
    ranges: Vec<bmc_range::Model>,
}

impl Preflight {
    pub async fn new(app: &App, kind: OperationKind, books: Option<BookAct>, is_forced: bool) -> Outcome<Self> {
        let ranges = if kind.is_power() { bmc_range::Entity::find().all(app.db.read()).await? } else { Vec::new() };
        Ok(Self { kind, books, is_forced, ranges })
    }

    pub fn judge(&self, card: &Card) -> Class {
        let left_out = |step, code| Class { step, code, hits_user: false };
        if card.lifecycle == Lifecycle::Retired {
            return left_out(TaskStep::Incompatible, "retired");
        }
        if self.kind.is_books() {
            // Of a move that is only thought of, no frame is known.
            let is_busy = self.kind == OperationKind::Move && card.occupancy != Occupancy::Free;
            return match self.books.as_ref().and_then(|act| act.leaves_out(card)).or(is_busy.then_some("busy")) {
                Some(code) => left_out(TaskStep::Skipped, code),
                None => Class { step: TaskStep::Pending, code: "", hits_user: false },
            };
        }
        if self.kind.is_power() {
            let has_bmc = self.ranges.iter().any(|range| {
                range.room_id == card.room_id && range.start_ip <= card.intranet_ip && range.end_ip >= card.intranet_ip
            });
            if !has_bmc {
                return left_out(TaskStep::Incompatible, "no_bmc");
            }
        } else if card.adb_answers != Fact::Yes {
            return left_out(TaskStep::Skipped, "offline");
        }
        let has_user = card.occupancy != Occupancy::Free;
        if has_user && self.kind.disturbs() && !self.is_forced {
            return left_out(TaskStep::Skipped, "busy");
        }
        Class { step: TaskStep::Pending, code: "", hits_user: has_user && self.kind.disturbs() }
    }
}

/// Some cards of a selection.
pub struct Piece {
    pub cards: Vec<Card>,
    /// The next piece is behind this one.
    pub after: CardId,
    pub is_last: bool,
}

/// The next cards of a selection, in key order.
pub async fn next(app: &App, selection: &CardSelection, after: CardId, limit: usize) -> Outcome<Piece> {
    match selection {
        CardSelection::Ids(ids) => {
            let mut wanted: Vec<CardId> = ids.iter().copied().filter(|id| *id > after).collect();
            wanted.sort_unstable();
            wanted.dedup();
            let is_last = wanted.len() <= limit;
            wanted.truncate(limit);
            let mut cards = Vec::with_capacity(wanted.len());
            // In pieces: a statement has its limits.
            for chunk in wanted.chunks(500) {
                let select = card::Entity::find().filter(card::Column::Id.is_in(chunk.iter().copied()));
                cards.extend(select.order_by_asc(card::Column::Id).all(app.db.read()).await?);
            }
            Ok(Piece { cards, after: wanted.last().copied().unwrap_or(after), is_last })
        }
        CardSelection::Filter(filter) => {
            let select = filter.resolve(app).await?.apply(app.db.backend(), card::Entity::find());
            let select = select.filter(card::Column::Id.gt(after)).order_by_asc(card::Column::Id);
            let cards = select.limit(limit as u64).all(app.db.read()).await?;
            let is_last = cards.len() < limit;
            Ok(Piece { after: cards.last().map_or(after, |card| card.id), cards, is_last })
        }
    }
}

/// Writes down the next cards of an operation that is being frozen. `true` when that was all.
///
/// # Errors
/// When the database refuses; what was written stays, and the next call goes on.
pub async fn step(app: &App, operation: &Model) -> Outcome<bool> {
    let selection: CardSelection =
        serde_json::from_str(&operation.selection).map_err(|error| Fault::Internal(error.into()))?;
    let act: Act = serde_json::from_str(&operation.act).map_err(|error| Fault::Internal(error.into()))?;
    let preflight = Preflight::new(app, operation.kind, act.for_books(), operation.is_forced).await?;
    let now = app.clock.now();
    let row = super::store::find(app.db.read(), operation.id).await?;
    let Some(row) = row.filter(|row| row.state == OperationState::Freezing) else { return Ok(true) };
    let Piece { cards, after, is_last } = next(app, &selection, CardId(row.frozen_after), STEP).await?;
    let tx = app.db.begin_write().await?;
    // The call that began it and the rounds may both be at it: a piece is written once.
    let now_there = super::store::lock(&tx, operation.id).await?;
    if now_there.is_none_or(|now| now.state != row.state || now.frozen_after != row.frozen_after) {
        return Ok(false);
    }
    let (mut steps, mut users) = (BTreeMap::<TaskStep, i64>::new(), 0i64);
    let judged: Vec<(&Card, Class)> = cards.iter().map(|card| (card, preflight.judge(card))).collect();
    for chunk in judged.chunks(ROWS) {
        insert(&tx, operation, chunk, now).await?;
    }
    for (_, class) in &judged {
        *steps.entry(class.step).or_default() += 1;
        users += i64::from(class.hits_user);
    }
    let counts: Vec<(TaskStep, i64)> = steps.into_iter().collect();
    count_new(&tx, operation.id, &counts).await?;
    let change = entity::operation::ActiveModel {
        id: Set(operation.id),
        frozen_after: Set(after.0),
        users_hit: Set(row.users_hit + users),
        ..Default::default()
    };
    let row = entity::operation::Entity::update(change).exec(&*tx).await?;
    if is_last {
        begin(app, &tx, &row, now).await?;
    }
    tx.commit().await?;
    if is_last {
        wake(app, operation).await?;
    }
    tell(app, [operation.id]);
    Ok(is_last)
}

/// All cards are written down: it waits for a second operator, for its time, or begins.
async fn begin(app: &App, tx: &db::WriteTx, row: &Model, now: UtcTime) -> Outcome<()> {
    let settings = app.settings.get::<FleetSettings>(app).await?;
    let is_large = settings.approval_above > 0 && row.pending > settings.approval_above;
    let next = if row.pending == 0 {
        OperationState::Finished
    } else if row.kind.is_dangerous() && is_large {
        OperationState::AwaitingApproval
    } else if row.not_before.is_some_and(|at| at > now) {
        OperationState::Scheduled
    } else {
        OperationState::Running
    };
    set_state(tx, row.id, next, "", now).await?;
    Ok(())
}

/// Tells the agents of an operation's rooms that there may be something for them.
pub async fn wake(app: &App, operation: &Model) -> Outcome<()> {
    let rooms: Vec<RoomId> = entity::operation_task::Entity::find()
        .select_only()
        .column(entity::operation_task::Column::RoomId)
        .distinct()
        .filter(entity::operation_task::Column::OperationId.eq(operation.id))
        .into_tuple()
        .all(app.db.read())
        .await?;
    app.operations.wake(rooms);
    Ok(())
}

async fn insert(tx: &db::WriteTx, operation: &Model, judged: &[(&Card, Class)], now: UtcTime) -> Outcome<()> {
    const COLUMNS: usize = 15;
    let text = format!(
        "INSERT INTO operation_task (operation_id, card_id, room_id, frame_id, host_id, address, state, code, ended_at, attempt, \
         reason, output, is_cut, file_key, millis) VALUES {} ON CONFLICT (operation_id, card_id) DO NOTHING",
        sql::value_groups(judged.len(), COLUMNS)
    );
    let values = judged.iter().flat_map(|(card, class)| -> [Value; COLUMNS] {
        [
            operation.id.0.into(),
            card.id.0.into(),
            card.room_id.0.into(),
            card.frame_id.map(|frame| frame.0).into(),
            card.host_id.map(|host| host.0).into(),
            card.adb_address().into(),
            class.step.code().into(),
            class.code.into(),
            (class.step != TaskStep::Pending).then(|| now.millis()).into(),
            0i32.into(),
            "".into(),
            "".into(),
            false.into(),
            "".into(),
            0i64.into(),
        ]
    });
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}
