//! The history of figures: per minute for each card for some hours, for rooms and hosts for longer.
//!
//! A minute of a host's cards is one row of packed bytes, 16 a card, so that a million cards take 16 MB a minute and
//! not a million rows. Rooms are stored every minute and, after three days, every 15 minutes, as hosts always are.

use std::collections::BTreeMap;

use base::app::App;
use base::fault::Outcome;
use db::sql;
use entity::card::{Fact, RunStatus};
use entity::{HostId, RoomId};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr, Value};
use serde::Serialize;
use utoipa::ToSchema;

use super::live::{Live, Minute, Room};
use super::round::prune;
use crate::settings::FleetSettings;
use crate::state::Fleet;

/// How far back it is looked for minutes to take away, longer than a console is down.
const COARSEN_MINUTES: i64 = 7 * 1440;
/// Bytes of a card in a row.
pub(super) const CARD: usize = 16;
/// Bytes of a place.
pub(super) const PLACE: usize = 44;
/// Minutes between two rows of a host, and between two older ones of a room.
pub const HOST_STEP: i64 = 15;
/// A room keeps every minute this long.
pub const FINE_MINUTES: i64 = 3 * 1440;
pub(super) const ROOM_KIND: i16 = 1;
pub(super) const HOST_KIND: i16 = 2;

/// A minute of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardPoint {
    pub at: UtcTime,
    /// Reports in this minute.
    pub reports: u8,
    pub cpu: u8,
    pub memory: u8,
    pub storage: u8,
    pub loss: u8,
    pub temperature: i8,
    pub latency: u16,
}

/// A minute of a place: its cards by status, and the averages of their figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlacePoint {
    pub at: UtcTime,
    pub idle: u32,
    pub in_use: u32,
    pub maintenance: u32,
    pub fault: u32,
    pub upgrading: u32,
    pub offline: u32,
    pub unknown: u32,
    pub online: u32,
    /// Cards that reported figures; the averages are theirs.
    pub reporting: u32,
    pub cpu: u8,
    pub memory: u8,
    pub storage: u8,
    pub loss: u8,
    pub temperature: i8,
    pub hottest: i8,
    pub latency: u16,
}

/// The key of the row that holds a card's minutes: its host, or its room if it is in none.
pub(super) fn host_key(host: i64, room: RoomId) -> i64 {
    if host == 0 { -room.0 } else { host }
}

fn mean(sum: u32, count: u16) -> u32 {
    sum / u32::from(count.max(1))
}

fn byte(number: u32) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

fn degrees(sum: i32, count: u16) -> i8 {
    let mean = sum / i32::from(count.max(1));
    i8::try_from(mean).unwrap_or(if mean < 0 { i8::MIN } else { i8::MAX })
}

fn pack_card(card: &Live) -> [u8; CARD] {
    let Minute { count, cpu, memory, storage, loss, temperature, latency } = card.minute;
    let mut packed = [0; CARD];
    packed[..8].copy_from_slice(&card.id.0.to_le_bytes());
    packed[8] = byte(count.into());
    packed[9] = byte(mean(cpu, count));
    packed[10] = byte(mean(memory, count));
    packed[11] = byte(mean(storage, count));
    packed[12] = byte(mean(loss, count));
    packed[13] = degrees(temperature, count).cast_unsigned();
    let latency = u16::try_from(mean(latency, count)).unwrap_or(u16::MAX);
    packed[14..].copy_from_slice(&latency.to_le_bytes());
    packed
}

pub(super) fn unpack_card(packed: &[u8], at: UtcTime) -> CardPoint {
    CardPoint {
        at,
        reports: packed[8],
        cpu: packed[9],
        memory: packed[10],
        storage: packed[11],
        loss: packed[12],
        temperature: packed[13].cast_signed(),
        latency: u16::from_le_bytes([packed[14], packed[15]]),
    }
}

/// The sums of a place.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    point: PlacePoint,
    figures: Minute,
    cards: u32,
}

impl Sum {
    fn add(&mut self, card: &Live) {
        let point = &mut self.point;
        *match card.run_status {
            RunStatus::Idle => &mut point.idle,
            RunStatus::InUse => &mut point.in_use,
            RunStatus::Maintenance => &mut point.maintenance,
            RunStatus::Fault => &mut point.fault,
            RunStatus::Upgrading => &mut point.upgrading,
            RunStatus::Offline => &mut point.offline,
            RunStatus::Unknown => &mut point.unknown,
        } += 1;
        point.online += u32::from(card.facts[0] == Fact::Yes && card.facts[3] == Fact::Yes);
        if card.minute.count > 0 {
            self.cards += 1;
            point.hottest = if self.cards == 1 {
                degrees(card.metrics.temperature.into(), 1)
            } else {
                point.hottest.max(degrees(card.metrics.temperature.into(), 1))
            };
            let packed = unpack_card(&pack_card(card), point.at);
            let sums = &mut self.figures;
            sums.cpu += u32::from(packed.cpu);
            sums.memory += u32::from(packed.memory);
            sums.storage += u32::from(packed.storage);
            sums.loss += u32::from(packed.loss);
            sums.temperature += i32::from(packed.temperature);
            sums.latency += u32::from(packed.latency);
        }
    }

    /// The averages besides the counts.
    fn point(self) -> PlacePoint {
        let Self { point, figures, cards } = self;
        let of = |sum: u32| byte(sum / cards.max(1));
        let warmth = figures.temperature / i32::try_from(cards.max(1)).unwrap_or(1);
        PlacePoint {
            reporting: cards,
            cpu: of(figures.cpu),
            memory: of(figures.memory),
            storage: of(figures.storage),
            loss: of(figures.loss),
            temperature: i8::try_from(warmth).unwrap_or(i8::MAX),
            latency: u16::try_from(figures.latency / cards.max(1)).unwrap_or(u16::MAX),
            ..point
        }
    }
}

fn pack_place(point: &PlacePoint) -> Vec<u8> {
    let mut packed = Vec::with_capacity(PLACE);
    for number in [
        point.idle,
        point.in_use,
        point.maintenance,
        point.fault,
        point.upgrading,
        point.offline,
        point.unknown,
        point.online,
        point.reporting,
    ] {
        packed.extend(number.to_le_bytes());
    }
    packed.extend([point.cpu, point.memory, point.storage, point.loss]);
    packed.extend([point.temperature.cast_unsigned(), point.hottest.cast_unsigned()]);
    packed.extend(point.latency.to_le_bytes());
    packed
}

pub(super) fn unpack_place(packed: &[u8], at: UtcTime) -> PlacePoint {
    let number = |place: usize| {
        let bytes = &packed[place * 4..place * 4 + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    };
    PlacePoint {
        at,
        idle: number(0),
        in_use: number(1),
        maintenance: number(2),
        fault: number(3),
        upgrading: number(4),
        offline: number(5),
        unknown: number(6),
        online: number(7),
        reporting: number(8),
        cpu: packed[36],
        memory: packed[37],
        storage: packed[38],
        loss: packed[39],
        temperature: packed[40].cast_signed(),
        hottest: packed[41].cast_signed(),
        latency: u16::from_le_bytes([packed[42], packed[43]]),
    }
}

/// Ends `minute` (counted from 1970): writes its figures, starts the next one, and removes old ones.
///
/// # Errors
/// When a write fails.
pub async fn end(app: &App, minute: i64) -> Outcome<()> {
    let settings = app.settings.get::<FleetSettings>(app).await?;
    let ids: Vec<RoomId> = app.part::<Fleet>().rooms.lock().keys().copied().collect();
    let (mut places, mut bytes) = (Vec::new(), 0_i64);
    for id in ids {
        // One room at a time: its cards stay locked for milliseconds, whatever the size of the fleet.
        let groups = match app.part::<Fleet>().rooms.lock().get_mut(&id) {
            Some(room) if !room.cards.is_empty() => collect(id, room, minute, &mut places),
            Some(_) | None => continue,
        };
        bytes += groups.values().map(|data| data.len() as i64 + 32).sum::<i64>();
        write_cards(app, minute, groups).await?;
    }
    write_places(app, minute, places).await?;
    remove_old(app, &settings, minute, bytes).await?;
    if minute % 60 == 0 {
        prune(app, &settings, app.clock.now()).await?;
    }
    Ok(())
}

type PlaceRow = (i16, i64, Vec<u8>);

fn collect(id: RoomId, room: &mut Room, minute: i64, places: &mut Vec<PlaceRow>) -> BTreeMap<i64, Vec<u8>> {
    let (mut groups, mut hosts) = (BTreeMap::<i64, Vec<u8>>::new(), BTreeMap::<i64, Sum>::new());
    let mut whole = Sum::default();
    let with_hosts = minute % HOST_STEP == 0;
    for card in &mut room.cards {
        whole.add(card);
        if with_hosts && card.host != 0 {
            hosts.entry(card.host).or_default().add(card);
        }
        if card.minute.count > 0 {
            groups.entry(host_key(card.host, id)).or_default().extend(pack_card(card));
            card.minute = Minute::default();
        }
    }
    places.push((ROOM_KIND, id.0, pack_place(&whole.point())));
    places.extend(hosts.into_iter().map(|(host, sum)| (HOST_KIND, host, pack_place(&sum.point()))));
    groups
}

async fn write_cards(app: &App, minute: i64, groups: BTreeMap<i64, Vec<u8>>) -> Outcome<()> {
    let rows: Vec<(i64, Vec<u8>)> = groups.into_iter().collect();
    // Steps let others write in between.
    for step in rows.chunks(2000) {
        let tx = app.db.begin_write().await?;
        for chunk in step.chunks(100) {
            let text = format!(
                "INSERT INTO card_minute (minute, host_key, data) VALUES {} ON CONFLICT DO NOTHING",
                sql::value_groups(chunk.len(), 3)
            );
            let values = chunk
                .iter()
                .flat_map(|(key, data)| -> [Value; 3] { [minute.into(), (*key).into(), data.clone().into()] });
            tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

async fn write_places(app: &App, minute: i64, places: Vec<PlaceRow>) -> Outcome<()> {
    for step in places.chunks(2000) {
        let tx = app.db.begin_write().await?;
        for chunk in step.chunks(100) {
            let rows = chunk.iter().map(|(kind, id, data)| (*kind, minute, *id, data.as_slice()));
            insert_places(&*tx, rows).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

/// Writes figures of a room or of one host that were not measured by this server: those of a demo. What is there
/// already stays.
///
/// # Errors
/// When a write fails.
pub async fn write_history(app: &App, place: HistoryOf, points: &[PlacePoint]) -> Outcome<()> {
    let (kind, id) = match place {
        HistoryOf::Room(room) => (ROOM_KIND, room.0),
        HistoryOf::Host(host) => (HOST_KIND, host.0),
    };
    for step in points.chunks(5000) {
        let tx = app.db.begin_write().await?;
        for chunk in step.chunks(200) {
            let rows: Vec<_> =
                chunk.iter().map(|point| (point.at.millis().div_euclid(60_000), pack_place(point))).collect();
            insert_places(&*tx, rows.iter().map(|(minute, data)| (kind, *minute, id, data.as_slice()))).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

/// Whose history is written.
#[derive(Clone, Copy, Debug)]
pub enum HistoryOf {
    /// Every minute for [`FINE_MINUTES`], before that every [`HOST_STEP`].
    Room(RoomId),
    /// Every [`HOST_STEP`].
    Host(HostId),
}

async fn insert_places<'a>(
    tx: &impl ConnectionTrait,
    rows: impl ExactSizeIterator<Item = (i16, i64, i64, &'a [u8])>,
) -> Result<(), DbErr> {
    let text = format!(
        "INSERT INTO place_minute (kind, minute, place_id, data) VALUES {} ON CONFLICT DO NOTHING",
        sql::value_groups(rows.len(), 4)
    );
    let values = rows.flat_map(|(kind, minute, id, data)| -> [Value; 4] {
        [kind.into(), minute.into(), id.into(), data.to_vec().into()]
    });
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}

/// Removes minutes that are too old or, judging by the size of this one, too many.
async fn remove_old(app: &App, settings: &FleetSettings, minute: i64, bytes: i64) -> Outcome<()> {
    let by_size = (settings.card_minutes_megabytes << 20) / bytes.max(1);
    let kept = (settings.card_minutes_hours * 60).min(by_size.max(1));
    let tx = app.db.begin_write().await?;
    let backend = tx.get_database_backend();
    let text = "DELETE FROM card_minute WHERE minute <= $1";
    tx.execute_raw(sql::statement(backend, text, [(minute - kept).into()])).await?;
    for kind in [ROOM_KIND, HOST_KIND] {
        let text = "DELETE FROM place_minute WHERE kind = $1 AND minute <= $2";
        let values: [Value; 2] = [kind.into(), (minute - settings.place_days * 1440).into()];
        tx.execute_raw(sql::statement(backend, text, values)).await?;
    }
    if minute % 60 == 0 {
        let text = "DELETE FROM place_minute WHERE kind = $1 AND minute > $2 AND minute <= $3 AND minute % $4 <> 0";
        let end = minute - FINE_MINUTES;
        let values: [Value; 4] = [ROOM_KIND.into(), (end - COARSEN_MINUTES).into(), end.into(), HOST_STEP.into()];
        tx.execute_raw(sql::statement(backend, text, values)).await?;
    }
    tx.commit().await?;
    Ok(())
}
