//! Somebody asks to connect to a phone, asks how far it is, and leaves.

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::events::Audience;
use db::WriteTx;
use entity::card::NetworkStatus;
use entity::connect::{ActiveModel, Column, ConnectState, Entity, Model};
use entity::phone::{self, Model as Phone, UseType};
use entity::rule_value::RuleField;
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::{OpenAppId, PhoneId, SagaId, backup, card, placement};
use fleet::room_zone;
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use serde_json::json;
use wire::Reason;

use super::facts::pool;
use super::over::over;
use super::rank::rank;
use super::stand::{Refused, Seen, Stand, out_of_use, stand};
use super::told::{self, TAKEN_OVER};
use super::wait::expected;
use super::waiters::Waiters;
use crate::news;
use crate::phone::act::puts_on;
use crate::rule::moment::Moment;
use crate::rule::off::closed;
use crate::rule::{Rules, effective};
use crate::saga::view::{UnderWay, shown};
use crate::saga::{self as sagas, Asked, CardPool, Desk, TOPIC};
use crate::screens::perm;
use crate::session::book::stream_ended;
use crate::session::used::used;
use crate::stream::live::Streams;

/// Put-ons of a phone within an hour for which somebody waits.
const AN_HOUR: usize = 6;
const HOUR: i64 = 3_600;
/// Seconds after which a card counts as up on which a phone has come.
const SETTLES: i64 = 60;

/// An application that connects somebody.
#[derive(Clone, Copy, Debug)]
pub struct By<'a> {
    pub app_id: OpenAppId,
    /// What the history of the phone calls it.
    pub name: &'a str,
}

/// What becomes of somebody who wants to connect to a phone.
#[derive(Debug)]
pub struct Connecting {
    pub seen: Seen,
    /// The other applications that connected to it until now.
    pub taken_from: Vec<OpenAppId>,
}

/// Somebody wants to connect to a phone, which is locked: if it is off, it is put on, and if it is being taken off, it stays.
/// Of two who want it, the later one gets it. Call [`tell`] once it is committed.
///
/// # Errors
/// When the database refuses. Inside: why nobody can connect; then nothing is done.
pub async fn ask(app: &App, tx: &mut WriteTx, phone: &Phone, by: By<'_>) -> Outcome<Result<Connecting, Refused>> {
    let open = sagas::locking(&**tx, phone.id, true).await?;
    let standing = stand(phone, open.as_ref());
    let rules = effective(&**tx, phone).await?;
    let now = app.clock.now();
    // What stands in the way whatever the rules say is said first.
    if !matches!(standing, Stand::No(_)) {
        let used = used(&**tx, phone.id).await?;
        let zone = room_zone(&**tx, app.config.zone(), phone.room_id).await?;
        if let Some((until, why)) = closed(&rules, used, Moment { at: now, zone }) {
            return Ok(Err(Refused::limit(why, until.seconds_since(now))));
        }
    }
    // What brings it, and what of that is to be told.
    let (saga_id, way) = match standing {
        Stand::No(why) => return Ok(Err(Refused::of(why, phone))),
        Stand::Ready => {
            // One that is held goes on by itself, and is not wanted any more.
            if open.is_some_and(|saga| saga.kind == SagaKind::TakeOff) {
                stays(app, tx, phone, by).await?;
            }
            (None, None)
        }
        Stand::Comes | Stand::Turns => (open.as_ref().map(|saga| saga.id), open),
        Stand::Leaves => {
            stays(app, tx, phone, by).await?;
            (open.map(|saga| saga.id), sagas::locking(&**tx, phone.id, false).await?)
        }
        Stand::Off => match queue(app, tx, phone, by, &rules).await? {
            Ok(saga) => (Some(saga.id), Some(saga)),
            Err(refused) => return Ok(Err(refused)),
        },
    };
    let taken_from = write(app, tx, phone, by.app_id, saga_id).await?;
    let waiters = app.part::<Waiters>();
    if standing == Stand::Off {
        waiters.begin(phone.id, app.clock.steady());
    } else {
        waiters.hear(phone.id, app.clock.steady());
    }
    let seen =
        if standing == Stand::Ready { on_card(app, &**tx, phone).await? } else { far(app, &**tx, phone, way).await? };
    Ok(Ok(Connecting { seen, taken_from }))
}

/// Turns back what takes a phone off. Its row is locked: it has not come about meanwhile.
async fn stays(app: &App, tx: &mut WriteTx, phone: &Phone, by: By<'_>) -> Outcome<()> {
    let mut desk = Desk::new(app, tx);
    let asked = Asked { operation: None, by: by.name, at: desk.now };
    desk.wants_back(phone, &asked).await?;
    Ok(())
}

/// Queues a phone that is off.
async fn queue(
    app: &App,
    tx: &mut WriteTx,
    phone: &Phone,
    by: By<'_>,
    rules: &Rules,
) -> Outcome<Result<Saga, Refused>> {
    if let Err(why) = puts_on(phone) {
        return Ok(Err(Refused::of(why, phone)));
    }
    let (cards, now) = (CardPool::of(phone), app.clock.now());
    // One that comes back to its own card needs neither a copy nor a place.
    let returns = sagas::have_sealed(&**tx, std::slice::from_ref(phone)).await?.contains(&phone.id);
    if !returns && is_damaged(&**tx, phone).await? {
        return Ok(Err(Refused::of(Reason::CopyDamaged, phone)));
    }
    let lately = sagas::asked_since(&**tx, phone.id, now.plus_seconds(-HOUR)).await?;
    if let Some(first) = lately.len().checked_sub(AN_HOUR).and_then(|at| lately.get(at)) {
        return Ok(Err(Refused::too_often(first.plus_seconds(HOUR).seconds_since(now))));
    }
    let waiting = sagas::asked_in(&**tx, cards).await?;
    if !returns && i64::try_from(waiting).unwrap_or(i64::MAX) >= rules.number(RuleField::QueueMax) {
        return Ok(Err(Refused::queue_full()));
    }
    let new = rank(rules.number(RuleField::Head), now, pool(app, cards).await?.median);
    let kept = app.part::<Waiters>().place(phone.id, app.clock.steady());
    let rank = kept.map_or(new, |kept| kept.min(new));
    Ok(Ok(Desk::new(app, tx).queue_waiter(phone, by.name, rank).await?))
}

/// Whether the copy that a phone lives by is damaged.
async fn is_damaged(db: &impl ConnectionTrait, phone: &Phone) -> Outcome<bool> {
    let Some(kept) = phone.kept_id else { return Ok(false) };
    Ok(backup::Entity::find_by_id(kept).one(db).await?.is_some_and(|copy| !copy.damage.is_empty()))
}

/// Writes down that an application connects to a phone, and that no other does any more: whoever asks takes over from those, which
/// are returned.
async fn write(
    app: &App,
    tx: &mut WriteTx,
    phone: &Phone,
    by: OpenAppId,
    saga_id: Option<SagaId>,
) -> Outcome<Vec<OpenAppId>> {
    let now = app.clock.now();
    // An application has one row at a phone.
    let rows = Entity::find().filter(Column::PhoneId.eq(phone.id)).all(&**tx).await?;
    let (own, others): (Vec<Model>, Vec<Model>) = rows.into_iter().partition(|row| row.app_id == by);
    let others: Vec<Model> = others.into_iter().filter(|row| row.state.is_open()).collect();
    for other in &others {
        Entity::update(ActiveModel { id: Set(other.id), ..over(TAKEN_OVER, now) }).exec(&**tx).await?;
        news::failed(tx, other.app_id, phone, TAKEN_OVER, now).await?;
    }
    if !others.is_empty() {
        stream_ended(app, tx, phone.id, now).await?;
    }
    let row = ActiveModel {
        saga_id: Set(saga_id),
        state: Set(ConnectState::Waiting),
        code: Set(String::new()),
        ticket_hash: Set(None),
        until: Set(None),
        endpoint_rev: Set(0),
        granted_at: Set(None),
        connected_at: Set(None),
        ended_at: Set(None),
        ..Default::default()
    };
    match own.first() {
        Some(before) => {
            let asked_at = if before.state.is_open() { before.asked_at } else { now };
            Entity::update(ActiveModel { id: Set(before.id), asked_at: Set(asked_at), ..row }).exec(&**tx).await?;
        }
        None => {
            let row = ActiveModel {
                app_id: Set(by),
                phone_id: Set(phone.id),
                asked_at: Set(now),
                stream: Set(0),
                stream_at: Set(None),
                gateway: Set(String::new()),
                ..row
            };
            Entity::insert(row).exec_without_returning(&**tx).await?;
        }
    }
    Ok(others.iter().map(|other| other.app_id).collect())
}

/// The row of an application at a phone.
pub(super) async fn row_of(db: &impl ConnectionTrait, phone: PhoneId, by: OpenAppId) -> Outcome<Option<Model>> {
    Ok(Entity::find().filter(Column::PhoneId.eq(phone)).filter(Column::AppId.eq(by)).one(db).await?)
}

/// What an application is told that connects to a phone. That it asks shows that somebody still waits.
///
/// # Errors
/// When a read fails.
pub async fn seen(app: &App, db: &impl ConnectionTrait, phone: &Phone, by: OpenAppId) -> Outcome<Seen> {
    let Some(row) = row_of(db, phone.id, by).await? else { return Ok(Seen::Nobody) };
    if !row.state.is_open() {
        return Ok(if row.code.is_empty() { Seen::Nobody } else { Seen::Failed(row.code) });
    }
    // Nobody waits any more whose account is out of use: it is not heard, and leaves the queue.
    let barred = customers::out_of_use(db, [phone.user_id]).await?.into_values().find_map(out_of_use);
    if let Some((code, words)) = barred {
        return Ok(Seen::No(Refused { code, words: words.into() }));
    }
    if row.state == ConnectState::Waiting {
        app.part::<Waiters>().hear(phone.id, app.clock.steady());
    }
    let open = sagas::locking(db, phone.id, false).await?;
    // What brought it may have ended since the phone was read, and with that nothing is being done to one that looks off.
    let anew = if open.is_none() && phone.use_type == UseType::Off { reread(db, phone.id).await? } else { None };
    let phone = anew.as_ref().unwrap_or(phone);
    match stand(phone, open.as_ref()) {
        Stand::No(why) => Ok(Seen::No(Refused::of(why, phone))),
        Stand::Ready => on_card(app, db, phone).await,
        Stand::Comes | Stand::Turns => far(app, db, phone, open).await,
        Stand::Leaves | Stand::Off => Ok(Seen::Failed(why_not(db, &row).await?)),
    }
}

async fn reread(db: &impl ConnectionTrait, phone: PhoneId) -> Outcome<Option<Phone>> {
    Ok(phone::Entity::find_by_id(phone).one(db).await?)
}

/// Where it is on a card. Nobody is sent to one that does not answer: whoever wants its phone waits until it is back, or lost.
async fn on_card(app: &App, db: &impl ConnectionTrait, phone: &Phone) -> Outcome<Seen> {
    let lost = || Fault::internal(anyhow::anyhow!("a phone that is on a card has none"));
    let stay = placement::Entity::find_by_id(phone.holds_id.ok_or_else(lost)?).one(db).await?.ok_or_else(lost)?;
    let card = card::Entity::find_by_id(stay.card_id).one(db).await?.ok_or_else(lost)?;
    // What is out of our reach may be within that of a gateway.
    let is_live = app.part::<Streams>().is_live(phone.id, app.clock.steady());
    let is_away = is_away(&card, phone, app.clock.now());
    Ok(if is_away && !is_live { Seen::Coming { percent: None } } else { Seen::Ready(card.room_id) })
}

/// Whether a card on which a phone is does not answer. One that has restarted for its phone counts as up again a little later than
/// the phone is there.
fn is_away(card: &card::Model, phone: &Phone, now: UtcTime) -> bool {
    let came = phone.last_used_at.unwrap_or(UtcTime(0));
    card.network_status != NetworkStatus::Online && (card.network_since > came || came.plus_seconds(SETTLES) <= now)
}

/// How far it is on its way to a card, by what brings it.
async fn far(app: &App, db: &impl ConnectionTrait, phone: &Phone, saga: Option<Saga>) -> Outcome<Seen> {
    let way = shown(app, db, saga.into_iter().collect()).await?.remove(&phone.id);
    Ok(match way {
        Some(UnderWay { kind: SagaKind::PutOn, state: SagaState::Waiting, position, code, .. }) => {
            let known = pool(app, CardPool::of(phone)).await?;
            // For how long a storage node or a room is away nobody knows, nor when a card comes that runs the image of its copy.
            let unknown = [Reason::StoreUnreachable, Reason::RoomAway, Reason::NoCardOfImage].map(Reason::code);
            let counted = position.filter(|_| !unknown.contains(&code.as_str()));
            let bytes = (!phone.is_blank).then_some(phone.used_bytes);
            let why = told::waits(&code);
            Seen::Queued { position, why, wait: counted.and_then(|position| expected(position, &known, bytes)) }
        }
        Some(UnderWay { percent, .. }) => Seen::Coming { percent },
        None => Seen::Coming { percent: None },
    })
}

/// Why a phone is not on a card that somebody has waited for.
async fn why_not(db: &impl ConnectionTrait, row: &Model) -> Outcome<String> {
    let saga = match row.saga_id {
        Some(id) => saga::Entity::find_by_id(id).one(db).await?,
        None => None,
    };
    let code = saga.filter(|saga| saga.state == SagaState::Failed).map(|saga| saga.code);
    let code = code.filter(|code| !code.is_empty());
    Ok(code.map_or(Reason::PhoneOffMachine.code(), |code| told::ended(&code)).to_owned())
}

/// Somebody leaves a phone, which is locked: the ticket is good no more, and a put-on that has no card yet leaves the queue with
/// its place. Call [`tell`] once it is committed.
///
/// # Errors
/// When the database refuses.
pub async fn leave(app: &App, tx: &mut WriteTx, phone: PhoneId, by: OpenAppId) -> Outcome<()> {
    let row = row_of(&**tx, phone, by).await?;
    let Some(row) = row.filter(|row| row.state.is_open()) else { return Ok(()) };
    Entity::update(ActiveModel { id: Set(row.id), ..over("", app.clock.now()) }).exec(&**tx).await?;
    if row.stream_at.is_some() {
        stream_ended(app, tx, phone, app.clock.now()).await?;
    }
    if let Some(saga) = row.saga_id {
        Desk::new(app, tx).leaves_queue(saga).await?;
    }
    app.part::<Waiters>().forget(phone);
    Ok(())
}

/// Open pages hear of a phone to which somebody connects, or no more.
pub fn tell(app: &App, phone: PhoneId) {
    let audience = Audience { code: Some(perm::PHONE_LIST.code()), operator: None };
    app.events.publish(TOPIC, "phone", &json!({ "id": phone }), audience);
}
