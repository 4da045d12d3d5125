//! What needs an operator in the fleet: rooms without agent, hosts that are down, faulty cards, differences between
//! records and rooms.

use base::attention::{Concern, MOST};
use base::fault::Outcome;
use base::http::ops::OpCtx;
use db::sql;
use entity::card::{Lifecycle, RunStatus};
use entity::{HostId, RoomId};
use kernel::text::text;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait as _, DbErr, FromQueryResult};

use crate::counts;
use crate::state::Fleet;

/// A host has to have this many cards before their silence is called its own.
const HOST_CARDS: u64 = 2;

#[derive(Debug, FromQueryResult)]
struct RoomRow {
    id: RoomId,
    name: String,
    /// When its last agent went; none if it has never had one.
    left: Option<UtcTime>,
}

/// Rooms that have cards and no connected agent.
///
/// # Errors
/// When a read fails.
pub async fn rooms(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let text_of = "SELECT r.id, r.name, (SELECT MAX(a.disconnected_at) FROM room_agent a WHERE a.room_id = r.id) AS left \
                   FROM room r WHERE EXISTS (SELECT 1 FROM card c WHERE c.room_id = r.id) ORDER BY r.id";
    let rows: Vec<RoomRow> = rows(ctx, text_of, vec![]).await?;
    let lang = ctx.lang();
    let alone = rows.into_iter().filter(|room| ctx.app.part::<Fleet>().agents_in(room.id) == 0);
    Ok(alone
        .take(MOST)
        .map(|room| Concern {
            key: format!("room-{}", room.id),
            urgent: true,
            title: text("{room} · 没有已连接的机房代理", "{room} · no connected agent")
                .with("room", room.name)
                .get(lang),
            cause: text("设备状态不再更新，操作不会执行", "States are not updated, operations do not run")
                .get(lang)
                .to_owned(),
            since: room.left,
            act: text("查看代理", "See agents").get(lang).to_owned(),
            path: format!("/device/address?tab=agents&roomId={}", room.id),
        })
        .collect())
}

#[derive(Debug, FromQueryResult)]
struct HostRow {
    id: HostId,
    name: String,
    frame: String,
    room: String,
    room_id: RoomId,
    cards: i64,
    since: UtcTime,
}

/// Hosts of which no card can be reached.
///
/// # Errors
/// When a read fails.
pub async fn hosts(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let text_of = "SELECT h.id, h.name, f.name AS frame, r.name AS room, r.id AS room_id, \
                   CAST(count(*) AS BIGINT) AS cards, MAX(c.run_since) AS since \
                   FROM card c JOIN host h ON h.id = c.host_id JOIN frame f ON f.id = h.frame_id \
                   JOIN room r ON r.id = f.room_id WHERE c.run_status = $1 AND c.lifecycle <> $2 \
                   GROUP BY h.id, h.name, f.name, r.name, r.id ORDER BY since, h.id";
    let values = vec![RunStatus::Offline.code().into(), Lifecycle::Retired.code().into()];
    let rows: Vec<HostRow> = rows(ctx, text_of, values).await?;
    let ids: Vec<HostId> = rows.iter().map(|row| row.id).collect();
    let counts = counts::hosts(ctx.read(), &ids).await?;
    let lang = ctx.lang();
    let down = rows.into_iter().filter(|row| {
        // Without an agent nobody knows, and the room is told of.
        let is_seen = ctx.app.part::<Fleet>().agents_in(row.room_id) > 0;
        let total = counts.get(&row.id).map_or(0, |counts| counts.total);
        is_seen && total >= HOST_CARDS && total == row.cards.cast_unsigned()
    });
    Ok(down
        .take(MOST)
        .map(|host| Concern {
            key: format!("host-{}", host.id),
            urgent: true,
            title: text("{room} {frame} · {host} 整机离线", "{room} {frame} · {host} is down")
                .with("room", host.room)
                .with("frame", host.frame)
                .with("host", host.name)
                .get(lang),
            cause: text("离线设备：{n}", "Cards offline: {n}").with("n", host.cards).get(lang),
            since: Some(host.since),
            act: text("查看并重启", "See and restart").get(lang).to_owned(),
            path: format!("/device/management?roomId={}&hostId={}", host.room_id, host.id),
        })
        .collect())
}

#[derive(Debug, FromQueryResult)]
struct FaultRow {
    id: RoomId,
    name: String,
    cards: i64,
    since: UtcTime,
}

/// Faulty cards, room by room.
///
/// # Errors
/// When a read fails.
pub async fn faults(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let text_of = "SELECT r.id, r.name, CAST(count(*) AS BIGINT) AS cards, MIN(c.run_since) AS since \
                   FROM card c JOIN room r ON r.id = c.room_id WHERE c.run_status = $1 AND c.lifecycle <> $2 \
                   GROUP BY r.id, r.name ORDER BY since, r.id";
    let values = vec![RunStatus::Fault.code().into(), Lifecycle::Retired.code().into()];
    let rows: Vec<FaultRow> = rows(ctx, text_of, values).await?;
    let lang = ctx.lang();
    Ok(rows
        .into_iter()
        .take(MOST)
        .map(|room| Concern {
            key: format!("fault-{}", room.id),
            urgent: false,
            title: text("{room} · 有设备故障", "{room} · faulty cards").with("room", room.name).get(lang),
            cause: text("故障设备：{n}", "Cards: {n}").with("n", room.cards).get(lang),
            since: Some(room.since),
            act: text("查看设备", "See cards").get(lang).to_owned(),
            path: format!("/device/management?roomId={}&runStatus={}", room.id, RunStatus::Fault.code()),
        })
        .collect())
}

#[derive(Debug, FromQueryResult)]
struct FindingRow {
    n: i64,
    since: Option<UtcTime>,
}

/// Differences that nobody has resolved or ignored.
///
/// # Errors
/// When a read fails.
pub async fn findings(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let text_of = "SELECT CAST(count(*) AS BIGINT) AS n, MIN(found_at) AS since FROM finding WHERE ignored_at IS NULL";
    let rows: Vec<FindingRow> = rows(ctx, text_of, vec![]).await?;
    let lang = ctx.lang();
    Ok(rows
        .into_iter()
        .filter(|found| found.n > 0)
        .map(|found| Concern {
            key: "findings".to_owned(),
            urgent: false,
            title: text("有设备与登记不一致", "Cards differ from the records").get(lang).to_owned(),
            cause: text("待接入与不一致：{n}", "Differences: {n}").with("n", found.n).get(lang),
            since: found.since,
            act: text("逐项处理", "Resolve").get(lang).to_owned(),
            path: "/device/discovered".to_owned(),
        })
        .collect())
}

async fn rows<T: FromQueryResult>(ctx: &OpCtx, text: &str, values: Vec<sea_orm::Value>) -> Result<Vec<T>, DbErr> {
    let db = ctx.read();
    let found = db.query_all_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    found.iter().map(|row| T::from_query_result(row, "")).collect()
}
