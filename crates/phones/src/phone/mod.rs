//! Cloud phones: the list, single ones, what is done to many of them, and what time does to them.

pub mod act;
pub mod acts;
pub mod api;
mod beside;
pub mod bulk;
mod chosen;
pub mod counts;
pub mod coverage;
pub mod expire;
pub mod filter;
pub mod hold;
pub mod import;
mod known;
pub mod list;
pub mod notice;
pub mod order;
pub mod owned;
pub mod search;
pub mod service;
pub mod store;
pub mod targets;
pub mod trouble;
pub mod view;
pub mod wish;

use base::http::DomainRouter;
use utoipa_axum::routes;

use crate::screens::perm;

/// The access table of phones.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .merge(list::router())
        .view(perm::PHONE_LIST, routes!(api::phone_counts))
        .view(perm::PHONE_GET, routes!(api::phone_get))
        .view(perm::PHONE_LIST, routes!(api::phone_preview))
        .act(perm::PHONE_CREATE, routes!(api::phone_create))
        .act(perm::PHONE_UPDATE, routes!(api::phone_update))
        .act(perm::PHONE_RENEW, routes!(api::phone_renew))
        .act(perm::PHONE_CHANGE_PLAN, routes!(api::phone_change_plan))
        .act(perm::PHONE_FREEZE, routes!(api::phone_freeze))
        .act(perm::PHONE_THAW, routes!(api::phone_thaw))
        .act(perm::PHONE_RELEASE, routes!(api::phone_release))
        .step_up()
        .act(perm::PHONE_RESTORE, routes!(api::phone_restore))
        .act(perm::PHONE_PUT_ON, routes!(api::phone_put_on))
        .act(perm::PHONE_TAKE_OFF, routes!(api::phone_take_off))
        .act(perm::PHONE_RESTART, routes!(api::phone_restart))
        .act(perm::PHONE_ACCEPT_COPY, routes!(api::phone_accept_copy))
        .act(perm::PHONE_GIVE_UP, routes!(api::phone_give_up))
        .step_up()
        .act(perm::PHONE_OPEN_ELSEWHERE, routes!(api::phone_open_elsewhere))
        .step_up()
        .act(perm::PHONE_WIPE_LEFT, routes!(api::phone_wipe_left))
        .step_up()
        .act(perm::PHONE_RETRY, routes!(api::phone_go_on))
        .also(&[perm::PHONE_TAKE_OFF, perm::PHONE_ACCEPT_COPY])
        .act(perm::BACKUP_RUN, routes!(api::phone_back_up))
        .view(perm::PHONE_COVERAGE, routes!(coverage::phone_coverage))
}
