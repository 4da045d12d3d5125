//! Rooms, frames and hosts: where cards stand, and what stands in them.

pub mod frame;
pub mod host;
pub mod room;
pub mod tree;

use entity::card::{Maintenance, Scope};
use kernel::rules::{Check, line, max_chars};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;

use crate::access::catalog::perm;
use crate::http::DomainRouter;

const HAS_CARDS: Text = text("其中还有 {count} 张卡，请先移走", "{count} cards are still in it; move them away first");

/// The access table of rooms, frames and hosts.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::ROOM_LIST, routes!(room::room_list))
        .view(perm::ROOM_LIST, routes!(room::room_get))
        .act(perm::ROOM_CREATE, routes!(room::room_create))
        .act(perm::ROOM_UPDATE, routes!(room::room_update))
        .act(perm::ROOM_DELETE, routes!(room::room_delete))
        .view(perm::ROOM_LIST, routes!(frame::frame_list))
        .act(perm::ROOM_CREATE, routes!(frame::frame_create))
        .act(perm::ROOM_UPDATE, routes!(frame::frame_update))
        .act(perm::ROOM_DELETE, routes!(frame::frame_delete))
        .view(perm::ROOM_LIST, routes!(host::host_list))
        .view(perm::ROOM_LIST, routes!(host::host_get))
        .act(perm::ROOM_CREATE, routes!(host::host_create))
        .act(perm::ROOM_UPDATE, routes!(host::host_update))
        .act(perm::ROOM_DELETE, routes!(host::host_delete))
        .view(perm::DEVICE_PANEL_VIEW, routes!(tree::fleet_tree))
        .view(perm::DEVICE_PANEL_VIEW, routes!(tree::fleet_cells))
        .view(perm::DEVICE_MAP_VIEW, routes!(tree::fleet_map))
}

/// Somebody's work on a place or a card: who, why, until when.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceView {
    pub state: Maintenance,
    /// For what it was declared.
    pub scope: Scope,
    pub reason: String,
    pub by: String,
    /// When it is meant to end; it does not end by itself.
    pub until: Option<UtcTime>,
}

/// A part of a list of places.
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

impl PlaceFilter {
    /// What is wrong with it.
    ///
    /// # Errors
    /// When the key word is too long.
    pub fn check(&self) -> crate::fault::Outcome<()> {
        let mut check = Check::new();
        if let Some(text) = &self.key_word {
            check.field("keyWord", max_chars(text, 64));
        }
        Ok(check.finish()?)
    }
}

fn check_words(check: &mut Check, name: &str, remark: &str) {
    check.field("name", line(name, 64));
    check.field("remark", max_chars(remark, 256));
}
