//! Cards that are lost while a phone is on them. The phone waits: its card comes back, or a person decides that it goes on
//! elsewhere with what its copy holds, or that what it had is given up. The card stays as it is then; when it is back after
//! all, what runs there is stopped before anything else.

use std::collections::{BTreeMap, HashMap};

use base::app::App;
use base::fault::Outcome;
use base::http::ops::Audit;
use db::WriteTx;
use db::journal::Entry;
use entity::backup::{self, BackupKind, BackupState};
use entity::card::{self, NetworkStatus, Occupancy, Power};
use entity::operation::Model as Operation;
use entity::phone::Model as Phone;
use entity::placement::{self, Role};
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::{self, StepName};
use entity::{BackupId, CardId, PhoneId, PlacementId, RoomId, SagaId, loss, phone};
use fleet::Connections;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, ExprTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _,
};
use wire::Reason;

use super::admit::{Asked, busy, own};
use super::advance::Desk;
use super::machine::End;
use super::states;
use super::steps::locked;
use crate::phone::act::puts_on;
use crate::phone::hold::{emptied, left};

/// How long a card has to be silent while an agent of its room is there, in seconds.
const PATIENCE: i64 = 600;
/// Between two looks, in seconds.
const PACE: i64 = 5;
/// Between two tries at a card that is back, and not as it should be, in seconds.
const AGAIN: i64 = 300;
/// Rows in one transaction.
const STEP: usize = 100;

/// Since when cards with phones on them do not answer, by the steady clock, and when that was looked at. It is not stored:
/// after a restart of the console each has its whole time again, and so it has when the room's agent was away.
#[derive(Debug, Default)]
pub struct Missing(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    looked: Option<UtcTime>,
    since: HashMap<PlacementId, UtcTime>,
}

impl Missing {
    /// Whether it is time for a look.
    fn is_due(&self, steady: UtcTime) -> bool {
        let mut seen = self.0.lock();
        let is_due = seen.looked.is_none_or(|looked| looked.plus_seconds(PACE) <= steady);
        if is_due {
            seen.looked = Some(steady);
        }
        is_due
    }

    /// Those of the stays on silent cards that are lost.
    fn lost(&self, silent: &[PlacementId], steady: UtcTime) -> Vec<PlacementId> {
        let mut seen = self.0.lock();
        let before = std::mem::take(&mut seen.since);
        seen.since = silent.iter().map(|stay| (*stay, before.get(stay).copied().unwrap_or(steady))).collect();
        let is_lost = |stay: &&PlacementId| seen.since[*stay].plus_seconds(PATIENCE) <= steady;
        silent.iter().filter(is_lost).copied().collect()
    }
}

/// Notices cards that are lost, and cards that are back.
///
/// # Errors
/// When the database refuses; the next round goes on.
pub async fn serve(app: &App) -> Outcome<()> {
    let steady = app.clock.steady();
    if !app.part::<Missing>().is_due(steady) {
        return Ok(());
    }
    let lost = app.part::<Missing>().lost(&silent(app).await?, steady);
    for some in lost.chunks(STEP) {
        begin(app, some).await?;
    }
    look(app).await
}

/// The stays of phones on cards that do not answer, in rooms that have an agent, and to which nothing is being done.
async fn silent(app: &App) -> Outcome<Vec<PlacementId>> {
    let rooms = app.part::<Connections>().rooms();
    let cards = card::Entity::find()
        .select_only()
        .column(card::Column::Id)
        .filter(card::Column::NetworkStatus.eq(NetworkStatus::Offline))
        .filter(card::Column::Occupancy.is_in([Occupancy::InUse, Occupancy::BackingUp]))
        .filter(card::Column::RoomId.is_in(rooms))
        .into_query();
    let stays = placement::Entity::find().select_only().column(placement::Column::Id);
    Ok(stays
        .filter(placement::Column::Role.eq(Role::Holds))
        .filter(placement::Column::CardId.in_subquery(cards))
        .filter(placement::Column::PhoneId.not_in_subquery(super::busy_phones()))
        .order_by_asc(placement::Column::Id)
        .into_tuple()
        .all(app.db.read())
        .await?)
}

/// The cards of these stays are lost: their phones wait for a person.
async fn begin(app: &App, stays: &[PlacementId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let phones = phone::Entity::find()
        .filter(phone::Column::HoldsId.is_in(stays.iter().copied()))
        .order_by_asc(phone::Column::Id)
        .lock_exclusive()
        .all(&*tx)
        .await?;
    let busy = busy(&*tx, &phones).await?;
    let copies = whole(&*tx, &phones).await?;
    let places = places(&*tx, stays.iter().copied()).await?;
    let mut desk = Desk::new(app, &mut tx);
    for phone in phones.iter().filter(|phone| !busy.contains(&phone.id)) {
        let Some((stay, card)) = phone.holds_id.and_then(|stay| places.get(&stay)) else { continue };
        if card.network_status != NetworkStatus::Offline {
            continue;
        }
        let copy = copies.get(&phone.id).copied();
        let row = saga::ActiveModel {
            locks_phone: Set(true),
            placement_id: Set(Some(stay.id)),
            state: Set(SagaState::Held),
            code: Set(why(copy).code().to_owned()),
            backup_id: Set(copy),
            ..own(SagaKind::Lost, phone.id, (card.room_id, phone.plan.board()), StepName::Decide, desk.now)
        };
        saga::Entity::insert(row).exec_without_returning(&**desk.tx).await?;
        desk.told.phones.push(phone.id);
    }
    desk.told.commit(app, tx).await
}

/// What is said of a phone whose card is lost, with such a copy.
const fn why(copy: Option<BackupId>) -> Reason {
    if copy.is_some() { Reason::CardLost } else { Reason::CardLostNoCopy }
}

/// The copies with which phones would go on: what they live by, if that is whole, and otherwise the newest that is, also one
/// that was made while the phone went on.
async fn whole(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashMap<PhoneId, BackupId>> {
    let copies = backup::Entity::find()
        .select_only()
        .columns([backup::Column::PhoneId, backup::Column::Id])
        .filter(backup::Column::PhoneId.is_in(phones.iter().map(|phone| phone.id)))
        .filter(backup::Column::State.eq(BackupState::Verified))
        .filter(backup::Column::Kind.eq(BackupKind::Full))
        .filter(backup::Column::Damage.eq(""))
        .order_by_asc(backup::Column::Id);
    let rows: Vec<(PhoneId, BackupId)> = copies.into_tuple().all(db).await?;
    let newest: HashMap<PhoneId, BackupId> = rows.iter().copied().collect();
    let is_whole = |phone: &&Phone| phone.kept_id.is_some_and(|kept| rows.contains(&(phone.id, kept)));
    let kept = phones.iter().filter(is_whole).filter_map(|phone| Some((phone.id, phone.kept_id?)));
    let kept: Vec<(PhoneId, BackupId)> = kept.collect();
    Ok(newest.into_iter().chain(kept).collect())
}

/// These stays with their cards.
async fn places(
    db: &impl ConnectionTrait,
    stays: impl IntoIterator<Item = PlacementId>,
) -> Outcome<HashMap<PlacementId, (placement::Model, card::Model)>> {
    let stays = placement::Entity::find().filter(placement::Column::Id.is_in(stays)).all(db).await?;
    let cards = card::Entity::find().filter(card::Column::Id.is_in(stays.iter().map(|stay| stay.card_id)));
    let cards: HashMap<CardId, card::Model> = cards.all(db).await?.into_iter().map(|row| (row.id, row)).collect();
    let placed = |stay: placement::Model| Some((stay.id, (stay.clone(), cards.get(&stay.card_id)?.clone())));
    Ok(stays.into_iter().filter_map(placed).collect())
}

/// What is to be done about a card that was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// It is back: its phone goes on there, or what runs there is stopped.
    Try,
    /// It is away again before an agent has looked.
    Drop,
    /// Its phone is not on it any more: nobody waits for it.
    Over,
}

/// What is to be done about a saga of a lost card, if anything is; `last` is the last try at the card.
fn next(
    saga: &Saga,
    phone: Option<&Phone>,
    card: &card::Model,
    last: Option<&saga_step::Model>,
    now: UtcTime,
) -> Option<Next> {
    let is_back = card.network_status == NetworkStatus::Online;
    if saga.state == SagaState::Running {
        let waits = last.is_some_and(|step| step.state == saga_step::StepState::Waiting);
        return (waits && !is_back).then_some(Next::Drop);
    }
    let is_over = saga.kind == SagaKind::Lost && phone.is_none_or(|phone| phone.holds_id != saga.placement_id);
    if is_over {
        return Some(Next::Over);
    }
    let is_due = match last.and_then(|step| Some((step.state, step.ended_at?))) {
        None => true,
        // What was stopped runs again only after a restart, and that takes the connection with it.
        Some((saga_step::StepState::Done, at)) => card.network_since > at,
        Some((_, at)) => card.network_since > at || at.plus_seconds(AGAIN) <= now,
    };
    (is_back && is_due).then_some(Next::Try)
}

/// Looks which lost cards are back.
async fn look(app: &App) -> Outcome<()> {
    let which = || saga::Entity::find().filter(Expr::cust(states::LOST)).order_by_asc(saga::Column::Id);
    let rows = which().all(app.db.read()).await?;
    let due = turns(app.db.read(), &rows, app.clock.now()).await?;
    let due: Vec<SagaId> = due.into_keys().collect();
    for some in due.chunks(STEP) {
        let mut tx = app.db.begin_write().await?;
        let rows = which().filter(saga::Column::Id.is_in(some.iter().copied())).lock_exclusive().all(&*tx).await?;
        let turns = turns(&*tx, &rows, app.clock.now()).await?;
        let mut desk = Desk::new(app, &mut tx);
        for saga in &rows {
            let Some((next, card)) = turns.get(&saga.id) else { continue };
            match next {
                Next::Try => desk.try_again(saga, *card).await?,
                Next::Drop => desk.drop_try(saga).await?,
                Next::Over => desk.done(saga).await?,
            }
        }
        desk.told.commit(app, tx).await?;
    }
    Ok(())
}

/// Those of these sagas about which something is to be done, and their cards.
async fn turns(db: &impl ConnectionTrait, rows: &[Saga], now: UtcTime) -> Outcome<BTreeMap<SagaId, (Next, CardId)>> {
    if rows.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut found = BTreeMap::new();
    for rows in rows.chunks(STEP) {
        let places = places(db, rows.iter().filter_map(|saga| saga.placement_id)).await?;
        let phones = phone::Entity::find().filter(phone::Column::Id.is_in(rows.iter().map(|saga| saga.phone_id)));
        let phones: HashMap<PhoneId, Phone> = phones.all(db).await?.into_iter().map(|row| (row.id, row)).collect();
        let tries = saga_step::Entity::find()
            .filter(saga_step::Column::SagaId.is_in(rows.iter().map(|saga| saga.id)))
            .order_by_asc(saga_step::Column::Id)
            .all(db)
            .await?;
        let last: HashMap<SagaId, saga_step::Model> = tries.into_iter().map(|step| (step.saga_id, step)).collect();
        for saga in rows {
            let Some((_, card)) = saga.placement_id.and_then(|stay| places.get(&stay)) else { continue };
            if let Some(next) = next(saga, phones.get(&saga.phone_id), card, last.get(&saga.id), now) {
                found.insert(saga.id, (next, card.id));
            }
        }
    }
    Ok(found)
}

/// What has to be known to decide about a phone whose card is lost.
#[derive(Clone, Copy, Debug)]
pub struct Lost {
    /// It waits for a person, and nobody is looking whether the card is back.
    waits: bool,
    has_copy: bool,
    /// Its card has no power, as its BMC says: it does not come back by itself.
    is_off: bool,
}

impl Lost {
    /// Those of these phones whose cards are lost.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashMap<PhoneId, Self>> {
        let sagas = saga::Entity::find()
            .filter(saga::Column::PhoneId.is_in(phones.iter().map(|phone| phone.id)))
            .filter(Expr::cust(states::CARD_LOST))
            .all(db)
            .await?;
        let places = places(db, sagas.iter().filter_map(|saga| saga.placement_id)).await?;
        let copies = whole(db, phones).await?;
        let lost = |saga: Saga| {
            let (_, card) = places.get(&saga.placement_id?)?;
            let is_off = card.power == Power::Off;
            let waits = saga.state == SagaState::Held;
            Some((saga.phone_id, Self { waits, has_copy: copies.contains_key(&saga.phone_id), is_off }))
        };
        Ok(sagas.into_iter().filter_map(lost).collect())
    }

    /// Whether the phone may go on with its copy, if somebody answers for its card or not.
    ///
    /// # Errors
    /// Why not.
    pub const fn goes_on(self, is_answered_for: bool) -> Result<(), Reason> {
        if !self.waits {
            Err(Reason::PhoneUnderWay)
        } else if !self.has_copy {
            Err(Reason::CardLostNoCopy)
        } else if !self.is_off && !is_answered_for {
            Err(Reason::CardNotOff)
        } else {
            Ok(())
        }
    }

    /// Whether what it had may be given up.
    ///
    /// # Errors
    /// Why not.
    pub const fn is_given_up(self) -> Result<(), Reason> {
        if !self.waits {
            Err(Reason::PhoneUnderWay)
        } else if self.has_copy {
            Err(Reason::CopyThere)
        } else {
            Ok(())
        }
    }
}

/// The saga of a phone whose card is lost, locked.
async fn of(tx: &WriteTx, phone: PhoneId) -> Outcome<Option<Saga>> {
    let found = saga::Entity::find().filter(saga::Column::PhoneId.eq(phone)).filter(Expr::cust(states::CARD_LOST));
    Ok(found.lock_exclusive().one(&**tx).await?)
}

impl Desk<'_> {
    /// A lost card is back, it seems: its phone goes on there, or what runs there is stopped.
    async fn try_again(&mut self, saga: &Saga, card: CardId) -> Outcome<()> {
        let step = if saga.kind == SagaKind::Lost { StepName::Start } else { StepName::Halt };
        let change = saga::ActiveModel { step: Set(step), state: Set(SagaState::Running), ..Default::default() };
        let saga = self.change(saga, change).await?;
        self.write_step(&saga, step, card, 0).await
    }

    /// It is away again before anybody has looked.
    async fn drop_try(&mut self, saga: &Saga) -> Outcome<()> {
        let waits = saga_step::Column::SagaId.eq(saga.id).and(Expr::cust(states::STEP_WAITS));
        for step in locked(self.tx, waits, 1).await? {
            self.settle(&step, End::Dropped, Reason::Offline.code(), "").await?;
        }
        Ok(())
    }

    /// A card that was lost is out of reach again, or not whose it should be: it is waited for as before.
    pub(super) async fn still_lost(&mut self, saga: &Saga, code: &str) -> Outcome<()> {
        let is_other = [Reason::NotOurs, Reason::MarkUnreadable, Reason::NotRoot, Reason::WrongCard];
        let (step, usual) = if saga.kind == SagaKind::Lost {
            (StepName::Decide, why(saga.backup_id))
        } else {
            (StepName::Halt, Reason::CardAway)
        };
        let found = is_other.into_iter().find(|why| why.code() == code);
        let saga = self.change(saga, saga::ActiveModel { step: Set(step), ..Default::default() }).await?;
        self.hold(&saga, found.unwrap_or(usual).code()).await
    }

    /// What ran on a card that was lost is stopped. What it wrote since its phone's last copy is in none.
    pub(super) async fn halted(&mut self, saga: &Saga) -> Outcome<()> {
        self.hold(saga, Reason::CardWasLost.code()).await
    }

    /// A phone whose card is lost goes on elsewhere with what its copy holds, or stays off, if nobody may use it just now.
    /// Returns whether something was begun with it.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn accept_copy(
        &mut self,
        before: &Phone,
        asked: &Asked<'_>,
        operation: &Operation,
    ) -> Outcome<Result<bool, Reason>> {
        let Some(saga) = of(self.tx, before.id).await? else { return Ok(Err(Reason::CardNotLost)) };
        let copies = whole(&**self.tx, std::slice::from_ref(before)).await?;
        let Some(copy) = copies.get(&before.id).copied() else { return Ok(Err(Reason::CardLostNoCopy)) };
        let after = left(self.tx, before, copy, self.now).await?;
        self.leave_lost(&saga).await?;
        self.done(&saga).await?;
        let note = format!("backup {copy}; {}", operation.reason);
        self.decided("phone_copy_accepted", operation, (before, &after), note);
        if puts_on(&after).is_err() {
            return Ok(Ok(false));
        }
        asked.queue(self.tx, std::slice::from_ref(&after), None).await?;
        Ok(Ok(true))
    }

    /// What a phone had on a lost card is given up, by the word of two operators: it is as new.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn give_up_lost(&mut self, before: &Phone, operation: &Operation) -> Outcome<Result<(), Reason>> {
        let Operation { created_by, approved_by, reason, .. } = operation;
        if approved_by.is_empty() || approved_by == created_by {
            return Ok(Err(Reason::NeedsSecond));
        }
        let (Some(saga), Some(stay)) = (of(self.tx, before.id).await?, before.holds_id) else {
            return Ok(Err(Reason::CardNotLost));
        };
        let row = loss::ActiveModel {
            placement_id: Set(stay),
            phone_id: Set(before.id),
            created_by: Set(created_by.clone()),
            approved_by: Set(approved_by.clone()),
            reason: Set(reason.clone()),
            at: Set(self.now),
        };
        loss::Entity::insert(row).exec_without_returning(&**self.tx).await?;
        let after = emptied(self.tx, before, self.now).await?;
        self.leave_lost(&saga).await?;
        self.done(&saga).await?;
        self.decided("phone_given_up", operation, (before, &after), format!("{approved_by}; {reason}"));
        Ok(Ok(()))
    }

    /// The stay on a lost card is over for its phone. The card is waited for: nobody else gets it, and what is on it stays.
    async fn leave_lost(&mut self, saga: &Saga) -> Outcome<()> {
        let Some(stay) = saga.placement_id else { return Ok(()) };
        let found = placement::Entity::find_by_id(stay).one(&**self.tx).await?;
        let Some(place) = found else { return Ok(()) };
        let change = placement::ActiveModel {
            id: Set(stay),
            role: Set(Role::Outgoing),
            is_quarantined: Set(true),
            ..Default::default()
        };
        placement::Entity::update(change).exec(&**self.tx).await?;
        self.occupy(saga, place.card_id, Occupancy::Wiping, None).await?;
        let pool: (RoomId, &str) = (saga.room_id, &saga.board);
        let row = saga::ActiveModel {
            placement_id: Set(Some(stay)),
            state: Set(SagaState::Held),
            code: Set(Reason::CardAway.code().to_owned()),
            ..own(SagaKind::Clear, saga.phone_id, pool, StepName::Halt, self.now)
        };
        row.insert(&**self.tx).await?;
        Ok(())
    }

    fn decided(&mut self, action: &str, operation: &Operation, (before, after): (&Phone, &Phone), note: String) {
        let entry = Entry {
            at: self.now,
            operator_id: Some(operation.created_by_id.0),
            operator_name: operation.created_by.clone(),
            action: action.to_owned(),
            ..Entry::default()
        };
        let audit = Audit::of("phone").id(after.id).name(&after.code).before(before).after(after);
        self.tx.record(audit.note(note).fill(entry));
    }
}

#[cfg(test)]
mod tests {
    use entity::PlacementId;
    use kernel::time::UtcTime;

    use super::Missing;

    #[test]
    fn a_card_is_lost_after_ten_minutes_without_a_break() {
        let (missing, start) = (Missing::default(), UtcTime(0));
        let (one, other) = (PlacementId(1), PlacementId(2));
        assert!(missing.is_due(start) && !missing.is_due(start.plus_seconds(4)));
        assert!(missing.is_due(start.plus_seconds(5)));
        assert!(missing.lost(&[one], start).is_empty());
        assert!(missing.lost(&[one, other], start.plus_seconds(599)).is_empty());
        assert_eq!(missing.lost(&[one, other], start.plus_seconds(600)), [one]);
        // One that was back for a moment has its whole time again.
        assert!(missing.lost(&[other], start.plus_seconds(601)).is_empty());
        assert_eq!(missing.lost(&[one, other], start.plus_seconds(1_200)), [other]);
    }
}
