//! Steps on their way to agents and back.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::card_busy::{self, Book};
use entity::saga::SagaKind;
use entity::saga_step::{self, Model as Row, StepName, StepState};
use entity::{CardId, PhoneId, RoomAgentId, SagaId, SagaStepId, card, phone, room_agent, saga};
use fleet::operation::{Returned, effect_of};
use fleet::{Connections, Session, Steps, holds_session};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::time::UtcTime;
use sea_orm::sea_query::{Condition, Expr, SimpleExpr};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, EntityTrait as _, ExprTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Select,
};
use wire::copy::{CopyKeys, Paper};
use wire::{Act, Carried, Console, Held, Key, Mark, Progress, Task, TaskResult};

use super::advance::Desk;
use super::apart::{self, SetAside};
use super::copying::{self, AT_STORE};
use super::machine::End;
use super::step::{key, seconds};
use super::{behind, progress, restoring, states};
use crate::backup::keys;
use crate::node::first_share;

/// Steps handed out in one transaction.
const GIVEN: usize = 200;

/// The steps of what is done to phones.
pub struct PhoneSteps;

impl Steps for PhoneSteps {
    fn claim<'a>(&'a self, app: &'a App, session: &'a Session) -> BoxFuture<'a, Outcome<Vec<Task>>> {
        claim(app, session).boxed()
    }

    fn record<'a>(
        &'a self,
        app: &'a App,
        session: &'a Session,
        results: &'a [TaskResult],
    ) -> BoxFuture<'a, Outcome<Vec<Key>>> {
        record(app, session, results).boxed()
    }

    fn resume<'a>(
        &'a self,
        app: &'a App,
        session: &'a Session,
        held: &'a [Held],
        stay: i64,
    ) -> BoxFuture<'a, Outcome<Returned>> {
        resume(app, session, held, stay).boxed()
    }

    fn greets<'a>(&'a self, app: &'a App, session: &'a Session) -> BoxFuture<'a, Outcome<Option<Console>>> {
        first_share(app, session).boxed()
    }

    fn keys<'a>(
        &'a self,
        app: &'a App,
        agent: &'a room_agent::Model,
        key: Key,
    ) -> BoxFuture<'a, Outcome<Option<CopyKeys>>> {
        keys::keys(app, agent, key).boxed()
    }

    fn listens<'a>(&'a self, app: &'a App, agent: &'a room_agent::Model, key: Key) -> BoxFuture<'a, Outcome<bool>> {
        keys::listens(app, agent, key).boxed()
    }

    fn paper<'a>(
        &'a self,
        app: &'a App,
        agent: &'a room_agent::Model,
        key: Key,
        paper: Paper,
    ) -> BoxFuture<'a, Outcome<bool>> {
        keys::paper(app, agent, key, paper).boxed()
    }

    fn progress<'a>(&'a self, app: &'a App, session: &'a Session, tries: &'a [Progress]) -> BoxFuture<'a, Outcome<()>> {
        progress::told(app, session, tries).boxed()
    }

    fn swept<'a>(&'a self, app: &'a App, session: &'a Session, stay: i64) -> BoxFuture<'a, Outcome<()>> {
        behind::swept(app, session.room, stay).boxed()
    }
}

/// The steps of a session's room whose time has come.
fn due(app: &App, session: &Session) -> Select<saga_step::Entity> {
    saga_step::Entity::find()
        .filter(saga_step::Column::RoomId.eq(session.room))
        .filter(Expr::cust(states::STEP_WAITS))
        .filter(saga_step::Column::NotBefore.lte(app.clock.steady()))
        .filter(saga_step::Column::Name.ne(StepName::Wipe).or(Expr::cust(behind::IS_NOT)))
        .filter(Expr::cust(states::STEP_CAN_BEGIN))
        .order_by_asc(saga_step::Column::Id)
}

async fn claim(app: &App, session: &Session) -> Outcome<Vec<Task>> {
    let mut tasks = Vec::new();
    let mut after = SagaStepId(0);
    // What this agent cannot begin hides nothing that waits behind it. Mostly there is nothing: that is seen without the lane
    // of writers.
    while tasks.len() < GIVEN {
        let next = due(app, session).filter(apart::steps(app)).filter(saga_step::Column::Id.gt(after));
        let ids = next.limit(GIVEN as u64).select_only().column(saga_step::Column::Id).into_tuple();
        let ids: Vec<SagaStepId> = ids.all(app.db.read()).await?;
        let Some(last) = ids.last() else { break };
        after = *last;
        tasks.extend(given(app, session, &ids).await?);
    }
    Ok(tasks)
}

/// Hands out those of some waiting steps that the agent can begin.
async fn given(app: &App, session: &Session, ids: &[SagaStepId]) -> Outcome<Vec<Task>> {
    match hand_out(app, session, ids).await {
        Err(fault) if !apart::is_of_database(&fault) => {}
        done => return done,
    }
    // One of them is not as it should be: each by itself.
    let mut tasks = Vec::new();
    for id in ids {
        let given = hand_out(app, session, &[*id]).await;
        tasks.extend(apart::judge(app, (*id).into(), given)?.unwrap_or_default());
    }
    Ok(tasks)
}

async fn hand_out(app: &App, session: &Session, ids: &[SagaStepId]) -> Outcome<Vec<Task>> {
    let tx = app.db.begin_write().await?;
    if !holds_session(app, &tx, session).await? {
        return Ok(Vec::new());
    }
    let rows = due(app, session).filter(saga_step::Column::Id.is_in(ids.iter().copied()));
    let rows = rows.lock_exclusive().all(&*tx).await?;
    let cards = || rows.iter().map(|row| row.card_id);
    let found = card::Entity::find().filter(card::Column::Id.is_in(cards())).all(&*tx).await?;
    let places: HashMap<CardId, card::Model> = found.into_iter().map(|row| (row.id, row)).collect();
    let sagas = saga::Entity::find().filter(saga::Column::Id.is_in(rows.iter().map(|row| row.saga_id)));
    let sagas: HashMap<SagaId, saga::Model> = sagas.all(&*tx).await?.into_iter().map(|row| (row.id, row)).collect();
    let phones = phone::Entity::find().filter(phone::Column::Id.is_in(sagas.values().map(|saga| saga.phone_id)));
    let phones: HashMap<PhoneId, phone::Model> = phones.all(&*tx).await?.into_iter().map(|row| (row.id, row)).collect();
    let (mut tasks, mut begun) = (Vec::new(), Vec::new());
    // At the cards of these steps there was nothing else (`due`), and two may be at one card.
    let mut busy: HashMap<CardId, SagaStepId> = HashMap::new();
    for row in &rows {
        let saga = sagas.get(&row.saga_id);
        let (Some(place), Some(saga)) = (places.get(&row.card_id), saga) else { continue };
        let Some(phone) = phones.get(&saga.phone_id) else { continue };
        // A copy is read without its card, and removed.
        let is_of_card = !matches!(row.name, StepName::Verify | StepName::Erase);
        if is_of_card && saga.placement_id.is_none() {
            continue;
        }
        // An older agent would not look whether the card is still what was copied.
        let connections = app.part::<Connections>();
        let lacks = |able: Vec<RoomAgentId>| !able.contains(&session.agent);
        if looks(row.name, saga) && lacks(connections.that_restore(session.room))
            || returns(row.name, saga) && lacks(connections.that_return(session.room))
            || row.name == StepName::Halt && lacks(connections.that_halt(session.room))
        {
            continue;
        }
        let copied = if AT_STORE.contains(&row.name) {
            // Another agent of the room may reach the storage node.
            let Some(asked) = copying::asked(app, &tx, session, saga, row, phone).await? else { continue };
            Some(asked)
        } else {
            None
        };
        if is_of_card {
            let Entry::Vacant(free) = busy.entry(row.card_id) else { continue };
            free.insert(row.id);
        }
        begun.push(row.id);
        let act = if let Some(asked) = copied {
            asked
        } else if matches!(row.name, StepName::Wipe | StepName::Prove) {
            wiped(&tx, saga, row.name).await?
        } else if row.name == StepName::Check {
            restoring::checked(&tx, saga, phone, place).await?
        } else {
            asked(row.name, saga, place)
        };
        tasks.push(Task {
            key: key(row.id),
            card: place.id.0,
            address: place.adb_address(),
            serial: place.serial.clone(),
            mark: saga.placement_id.map(|stay| Mark { phone: phone.id.0, placement: stay.0 }),
            damaged: false,
            clean: Some(place.clean_mark.clone()).filter(|mark| !mark.is_empty()),
            leave_out: left_out(&tx, row.name, place).await?,
            host: place.host_id.map(|host| host.0),
            seconds: seconds(row.name),
            act,
        });
    }
    begin(&tx, session, &begun, app.clock.now()).await?;
    occupy(&tx, busy).await?;
    tx.commit().await?;
    Ok(tasks)
}

/// Writes down that the agent of a session has these steps.
async fn begin(tx: &WriteTx, session: &Session, steps: &[SagaStepId], now: UtcTime) -> Outcome<()> {
    if steps.is_empty() {
        return Ok(());
    }
    let change = saga_step::ActiveModel {
        state: Set(StepState::Running),
        agent_id: Set(Some(session.agent)),
        began_at: Set(Some(now)),
        ..Default::default()
    };
    let these = saga_step::Entity::update_many().set(change).filter(saga_step::Column::Id.is_in(steps.iter().copied()));
    these.exec(&**tx).await?;
    Ok(())
}

/// Writes down what is at these cards from now on.
async fn occupy(tx: &WriteTx, cards: HashMap<CardId, SagaStepId>) -> Outcome<()> {
    if cards.is_empty() {
        return Ok(());
    }
    let rows = cards.into_iter().map(|(card, step)| card_busy::ActiveModel {
        card_id: Set(card),
        book: Set(Book::Phone),
        task_id: Set(step.0),
    });
    card_busy::Entity::insert_many(rows).exec_without_returning(&**tx).await?;
    Ok(())
}

/// What a copy may leave out on a card, for steps that look what one would hold.
async fn left_out(tx: &WriteTx, step: StepName, place: &card::Model) -> Outcome<Vec<String>> {
    if !matches!(step, StepName::Packages | StepName::Stop | StepName::Copy) {
        return Ok(Vec::new());
    }
    Ok(fleet::exclusions(&**tx, place.image_id).await?)
}

/// Whether a step looks whether the card has restarted since the phone was copied.
fn looks(step: StepName, saga: &saga::Model) -> bool {
    step == StepName::Still || step == StepName::Wipe && !saga.proof.is_empty()
}

/// Whether a step brings a phone back to the card that it had left.
fn returns(step: StepName, saga: &saga::Model) -> bool {
    step == StepName::Start && saga.kind == SagaKind::PutOn
}

/// What an agent is asked for a step.
fn asked(step: StepName, saga: &saga::Model, place: &card::Model) -> Act {
    match step {
        StepName::Claim => Act::Claim,
        StepName::Boot => Act::Boot,
        // One that comes back to its own card brings no copy.
        StepName::Health => {
            let comes = saga.kind == SagaKind::PutOn;
            Act::Health { restored: comes && saga.backup_id.is_some(), launcher: comes }
        }
        // Whether it goes on or comes back: where a phone goes on, its card may have restarted.
        StepName::Start => Act::Start { boot_id: Some(saga.proof.clone()).filter(|_| returns(step, saga)) },
        StepName::Unclaim => Act::Unclaim,
        StepName::Halt => Act::Halt,
        StepName::Still => Act::Still { boot_id: saga.proof.clone(), listing: saga.still.clone() },
        StepName::MarkClean => {
            let seal = place.clean_mark.strip_prefix(Carried::CLEAN).unwrap_or_default().to_owned();
            Act::MarkClean { boot_id: saga.proof.clone(), seal }
        }
        // The console's own, those that go by a profile or a copy, and those at a storage node.
        StepName::Reserve
        | StepName::Check
        | StepName::Bind
        | StepName::Seal
        | StepName::Decide
        | StepName::Wipe
        | StepName::Prove
        | StepName::Packages
        | StepName::Stop
        | StepName::Copy
        | StepName::Verify
        | StepName::Erase
        | StepName::Install
        | StepName::Restore => Act::Unknown,
    }
}

/// The same for a step of a wipe. What it goes by stays the same until its end: a profile is never taken away.
async fn wiped(tx: &WriteTx, saga: &saga::Model, step: StepName) -> Outcome<Act> {
    let profile = match saga.profile_id {
        Some(id) => fleet::profile_file(&**tx, id).await?,
        None => None,
    };
    Ok(match profile {
        Some(profile) if step == StepName::Wipe => {
            Act::Clear { profile, boot_id: Some(saga.proof.clone()).filter(|proof| !proof.is_empty()) }
        }
        Some(profile) => Act::Prove { profile },
        None => Act::Unknown,
    })
}

async fn record(app: &App, session: &Session, results: &[TaskResult]) -> Outcome<Vec<Key>> {
    let results = results.iter().filter(|result| result.key.book == wire::Book::Phone);
    let mut results: Vec<&TaskResult> = results.collect();
    if results.is_empty() {
        return Ok(Vec::new());
    }
    // In key order, as everybody locks them. Of two about one try the first counts.
    results.sort_by_key(|result| result.key);
    match write_down(app, session, &results).await {
        Ok(()) => return Ok(Vec::new()),
        Err(fault) if apart::is_of_database(&fault) => return Err(fault),
        Err(_) => {}
    }
    // One of them cannot be written down: each by itself. What cannot be is kept here for later, and by the agent until then.
    let mut kept = Vec::new();
    for result in results {
        let step = SagaStepId(result.key.task);
        let done = write_down(app, session, &[result]).await;
        if apart::judge(app, step.into(), done)?.is_none() {
            app.part::<SetAside>().keep(step, session, result);
            kept.push(result.key);
        }
    }
    Ok(kept)
}

/// Writes down what agents have told and nobody could write down then.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn again(app: &App) -> Outcome<()> {
    for (session, result) in app.part::<SetAside>().told(app.clock.steady()) {
        let done = write_down(app, &session, &[&result]).await;
        apart::judge(app, SagaStepId(result.key.task).into(), done)?;
    }
    Ok(())
}

async fn write_down(app: &App, session: &Session, results: &[&TaskResult]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let mut desk = Desk::new(app, &mut tx);
    let told: Vec<SagaStepId> = results.iter().map(|result| SagaStepId(result.key.task)).collect();
    let rows = desk.steps(&told, Condition::all()).await?;
    let mut rows: HashMap<Key, Row> = rows.into_iter().map(|row| (key(row.id), row)).collect();
    for result in results {
        // One that was told twice is settled once.
        let Some(row) = rows.remove(&result.key).filter(|row| is_with(row, session)) else {
            tracing::debug!(agent = session.agent.0, step = result.key.task, "ignored a result");
            continue;
        };
        let (end, code, reason) = end_of(result);
        desk.settle(&row, end, code, reason).await?;
    }
    desk.told.commit(app, tx).await
}

fn is_with(row: &Row, session: &Session) -> bool {
    row.state == StepState::Running && row.agent_id == Some(session.agent) && row.room_id == session.room
}

/// How a try ended, why, and what the agent said of it.
fn end_of(result: &TaskResult) -> (End, &str, &str) {
    match &result.outcome {
        wire::Outcome::Succeeded => (End::Done, "", &*result.output),
        wire::Outcome::Cancelled => (End::Dropped, "", ""),
        wire::Outcome::Failed { code, reason, effect } => {
            let (why, effect) = (wire::Reason::from_code(code.code()), effect_of(*effect));
            (End::Failed { why, effect }, code.code(), reason)
        }
    }
}

/// What the agent holds and is no longer its own it neither begins nor goes on with; what it does not hold never arrived.
async fn resume(app: &App, session: &Session, held: &[Held], stay: i64) -> Outcome<Returned> {
    behind::greeted(app, session.room, stay).await?;
    let held: Vec<&Held> = held.iter().filter(|held| held.key.book == wire::Book::Phone).collect();
    let running = saga_step::Entity::find().select_only().column(saga_step::Column::Id).filter(has(session));
    let running = running.order_by_asc(saga_step::Column::Id).into_tuple();
    let running: Vec<SagaStepId> = running.all(app.db.read()).await?;
    let holds: HashSet<Key> = held.iter().map(|held| held.key).collect();
    // What it has told already it need not hold.
    let is_lost = |step: &SagaStepId| !holds.contains(&key(*step)) && !app.part::<SetAside>().is_told(*step);
    let lost: Vec<SagaStepId> = running.iter().copied().filter(is_lost).collect();
    let whose = session.clone();
    apart::each(app, &lost, move |app, some| never_arrived(app, whose.clone(), some).boxed()).await?;
    let own: HashSet<Key> = running.iter().map(|step| key(*step)).collect();
    let strange = held.iter().filter(|held| !held.has_ended && !own.contains(&held.key));
    let strange: Vec<Key> = strange.map(|held| held.key).collect();
    Ok(Returned { forget: strange.clone(), cancel: strange })
}

/// Of a step: the agent of a session has it.
fn has(session: &Session) -> SimpleExpr {
    saga_step::Column::AgentId.eq(session.agent).and(Expr::cust(states::STEP_RUNS))
}

async fn never_arrived(app: &App, session: Session, steps: &[SagaStepId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let mut desk = Desk::new(app, &mut tx);
    for row in &desk.steps(steps, has(&session)).await? {
        desk.settle(row, End::Dropped, "", "").await?;
    }
    desk.told.commit(app, tx).await
}
