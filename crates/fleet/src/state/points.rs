//! The history of figures, read: thinned out for charts, and summed over places.

use std::collections::BTreeMap;

use db::sql;
use entity::{CardId, HostId, RoomId};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr, Value};

use super::minute::{
    CARD, CardPoint, HOST_KIND, HOST_STEP, PLACE, PlacePoint, ROOM_KIND, host_key, unpack_card, unpack_place,
};

/// The largest number of points in one answer.
const MOST_POINTS: i64 = 600;

/// The minutes between two instants, thinned out for a chart, each a multiple of `step`.
fn minutes(from: UtcTime, to: UtcTime, step: i64) -> Vec<i64> {
    let (first, last) = (from.millis().div_euclid(60_000), to.millis().div_euclid(60_000));
    let stride = ((last - first) / step / MOST_POINTS + 1) * step;
    // Older rows of a room are multiples of a quarter of an hour; every other stride would miss most of them.
    let stride = if stride > 3 { (stride + HOST_STEP - 1) / HOST_STEP * HOST_STEP } else { stride };
    let first = (first + stride - 1).div_euclid(stride) * stride;
    (first..=last).step_by(usize::try_from(stride).unwrap_or(1)).collect()
}

fn at(minute: i64) -> UtcTime {
    UtcTime(minute * 60_000)
}

/// A card's minutes between two instants, at most 600 of them.
///
/// # Errors
/// When a read fails.
pub async fn card_points(
    db: &impl ConnectionTrait,
    card: &entity::card::Model,
    from: UtcTime,
    to: UtcTime,
) -> Result<Vec<CardPoint>, DbErr> {
    let key = host_key(card.host_id.map_or(0, |host| host.0), card.room_id);
    let mut found = Vec::new();
    for chunk in minutes(from, to, 1).chunks(300) {
        let text = format!(
            "SELECT minute, data FROM card_minute WHERE host_key = $1 AND minute IN ({}) ORDER BY minute",
            sql::placeholders(2, chunk.len())
        );
        let values = std::iter::once(Value::from(key)).chain(chunk.iter().map(|minute| Value::from(*minute)));
        for row in db.query_all_raw(sql::statement(db.get_database_backend(), text, values)).await? {
            let (minute, data): (i64, Vec<u8>) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
            found.extend(point_of(&data, card.id).map(|packed| unpack_card(packed, at(minute))));
        }
    }
    Ok(found)
}

fn point_of(data: &[u8], card: CardId) -> Option<&[u8]> {
    data.chunks_exact(CARD).find(|packed| packed[..8] == card.0.to_le_bytes())
}

/// The figures of rooms (every minute) or hosts (every 15 minutes) between two instants, combined.
///
/// # Errors
/// When a read fails.
pub async fn place_points(
    db: &impl ConnectionTrait,
    place: &PlaceKey,
    from: UtcTime,
    to: UtcTime,
) -> Result<Vec<PlacePoint>, DbErr> {
    let (kind, ids, step) = match place {
        PlaceKey::Room(room) => (ROOM_KIND, vec![room.0], 1),
        PlaceKey::Hosts(hosts) => (HOST_KIND, hosts.iter().map(|host| host.0).collect(), HOST_STEP),
    };
    let mut found = BTreeMap::new();
    for minutes in minutes(from, to, step).chunks(200) {
        for ids in ids.chunks(200) {
            let which = format!(" AND place_id IN ({})", sql::placeholders(2 + minutes.len(), ids.len()));
            read_places(db, kind, minutes, (&which, ids), &mut found).await?;
        }
    }
    Ok(combined(found))
}

/// The figures of all rooms together between two instants, every 15 minutes. A moment of which no room has a row is
/// left out: nobody knows how the fleet was.
///
/// # Errors
/// When a read fails.
pub async fn fleet_points(db: &impl ConnectionTrait, from: UtcTime, to: UtcTime) -> Result<Vec<PlacePoint>, DbErr> {
    let mut found = BTreeMap::new();
    for minutes in minutes(from, to, HOST_STEP).chunks(200) {
        read_places(db, ROOM_KIND, minutes, ("", &[]), &mut found).await?;
    }
    Ok(combined(found))
}

/// Reads the rows of some minutes, of all places of a kind or of those that `which` selects by their ids.
async fn read_places(
    db: &impl ConnectionTrait,
    kind: i16,
    minutes: &[i64],
    (which, ids): (&str, &[i64]),
    found: &mut BTreeMap<i64, Vec<PlacePoint>>,
) -> Result<(), DbErr> {
    let text = format!(
        "SELECT minute, data FROM place_minute WHERE kind = $1 AND minute IN ({}){which}",
        sql::placeholders(2, minutes.len())
    );
    let values = std::iter::once(Value::from(kind)).chain(minutes.iter().chain(ids).map(|number| Value::from(*number)));
    for row in db.query_all_raw(sql::statement(db.get_database_backend(), text, values)).await? {
        let (minute, data): (i64, Vec<u8>) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
        if data.len() == PLACE {
            found.entry(minute).or_default().push(unpack_place(&data, at(minute)));
        }
    }
    Ok(())
}

fn combined(found: BTreeMap<i64, Vec<PlacePoint>>) -> Vec<PlacePoint> {
    found.into_values().filter_map(|points| points.into_iter().reduce(together)).collect()
}

/// Whose figures are requested.
#[derive(Clone, Debug)]
pub enum PlaceKey {
    /// A room's.
    Room(RoomId),
    /// Those of some hosts together: of one, or of all in a frame.
    Hosts(Vec<HostId>),
}

/// Combines two places.
fn together(a: PlacePoint, b: PlacePoint) -> PlacePoint {
    let (n, m) = (u64::from(a.reporting), u64::from(b.reporting));
    let mean = |a: u64, b: u64| (a * n + b * m) / (n + m).max(1);
    let percent = |a: u8, b: u8| u8::try_from(mean(a.into(), b.into())).unwrap_or(u8::MAX);
    let warmth = (i64::from(a.temperature) * n.cast_signed() + i64::from(b.temperature) * m.cast_signed())
        / (n + m).max(1).cast_signed();
    PlacePoint {
        at: a.at,
        idle: a.idle + b.idle,
        in_use: a.in_use + b.in_use,
        maintenance: a.maintenance + b.maintenance,
        fault: a.fault + b.fault,
        upgrading: a.upgrading + b.upgrading,
        offline: a.offline + b.offline,
        unknown: a.unknown + b.unknown,
        online: a.online + b.online,
        reporting: a.reporting + b.reporting,
        cpu: percent(a.cpu, b.cpu),
        memory: percent(a.memory, b.memory),
        storage: percent(a.storage, b.storage),
        loss: percent(a.loss, b.loss),
        temperature: i8::try_from(warmth).unwrap_or(i8::MAX),
        hottest: a.hottest.max(b.hottest),
        latency: u16::try_from(mean(a.latency.into(), b.latency.into())).unwrap_or(u16::MAX),
    }
}
