//! Copies of phones: where they lie, what they hold, and how they are opened. Sagas make them (`crate::saga`).

mod api;
mod apps;
pub mod counts;
pub mod keys;
mod list;
pub mod packages;
pub mod place;
pub mod rebuild;
mod restore;
pub mod sealed;
mod set_back;
pub mod topic;
mod trouble;
mod verify;
mod view;

use base::http::DomainRouter;
use utoipa_axum::routes;

pub use list::Backups;
pub use topic::TOPIC;
pub use trouble::{damages, unsaved};

use crate::screens::perm;

/// Their access table.
pub fn router() -> DomainRouter {
    list::router()
        .view(perm::BACKUP_GET, routes!(api::backup_get))
        .act(perm::BACKUP_VERIFY, routes!(verify::backup_verify))
        .act(perm::BACKUP_APPS, routes!(apps::backup_apps))
        .act(perm::BACKUP_RESTORE, routes!(restore::backup_restore))
        .act(perm::BACKUP_RESTORE, routes!(set_back::backup_set_back))
        .act(perm::BACKUP_REVEAL, routes!(api::backup_reveal))
        .step_up()
}
