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
use base::topic::Topic;
use futures::FutureExt as _;
use list::Tasks;
pub use prune::PruneTasks;
use utoipa_axum::routes;

use crate::screens::perm;

/// What becomes of tasks.
pub const TOPIC: Topic = Topic {
    name: "task",
    about: "Streams changes of tasks: events `task` with `{id, kind, state, done, total}`, and `reset` when some may have \
        been missed. Sends the caller's own tasks, or all with `task:list`.",
    need: Need::Session,
};

/// What this domain registers.
pub const DOMAIN: Domain = Domain {
    lists: &[base::list::entry::<Tasks>()],
    jobs: |jobs| jobs.every("task.prune", "30 3 * * *", &PruneTasks {}),
    loops: &[Loop::Anywhere(|app| news::tell(app).boxed())],
    events: &[TOPIC],
    ..Domain::new("task", router)
};

/// The access table of this domain. The creator of a task may follow it without any permission.
fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::TASK_LIST, routes!(api::task_list))
        .act(perm::TASK_EXPORT, routes!(api::task_export))
        .view(Need::Session, routes!(api::task_get))
        .view(Need::Session, routes!(api::task_file))
        .act(perm::TASK_CANCEL, routes!(api::task_cancel))
        .act(perm::TASK_RETRY, routes!(api::task_retry))
}
