//! Cards: the list, single cards, ranges, and actions on many of them.

pub mod acts;
pub mod api;
pub mod api_more;
mod beside;
pub mod bulk;
pub mod events;
mod files;
pub mod list;
pub mod look;
pub mod mark;
pub mod model;
pub mod power;
pub mod range;
pub mod record_act;
pub mod search;
pub mod service;
pub mod stay;
pub mod store;
pub mod stray;
pub mod view;

use base::http::DomainRouter;
use utoipa_axum::routes;

use crate::screens::perm;

/// The access table of cards.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::DEVICE_LIST, routes!(list::card_list))
        .view(perm::DEVICE_LIST, routes!(api::card_counts))
        .view(perm::DEVICE_LIST, routes!(api::card_models))
        .view(perm::DEVICE_GET, routes!(api::card_get))
        .view(perm::DEVICE_GET, routes!(events::card_events))
        .act(perm::DEVICE_EXPORT, routes!(events::card_events_export))
        .view(perm::DEVICE_FILES, routes!(files::card_files))
        .also(&[look::FILES])
        .act(perm::DEVICE_CREATE, routes!(api::card_create))
        .view(perm::DEVICE_CREATE, routes!(api::card_range_preview))
        .act(perm::DEVICE_CREATE, routes!(api::card_range_create))
        .act(perm::DEVICE_UPDATE, routes!(api::card_update))
        .act(perm::DEVICE_FLAG, routes!(api::card_set_flags))
        .act(perm::DEVICE_MAINTAIN, routes!(api::card_maintain))
        .act(perm::DEVICE_MOVE, routes!(api::card_move))
        .act(perm::DEVICE_RETIRE, routes!(api::card_retire))
        .act(perm::DEVICE_EXPORT, routes!(list::card_export))
        .act(perm::ROOM_MAINTAIN, routes!(api_more::room_maintain))
        .act(perm::ROOM_MAINTAIN, routes!(api_more::frame_maintain))
        .act(perm::ROOM_MAINTAIN, routes!(api_more::host_maintain))
        .view(perm::DEVICE_MONITOR_VIEW, routes!(api_more::fleet_metrics))
        .view(perm::DEVICE_MONITOR_VIEW, routes!(api_more::fleet_points))
}
