//! When a second operator has to approve: the tasks that one operator lets begin in one room within the configured
//! minutes are counted together. What counts is who lets them begin (by creating, resuming or retrying) and when they
//! do, not when their operation was created. What is done to phones counts with what is done to cards. What a second
//! operator has approved is approved once: each task's first attempt, or the one retry that was asked for.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::ops::{OpCtx, OpTx};
use db::{WriteTx, sql};
use entity::card_busy::Book;
use entity::operation::{self, Model, OperationKind, OperationState};
use entity::operation_task::{self as task, Model as Task, TaskStep};
use entity::{OperationId, OperatorId, RoomId};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::sea_query::{Expr, Query as SeaQuery};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, ExprTrait as _, FromQueryResult,
    PaginatorTrait as _, QueryFilter as _, QuerySelect as _, Select, Value,
};

use crate::settings::FleetSettings;

pub const TOO_MUCH: Text = text(
    "短时间内操作的卡数超过了需要审批的数量；请稍后再试，或重新发起操作，由另一位操作员审批",
    "Too many cards within a short time for one operator; try again later, or start a new operation and have another \
     operator approve it",
);
const TOO_MUCH_ALONE: Text = text(
    "短时间内发起的操作超过了单人可执行的数量，请稍后再试",
    "Too much within a short time for one operator; try again later",
);
/// Whoever lets a waiting task begin.
const LETS: &str = "COALESCE(t.retried_by_id, o.resumed_by_id, o.created_by_id)";

/// Tasks in each room.
pub type Rooms = BTreeMap<RoomId, i64>;

#[derive(FromQueryResult)]
struct InRoom {
    room_id: RoomId,
    n: i64,
}

/// What one operator may let begin alone.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    operator: OperatorId,
    since: UtcTime,
    /// The largest number of tasks in a room.
    pub most: i64,
}

impl Window {
    /// None if operations of this kind need no approval, however many.
    pub fn of(settings: &FleetSettings, kind: OperationKind, operator: OperatorId, now: UtcTime) -> Option<Self> {
        Self::open(settings, operator, now).filter(|_| kind.wants_approval())
    }

    /// None if nothing needs approval.
    fn open(settings: &FleetSettings, operator: OperatorId, now: UtcTime) -> Option<Self> {
        let since = now.plus_seconds(-60 * settings.approval_minutes);
        (settings.approval_above > 0).then_some(Self { operator, since, most: settings.approval_above })
    }

    /// Whether these tasks are too many, with those of this operator that have begun lately or may begin at any moment.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn is_exceeded(&self, db: &impl ConnectionTrait, mut rooms: Rooms) -> Outcome<bool> {
        if rooms.is_empty() {
            return Ok(false);
        }
        for InRoom { room_id, n } in self.begun(db).await?.into_iter().chain(self.may_begin(db).await?) {
            // Rooms in which nothing is to begin now do not matter.
            if let Some(own) = rooms.get_mut(&room_id) {
                *own += n;
            }
        }
        Ok(rooms.values().any(|count| *count > self.most))
    }

    /// The number of these tasks by room, but for those that count already: the same cards again are not more cards.
    async fn new_ones(&self, db: &impl ConnectionTrait, tasks: Select<task::Entity>) -> Outcome<Rooms> {
        let begun = SeaQuery::select()
            .column("task_id")
            .from("operation_begun")
            .and_where(Expr::col("book").eq(Book::Operation.code()))
            .and_where(Expr::col("operator_id").eq(self.operator.0))
            .and_where(Expr::col("at").gte(self.since.millis()))
            .take();
        let counted: Vec<(RoomId, i64)> = tasks
            .filter(task::Column::Id.not_in_subquery(begun))
            .select_only()
            .column(task::Column::RoomId)
            .column_as(task::Column::Id.count(), "n")
            .group_by(task::Column::RoomId)
            .into_tuple()
            .all(db)
            .await?;
        Ok(counted.into_iter().collect())
    }

    /// What this operator has let begin lately.
    async fn begun(&self, db: &impl ConnectionTrait) -> Outcome<Vec<InRoom>> {
        let text = "SELECT room_id, COUNT(*) AS n FROM operation_begun WHERE operator_id = $1 AND at >= $2 \
                    GROUP BY room_id";
        let values: [Value; 2] = [self.operator.0.into(), self.since.millis().into()];
        let statement = sql::statement(db.get_database_backend(), text, values);
        Ok(InRoom::find_by_statement(statement).all(db).await?)
    }

    /// Tasks that wait in running operations, because of this operator, and that have not been counted as begun: an
    /// agent may ask for them at any moment.
    async fn may_begin(&self, db: &impl ConnectionTrait) -> Outcome<Vec<InRoom>> {
        let kinds = wanting();
        let text = format!(
            "SELECT t.room_id, COUNT(*) AS n FROM operation o JOIN operation_task t ON t.operation_id = o.id \
             WHERE o.state = $1 AND o.pending > 0 AND t.state = $2 AND {LETS} = $3 \
             AND (o.approved_by = '' OR t.retried_by_id IS NOT NULL) AND t.id NOT IN (SELECT task_id FROM operation_begun WHERE operator_id = $4 AND at >= $5 AND book = $6) \
             AND o.kind IN ({}) GROUP BY t.room_id",
            sql::placeholders(7, kinds.len())
        );
        let head: [Value; 6] = [
            OperationState::Running.code().into(),
            TaskStep::Pending.code().into(),
            self.operator.0.into(),
            self.operator.0.into(),
            self.since.millis().into(),
            Book::Operation.code().into(),
        ];
        let statement = sql::statement(db.get_database_backend(), text, head.into_iter().chain(kinds));
        Ok(InRoom::find_by_statement(statement).all(db).await?)
    }
}

/// The kinds that want approval, as values.
fn wanting() -> Vec<Value> {
    let kinds = OperationKind::ALL.iter().copied().filter(|kind| kind.wants_approval());
    kinds.map(|kind| kind.code().into()).collect()
}

/// The tasks of an operation that wait and that no second operator has approved.
pub fn waiting(row: &Model) -> Select<task::Entity> {
    let all = task::Entity::find()
        .filter(task::Column::OperationId.eq(row.id))
        .filter(task::Column::State.eq(TaskStep::Pending));
    if row.approved_by.is_empty() { all } else { all.filter(task::Column::RetriedById.is_not_null()) }
}

/// Whether a second operator has to approve before the waiting tasks of a new operation begin.
///
/// # Errors
/// When a read fails.
pub async fn is_wanted(app: &App, db: &impl ConnectionTrait, row: &Model, now: UtcTime) -> Outcome<bool> {
    if row.kind.wants_second() {
        return Ok(true);
    }
    let settings = app.settings.get::<FleetSettings>(app).await?;
    let Some(window) = Window::of(&settings, row.kind, row.created_by_id, now) else { return Ok(false) };
    // A large one may have a million tasks: they need not be counted.
    if row.pending > window.most {
        return Ok(true);
    }
    let own = window.new_ones(db, waiting(row)).await?;
    window.is_exceeded(db, own).await
}

/// Whether whoever asks may let these tasks of an operation begin alone.
///
/// # Errors
/// When a read fails.
pub async fn may_alone(
    ctx: &OpCtx,
    db: &impl ConnectionTrait,
    row: &Model,
    tasks: Select<task::Entity>,
) -> Outcome<bool> {
    if row.kind.wants_second() {
        return Ok(tasks.count(db).await? == 0);
    }
    let settings = ctx.app.settings.get::<FleetSettings>(&ctx.app).await?;
    let Some(window) = Window::of(&settings, row.kind, ctx.operator(), ctx.now()) else { return Ok(true) };
    let new = window.new_ones(db, tasks).await?;
    Ok(!window.is_exceeded(db, new).await?)
}

/// From now on, all waiting tasks of an operation begin because of this operator.
///
/// # Errors
/// When the database refuses.
pub async fn take_over(tx: &OpTx, id: OperationId, operator: OperatorId) -> Outcome<()> {
    // Nobody has approved what somebody retries alone: it stays apart from what was.
    let text = "UPDATE operation_task SET retried_by_id = $1 \
                WHERE operation_id = $2 AND state = $3 AND retried_by_id IS NOT NULL";
    let values: [Value; 3] = [operator.0.into(), id.0.into(), TaskStep::Pending.code().into()];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    let change = operation::ActiveModel { id: Set(id), resumed_by_id: Set(Some(operator)), ..Default::default() };
    operation::Entity::update(change).exec(&**tx).await?;
    Ok(())
}

/// Writes down which of the tasks that begin now count, and for whom. What a second operator has approved does not.
///
/// # Errors
/// When the database refuses.
pub async fn note(app: &App, tx: &WriteTx, begun: &[Task], now: UtcTime) -> Outcome<()> {
    // Without approval nothing is counted; with it, these are never more than one operator may let begin alone.
    if app.settings.get::<FleetSettings>(app).await?.approval_above == 0 {
        return Ok(());
    }
    let operations: HashSet<OperationId> = begun.iter().map(|row| row.operation_id).collect();
    let wanting: Vec<(OperationId, String)> = operation::Entity::find()
        .select_only()
        .columns([operation::Column::Id, operation::Column::ApprovedBy])
        .filter(operation::Column::Id.is_in(operations))
        .filter(operation::Column::Kind.is_in(OperationKind::ALL.iter().copied().filter(|kind| kind.wants_approval())))
        .into_tuple()
        .all(&**tx)
        .await?;
    let wanting: HashMap<OperationId, String> = wanting.into_iter().collect();
    let counts = |row: &&Task| {
        let approved_by = wanting.get(&row.operation_id);
        approved_by.is_some_and(|by| by.is_empty() || row.retried_by_id.is_some())
    };
    let tasks: Vec<&Task> = begun.iter().filter(counts).collect();
    for chunk in tasks.chunks(500) {
        let text = format!(
            "INSERT INTO operation_begun (book, task_id, operator_id, room_id, at) \
             SELECT {}, t.id, {LETS}, t.room_id, $1 \
             FROM operation_task t JOIN operation o ON o.id = t.operation_id WHERE t.id IN ({}) \
             ON CONFLICT (book, task_id, operator_id) DO UPDATE SET at = excluded.at",
            Book::Operation.code(),
            sql::placeholders(2, chunk.len())
        );
        let values = std::iter::once(Value::from(now.millis())).chain(chunk.iter().map(|row| Value::from(row.id.0)));
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}

/// Counts what somebody lets begin in a room without an operation, such as reading a copy of a phone back. No second
/// operator can approve it, so that too much is refused. The same again is no more than it was.
///
/// # Errors
/// It is more than one operator may let begin alone, or the database refuses.
pub async fn begin_alone(ctx: &OpCtx, tx: &OpTx, room: RoomId, id: i64) -> Outcome<()> {
    let settings = ctx.app.settings.get::<FleetSettings>(&ctx.app).await?;
    let Some(window) = Window::open(&settings, ctx.operator(), ctx.now()) else { return Ok(()) };
    let known = "SELECT room_id, COUNT(*) AS n FROM operation_begun \
                 WHERE book = $1 AND task_id = $2 AND operator_id = $3 AND at >= $4 GROUP BY room_id";
    let its: [Value; 4] = [Book::Phone.code().into(), id.into(), ctx.operator().0.into(), window.since.millis().into()];
    let known = InRoom::find_by_statement(sql::statement(tx.get_database_backend(), known, its)).one(&**tx).await?;
    if known.is_none() && window.is_exceeded(&**tx, Rooms::from([(room, 1)])).await? {
        return Err(Fault::conflict(TOO_MUCH_ALONE));
    }
    let text = "INSERT INTO operation_begun (book, task_id, operator_id, room_id, at) VALUES ($1, $2, $3, $4, $5) \
                ON CONFLICT (book, task_id, operator_id) DO UPDATE SET at = excluded.at";
    let values: [Value; 5] =
        [Book::Phone.code().into(), id.into(), ctx.operator().0.into(), room.0.into(), ctx.now().millis().into()];
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}
