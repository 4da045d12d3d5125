//! Rooms, frames and hosts: where cards stand, and what stands in them.

pub mod frame;
pub mod frame_list;
pub mod host;
pub mod host_list;
pub mod room;
pub mod room_list;
pub mod tree;

use std::collections::{BTreeSet, HashMap};

use entity::RoomId;
use entity::card::{Maintenance, Scope};
use kernel::page::Page;
use kernel::rules::{Check, line, max_chars};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;

use crate::access::catalog::perm;
use crate::domains::fleet::counts::StatusCounts;
use crate::http::DomainRouter;
use crate::sheet::Cells;

const HAS_CARDS: Text = text("其中还有 {count} 张卡，请先移走", "{count} cards are still in it; move them away first");

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

/// Something in a room, with the room's name: a file says it where a screen looks it up.
#[derive(Debug)]
pub struct InRoom<V> {
    pub room: String,
    pub row: V,
}

/// A page with the names of the rooms.
///
/// # Errors
/// When the read fails.
pub async fn in_rooms<V>(
    db: &impl ConnectionTrait,
    page: Page<V>,
    room_of: impl Fn(&V) -> RoomId,
) -> Result<Page<InRoom<V>>, DbErr> {
    let ids: BTreeSet<RoomId> = page.list.iter().map(&room_of).collect();
    let names: Vec<(RoomId, String)> = entity::room::Entity::find()
        .select_only()
        .columns([entity::room::Column::Id, entity::room::Column::Name])
        .filter(entity::room::Column::Id.is_in(ids))
        .into_tuple()
        .all(db)
        .await?;
    let names: HashMap<RoomId, String> = names.into_iter().collect();
    Ok(page.map(|row| InRoom { room: names.get(&room_of(&row)).cloned().unwrap_or_default(), row }))
}

/// How the cards of a place are, column by column.
fn counted(counts: &StatusCounts, to: &mut dyn Cells) {
    let StatusCounts { total, idle, in_use, maintenance, fault, offline, online, .. } = *counts;
    for count in [total, online, idle, in_use, fault, offline, maintenance] {
        to.number(count.cast_signed());
    }
}

fn check_words(check: &mut Check, name: &str, remark: &str) {
    check.field("name", line(name, 64));
    check.field("remark", max_chars(remark, 256));
}
