//! New cards, one or many at once, with their search documents, counters, first positions and first timeline events.

use std::collections::HashMap;

use base::fault::{Fault, Outcome, unique};
use db::{WriteTx, search, sql};
use entity::card::{Fact, Lifecycle, Maintenance, MaintenanceScope, Model, NetworkStatus, Occupancy, Power, RunStatus};
use entity::{CardId, CardModelId, FrameId, HostId, RoomId};
use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use outbound::Rule;
use sea_orm::{ConnectionTrait as _, DbErr, Value};

use super::search::document;
use super::store::{TABLE, UNIQUE};
use crate::address::reach;
use crate::counts;
use crate::state::By;

/// Rows in one statement; the cost of a long one grows with the square of its length on SQLite.
const ROWS: usize = 50;
const COLUMNS: usize = 36;

/// A maintenance state that a card inherits from its place.
#[derive(Clone, Debug)]
pub struct Inherited {
    pub state: Maintenance,
    pub scope: MaintenanceScope,
    pub reason: String,
    pub by: String,
    pub until: Option<UtcTime>,
}

/// A card that has no id yet.
#[derive(Clone, Debug)]
pub struct NewCard {
    pub serial: Option<String>,
    pub room_id: RoomId,
    pub place: Option<(FrameId, HostId, i32)>,
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub extranet: Option<(Ip4, i32)>,
    pub model_id: CardModelId,
    pub size: String,
    pub remark: String,
    pub lifecycle: Lifecycle,
    pub is_assignable: bool,
    pub is_overcommit: bool,
    pub inherited: Option<Inherited>,
}

impl NewCard {
    /// The row for it, without its id.
    #[must_use]
    pub fn into_row(self, now: UtcTime) -> Model {
        let Self {
            serial,
            room_id,
            place,
            intranet_ip,
            adb_port,
            extranet,
            model_id,
            size,
            remark,
            lifecycle,
            is_assignable,
            is_overcommit,
            inherited,
        } = self;
        let row = Model {
            id: CardId(0),
            serial,
            room_id,
            frame_id: place.map(|(frame, _, _)| frame),
            host_id: place.map(|(_, host, _)| host),
            position: place.map(|(_, _, position)| position),
            intranet_ip,
            adb_port,
            extranet_ip: extranet.map(|(ip, _)| ip),
            extranet_port: extranet.map(|(_, port)| port),
            model_id,
            image_id: None,
            mark: None,
            clean_mark: String::new(),
            size,
            remark,
            lifecycle,
            fault_reason: String::new(),
            power: Power::Unknown,
            wanted_power: Power::On,
            reached: Fact::Unknown,
            tcp_open: Fact::Unknown,
            adb_answers: Fact::Unknown,
            booted: Fact::Unknown,
            booted_ok_at: None,
            occupancy: Occupancy::Free,
            is_upgrading: false,
            maintenance: inherited.as_ref().map_or(Maintenance::None, |it| it.state),
            maintenance_scope: inherited.as_ref().map_or(MaintenanceScope::Card, |it| it.scope),
            maintenance_until: inherited.as_ref().and_then(|it| it.until),
            maintenance_by: inherited.as_ref().map_or_else(String::new, |it| it.by.clone()),
            maintenance_reason: inherited.map_or_else(String::new, |it| it.reason),
            is_assignable,
            is_overcommit,
            run_status: RunStatus::Unknown,
            run_since: now,
            network_status: NetworkStatus::Offline,
            network_since: now,
            created_at: now,
            updated_at: now,
        };
        row.derived(now)
    }
}

/// Inserts rows in the caller's transaction and returns them with their ids, in the same order.
///
/// # Errors
/// When a serial, an address or a position is taken, `outbound` refuses an address, or the write fails.
pub async fn insert_many(
    tx: &mut WriteTx,
    outbound: &Rule,
    mut rows: Vec<Model>,
    by: &By,
    reason: &str,
) -> Outcome<Vec<Model>> {
    for row in &rows {
        reach::check(outbound, "intranetIp", row.intranet_ip, row.intranet_ip)?;
    }
    for group in rows.chunks_mut(ROWS) {
        let ids = insert_group(tx, group).await.map_err(unique(TABLE, UNIQUE))?;
        for row in group {
            // The engines need not return rows in order of insertion; the address identifies them.
            row.id = ids
                .get(&(row.room_id, row.intranet_ip, row.adb_port))
                .copied()
                .ok_or_else(|| Fault::internal(anyhow::anyhow!("an inserted card was not returned")))?;
        }
    }
    let documents: Vec<(i64, String)> = rows.iter().map(|row| (row.id.0, document(row))).collect();
    search::insert(&**tx, TABLE, &documents).await?;
    for row in &rows {
        counts::moved(tx.counts(), None, Some(row));
    }
    begin_stays(tx, &rows, by, reason).await?;
    Ok(rows)
}

type Address = (RoomId, Ip4, i32);

async fn insert_group(tx: &WriteTx, group: &[Model]) -> Result<HashMap<Address, CardId>, DbErr> {
    let text = format!(
        "INSERT INTO card (serial, room_id, frame_id, host_id, position, intranet_ip, adb_port, extranet_ip, \
         extranet_port, model_id, size, remark, lifecycle, fault_reason, power, wanted_power, reached, tcp_open, \
         adb_answers, booted, booted_ok_at, occupancy, is_upgrading, maintenance, maintenance_scope, \
         maintenance_reason, maintenance_by, maintenance_until, is_assignable, is_overcommit, run_status, run_since, \
         network_status, network_since, created_at, updated_at) VALUES {} \
         RETURNING id, room_id, intranet_ip, adb_port",
        sql::value_groups(group.len(), COLUMNS)
    );
    let values = group.iter().flat_map(values);
    let returned = tx.query_all_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    returned
        .into_iter()
        .map(|row| {
            let room: i64 = row.try_get_by_index(1)?;
            let ip: i64 = row.try_get_by_index(2)?;
            Ok(((RoomId(room), Ip4(ip), row.try_get_by_index(3)?), CardId(row.try_get_by_index(0)?)))
        })
        .collect()
}

fn values(row: &Model) -> [Value; COLUMNS] {
    [
        row.serial.clone().into(),
        row.room_id.0.into(),
        row.frame_id.map(|id| id.0).into(),
        row.host_id.map(|id| id.0).into(),
        row.position.into(),
        row.intranet_ip.0.into(),
        row.adb_port.into(),
        row.extranet_ip.map(|ip| ip.0).into(),
        row.extranet_port.into(),
        row.model_id.0.into(),
        row.size.as_str().into(),
        row.remark.as_str().into(),
        row.lifecycle.code().into(),
        row.fault_reason.as_str().into(),
        row.power.code().into(),
        row.wanted_power.code().into(),
        row.reached.code().into(),
        row.tcp_open.code().into(),
        row.adb_answers.code().into(),
        row.booted.code().into(),
        row.booted_ok_at.map(UtcTime::millis).into(),
        row.occupancy.code().into(),
        row.is_upgrading.into(),
        row.maintenance.code().into(),
        row.maintenance_scope.code().into(),
        row.maintenance_reason.as_str().into(),
        row.maintenance_by.as_str().into(),
        row.maintenance_until.map(UtcTime::millis).into(),
        row.is_assignable.into(),
        row.is_overcommit.into(),
        row.run_status.code().into(),
        row.run_since.millis().into(),
        row.network_status.code().into(),
        row.network_since.millis().into(),
        row.created_at.millis().into(),
        row.updated_at.millis().into(),
    ]
}

/// Records the current positions of cards.
///
/// # Errors
/// When the write fails.
pub async fn begin_stays(tx: &WriteTx, rows: &[Model], by: &By, reason: &str) -> Result<(), DbErr> {
    const COLUMNS: usize = 6;
    let placed: Vec<(&Model, HostId, i32)> =
        rows.iter().filter_map(|row| Some((row, row.host_id?, row.position?))).collect();
    for chunk in placed.chunks(125) {
        let text = format!(
            "INSERT INTO position_history (card_id, host_id, position, since, reason, by_name) VALUES {}",
            sql::value_groups(chunk.len(), COLUMNS)
        );
        let values = chunk.iter().flat_map(|(row, host, position)| -> [Value; COLUMNS] {
            [
                row.id.0.into(),
                host.0.into(),
                (*position).into(),
                row.updated_at.millis().into(),
                reason.into(),
                by.name.as_str().into(),
            ]
        });
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}

/// Records that cards have left their positions.
///
/// # Errors
/// When the write fails.
pub async fn end_stays(tx: &WriteTx, ids: &[CardId], now: UtcTime) -> Result<(), DbErr> {
    for chunk in ids.chunks(500) {
        let text = format!(
            "UPDATE position_history SET until = $1 WHERE until IS NULL AND card_id IN ({})",
            sql::placeholders(2, chunk.len())
        );
        let values = std::iter::once(Value::from(now.millis())).chain(chunk.iter().map(|id| Value::from(id.0)));
        tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    }
    Ok(())
}
