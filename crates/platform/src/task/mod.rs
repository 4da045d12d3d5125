//! Background tasks as people see them: the list, cancel, retry, the result file, and live updates. The engine itself
//! is the crate `queue`; what a task does belongs to the domain that created it.

mod api;
mod list;
mod news;
mod prune;
mod service;
mod view;

use base::domain::{Domain, Loop};
use base::http::{DomainRouter, Need};
use futures::FutureExt as _;
use list::Tasks;
pub use prune::PruneTasks;
use utoipa_axum::routes;

use crate::screens::perm;

/// The topic of the event stream.
pub const TOPIC: &str = "task";

/// What this domain registers.
pub const DOMAIN: Domain = Domain {
    lists: &[base::list::entry::<Tasks>()],
    jobs: |jobs| jobs.every("task.prune", "30 3 * * *", &PruneTasks {}),
    loops: &[Loop::Anywhere(|app| news::tell(app).boxed())],
    ..Domain::new("task", router)
};

/// The access table of this domain. The creator of a task may follow it without any permission.
fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::TASK_LIST, routes!(api::task_list))
        .act(perm::TASK_EXPORT, routes!(api::task_export))
        .view(Need::Session, routes!(api::task_get))
        .view(Need::Session, routes!(api::task_file))
        .view(Need::Session, routes!(api::task_events))
        .act(perm::TASK_CANCEL, routes!(api::task_cancel))
        .act(perm::TASK_RETRY, routes!(api::task_retry))
}
