//! Looks which gateways tell nothing of their streams, and keeps what was found for whoever lets something stand still because of it,
//! or shows it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::mem::take;

use base::app::App;
use base::fault::Outcome;
use entity::service_address::{self, ServiceKind};
use entity::{PhoneId, RoomId, ServiceAddressId, phone_session};
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use serde::Serialize;
use tokio::sync::watch;
use utoipa::ToSchema;

use super::live::Streams;
use super::silence::{Gateway, Judge, Open, Stands, Verdict};
use crate::session::book::USED;

/// The addresses of gateways, by what streams name them.
type AddressBook = HashMap<Gateway, ServiceAddressId>;

/// That a gateway tells nothing of its streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewaySilence {
    /// Since when it says nothing of the first of them.
    pub since: UtcTime,
    /// The streams by it that nobody has said the end of.
    pub streams: u64,
    /// Of these, those of which it says nothing.
    pub silent: u64,
    /// Nobody leaves his card by rule where its streams are, and nobody has waited for too long there. False where it has one stream
    /// alone: then that one is left alone.
    pub stands_still: bool,
}

/// A gateway that tells nothing of its streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilentGateway {
    pub gateway: Gateway,
    /// Where it stands in the address book; none if it does not any more, or is called otherwise since.
    pub address: Option<ServiceAddressId>,
    /// Where its streams are.
    pub rooms: Vec<RoomId>,
    pub silence: GatewaySilence,
}

/// What was found at the last look, in memory alone: a console that starts has heard nobody yet, and finds out.
#[derive(Debug)]
pub struct Silences {
    known: Mutex<Known>,
    changed: watch::Sender<()>,
}

impl Default for Silences {
    fn default() -> Self {
        Self { known: Mutex::default(), changed: watch::Sender::new(()) }
    }
}

#[derive(Debug, Default)]
struct Known {
    judge: Judge,
    all: Vec<Stands>,
    /// The rooms that stand still.
    rooms: BTreeSet<RoomId>,
    /// The phones of whose streams nothing is said, and where they are.
    phones: HashMap<PhoneId, RoomId>,
    told: Vec<SilentGateway>,
}

impl Silences {
    /// The rooms in which nobody leaves by rule, and nobody has waited for too long.
    #[must_use]
    pub fn rooms(&self) -> BTreeSet<RoomId> {
        self.known.lock().rooms.clone()
    }

    /// Whether a room is one of those.
    #[must_use]
    pub fn stands_still(&self, room: RoomId) -> bool {
        self.known.lock().rooms.contains(&room)
    }

    /// Whether somebody is taken to use a phone of whose stream nothing is said: he can neither be warned nor say that he has left.
    #[must_use]
    pub fn is_silent(&self, phone: PhoneId) -> bool {
        self.known.lock().phones.contains_key(&phone)
    }

    /// The phones of a room of whose streams nothing is said.
    #[must_use]
    pub fn silent_in(&self, room: RoomId) -> Vec<PhoneId> {
        let known = self.known.lock();
        known.phones.iter().filter(|(_, there)| **there == room).map(|(phone, _)| *phone).collect()
    }

    fn look(&self, open: &BTreeMap<Gateway, Vec<Open>>, book: &AddressBook, (now, steady): (UtcTime, UtcTime)) {
        let mut known = self.known.lock();
        let all = known.judge.look(open, steady);
        let before = take(&mut known.told);
        let told: Vec<SilentGateway> = all.iter().filter_map(|one| tell(one, &before, book, (now, steady))).collect();
        let still = all.iter().filter(|one| one.verdict == Verdict::Silent);
        known.rooms = still.flat_map(|one| one.rooms.iter().copied()).collect();
        known.phones = all.iter().flat_map(|one| one.silent.iter().copied()).collect();
        known.all = all;
        known.told.clone_from(&told);
        drop(known);
        let is_among =
            |one: &SilentGateway, others: &[SilentGateway]| others.iter().any(|other| other.gateway == one.gateway);
        for one in told.iter().filter(|one| !is_among(one, &before)) {
            let SilentGateway { gateway, rooms, silence, .. } = one;
            tracing::warn!(
                gateway = %gateway.name,
                ?rooms,
                streams = silence.streams,
                silent = silence.silent,
                stands_still = silence.stands_still,
                "gateway_silent: a gateway tells nothing of its streams"
            );
        }
        for one in before.iter().filter(|one| !is_among(one, &told)) {
            let (gateway, rooms) = (&one.gateway.name, &one.rooms);
            tracing::warn!(%gateway, ?rooms, "a gateway is not silent any more: it tells of its streams, or they have ended");
        }
        if before != told {
            self.changed.send_replace(());
        }
    }
}

/// What is told of a gateway; none if it speaks.
fn tell(
    one: &Stands,
    before: &[SilentGateway],
    book: &AddressBook,
    (now, steady): (UtcTime, UtcTime),
) -> Option<SilentGateway> {
    let since = one.told_since(steady)?;
    // As it was told first, whatever becomes of the wall clock.
    let known = before.iter().find(|other| other.gateway == one.gateway).map(|other| other.silence.since);
    let silence = GatewaySilence {
        since: known.unwrap_or(UtcTime(now.millis() - (steady.millis() - since.millis()))),
        streams: one.streams as u64,
        silent: one.silent.len() as u64,
        stands_still: one.verdict == Verdict::Silent,
    };
    let address = book.get(&one.gateway).copied();
    Some(SilentGateway { gateway: one.gateway.clone(), address, rooms: one.rooms.iter().copied().collect(), silence })
}

/// The gateways of the address book, those that are off as well: they have their streams still.
async fn read(db: &impl ConnectionTrait) -> Outcome<AddressBook> {
    let select = service_address::Entity::find().select_only().columns([
        service_address::Column::Id,
        service_address::Column::Name,
        service_address::Column::RoomId,
    ]);
    let select = select.filter(service_address::Column::Kind.eq(ServiceKind::Gateway));
    let rows: Vec<(ServiceAddressId, String, Option<RoomId>)> = select.into_tuple().all(db).await?;
    Ok(rows.into_iter().map(|(id, name, room)| (Gateway { name, room }, id)).collect())
}

/// The gateway that a stream in a room names: that room's, or else the one of every room that is called so.
fn named(book: &AddressBook, name: String, room: RoomId) -> Gateway {
    let own = Gateway { name, room: Some(room) };
    let shared = Gateway { room: None, ..own.clone() };
    if !book.contains_key(&own) && book.contains_key(&shared) { shared } else { own }
}

/// Looks at the streams that nobody has said the end of.
///
/// # Errors
/// When a read fails; the next look goes on.
pub async fn look(app: &App) -> Outcome<()> {
    let (db, streams) = (app.db.read(), app.part::<Streams>());
    let rows: Vec<(PhoneId, RoomId, String)> = phone_session::Entity::find()
        .select_only()
        .columns([phone_session::Column::PhoneId, phone_session::Column::RoomId, phone_session::Column::Gateway])
        .filter(Expr::cust(USED))
        .into_tuple()
        .all(db)
        .await?;
    let book = if rows.is_empty() { AddressBook::new() } else { read(db).await? };
    let mut open: BTreeMap<Gateway, Vec<Open>> = BTreeMap::new();
    for (phone, room, name) in rows {
        let one = Open { phone, room, named: streams.named(phone) };
        open.entry(named(&book, name, room)).or_default().push(one);
    }
    app.part::<Silences>().look(&open, &book, (app.clock.now(), app.clock.steady()));
    Ok(())
}

/// The gateways that tell nothing of their streams, for people.
#[must_use]
pub fn silent_gateways(app: &App) -> Vec<SilentGateway> {
    app.part::<Silences>().known.lock().told.clone()
}

/// Hears of each change of these.
#[must_use]
pub fn silence_changes(app: &App) -> watch::Receiver<()> {
    app.part::<Silences>().changed.subscribe()
}

/// Gateways that have streams, in Prometheus' text format. A gateway without one leaves nothing behind.
///
/// # Errors
/// When the read fails.
pub async fn gateway_gauges(app: &App) -> Outcome<String> {
    let (all, told) = {
        let known = app.part::<Silences>().known.lock();
        (known.all.clone(), known.told.clone())
    };
    let names = fleet::room_names(app.db.read(), all.iter().filter_map(|one| one.gateway.room)).await?;
    let (mut streams, mut silent, mut is_silent) = (String::new(), String::new(), String::new());
    for one in all {
        let room = one.gateway.room.and_then(|room| names.get(&room)).map_or("", String::as_str);
        let of =
            format!("{{gateway=\"{}\",room=\"{}\"}}", fleet::room_label(&one.gateway.name), fleet::room_label(room));
        let is_told = told.iter().any(|other| other.gateway == one.gateway);
        let _ = writeln!(streams, "skyrack_gateway_streams{of} {}", one.streams);
        let _ = writeln!(silent, "skyrack_gateway_streams_silent{of} {}", one.silent.len());
        let _ = writeln!(is_silent, "skyrack_gateway_silent{of} {}", u8::from(is_told));
    }
    let family = |name: &str, lines: &str| format!("# TYPE {name} gauge\n{lines}\n");
    Ok([
        family("skyrack_gateway_streams", &streams),
        family("skyrack_gateway_streams_silent", &silent),
        family("skyrack_gateway_silent", &is_silent),
    ]
    .concat())
}
