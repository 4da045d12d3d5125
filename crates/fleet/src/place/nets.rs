//! In which networks the controllers of a room may be.

use std::net::Ipv4Addr;

use base::app::App;
use base::fault::{Fault, Outcome};
use entity::room::Model;
use entity::{RoomId, bmc, room};
use kernel::ip4::Ip4;
use kernel::rules::Violation;
use outbound::{Net, Rule};
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _};

/// The management networks that the room names.
#[must_use]
pub fn named(room: &Model) -> Vec<Net> {
    room.management_nets.split_whitespace().filter_map(|net| net.parse().ok()).collect()
}

/// The same for its controllers. A room that names none has its controllers in private networks, as nearly all are, or
/// where the configuration says that more is meant: an address that anybody may have entered never leads out.
fn of(room: &Model, outbound: &Rule) -> Vec<Net> {
    if room.management_nets.is_empty() {
        return Net::PRIVATE.iter().chain(outbound.excepted()).copied().collect();
    }
    named(room)
}

/// The same for the room's agents, which keep to it.
///
/// # Errors
/// When the read fails.
pub async fn for_agents(app: &App, room: RoomId) -> Outcome<Vec<String>> {
    let found = room::Entity::find_by_id(room).one(app.db.read()).await?;
    let room = found.ok_or_else(|| Fault::internal(anyhow::anyhow!("an agent without its room")))?;
    Ok(of(&room, &app.config.outbound()).iter().map(Net::to_string).collect())
}

/// Refuses an address that a controller of the room may not have.
///
/// # Errors
/// It is in none of the networks.
pub fn check(room: &Model, outbound: &Rule, field: &'static str, address: Ip4) -> Outcome<()> {
    if manages(room, outbound, address) {
        return Ok(());
    }
    Err(Fault::field(
        field,
        if room.management_nets.is_empty() {
            Violation::new("address.notPrivate")
        } else {
            Violation::new("address.outside").with("nets", room.management_nets.replace(' ', ", "))
        },
    ))
}

fn manages(room: &Model, outbound: &Rule, address: Ip4) -> bool {
    let address = Ipv4Addr::from(address.number()).into();
    of(room, outbound).iter().any(|net| net.contains(address))
}

/// Refuses networks that exclude an existing controller of the room.
///
/// # Errors
/// They exclude one, or the read fails.
pub async fn check_bmcs(db: &impl ConnectionTrait, outbound: &Rule, room: &Model) -> Outcome<()> {
    let bmcs =
        bmc::Entity::find().filter(bmc::Column::RoomId.eq(room.id)).order_by_asc(bmc::Column::Id).all(db).await?;
    match bmcs.into_iter().find(|bmc| !manages(room, outbound, bmc.address)) {
        None => Ok(()),
        Some(bmc) => {
            let left_out = Violation::new("nets.leaveOut").with("name", bmc.address.to_string());
            Err(Fault::field("managementNets", left_out))
        }
    }
}
