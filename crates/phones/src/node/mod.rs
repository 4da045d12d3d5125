//! Storage nodes: where the copies of phones lie.
//!
//! Agents reach them; the console says which ones there are, sees through its agents that each is what it should be, and
//! how full it is.

mod check;
pub mod demo;
mod list;
mod round;
mod seal;
mod sealed_before;
pub mod service;
mod share;
mod speed;
mod totals;
mod trouble;
mod usage;
pub mod view;

use base::http::DomainRouter;
use utoipa_axum::routes;

pub use check::{TOPIC, told};
pub use list::StoreNodes;
pub use round::{NodeBell, returned, round, rounds};
pub use seal::seal;
pub use share::{LOOK as SHARE_LOOK, Shares, first as first_share, share};
pub use speed::TransferSpeed;
pub use trouble::nodes as trouble;

use crate::screens::perm;

/// Their access table.
pub fn router() -> DomainRouter {
    list::router()
        .merge(service::router())
        .merge(speed::router())
        .act(perm::STORAGE_TEST, routes!(check::store_node_test))
        .view(perm::STORAGE_GET, routes!(usage::store_node_usage))
        .view(perm::STORAGE_LIST, routes!(totals::store_node_totals))
}
