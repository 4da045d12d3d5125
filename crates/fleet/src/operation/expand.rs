//! Expanding an operation's targets into tasks, with the pre-flight check of each.

use std::collections::BTreeMap;

use base::app::App;
use base::fault::{Fault, Outcome};
use db::sql;
use entity::card::{Fact, Lifecycle, Model as Card, Occupancy};
use entity::operation::{Model, OperationKind, OperationState};
use entity::operation_task::{TaskEffect, TaskStep};
use entity::{CardId, RoomId, bmc_range, card};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Value,
};
use wire::Reason;

use super::act::Act;
use super::approval;
use super::store::{count_new, set_state, tell};
use super::wakes::Operations;
use crate::card::acts::CardSelection;
use crate::card::record_act::RecordAct;

/// Cards in one transaction.
const STEP: usize = 2_000;
/// Tasks in one statement.
const ROWS: usize = 50;

/// The pre-flight result of one card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    pub step: TaskStep,
    /// Why it is skipped; none if it is not.
    pub why: Option<Reason>,
    /// It is in use, and its user would be affected.
    pub hits_user: bool,
}

/// Checks cards; reads what it needs from the records once.
pub struct Preflight {
    kind: OperationKind,
    /// The record change, as far as it is known.
    record_act: Option<RecordAct>,
    is_forced: bool,
    ranges: Vec<bmc_range::Model>,
}

impl Preflight {
    pub async fn new(app: &App, kind: OperationKind, record_act: Option<RecordAct>, is_forced: bool) -> Outcome<Self> {
        let ranges = if kind.is_power() { bmc_range::Entity::find().all(app.db.read()).await? } else { Vec::new() };
        Ok(Self { kind, record_act, is_forced, ranges })
    }

    pub fn judge(&self, card: &Card) -> Class {
        let left_out = |step, why| Class { step, why: Some(why), hits_user: false };
        if card.lifecycle == Lifecycle::Retired {
            return left_out(TaskStep::Incompatible, Reason::Retired);
        }
        if self.kind.is_of_records() {
            // A preview of a move has no frame yet.
            let is_busy = self.kind == OperationKind::Move && card.occupancy != Occupancy::Free;
            return match self
                .record_act
                .as_ref()
                .and_then(|act| act.leaves_out(card))
                .or(is_busy.then_some(Reason::Busy))
            {
                Some(why) => left_out(TaskStep::Skipped, why),
                None => Class { step: TaskStep::Pending, why: None, hits_user: false },
            };
        }
        if self.kind.is_power() {
            let has_bmc = self.ranges.iter().any(|range| {
                range.room_id == card.room_id && range.start_ip <= card.intranet_ip && range.end_ip >= card.intranet_ip
            });
            if !has_bmc {
                return left_out(TaskStep::Incompatible, Reason::NoBmc);
            }
        } else if card.adb_answers != Fact::Yes {
            return left_out(TaskStep::Skipped, Reason::Offline);
        }
        let has_user = card.occupancy != Occupancy::Free;
        if has_user && self.kind.disturbs() && !self.is_forced {
            return left_out(TaskStep::Skipped, Reason::Busy);
        }
        Class { step: TaskStep::Pending, why: None, hits_user: has_user && self.kind.disturbs() }
    }
}

/// A piece of a selection.
pub struct Piece {
    pub cards: Vec<Card>,
    /// The next piece starts after this card.
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

/// Expands the next cards of an operation. Returns `true` when all are there.
///
/// # Errors
/// When the database refuses; what was written stays, and the next call continues.
pub async fn step(app: &App, operation: &Model) -> Outcome<bool> {
    let selection: CardSelection =
        serde_json::from_str(&operation.selection).map_err(|error| Fault::Internal(error.into()))?;
    let act: Act = serde_json::from_str(&operation.act).map_err(|error| Fault::Internal(error.into()))?;
    let preflight = Preflight::new(app, operation.kind, act.record_act(), operation.is_forced).await?;
    let now = app.clock.now();
    let row = super::store::find(app.db.read(), operation.id).await?;
    let Some(row) = row.filter(|row| row.state == OperationState::Freezing) else { return Ok(true) };
    let Piece { cards, after, is_last } = next(app, &selection, CardId(row.frozen_after), STEP).await?;
    let tx = app.db.begin_write().await?;
    // The request that started it and the scheduler may both be here: each piece is written once.
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
        begin(app, &tx, row, now).await?;
    }
    tx.commit().await?;
    if is_last {
        wake(app, operation).await?;
    }
    tell(app, [operation.id]);
    Ok(is_last)
}

/// All targets are expanded: it waits for approval or for its time, or starts.
async fn begin(app: &App, tx: &db::WriteTx, row: Model, now: UtcTime) -> Outcome<()> {
    let next = if row.pending == 0 {
        OperationState::Finished
    } else if approval::is_wanted(app, &**tx, &row, now).await? {
        OperationState::AwaitingApproval
    } else if row.not_before.is_some_and(|at| at > now) {
        OperationState::Scheduled
    } else {
        OperationState::Running
    };
    set_state(tx, row.id, next, "", now).await?;
    Ok(())
}

/// Notifies the agents of an operation's rooms that there may be tasks for them.
pub async fn wake(app: &App, operation: &Model) -> Outcome<()> {
    let rooms: Vec<RoomId> = entity::operation_task::Entity::find()
        .select_only()
        .column(entity::operation_task::Column::RoomId)
        .distinct()
        .filter(entity::operation_task::Column::OperationId.eq(operation.id))
        .into_tuple()
        .all(app.db.read())
        .await?;
    app.part::<Operations>().wake(rooms);
    Ok(())
}

async fn insert(tx: &db::WriteTx, operation: &Model, judged: &[(&Card, Class)], now: UtcTime) -> Outcome<()> {
    const COLUMNS: usize = 16;
    let text = format!(
        "INSERT INTO operation_task (operation_id, card_id, room_id, frame_id, host_id, address, state, code, effect, ended_at, attempt, \
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
            class.why.map_or("", Reason::code).into(),
            (class.step != TaskStep::Pending).then_some(TaskEffect::NeverBegan.code()).into(),
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
