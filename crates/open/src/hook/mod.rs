//! Webhooks: applications are told by themselves what happens, and who sees to it that they were.
//!
//! What happens is written by whoever does it (`base::outbox`); here it is sent, tried again, shown and sent again by hand.

mod address;
mod list;
mod prune;
mod queue;
mod receiver;
mod replay;
pub mod secret;
mod send;
mod service;
mod trouble;
mod turns;
mod view;

use base::http::DomainRouter;
use utoipa_axum::routes;

pub use list::OpenDeliveries;
pub use prune::{PruneDeliveries, prune_deliveries};
pub use send::Sender;
pub use trouble::stuck;
pub use turns::{deliver, keep};

use crate::screens::perm;

/// Their access table.
pub fn router() -> DomainRouter {
    list::router()
        .view(perm::OPEN_APP_GET, routes!(service::open_hook_get))
        .act(perm::OPEN_HOOK_UPDATE, routes!(service::open_hook_update))
        .step_up()
        .act(perm::OPEN_HOOK_NEW_SECRET, routes!(service::open_hook_renew))
        .step_up()
        .act(perm::OPEN_HOOK_TEST, routes!(service::open_hook_test))
        .act(perm::OPEN_DELIVERY_REPLAY, routes!(replay::open_delivery_replay))
}
