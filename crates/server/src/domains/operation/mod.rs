//! Operations: one act of an operator on a selection of cards, done card by card: by the agents of their rooms, or in
//! the books ([`books`]).
//!
//! The way of a task: [`freeze`] writes it down, [`claim`] gives it to an agent, the agent does it (`crates/agent`),
//! [`settle`] keeps what became of it. [`rounds`] does what needs a clock. `docs/operations.md` tells the whole.

mod act;
mod api;
mod books;
mod claim;
mod control;
mod create;
mod export;
mod files;
mod freeze;
mod list;
mod prune;
mod rounds;
mod settle;
mod store;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use entity::RoomId;
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use utoipa_axum::router::UtoipaMethodRouterExt as _;
use utoipa_axum::routes;

pub use claim::{cancelled, claim, resume};
pub use export::Tasks;
pub use files::file_for;
pub use list::OperationList;
pub use prune::PruneOperations;
pub use rounds::round;
pub use settle::{settle, store_file};

use crate::access::catalog::perm;
use crate::http::DomainRouter;

/// The topic of events about operations.
pub const TOPIC: &str = "operation";

/// What is remembered of operations: where there may be something to give out, and where something is given out now.
#[derive(Debug, Default)]
pub struct Operations {
    rooms: Mutex<BTreeSet<RoomId>>,
    turns: Mutex<BTreeMap<RoomId, Arc<AsyncMutex<()>>>>,
}

impl Operations {
    /// There may be something for the agents of a room: tasks to take, or to hold back.
    pub fn wake(&self, rooms: impl IntoIterator<Item = RoomId>) {
        self.rooms.lock().extend(rooms);
    }

    /// Whether there may be something for a room; from now on nobody knows of anything.
    #[must_use]
    pub fn take_wake(&self, room: RoomId) -> bool {
        self.rooms.lock().remove(&room)
    }

    /// Waits for the turn of a room: two agents of it must not count what is in hand at the same time, or both give
    /// out the same place.
    async fn turn(&self, room: RoomId) -> OwnedMutexGuard<()> {
        let turn = Arc::clone(self.turns.lock().entry(room).or_default());
        turn.lock_owned().await
    }
}

/// The access table of this domain.
#[must_use]
pub fn router() -> DomainRouter {
    let upload = routes!(files::operation_file_upload).layer(DefaultBodyLimit::max(files::BODY_LIMIT));
    DomainRouter::new()
        .view(perm::OPERATION_LIST, routes!(list::operation_list))
        .act(perm::OPERATION_EXPORT, routes!(list::operation_list_export))
        .view(perm::OPERATION_LIST, routes!(api::operation_get))
        .view(perm::OPERATION_LIST, routes!(api::operation_tasks))
        .act(perm::OPERATION_EXPORT, routes!(export::operation_export))
        .view(perm::OPERATION_LIST, routes!(api::operation_card_tasks))
        .view(perm::DEVICE_FILES, routes!(api::operation_task_file))
        .view(perm::OPERATION_LIST, routes!(api::operation_events))
        .view(perm::DEVICE_LIST, routes!(create::operation_preview))
        .act(perm::DEVICE_REBOOT, routes!(create::operation_reboot))
        .act(perm::DEVICE_POWER, routes!(create::operation_power))
        .act(perm::DEVICE_SHELL, routes!(create::operation_shell))
        .act(perm::DEVICE_FILES, routes!(create::operation_fetch))
        .act(perm::DEVICE_FILES, routes!(create::operation_pull))
        .act(perm::DEVICE_CONFIGURE, routes!(create::operation_speed))
        .act(perm::DEVICE_CONFIGURE, routes!(create::operation_property))
        .act(perm::DEVICE_INSTALL, upload)
        .act(perm::DEVICE_INSTALL, routes!(files::operation_install))
        .act(perm::DEVICE_INSTALL, routes!(create::operation_uninstall))
        .act(perm::DEVICE_INSTALL, routes!(files::operation_push))
        .act(perm::DEVICE_RESET, routes!(create::operation_reset))
        .act(perm::DEVICE_MAINTAIN, routes!(create::operation_maintain))
        .act(perm::DEVICE_FLAG, routes!(create::operation_flags))
        .act(perm::DEVICE_MOVE, routes!(create::operation_move))
        .act(perm::OPERATION_CONTROL, routes!(control::operation_pause))
        .act(perm::OPERATION_CONTROL, routes!(control::operation_go_on))
        .act(perm::OPERATION_CONTROL, routes!(control::operation_cancel))
        .act(perm::OPERATION_CONTROL, routes!(control::operation_retry))
        .act(perm::OPERATION_APPROVE, routes!(control::operation_approve))
}
