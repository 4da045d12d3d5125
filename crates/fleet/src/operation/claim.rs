//! Handing tasks to agents.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use base::app::App;
use base::fault::{Fault, Outcome};
use db::sql;
use entity::card::Model as Card;
use entity::operation;
use entity::operation_task::{self as task, Model as Task, TaskStep};
use entity::{CardId, OperationId, OperationTaskId, card};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    Value,
};
use wire::{Key, Reason};

use super::act::Act;
use super::approval;
use super::gone;
use super::pick::pick;
use super::place::InHand;
use super::store::{Moved, count, tell};
use super::wakes::Operations;
use crate::address::bmc;
use crate::address::check;
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
            "UPDATE operation_task SET deadline = {}, state = $2, attempt = attempt + 1, agent_id = $3, \
             started_at = $4, ended_at = NULL, code = '', reason = '' WHERE id IN ({})",
            gone::LATEST,
            sql::placeholders(5, still.len())
        );
        let head: [Value; 4] = [
            app.clock.steady().plus_seconds(gone::GRACE).millis().into(),
            TaskStep::Running.code().into(),
            session.agent.0.into(),
            now.millis().into(),
        ];
        let values = head.into_iter().chain(still.iter().map(|row| Value::from(row.id.0)));
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        given.extend(still.into_iter().map(|row| Task { attempt: row.attempt + 1, ..row }));
    }
    approval::note(app, &tx, &given, now).await?;
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

/// The tasks as sent to the agent, or why one cannot run.
async fn tasks_of(app: &App, rows: &[Task]) -> Outcome<Vec<Result<wire::Task, Reason>>> {
    let mut operations: HashMap<OperationId, Option<(operation::Model, Act)>> = HashMap::new();
    let mut cards: HashMap<CardId, Card> = HashMap::new();
    for chunk in rows.chunks(500) {
        let found = card::Entity::find().filter(card::Column::Id.is_in(chunk.iter().filter_map(Task::card)));
        cards.extend(found.all(app.db.read()).await?.into_iter().map(|card| (card.id, card)));
    }
    let mut made = Vec::with_capacity(rows.len());
    for row in rows {
        if let Entry::Vacant(place) = operations.entry(row.operation_id) {
            let found = super::store::find(app.db.read(), row.operation_id).await?;
            let found = found.ok_or_else(|| Fault::Internal(anyhow::anyhow!("a task without its operation")))?;
            let act = serde_json::from_str(&found.act).inspect_err(
                |error| tracing::error!(operation = found.id.0, %error, "an act that nobody can read fails its tasks"),
            );
            place.insert(act.ok().map(|act| (found, act)));
        }
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

async fn bmc_of(app: &App, card: &Card) -> Outcome<Result<wire::BmcAccess, Reason>> {
    match bmc::of_card(app.db.read(), card).await? {
        Some((bmc, slot)) => check::access(app, &bmc, slot).await,
        None => Ok(Err(Reason::NoBmc)),
    }
}
