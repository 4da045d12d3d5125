//! What nobody else sets going: the queue, steps whose agents are gone, steps whose time has come.

use std::collections::HashMap;
use std::time::Duration;

use base::app::App;
use base::fault::{Fault, Outcome};
use db::sql;
use entity::operation::{self, OperationState};
use entity::saga::{self, SagaKind, SagaState};
use entity::saga_step::{self, StepName};
use entity::{OperationId, RoomAgentId, RoomId, SagaId, SagaStepId, card};
use fleet::Fleet;
use fleet::operation::Operations;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, ExprTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, QueryTrait as _,
};
use wire::Reason;

use super::advance::Desk;
use super::apart::{self, SetAside, Subject};
use super::machine::{End, LONGEST_WAIT};
use super::silent::silent;
use super::{
    aside, by_rule, copying, erasing, first, held, late, leaving, lost, queue, salvage, states, steps, stranded,
};

/// How long an agent has to be gone before its step is given to another, in seconds: twice the time after which it begins
/// nothing any more on its own (`agent::LEASH`).
const GRACE_SECONDS: i64 = 120;
/// Steps that change nothing, on no card and at no storage node: two agents may do them at once. Of all others an agent that is
/// revoked may be in the middle until its leash ends, without having heard of that: its line may be cut.
const LOOKS: [StepName; 4] = [StepName::Check, StepName::Health, StepName::Verify, StepName::Still];
/// Interval between two passes.
pub const LOOK: Duration = Duration::from_millis(500);
/// Sagas in one transaction.
const STEP: u64 = 500;

/// What is held, and ends with the operation that has asked for it once that is cancelled.
const HELD: [&str; 2] = [states::LEAVE_HELD, states::PUT_ON_HELD];

/// Since when agents with steps are gone, by the steady clock. It is not stored: after a restart of the console each has
/// its whole time again.
#[derive(Debug, Default)]
pub struct Absent(Mutex<HashMap<RoomAgentId, UtcTime>>);

/// Steps wait for a moment of the steady clock, which begins anew with the process: none waits longer than if it were
/// written now.
///
/// # Errors
/// When the database refuses.
pub async fn begin(app: &App) -> Outcome<()> {
    let latest = app.clock.steady().plus_seconds(LONGEST_WAIT);
    let text = format!("UPDATE saga_step SET not_before = $1 WHERE {} AND not_before > $1", states::STEP_WAITS);
    let tx = app.db.begin_write().await?;
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, [latest.millis().into()])).await?;
    tx.commit().await?;
    Ok(())
}

/// A part of a round, as errors name it.
type Part = (&'static str, for<'a> fn(&'a App) -> BoxFuture<'a, Outcome<()>>);

/// What comes before cards are given to those who wait.
const FIRST: [Part; 3] = [
    ("results that were kept", |app| steps::again(app).boxed()),
    ("cancelled operations", |app| withdraw(app).boxed()),
    ("phones that are wanted back", |app| leaving::came_back(app).boxed()),
];
/// What comes after that.
const THEN: [Part; 14] = [
    ("lost cards", |app| lost::serve(app).boxed()),
    ("cards lost in a wipe", |app| aside::serve(app).boxed()),
    ("phones that leave by rule", |app| by_rule::serve(app).boxed()),
    ("late wipes", |app| late::serve(app).boxed()),
    ("first copies", |app| first::serve(app).boxed()),
    ("erased phones", |app| erasing::serve(app).boxed()),
    ("held take-offs", |app| held::serve(app).boxed()),
    ("quarantined cards", |app| salvage::serve(app).boxed()),
    ("copies", |app| copying::serve(app).boxed()),
    ("steps without a node", |app| stranded::stranded(app).boxed()),
    ("agents that are gone", |app| gone(app).boxed()),
    ("silent steps", |app| silent(app).boxed()),
    ("retired cards", |app| retired(app).boxed()),
    ("agents that are woken", |app| wake(app).boxed()),
];

/// One pass. Returns whether another one is due at once. What ends in an error by itself is set aside, and all else goes on
/// ([`super::apart`]).
///
/// # Errors
/// When the database refuses; the next pass goes on.
pub async fn round(app: &App) -> Outcome<bool> {
    app.part::<SetAside>().sweep(app.clock.steady());
    for (name, part) in FIRST {
        apart::part(app, name, part).await?;
    }
    let waits = Subject::Part("put-ons that wait");
    let more = apart::tried(app, waits, queue::serve(app)).await?.unwrap_or(false);
    for (name, part) in THEN {
        apart::part(app, name, part).await?;
    }
    Ok(more)
}

/// The same, and it fails where something was set aside in it: for tests, in which nothing is to be passed over.
///
/// # Errors
/// When the database refuses, or something has ended in an error.
pub async fn whole_round(app: &App) -> Outcome<bool> {
    let before = app.part::<SetAside>().errors();
    let more = round(app).await?;
    if app.part::<SetAside>().errors() == before {
        return Ok(more);
    }
    Err(Fault::internal(anyhow::anyhow!("set aside: {:?}", app.part::<SetAside>().all())))
}

/// The operations of sagas like this.
async fn operations(app: &App, which: &'static str) -> Outcome<Vec<OperationId>> {
    let select = saga::Entity::find().select_only().column(saga::Column::OperationId).distinct();
    let select = select.filter(Expr::cust(which)).filter(saga::Column::OperationId.is_not_null());
    Ok(select.into_tuple().all(app.db.read()).await?)
}

/// Takes those out of the queue whose operation was cancelled or has expired. What is held, or was, has begun in time: it ends
/// with an operation that was cancelled alone.
async fn withdraw(app: &App) -> Outcome<()> {
    let now = app.clock.now();
    let mut waiting = operations(app, states::WAITS).await?;
    for held in HELD {
        waiting.extend(operations(app, held).await?);
    }
    if waiting.is_empty() {
        return Ok(());
    }
    let over = operation::Entity::find()
        .filter(operation::Column::Id.is_in(waiting))
        .filter(
            operation::Column::State
                .is_in([OperationState::Cancelling, OperationState::Cancelled])
                .or(operation::Column::ExpiresAt.lte(now)),
        )
        .all(app.db.read())
        .await?;
    for operation in over {
        let is_cancelled = matches!(operation.state, OperationState::Cancelling | OperationState::Cancelled);
        let rows = saga::Entity::find().select_only().column(saga::Column::Id);
        let rows = rows.filter(saga::Column::OperationId.eq(operation.id)).filter(ends(is_cancelled));
        // Of one that has expired there may be none that has never had its turn.
        let rows = rows.filter(apart::sagas(app)).order_by_asc(saga::Column::Id).limit(STEP);
        let rows: Vec<SagaId> = rows.into_tuple().all(app.db.read()).await?;
        apart::each(app, &rows, move |app, some| leave_queue(app, is_cancelled, some).boxed()).await?;
    }
    Ok(())
}

/// What ends with an operation that was cancelled, or has expired.
fn ends(is_cancelled: bool) -> Condition {
    let waits = Expr::cust(states::WAITS);
    if is_cancelled {
        HELD.iter().fold(Condition::any().add(waits), |which, held| which.add(Expr::cust(*held)))
    } else {
        // A put-on that did not go on some cards was held by nobody.
        let is_tried = saga::Column::Cards.gt(0_i16).and(saga::Column::Holds.eq(0_i16));
        let is_tried = is_tried.and(saga::Column::Kind.eq(SagaKind::PutOn));
        let was_not = Condition::any().add(saga::Column::HeldAfter.is_null()).add(is_tried);
        Condition::all().add(waits).add(was_not)
    }
}

async fn leave_queue(app: &App, is_cancelled: bool, sagas: &[SagaId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let rows = saga::Entity::find().filter(saga::Column::Id.is_in(sagas.iter().copied())).filter(ends(is_cancelled));
    let rows = rows.order_by_asc(saga::Column::Id).lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &rows {
        if is_cancelled {
            desk.withdraws(row, "").await?;
        } else {
            desk.give_up(row, SagaState::Failed, Reason::Expired.code()).await?;
        }
    }
    desk.told.commit(app, tx).await
}

/// Gives steps to others whose agents have been gone for long enough: by then they begin nothing any more. Of those that do not come
/// back, what only looks is given to others at once.
async fn gone(app: &App) -> Outcome<()> {
    let steady = app.clock.steady();
    let agents: Vec<RoomAgentId> = saga_step::Entity::find()
        .select_only()
        .column(saga_step::Column::AgentId)
        .distinct()
        .filter(Expr::cust(states::STEP_RUNS))
        .into_tuple()
        .all(app.db.read())
        .await?;
    let away: Vec<(RoomAgentId, bool)> = {
        let is_there = |agent: &RoomAgentId| app.part::<Fleet>().connected_since(*agent).is_some();
        let mut absent = app.part::<Absent>().0.lock();
        absent.retain(|agent, _| agents.contains(agent) && !is_there(agent));
        let mut is_gone = |agent: RoomAgentId| {
            let since = *absent.entry(agent).or_insert(steady);
            since.plus_seconds(GRACE_SECONDS) <= steady
        };
        agents.into_iter().filter(|agent| !is_there(agent)).map(|agent| (agent, is_gone(agent))).collect()
    };
    if away.is_empty() {
        return Ok(());
    }
    let out = fleet::agents_out(app.db.read(), &away.iter().map(|(agent, _)| *agent).collect::<Vec<_>>()).await?;
    for (agent, is_gone) in away {
        if !is_gone && !out.contains(&agent) {
            continue;
        }
        let theirs = saga_step::Column::AgentId.eq(agent).and(Expr::cust(states::STEP_RUNS));
        let looks = (!is_gone).then(|| saga_step::Column::Name.is_in(LOOKS));
        let theirs = step_ids(app, Condition::all().add(theirs).add_option(looks)).await?;
        apart::each(app, &theirs, move |app, some| give_up_on(app, agent, some).boxed()).await?;
    }
    Ok(())
}

/// Steps that meet a condition, but for those that are left alone for now.
async fn step_ids(app: &App, which: Condition) -> Outcome<Vec<SagaStepId>> {
    let rows = saga_step::Entity::find().select_only().column(saga_step::Column::Id).filter(which);
    let rows = rows.filter(apart::steps(app)).order_by_asc(saga_step::Column::Id).limit(STEP);
    Ok(rows.into_tuple().all(app.db.read()).await?)
}

async fn give_up_on(app: &App, agent: RoomAgentId, steps: &[SagaStepId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    // It may have connected meanwhile, and then it says what it holds.
    if app.part::<Fleet>().connected_since(agent).is_some() {
        return Ok(());
    }
    let theirs = saga_step::Column::AgentId.eq(agent).and(Expr::cust(states::STEP_RUNS));
    let mut desk = Desk::new(app, &mut tx);
    let rows = desk.steps(steps, theirs).await?;
    for row in &rows {
        desk.settle(row, End::Dropped, Reason::AgentGone.code(), "").await?;
    }
    desk.told.commit(app, tx).await?;
    tracing::warn!(agent = agent.0, steps = rows.len(), "steps are given to another agent: theirs is gone");
    Ok(())
}

/// Ends the clearing of cards that were retired, and the start of phones on them: nobody reaches them any more.
async fn retired(app: &App) -> Outcome<()> {
    let on_retired = card::Entity::find().select_only().column(card::Column::Id);
    let on_retired = on_retired.filter(card::Column::Lifecycle.eq(card::Lifecycle::Retired)).into_query();
    let waiting = Expr::cust(states::STEP_WAITS)
        .and(saga_step::Column::Name.is_in([StepName::Unclaim, StepName::Start, StepName::Wipe]))
        .and(saga_step::Column::CardId.in_subquery(on_retired));
    let waiting = step_ids(app, Condition::all().add(waiting)).await?;
    apart::each(app, &waiting, |app, some| end_retired(app, some).boxed()).await
}

async fn end_retired(app: &App, steps: &[SagaStepId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &desk.steps(steps, Expr::cust(states::STEP_WAITS)).await? {
        desk.never_began(row, Reason::Retired, "").await?;
    }
    desk.told.commit(app, tx).await
}

/// Wakes the agents of rooms with steps whose time has come.
async fn wake(app: &App) -> Outcome<()> {
    let rooms: Vec<RoomId> = saga_step::Entity::find()
        .select_only()
        .column(saga_step::Column::RoomId)
        .distinct()
        .filter(Expr::cust(states::STEP_WAITS))
        .filter(saga_step::Column::NotBefore.lte(app.clock.steady()))
        .into_tuple()
        .all(app.db.read())
        .await?;
    app.part::<Operations>().wake(rooms);
    Ok(())
}
