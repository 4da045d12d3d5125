//! A card, as lists and details show it.

use std::collections::HashMap;

use base::app::App;
use base::fault::{OrMissing as _, Outcome};
use base::reference::Reference;
use db::beside;
use entity::card::{Fact, Lifecycle, MarkState, Model, NetworkStatus, Occupancy, Power, RunStatus};
use entity::{CardId, FrameId, HostId, RoomId};
use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;
use wire::Carried;

use super::beside::Beside;
use super::mark;
use super::service::NOT_FOUND;
use crate::place::MaintenanceView;
use crate::state::Fleet;
use crate::state::LiveView;

/// A card, as lists and details show it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardView {
    pub id: CardId,
    pub serial: Option<String>,
    pub room_id: RoomId,
    pub room: Reference,
    pub frame_id: Option<FrameId>,
    /// None while it is not racked.
    pub frame: Option<Reference>,
    /// The location of the frame in its room.
    pub chassis_location: String,
    pub host_id: Option<HostId>,
    /// None while it is not racked.
    pub host: Option<Reference>,
    /// The host's slot in its frame.
    pub slot: Option<i32>,
    pub blade_address: Option<Ip4>,
    pub position: Option<i32>,
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub extranet_ip: Option<Ip4>,
    pub extranet_port: Option<i32>,
    pub manufacturer: String,
    pub model: String,
    pub board: String,
    /// The image that it runs, by its version, or by its fingerprint while nobody has adopted it; none until it has said so.
    pub image: Option<Reference>,
    pub size: String,
    pub remark: String,
    pub lifecycle: Lifecycle,
    pub fault_reason: String,
    pub power: Power,
    pub wanted_power: Power,
    pub reached: Fact,
    pub tcp_open: Fact,
    pub adb_answers: Fact,
    pub booted: Fact,
    pub occupancy: Occupancy,
    /// The cloud phone that it is prepared for, that it holds, or whose data it still has.
    pub phone: Option<Reference>,
    /// Whose the card says it is: `PHONE.STAY`, or `clean` and its proof; none until an agent has looked, and where there
    /// is no mark or it cannot be read.
    pub mark: Option<String>,
    /// How that stands to the books.
    pub mark_state: MarkState,
    pub is_upgrading: bool,
    pub maintenance: MaintenanceView,
    pub is_assignable: bool,
    pub is_overcommit: bool,
    pub run_status: RunStatus,
    pub run_since: UtcTime,
    pub network_status: NetworkStatus,
    pub network_since: UtcTime,
    /// The state in memory; none if no agent of its room has connected since the server started.
    pub live: Option<LiveView>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

/// `rows` with the names of their places and models, and with their state in memory.
///
/// # Errors
/// When a read fails.
pub async fn views(app: &App, rows: Vec<Model>) -> Outcome<Vec<CardView>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let beside = beside::beside(app.db.lookups(), rows.iter().map(|row| row.id)).await?;
    with_beside(app, rows, beside).await
}

async fn with_beside(app: &App, rows: Vec<Model>, mut beside: HashMap<CardId, Beside>) -> Outcome<Vec<CardView>> {
    let stays = beside.iter().filter_map(|(card, one)| Some((*card, one.stay()?))).collect();
    let mut marks = mark::states(app.db.lookups(), &rows, &stays).await?;
    let view = |row: Model| {
        // None where it has gone meanwhile.
        let beside = beside.remove(&row.id)?;
        Some(CardView {
            phone: beside.phone(),
            room: Reference { id: row.room_id.0, name: Some(beside.room) },
            frame: row.frame_id.map(|id| Reference { id: id.0, name: beside.frame }),
            chassis_location: beside.location.unwrap_or_default(),
            host: row.host_id.map(|id| Reference { id: id.0, name: beside.host }),
            slot: beside.slot,
            blade_address: beside.blade_address,
            live: app.part::<Fleet>().view(row.room_id, row.id),
            id: row.id,
            serial: row.serial,
            room_id: row.room_id,
            frame_id: row.frame_id,
            host_id: row.host_id,
            position: row.position,
            intranet_ip: row.intranet_ip,
            adb_port: row.adb_port,
            extranet_ip: row.extranet_ip,
            extranet_port: row.extranet_port,
            manufacturer: beside.manufacturer,
            model: beside.model,
            board: beside.board,
            image: row.image_id.map(|id| Reference { id: id.0, name: beside.image }),
            size: row.size,
            remark: row.remark,
            lifecycle: row.lifecycle,
            fault_reason: row.fault_reason,
            power: row.power,
            wanted_power: row.wanted_power,
            reached: row.reached,
            tcp_open: row.tcp_open,
            adb_answers: row.adb_answers,
            booted: row.booted,
            occupancy: row.occupancy,
            mark: row.mark.filter(|mark| !["", Carried::NOTHING, Carried::UNREADABLE].contains(&mark.as_str())),
            mark_state: marks.remove(&row.id).unwrap_or(MarkState::Unknown),
            is_upgrading: row.is_upgrading,
            maintenance: MaintenanceView {
                state: row.maintenance,
                scope: row.maintenance_scope,
                reason: row.maintenance_reason,
                by: row.maintenance_by,
                until: row.maintenance_until,
            },
            is_assignable: row.is_assignable,
            is_overcommit: row.is_overcommit,
            run_status: row.run_status,
            run_since: row.run_since,
            network_status: row.network_status,
            network_since: row.network_since,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    };
    Ok(rows.into_iter().filter_map(view).collect())
}

/// One card as shown to clients.
///
/// # Errors
/// When there is none, or a read fails.
pub async fn view(app: &App, id: CardId) -> Outcome<CardView> {
    let (row, beside) = beside::whole::<Beside>(app.db.lookups(), id).await?.or_missing(NOT_FOUND)?;
    with_beside(app, vec![row], HashMap::from([(id, beside)])).await?.pop().or_missing(NOT_FOUND)
}
