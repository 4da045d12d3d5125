//! Handing tasks to agents.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::app::App;
use base::fault::{Fault, Outcome};
use db::{WriteTx, sql};
use entity::card::Model as Card;
use entity::card_busy::{self, Book};
use entity::operation::{self, OperationKind};
use entity::operation_task::{self as task, Model as Task, TaskEffect, TaskStep};
use entity::{CardId, OperationId, OperationTaskId, card};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Value,
};
use wire::{Key, Mark, Reason};

use super::act::Act;
use super::approval;
use super::cards::Preflight;
use super::gone;
use super::pick::{GIVEN, pick};
use super::place::InHand;
use super::store::{Moved, count, end_if_done, tell};
use super::targets::{Class, Wanted};
use super::wakes::Operations;
use crate::Connections;
use crate::address::bmc;
use crate::address::check;
use crate::card::stay::phones_on;
use crate::card::stray::{Stray, strays};
use crate::state::{self, Session};

/// Claims tasks for the agent of a session, within the limits. They are marked as its own on disk when this returns.
///
/// # Errors
/// When the database refuses; then none of them was claimed.
pub async fn claim(app: &App, session: &Session) -> Outcome<Vec<wire::Task>> {
    let mut turn = app.part::<Operations>().turn(session.room).await;
    let mut in_hand = InHand::read(app, session.room).await?;
    let chosen = pick(app, session.room, &mut in_hand, *turn).await?;
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    *turn = turn.wrapping_add(chosen.len());
    if chosen.len() >= GIVEN as usize {
        // More may wait than are given at once: the next look need not be asked for by a result.
        app.part::<Operations>().wake([session.room]);
    }
    let given = mark(app, session, &chosen).await?;
    drop(turn);
    let made = tasks_of(app, &given).await?;
    let mut ready = Vec::with_capacity(made.len());
    let mut failed = Vec::new();
    for (row, made) in given.iter().zip(made) {
        match made {
            Ok(task) => ready.push(task),
            Err(why) => failed.push((row.clone(), why)),
        }
    }
    if !failed.is_empty() {
        super::results::fail_before(app, &failed).await?;
        // Their places are free again.
        app.part::<Operations>().wake([session.room]);
    }
    Ok(ready)
}

/// Marks tasks as claimed. Returns those that were still waiting; none if the session may not act any more.
async fn mark(app: &App, session: &Session, chosen: &[OperationTaskId]) -> Outcome<Vec<Task>> {
    let now = app.clock.now();
    let tx = app.db.begin_write().await?;
    if !state::holds(app, &tx, session).await? {
        return Ok(Vec::new());
    }
    let mut given = Vec::with_capacity(chosen.len());
    let mut ended = BTreeSet::new();
    for chunk in chosen.chunks(500) {
        let ids = chunk.iter().copied();
        let still = task::Entity::find()
            .filter(task::Column::Id.is_in(ids))
            .filter(task::Column::State.eq(TaskStep::Pending))
            .order_by_asc(task::Column::Id)
            .lock_exclusive()
            .all(&*tx)
            .await?;
        let Looked { free, left_out } = look_again(app, &tx, still).await?;
        for ((operation, step, why), tasks) in &left_out {
            leave_out(&tx, *operation, (*step, *why), tasks, now).await?;
            ended.insert(*operation);
        }
        if free.is_empty() {
            continue;
        }
        let text = format!(
            "UPDATE operation_task SET deadline = {}, state = $2, attempt = attempt + 1, agent_id = $3, \
             started_at = $4, ended_at = NULL, code = '', reason = '' WHERE id IN ({})",
            gone::LATEST,
            sql::placeholders(5, free.len())
        );
        let head: [Value; 4] = [
            app.clock.steady().plus_seconds(gone::GRACE).millis().into(),
            TaskStep::Running.code().into(),
            session.agent.0.into(),
            now.millis().into(),
        ];
        let values = head.into_iter().chain(free.iter().map(|row| Value::from(row.id.0)));
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        card_busy::Entity::insert_many(free.iter().filter_map(busy_with)).exec_without_returning(&*tx).await?;
        given.extend(free.into_iter().map(|row| Task { attempt: row.attempt + 1, ..row }));
    }
    approval::note(app, &tx, &given, now).await?;
    let mut by_operation: HashMap<OperationId, i64> = HashMap::new();
    for row in &given {
        *by_operation.entry(row.operation_id).or_default() += 1;
    }
    for (id, moved) in &by_operation {
        count(&tx, *id, &[Moved { from: TaskStep::Pending, to: TaskStep::Running, count: *moved }]).await?;
    }
    for id in &ended {
        end_if_done(&tx, *id, now).await?;
    }
    tx.commit().await?;
    if !ended.is_empty() {
        // Their places are free again.
        app.part::<Operations>().wake([session.room]);
    }
    ended.extend(by_operation.into_keys());
    tell(app, ended);
    Ok(given)
}

/// The card of a task, as busy with it.
fn busy_with(row: &Task) -> Option<card_busy::ActiveModel> {
    let card_id = row.card()?;
    Some(card_busy::ActiveModel { card_id: Set(card_id), book: Set(Book::Operation), task_id: Set(row.id.0) })
}

/// Waiting tasks, once their cards were judged again.
#[derive(Default)]
struct Looked {
    /// Those that can begin.
    free: Vec<Task>,
    /// Those that will not, and why.
    left_out: BTreeMap<(OperationId, TaskStep, Reason), Vec<Task>>,
}

/// Judges the cards of waiting tasks as they are now: since a task was written down, which may be a day ago, somebody may
/// have put a phone on its card. A card that something else is at keeps its task waiting.
async fn look_again(app: &App, tx: &WriteTx, waiting: Vec<Task>) -> Outcome<Looked> {
    let ids = || waiting.iter().filter_map(Task::card);
    let cards = card::Entity::find().filter(card::Column::Id.is_in(ids())).all(&**tx).await?;
    let cards: HashMap<CardId, Card> = cards.into_iter().map(|card| (card.id, card)).collect();
    let phones = phones_on(&**tx, ids()).await?;
    let busy = card_busy::Entity::find().filter(card_busy::Column::CardId.is_in(ids())).all(&**tx).await?;
    let mut busy: HashSet<CardId> = busy.into_iter().map(|row| row.card_id).collect();
    let wanted: BTreeSet<OperationId> = waiting.iter().map(|row| row.operation_id).collect();
    let mut preflights = HashMap::new();
    for row in operation::Entity::find().filter(operation::Column::Id.is_in(wanted)).all(&**tx).await? {
        let wanted = Wanted { kind: row.kind, act: None, selection: "", is_forced: row.is_forced };
        preflights.insert(row.id, Preflight::new(app, wanted).await?);
    }
    let erases = |task: &&Task| preflights.get(&task.operation_id).is_some_and(Preflight::erases);
    let erased: Vec<Card> =
        waiting.iter().filter(erases).filter_map(|task| cards.get(&task.card()?).cloned()).collect();
    let strays = strays(&**tx, &erased, &phones).await?;
    let mut looked = Looked::default();
    for task in waiting {
        let card = task.card().and_then(|id| cards.get(&id));
        let class = match (card, preflights.get(&task.operation_id)) {
            (Some(card), Some(preflight)) => preflight.judge(card, phones.get(&card.id), strays.get(&card.id)),
            _ => Class { step: TaskStep::Incompatible, why: Some(Reason::Retired), hits_user: false },
        };
        match (class.why, card) {
            (Some(why), _) => {
                looked.left_out.entry((task.operation_id, class.step, why)).or_default().push(task);
            }
            (None, Some(card)) if busy.insert(card.id) => looked.free.push(task),
            (None, _) => {}
        }
    }
    Ok(looked)
}

/// Ends waiting tasks that are not begun, or not once more.
async fn leave_out(
    tx: &WriteTx,
    operation: OperationId,
    (step, why): (TaskStep, Reason),
    tasks: &[Task],
    now: UtcTime,
) -> Outcome<()> {
    let text = format!(
        "UPDATE operation_task SET state = $1, code = $2, ended_at = $3, effect = COALESCE(effect, $4) WHERE id IN ({})",
        sql::placeholders(5, tasks.len())
    );
    let head: [Value; 4] =
        [step.code().into(), why.code().into(), now.millis().into(), TaskEffect::NeverBegan.code().into()];
    let values = head.into_iter().chain(tasks.iter().map(|row| Value::from(row.id.0)));
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    let moved = i64::try_from(tasks.len()).unwrap_or(i64::MAX);
    Ok(count(tx, operation, &[Moved { from: TaskStep::Pending, to: step, count: moved }]).await?)
}

/// Operations with what they do; none for one whose act nobody can read.
type Acts = HashMap<OperationId, Option<(operation::Model, Act)>>;

/// What the cards that are erased may carry of phones: the agent looks right before it begins, and with anything else
/// there it does nothing.
async fn expected(
    app: &App,
    rows: &[Task],
    operations: &Acts,
    cards: &HashMap<CardId, Card>,
) -> Outcome<HashMap<CardId, Mark>> {
    let mut erased: HashMap<CardId, OperationKind> = HashMap::new();
    for row in rows {
        if let (Some(card), Some(Some((operation, _)))) = (row.card(), operations.get(&row.operation_id))
            && operation.kind.erases()
        {
            erased.insert(card, operation.kind);
        }
    }
    let there: Vec<Card> = erased.keys().filter_map(|id| cards.get(id).cloned()).collect();
    if there.is_empty() {
        return Ok(HashMap::new());
    }
    let phones = phones_on(app.db.read(), there.iter().map(|card| card.id)).await?;
    let found = strays(app.db.read(), &there, &phones).await?;
    let mut expected = HashMap::new();
    for (card, stray) in found {
        // As they were judged: each of the two ways leaves what the other erases.
        let is_for_strays = erased.get(&card) == Some(&OperationKind::WipeStray);
        match stray {
            Stray::Phone { mark, is_saved } if is_saved != is_for_strays => {
                expected.insert(card, mark);
            }
            Stray::Phone { .. } | Stray::Damaged | Stray::Unread => {}
        }
    }
    Ok(expected)
}

/// The tasks as sent to the agent, or why one cannot run.
async fn tasks_of(app: &App, rows: &[Task]) -> Outcome<Vec<Result<wire::Task, Reason>>> {
    let mut operations = Acts::new();
    let mut cards: HashMap<CardId, Card> = HashMap::new();
    for chunk in rows.chunks(500) {
        let found = card::Entity::find().filter(card::Column::Id.is_in(chunk.iter().filter_map(Task::card)));
        cards.extend(found.all(app.db.read()).await?.into_iter().map(|card| (card.id, card)));
    }
    for row in rows {
        if let Entry::Vacant(place) = operations.entry(row.operation_id) {
            let found = super::store::find(app.db.read(), row.operation_id).await?;
            let found = found.ok_or_else(|| Fault::Internal(anyhow::anyhow!("a task without its operation")))?;
            let act = serde_json::from_str(&found.act).inspect_err(
                |error| tracing::error!(operation = found.id.0, %error, "an act that nobody can read fails its tasks"),
            );
            place.insert(act.ok().map(|act| (found, act)));
        }
    }
    let expected = expected(app, rows, &operations, &cards).await?;
    let mut made = Vec::with_capacity(rows.len());
    for row in rows {
        // Its tasks are claimed already: an error here would turn them back for the next claim, and so for ever.
        let Some((operation, act)) = &operations[&row.operation_id] else {
            made.push(Err(Reason::BadArgument));
            continue;
        };
        let Some(card) = row.card().and_then(|card| cards.get(&card)).filter(|card| card.room_id == row.room_id) else {
            made.push(Err(Reason::Retired));
            continue;
        };
        let act = match (act, act.for_agent()) {
            // An older agent would end its connection over it.
            (Act::Profile, _) if !app.part::<Connections>().does_steps(card.room_id) => {
                made.push(Err(Reason::UnknownAct));
                continue;
            }
            (_, Some(act)) => act,
            (Act::Power { order }, None) => match bmc_of(app, card).await? {
                Ok(bmc) => wire::Act::Power { order: *order, bmc },
                Err(why) => {
                    made.push(Err(why));
                    continue;
                }
            },
            (_, None) => {
                made.push(Err(Reason::BadArgument));
                continue;
            }
        };
        made.push(Ok(wire::Task {
            key: Key::operation(row.id.0, u32::try_from(row.attempt).unwrap_or(1)),
            card: card.id.0,
            address: card.adb_address(),
            serial: card.serial.clone(),
            mark: expected.get(&card.id).copied(),
            damaged: operation.kind == OperationKind::WipeStray,
            clean: None,
            leave_out: Vec::new(),
            host: row.host_id.map(|host| host.0),
            seconds: u32::try_from(operation.seconds).unwrap_or(60),
            act,
        }));
    }
    Ok(made)
}

async fn bmc_of(app: &App, card: &Card) -> Outcome<Result<wire::BmcAccess, Reason>> {
    match bmc::of_card(app.db.read(), card).await? {
        Some((bmc, slot)) => check::access(app, &bmc, slot).await,
        None => Ok(Err(Reason::NoBmc)),
    }
}
