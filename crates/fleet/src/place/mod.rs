//! Rooms, frames and hosts: where cards are.

pub mod earth;
pub mod frame;
pub mod frame_list;
pub mod heard;
pub mod host;
pub mod host_list;
pub mod names;
pub mod nets;
pub mod rack;
pub mod room;
pub mod room_list;
pub mod search;
pub mod tree;
pub mod zone;

use base::http::{DomainRouter, Validate};
use entity::card::{Maintenance, MaintenanceScope};
use kernel::rules::{Check, line, max_chars};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;

use crate::screens::perm;

const HAS_CARDS: Text = text("其中还有 {count} 张卡，请先移走", "Cards still in it: {count}; move them first");

/// The access table of rooms, frames and hosts.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::ROOM_LIST, routes!(room_list::room_list))
        .act(perm::ROOM_EXPORT, routes!(room_list::room_export))
        .view(perm::ROOM_LIST, routes!(room::room_get))
        .act(perm::ROOM_CREATE, routes!(room::room_create))
        .act(perm::ROOM_UPDATE, routes!(room::room_update))
        .act(perm::ROOM_DELETE, routes!(room::room_delete))
        .view(perm::ROOM_LIST, routes!(frame_list::frame_list))
        .act(perm::ROOM_EXPORT, routes!(frame_list::frame_export))
        .act(perm::ROOM_CREATE, routes!(frame::frame_create))
        .act(perm::ROOM_UPDATE, routes!(frame::frame_update))
        .act(perm::ROOM_DELETE, routes!(frame::frame_delete))
        .view(perm::ROOM_CREATE, routes!(rack::rack_preview))
        .act(perm::ROOM_CREATE, routes!(rack::rack_create))
        .view(perm::ROOM_LIST, routes!(host_list::host_list))
        .act(perm::ROOM_EXPORT, routes!(host_list::host_export))
        .view(perm::ROOM_LIST, routes!(host::host_get))
        .act(perm::ROOM_CREATE, routes!(host::host_create))
        .act(perm::ROOM_UPDATE, routes!(host::host_update))
        .act(perm::ROOM_DELETE, routes!(host::host_delete))
        .view(perm::DEVICE_PANEL_VIEW, routes!(tree::fleet_tree))
        .view(perm::DEVICE_PANEL_VIEW, routes!(tree::fleet_cells))
        .view(perm::DEVICE_MAP_VIEW, routes!(tree::fleet_map))
}

/// Maintenance of a place or a card: who, why, until when.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceView {
    pub state: Maintenance,
    /// The level at which it was declared.
    pub scope: MaintenanceScope,
    pub reason: String,
    pub by: String,
    /// Planned end; it does not end automatically.
    pub until: Option<UtcTime>,
}

/// A filter for frames or hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, IntoParams, ToSchema)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct PlaceFilter {
    /// Part of the name, or of what else is searched there.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// In this room.
    #[serde(default)]
    pub room_id: Option<i64>,
    /// In this frame.
    #[serde(default)]
    pub frame_id: Option<i64>,
    /// With this state of maintenance.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub maintenance: Option<Maintenance>,
}

impl Validate for PlaceFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// A filter for what belongs to rooms, such as agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, IntoParams, ToSchema)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct RoomPartFilter {
    /// Part of the name, or of what else is searched there.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// In this room.
    #[serde(default)]
    pub room_id: Option<i64>,
}

impl Validate for RoomPartFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

fn check_words(check: &mut Check, name: &str, remark: &str) {
    check.field("name", line(name, 64));
    check.field("remark", max_chars(remark, 256));
}
