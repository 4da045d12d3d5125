//! The first copy of a phone, and those that renew it. One that has been on a card for an hour, and of which there is no copy, or
//! none of late, hangs on that card: it is copied while it goes on, whoever uses it. Such a copy never allows to wipe the card, and
//! beats none if that is lost.

use base::app::App;
use base::fault::Outcome;
use entity::card::NetworkStatus;
use entity::phone::{self, Life};
use entity::saga::{self, SagaKind, SagaState};
use entity::saga_step::{self, StepName, StepState};
use entity::{PhoneId, PlacementId, RoomId, SagaId, backup, placement};
use fleet::Connections;
use futures::FutureExt as _;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait as _, EntityTrait as _, ExprTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _, Select,
};

use wire::Reason;

use super::admit::own;
use super::advance::Desk;
use super::apart::{self, Subject};
use super::at_once::{self, Hosts, LOOK};
use super::copying::under_way;
use super::lineage::{fresh_since, outdated, unread, unsaved};
use super::states;
use super::step::{key, locked};
use super::turn::may_begin;
use crate::backup::place::{AskedBy, have_room};

/// A phone has been on its card for so many seconds when it is copied.
const DUE: i64 = 3_600;
/// Whatever became of the last try, the next one comes so many seconds later.
const AGAIN: i64 = 3_600;
/// Seconds between two looks.
const PACE: i64 = 30;

/// What phones are copied for by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanting {
    /// There is no copy.
    Any,
    /// There is none so young as the plan wants.
    Newer,
}

/// When it was looked last, by the steady clock.
#[derive(Debug, Default)]
pub struct Looked(Mutex<Option<UtcTime>>);

/// Begins the copies that are due, room by room, where nobody waits for one that he has asked for: first copies, then others.
///
/// # Errors
/// When the database refuses; the next look goes on.
pub async fn serve(app: &App) -> Outcome<()> {
    let steady = app.clock.steady();
    {
        let mut looked = app.part::<Looked>().0.lock();
        if looked.is_some_and(|at| steady < at.plus_seconds(PACE)) {
            return Ok(());
        }
        *looked = Some(steady);
    }
    for room in app.part::<Connections>().rooms() {
        apart::tried(app, Subject::Room(room, "first copies"), serve_room(app, room)).await?;
    }
    Ok(())
}

/// Begins those of a room.
async fn serve_room(app: &App, room: RoomId) -> Outcome<()> {
    let db = app.db.read();
    let agents = app.part::<Connections>().that_copy_live(room);
    let waits = states::of_room(room, states::COPY_WAITS);
    let mut free = at_once::most(app, room, true).saturating_sub(under_way(db, room, true).await?);
    // What waits for somebody to be warned takes nobody's place.
    if agents.is_empty() || free == 0 || waits.filter(may_begin(app, room).await?).limit(1).count(db).await? > 0 {
        return Ok(());
    }
    let now = app.clock.now();
    let due = [(due(room, now, unsaved()), Wanting::Any), (due(room, now, outdated(room, now)), Wanting::Newer)];
    // Mostly there is nothing: that is seen without the lane of writers.
    let (mut hosts, mut begin) = (Hosts::of(db, room).await?, Vec::new());
    for (phones, wanting) in due {
        let waiting = phones.clone().select_only().columns([phone::Column::Id, phone::Column::HoldsId]);
        let waiting: Vec<(PhoneId, Option<PlacementId>)> = waiting
            .apply_if(hosts.full(), |select, full| select.filter(phone::Column::HoldsId.not_in_subquery(full)))
            .filter(apart::phones(app))
            .limit(LOOK)
            .into_tuple()
            .all(db)
            .await?;
        let some = hosts.choose(db, waiting, free).await?;
        free = free.saturating_sub(some.len() as u64);
        if !some.is_empty() {
            begin.push((phones, some, wanting));
        }
    }
    if begin.is_empty() || !have_room(db, &agents, AskedBy::Nobody).await? {
        return Ok(());
    }
    for (which, some, wanting) in begin {
        apart::each(app, &some, move |app, some| copy_these(app, which.clone(), wanting, some).boxed()).await?;
    }
    Ok(())
}

async fn copy_these(app: &App, due: Select<phone::Entity>, wanting: Wanting, phones: &[PhoneId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let due = due.filter(phone::Column::Id.is_in(phones.iter().copied()));
    let phones = due.lock_exclusive().all(&*tx).await?;
    let mut desk = Desk::new(app, &mut tx);
    for phone in &phones {
        desk.copy_live(phone, wanting).await?;
    }
    desk.told.commit(app, tx).await
}

/// Those of such phones of a room that are copied now: those that were never tried before the others, and then those whose last try
/// is longest ago. Their cards are up, and say themselves whose they are: otherwise no copy could be made.
fn due(room: RoomId, now: UtcTime, such: String) -> Select<phone::Entity> {
    let (since, lately) = (now.plus_seconds(-DUE).millis(), now.plus_seconds(-AGAIN).millis());
    let online = NetworkStatus::Online.code();
    let on_card = format!(
        "EXISTS (SELECT 1 FROM placement stay JOIN card ON card.id = stay.card_id WHERE stay.id = phone.holds_id \
         AND stay.began_at <= {since} AND card.network_status = {online} \
         AND card.mark = phone.id || '.' || stay.id)"
    );
    let (locked, copies, reads, salvages) = (states::LOCKED, states::COPIES, states::READS, states::SALVAGES);
    let at_it = format!(
        "NOT EXISTS (SELECT 1 FROM saga WHERE saga.phone_id = phone.id \
         AND ({locked} OR ({salvages}) OR ({copies} OR {reads}) AND COALESCE(ended_at, {}) > {lately}))",
        now.millis()
    );
    let tried = format!(
        "(SELECT COALESCE(MAX(saga.id), 0) FROM saga WHERE saga.phone_id = phone.id AND ({copies} OR {reads}))"
    );
    phone::Entity::find()
        .filter(phone::Column::RoomId.eq(room))
        .filter(Expr::cust(such))
        .filter(phone::Column::Life.eq(Life::Active))
        .filter(Expr::cust(on_card))
        .filter(Expr::cust(at_it))
        .order_by_asc(Expr::cust(tried))
        .order_by_asc(phone::Column::HoldsId)
}

impl Desk<'_> {
    /// Begins to copy a phone that is on a card while it goes on. Nobody has asked for it. A copy that was made, and that
    /// nobody has read back, is read instead, if it is as young as is wanted.
    async fn copy_live(&mut self, phone: &phone::Model, wanting: Wanting) -> Outcome<()> {
        let Some(stay) = phone.holds_id else { return Ok(()) };
        let found = placement::Entity::find_by_id(stay).one(&**self.tx).await?;
        let Some(placement) = found else { return Ok(()) };
        let room = self.card(placement.card_id).await?.room_id;
        let fresh = match wanting {
            Wanting::Any => UtcTime(0),
            Wanting::Newer => fresh_since(&**self.tx, phone.id, self.now).await?,
        };
        let is_young = |copy: &backup::Model| copy.began_at > fresh && copy.left_at.is_none();
        if let Some(copy) = unread(&**self.tx, phone.id).await?.filter(is_young)
            && self.read_back(&copy, room).await?
        {
            return Ok(());
        }
        let row = saga::ActiveModel {
            locks_phone: Set(true),
            placement_id: Set(Some(stay)),
            state: Set(SagaState::Waiting),
            ..own(SagaKind::BackUp, phone.id, (room, phone.plan.board()), StepName::Packages, self.now)
        };
        let saga = row.insert(&**self.tx).await?;
        self.told.phones.push(phone.id);
        self.begin_copy(&saga).await
    }

    /// Ends a copy of a phone that nobody has asked for, since a person has asked for something else. What the agent has sent stays
    /// for the next one, which comes in an hour.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn gives_way(&mut self, phone: &phone::Model) -> Outcome<()> {
        let found = saga::Entity::find()
            .filter(saga::Column::PhoneId.eq(phone.id))
            .filter(Expr::cust(states::GIVES_WAY))
            .lock_exclusive()
            .one(&**self.tx)
            .await?;
        let Some(saga) = found else { return Ok(()) };
        let why = Reason::Preempted.code();
        self.call_off(saga.id, why).await?;
        self.no_copy_unless_made(&saga, why).await?;
        self.end(&saga, SagaState::Failed, why, None).await
    }

    /// Nobody begins the step of a saga that has its turn, and whoever is at it is told to stop.
    pub(super) async fn call_off(&mut self, saga: SagaId, why: &str) -> Outcome<()> {
        let open = saga_step::Column::SagaId
            .eq(saga)
            .and(saga_step::Column::State.is_in([StepState::Waiting, StepState::Running]));
        for step in locked(self.tx, open, 1).await? {
            if step.state == StepState::Running {
                // Its card is not given to anything else before the agent has let go of it: its word settles the step.
                if let Some(agent) = step.agent_id {
                    self.told.called_off.push((step.room_id, agent, key(step.id)));
                }
                continue;
            }
            let change = saga_step::ActiveModel {
                id: Set(step.id),
                state: Set(StepState::Dropped),
                code: Set(why.to_owned()),
                ended_at: Set(Some(self.now)),
                ..Default::default()
            };
            saga_step::Entity::update(change).exec(&**self.tx).await?;
        }
        Ok(())
    }
}
