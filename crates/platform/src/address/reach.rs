//! Where gateways and services may be: nowhere that the console connects to nothing else (`allow_outbound`), and in private
//! networks only where the room has named them. It is asked when an address is saved, and again when one is tried: a name
//! may lead elsewhere by then, and a row may be of before the rule.

use std::time::Duration;

use base::app::App;
use base::fault::{Fault, Outcome};
use entity::RoomId;
use entity::service_address::ServiceReach;
use kernel::rules::Violation;
use outbound::{Refused, Rule};
use sea_orm::ConnectionTrait;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long an address has to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// What an address of a room, or one of all rooms, is judged by.
///
/// # Errors
/// The room is not there, or the read fails.
pub async fn rule(app: &App, db: &impl ConnectionTrait, room: Option<RoomId>) -> Outcome<Rule> {
    let rule = app.config.outbound().knowing_itself().public();
    let Some(id) = room else { return Ok(rule) };
    let room = fleet::room_named(db, "roomId", id).await?;
    Ok(rule.reaching(fleet::management_nets(&room)))
}

/// Refuses a host to which nobody is sent.
///
/// # Errors
/// Why not, at the field `host`; the room is not there; or the read fails.
pub async fn check(app: &App, db: &impl ConnectionTrait, room: Option<RoomId>, host: &str) -> Outcome<()> {
    if rule(app, db, room).await?.check_host(host).is_ok() {
        return Ok(());
    }
    let is_inside = app.config.outbound().knowing_itself().check_host(host).is_ok();
    let why = if is_inside { Violation::new("address.private") } else { Violation::new("address.refused") };
    Err(Fault::field("host", why))
}

/// What becomes of a try to connect, after which nothing is said.
pub async fn tried(rule: &Rule, host: &str, port: u16) -> ServiceReach {
    let connect = async {
        let found = rule.resolve(host, port).await?;
        TcpStream::connect(&*found).await
    };
    match timeout(PATIENCE, connect).await {
        Ok(Ok(_)) => ServiceReach::Reached,
        Ok(Err(why)) if why.get_ref().is_some_and(|inner| inner.is::<Refused>()) => ServiceReach::Refused,
        Ok(Err(_)) | Err(_) => ServiceReach::Unreached,
    }
}
