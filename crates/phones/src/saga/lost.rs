//! Cards that are lost while a phone is on them. The phone waits: its card comes back, or a person decides that it goes on
//! elsewhere with what its copy holds, or that what it had is given up. The card stays as it is then; when it is back after
//! all, what runs there is stopped before anything else.

use std::collections::{BTreeMap, HashMap};

use base::app::App;
use base::fault::Outcome;
use entity::backup::{self, BackupKind, BackupState};
use entity::card::{self, NetworkStatus, Occupancy};
use entity::phone::Model as Phone;
use entity::placement::{self, Role};
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::{self, StepName, StepState};
use entity::{BackupId, CardId, PhoneId, PlacementId, RoomId, SagaId, loss, phone};
use fleet::Connections;
use futures::FutureExt as _;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, ExprTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _, QueryTrait as _, Select,
};
use wire::Reason;

use super::admit::{occupied, occupied_phones, own};
use super::advance::Desk;
use super::apart::{self, Subject};
use super::lineage::{Age, OF_THIS_LIFE, is_newer, unread};
use super::machine::{End, is_not_so};
use super::states;
use super::step::locked;
use crate::stream::live::Streams;

/// How long a card has to be silent while an agent of its room is there, in seconds.
const PATIENCE: i64 = 600;
/// Between two looks, in seconds.
const PACE: i64 = 5;
/// Between two tries at a card that is back, and not as it should be, in seconds.
const AGAIN: i64 = 300;
/// The wait grows with the tries, to so many times that.
const MOST: i32 = 12;
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
    pub(super) fn is_due(&self, steady: UtcTime) -> bool {
        let mut seen = self.0.lock();
        let is_due = seen.looked.is_none_or(|looked| looked.plus_seconds(PACE) <= steady);
        if is_due {
            seen.looked = Some(steady);
        }
        is_due
    }

    /// Those of the stays on silent cards that are lost.
    pub(super) fn lost(&self, silent: &[PlacementId], steady: UtcTime) -> Vec<PlacementId> {
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
    let mut lost = app.part::<Missing>().lost(&silent(app).await?, steady);
    lost.retain(|stay| !apart::is_left_alone(app, &Subject::Stay(*stay)));
    for some in lost.chunks(STEP) {
        apart::each(app, some, |app, some| begin(app, some).boxed()).await?;
    }
    look(app).await
}

/// The stays of phones on cards that are not up, in rooms that have an agent, and to which nothing is being done. Those that
/// somebody uses just now are somewhere, whatever we see of them.
async fn silent(app: &App) -> Outcome<Vec<PlacementId>> {
    let rooms = app.part::<Connections>().rooms();
    let cards = card::Entity::find()
        .select_only()
        .column(card::Column::Id)
        // One that answers and has no Android, for so long, is as good as lost.
        .filter(card::Column::NetworkStatus.ne(NetworkStatus::Online))
        .filter(card::Column::IsUpgrading.eq(false))
        .filter(card::Column::Occupancy.is_in([Occupancy::InUse, Occupancy::BackingUp]))
        .filter(card::Column::RoomId.is_in(rooms))
        .into_query();
    let stays = placement::Entity::find().select_only().columns([placement::Column::Id, placement::Column::PhoneId]);
    let stays: Vec<(PlacementId, PhoneId)> = stays
        .filter(placement::Column::Role.eq(Role::Holds))
        .filter(placement::Column::CardId.in_subquery(cards))
        .filter(placement::Column::PhoneId.not_in_subquery(occupied_phones()))
        .order_by_asc(placement::Column::Id)
        .into_tuple()
        .all(app.db.read())
        .await?;
    let (streams, steady) = (app.part::<Streams>(), app.clock.steady());
    Ok(stays.into_iter().filter(|(_, phone)| !streams.is_live(*phone, steady)).map(|(stay, _)| stay).collect())
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
    let busy = occupied(&*tx, &phones).await?;
    let copies = whole(&*tx, &phones).await?;
    let places = places(&*tx, stays.iter().copied()).await?;
    let mut desk = Desk::new(app, &mut tx);
    for phone in phones.iter().filter(|phone| !busy.contains(&phone.id)) {
        let Some((stay, card)) = phone.holds_id.and_then(|stay| places.get(&stay)) else { continue };
        if card.network_status == NetworkStatus::Online {
            continue;
        }
        desk.lets_go(phone.id, Reason::CardLost).await?;
        desk.lose(phone, (stay.id, card.room_id), copies.get(&phone.id).copied(), None).await?;
    }
    desk.told.commit(app, tx).await
}

impl Desk<'_> {
    /// The card of a phone is lost, or there and found so.
    async fn lose(
        &mut self,
        phone: &Phone,
        (stay, room): (PlacementId, RoomId),
        copy: Option<BackupId>,
        found: Option<Reason>,
    ) -> Outcome<()> {
        let row = saga::ActiveModel {
            locks_phone: Set(true),
            placement_id: Set(Some(stay)),
            state: Set(SagaState::Held),
            code: Set(found.unwrap_or(why(copy)).code().to_owned()),
            backup_id: Set(copy),
            ..own(SagaKind::Lost, phone.id, (room, phone.plan.board()), StepName::Decide, self.now)
        };
        saga::Entity::insert(row).exec_without_returning(&**self.tx).await?;
        self.told.phones.push(phone.id);
        // It may have a copy that nobody has read back yet.
        if copy.is_none()
            && let Some(unread) = unread(&**self.tx, phone.id).await?
        {
            self.read_back(&unread, room).await?;
        }
        Ok(())
    }

    /// A phone was stopped, and its card was out of reach whenever it was to be started again, or found not to be as it should: the
    /// card is lost by now, and the phone is started as soon as it is back. Nobody else would start it: a card on which Android is
    /// stopped looks as if it were up.
    pub(super) async fn stands_still(&mut self, phone: PhoneId, found: Option<Reason>) -> Outcome<()> {
        let phone = phone::Entity::find_by_id(phone).lock_exclusive().one(&**self.tx).await?;
        let Some((phone, stay)) = phone.and_then(|phone| phone.holds_id.map(|stay| (phone, stay))) else {
            return Ok(());
        };
        let copies = whole(&**self.tx, std::slice::from_ref(&phone)).await?;
        let places = places(&**self.tx, [stay]).await?;
        let Some((_, card)) = places.get(&stay) else { return Ok(()) };
        self.lose(&phone, (stay, card.room_id), copies.get(&phone.id).copied(), found).await
    }
}

/// What is said of a phone whose card is lost, with such a copy.
const fn why(copy: Option<BackupId>) -> Reason {
    if copy.is_some() { Reason::CardLost } else { Reason::CardLostNoCopy }
}

/// The copies with which phones would go on: the newest that is whole, also one that was made while the phone went on. What a phone
/// was set back from comes only where nothing else is whole.
pub(super) async fn whole(db: &impl ConnectionTrait, phones: &[Phone]) -> Outcome<HashMap<PhoneId, BackupId>> {
    let copies = backup::Entity::find()
        .select_only()
        .columns([backup::Column::PhoneId, backup::Column::Id, backup::Column::BeganAt, backup::Column::IsRebuilt])
        .column(backup::Column::LeftAt)
        .filter(backup::Column::PhoneId.is_in(phones.iter().map(|phone| phone.id)))
        .filter(backup::Column::State.eq(BackupState::Verified))
        .filter(backup::Column::Kind.eq(BackupKind::Full))
        .filter(backup::Column::Damage.eq(""))
        .filter(backup::Column::IsSalvaged.eq(false))
        .filter(Expr::cust(OF_THIS_LIFE))
        .order_by_asc(backup::Column::Id);
    let rows: Vec<(PhoneId, BackupId, UtcTime, bool, Option<UtcTime>)> = copies.into_tuple().all(db).await?;
    let mut best: HashMap<PhoneId, (bool, Age)> = HashMap::new();
    for (phone, copy, began_at, is_rebuilt, left_at) in rows {
        let one = (left_at.is_none(), (copy, began_at, is_rebuilt));
        let known = best.entry(phone).or_insert(one);
        if (one.0 && !known.0) || (one.0 == known.0 && is_newer(one.1, known.1)) {
            *known = one;
        }
    }
    Ok(best.into_iter().map(|(phone, (_, (copy, ..)))| (phone, copy)).collect())
}

/// These stays with their cards.
pub(super) async fn places(
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
    /// It is back, and no agent of its room knows how to stop what runs there.
    NobodyCan,
    /// It is away again before an agent has looked.
    Drop,
    /// Its phone is not on it any more: nobody waits for it.
    Over,
    /// Its phone would go on with another copy than is said, or with none.
    Say(Option<BackupId>),
}

/// A saga of a lost card, and what is known of it.
struct Case<'a> {
    saga: &'a Saga,
    phone: Option<&'a Phone>,
    copy: Option<BackupId>,
    card: &'a card::Model,
    /// The last try at the card.
    last: Option<&'a saga_step::Model>,
    /// Some agent of its room is there.
    has_agent: bool,
    /// And knows how to stop what runs on a card.
    can_halt: bool,
}

impl Case<'_> {
    /// What is to be done, if anything is.
    fn next(&self, now: UtcTime) -> Option<Next> {
        let Self { saga, phone, copy, card, last, has_agent, can_halt } = self;
        let is_back = card.network_status == NetworkStatus::Online && *has_agent;
        if saga.state == SagaState::Running {
            let waits = last.is_some_and(|step| step.state == StepState::Waiting);
            return (waits && !is_back).then_some(Next::Drop);
        }
        let is_its = saga.kind == SagaKind::Lost;
        if is_its && phone.is_none_or(|phone| phone.holds_id != saga.placement_id) {
            return Some(Next::Over);
        }
        let is_due = match last.and_then(|step| Some((step.state, step.attempt, step.ended_at?))) {
            None => true,
            // What was stopped runs again only after a restart, and that takes the connection with it.
            Some((StepState::Done, _, at)) => card.network_since > at,
            // Ever less often, until it is away and back once more.
            Some((_, attempt, at)) => {
                card.network_since > at || at.plus_seconds(AGAIN * i64::from(Ord::min(attempt, MOST))) <= now
            }
        };
        if is_back && is_due {
            let is_told = saga.code == Reason::AgentTooOld.code();
            let nobody = (!is_told).then_some(Next::NobodyCan);
            return if is_its || *can_halt { Some(Next::Try) } else { nobody };
        }
        let says = (saga.backup_id, &*saga.code);
        (is_its && is_usual(&saga.code) && says != (*copy, why(*copy).code())).then_some(Next::Say(*copy))
    }
}

/// Whether this is all that is known of a lost card: nobody has found anything else there.
pub(super) fn is_usual(code: &str) -> bool {
    code == Reason::CardLost.code() || code == Reason::CardLostNoCopy.code()
}

/// Looks which lost cards are back.
async fn look(app: &App) -> Outcome<()> {
    let rows = about_lost().filter(apart::sagas(app)).all(app.db.read()).await?;
    let due = turns(app, app.db.read(), &rows).await?;
    let due: Vec<SagaId> = due.into_keys().collect();
    for some in due.chunks(STEP) {
        apart::each(app, some, |app, some| look_at(app, some).boxed()).await?;
    }
    Ok(())
}

fn about_lost() -> Select<saga::Entity> {
    saga::Entity::find().filter(Expr::cust(states::LOST)).order_by_asc(saga::Column::Id)
}

async fn look_at(app: &App, sagas: &[SagaId]) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    let rows = about_lost().filter(saga::Column::Id.is_in(sagas.iter().copied())).lock_exclusive().all(&*tx).await?;
    let turns = turns(app, &*tx, &rows).await?;
    let mut desk = Desk::new(app, &mut tx);
    for saga in &rows {
        let Some((next, card)) = turns.get(&saga.id) else { continue };
        match next {
            Next::Try => desk.try_again(saga, *card).await?,
            Next::Drop => desk.drop_try(saga).await?,
            Next::Over => desk.done(saga).await?,
            Next::NobodyCan => desk.waits(saga, Reason::AgentTooOld).await?,
            Next::Say(copy) => desk.says(saga, *copy).await?,
        }
    }
    desk.told.commit(app, tx).await
}

/// Those of these sagas about which something is to be done, and their cards.
async fn turns(app: &App, db: &impl ConnectionTrait, rows: &[Saga]) -> Outcome<BTreeMap<SagaId, (Next, CardId)>> {
    let mut found = BTreeMap::new();
    for rows in rows.chunks(STEP) {
        let places = places(db, rows.iter().filter_map(|saga| saga.placement_id)).await?;
        let phones = phone::Entity::find().filter(phone::Column::Id.is_in(rows.iter().map(|saga| saga.phone_id)));
        let phones = phones.all(db).await?;
        let copies = whole(db, &phones).await?;
        let phones: HashMap<PhoneId, &Phone> = phones.iter().map(|row| (row.id, row)).collect();
        let newest = saga_step::Entity::find()
            .select_only()
            .column_as(saga_step::Column::Id.max(), "last")
            .filter(saga_step::Column::SagaId.is_in(rows.iter().map(|saga| saga.id)))
            .group_by(saga_step::Column::SagaId)
            .into_query();
        let tries = saga_step::Entity::find().filter(saga_step::Column::Id.in_subquery(newest)).all(db).await?;
        let last: HashMap<SagaId, saga_step::Model> = tries.into_iter().map(|step| (step.saga_id, step)).collect();
        for saga in rows {
            let Some((_, card)) = saga.placement_id.and_then(|stay| places.get(&stay)) else { continue };
            let case = Case {
                saga,
                phone: phones.get(&saga.phone_id).copied(),
                copy: copies.get(&saga.phone_id).copied(),
                card,
                last: last.get(&saga.id),
                has_agent: app.part::<Connections>().does_steps(card.room_id),
                can_halt: !app.part::<Connections>().that_halt(card.room_id).is_empty(),
            };
            if let Some(next) = case.next(app.clock.now()) {
                found.insert(saga.id, (next, card.id));
            }
        }
    }
    Ok(found)
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
        let (step, usual) = if saga.kind == SagaKind::Lost {
            (StepName::Decide, why(saga.backup_id))
        } else {
            (StepName::Halt, Reason::CardAway)
        };
        let found = Reason::from_code(code).filter(|why| is_not_so(*why));
        let saga = self.change(saga, saga::ActiveModel { step: Set(step), ..Default::default() }).await?;
        self.hold(&saga, found.unwrap_or(usual).code()).await
    }

    /// What ran on a card that was lost is stopped. What it wrote since its phone's last copy is in none: it stays, unless
    /// somebody has said already that nobody needs it.
    pub(super) async fn halted(&mut self, saga: &Saga) -> Outcome<()> {
        let Some(stay) = saga.placement_id else { return self.hold(saga, Reason::CardWasLost.code()).await };
        let found = placement::Entity::find_by_id(stay).one(&**self.tx).await?;
        let is_given_up = loss::Entity::find_by_id(stay).one(&**self.tx).await?.is_some();
        let why = if is_given_up { Reason::LossIsBack } else { Reason::CardWasLost };
        match found.filter(|stay| !stay.is_quarantined) {
            None => self.hold(saga, why.code()).await,
            Some(stay) => self.wipe_halted(saga, stay.card_id).await,
        }
    }

    /// What is said of a phone whose card is lost: with which copy it would go on.
    async fn says(&mut self, saga: &Saga, copy: Option<BackupId>) -> Outcome<()> {
        let (backup_id, code) = (Set(copy), Set(why(copy).code().to_owned()));
        self.change(saga, saga::ActiveModel { backup_id, code, ..Default::default() }).await?;
        Ok(())
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
