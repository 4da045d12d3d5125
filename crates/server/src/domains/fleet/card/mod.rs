//! Cards: the list, single cards, ranges, and what may be done to many of them.

pub mod acts;
pub mod api;
pub mod api_more;
pub mod books;
pub mod bulk;
pub mod export;
mod files;
pub mod model;
pub mod names;
pub mod range;
pub mod service;
pub mod store;
pub mod view;

use utoipa_axum::routes;

use crate::access::catalog::perm;
use crate::http::{DomainRouter, Need};

/// The access table of cards.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::DEVICE_LIST, routes!(api::card_list))
        .view(perm::DEVICE_LIST, routes!(api::card_counts))
        .view(perm::DEVICE_LIST, routes!(api::card_models))
        .view(perm::DEVICE_GET, routes!(api::card_get))
        .view(perm::DEVICE_GET, routes!(api::card_events))
        .view(perm::DEVICE_FILES, routes!(files::card_files))
        .act(perm::DEVICE_CREATE, routes!(api::card_create))
        .view(perm::DEVICE_CREATE, routes!(api::card_range_preview))
        .act(perm::DEVICE_CREATE, routes!(api::card_range_create))
        .act(perm::DEVICE_UPDATE, routes!(api::card_update))
        .act(perm::DEVICE_FLAG, routes!(api::card_set_flags))
        .act(perm::DEVICE_MAINTAIN, routes!(api::card_maintain))
        .act(perm::DEVICE_MOVE, routes!(api::card_move))
        .act(perm::DEVICE_RETIRE, routes!(api::card_retire))
        .act(perm::DEVICE_EXPORT, routes!(api_more::card_export))
        .act(perm::ROOM_MAINTAIN, routes!(api_more::room_maintain))
        .act(perm::ROOM_MAINTAIN, routes!(api_more::frame_maintain))
        .act(perm::ROOM_MAINTAIN, routes!(api_more::host_maintain))
        .view(perm::DEVICE_MONITOR_VIEW, routes!(api_more::fleet_metrics))
        .view(Need::Session, routes!(api_more::fleet_events))
}
