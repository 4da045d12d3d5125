//! Background tasks as people see them: the list, cancel, retry, the file that came of one, and live
//! news. The engine itself is the crate `queue`; what a task does belongs to the domain that asked
//! for it.

mod api;
mod export;
mod prune;
mod service;
mod store;

use utoipa_axum::routes;

use crate::access::catalog::perm;
use crate::http::{DomainRouter, Need};

pub use api::StateName;
pub use export::Tasks;
pub use prune::PruneTasks;

/// The topic of the event stream.
pub const TOPIC: &str = "task";

/// The access table of this domain. Who asked for a task may follow it without any code.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::TASK_LIST, routes!(api::task_list))
        .act(perm::TASK_EXPORT, routes!(api::task_export))
        .view(Need::Session, routes!(api::task_get))
        .view(Need::Session, routes!(api::task_file))
        .view(Need::Session, routes!(api::task_events))
        .act(perm::TASK_CANCEL, routes!(api::task_cancel))
        .act(perm::TASK_RETRY, routes!(api::task_retry))
}
