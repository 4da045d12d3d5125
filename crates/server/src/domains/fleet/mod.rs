//! The fleet: rooms, frames, hosts and the cards in them; their addresses, their power, their state.
//!
//! What it is not: tasks on cards (they come with the room agent) and the phones that customers rent.

mod address;
mod agent;
mod card;
mod counts;
mod finding;
mod import;
mod place;
mod settings;
mod shell;
mod state;

use utoipa_axum::routes;

pub use address::bmc::{
    BmcInput, SlotRange, insert as insert_bmc, of_card as bmc_of_card, password as bmc_password, pin as pin_certificate,
};
pub use address::check::access as bmc_access;
pub use address::plan::{AddressPlanInput, AddressRange, adb_ranges, insert as insert_plan};
pub use address::{AddressPlans, Bmcs};
pub use agent::{Enrolled, JoinRefusal, JoinTokens, RoomAgents, authenticate, enrol, is_revoked, issue_token};
pub use card::acts::CardSelection;
pub use card::books::{BookAct, Booked, book};
pub use card::bulk::{NewCard, insert_many as insert_cards};
pub use card::export::Cards;
pub use card::model::{ModelName, ensure as ensure_models};
pub use counts::{StatusCounts, all as count_all};
pub use finding::{Findings, Sighting, sighted};
pub use import::ImportCards;
pub use place::frame::{FrameInput, insert as insert_frame};
pub use place::frame_list::Frames;
pub use place::host::{HostInput, insert as insert_host};
pub use place::host_list::Hosts;
pub use place::room::{RoomInput, RoomLine, insert as insert_room};
pub use place::room_list::Rooms;
pub use settings::FleetSettings;
pub use shell::{Tickets, connect as connect_shell};
pub use state::{
    By, Fleet, Metrics, Probe, Refusal, Report, RosterCard, Rounds, Session, Taken, apply, close_session,
    end as end_minute, open_session, room_gauges, roster, round, take,
};

use crate::access::catalog::perm;
use crate::http::DomainRouter;

/// The access table of this domain.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .merge(place::router())
        .merge(card::router())
        .merge(address::router())
        .merge(agent::router())
        .merge(finding::router())
        .merge(import::router())
        .merge(shell::router())
        .view(perm::FLEET_SETTING_GET, routes!(settings::fleet_setting_get))
        .view(perm::FLEET_SETTING_GET, routes!(settings::fleet_setting_history))
        .act(perm::FLEET_SETTING_UPDATE, routes!(settings::fleet_setting_update))
}

/// The document that searches find a card by; a restore makes them anew.
#[must_use]
pub fn search_document(row: &entity::card::Model) -> String {
    card::store::document(row)
}
