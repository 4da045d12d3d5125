//! Copies of phones: where they lie, what they hold, and how they are opened. Sagas make them (`crate::saga`).

mod api;
pub mod keys;
mod list;
pub mod place;
mod view;

use base::app::App;
use base::http::DomainRouter;
use base::http::events::Audience;
use base::topic::Topic;
use entity::BackupId;
use utoipa_axum::routes;

pub use list::Backups;

use crate::screens::perm;

/// What becomes of copies.
pub const TOPIC: Topic = Topic {
    name: "backup",
    about: "Streams what becomes of copies of phones: events `backup` with the id of one that has changed.",
    need: perm::BACKUP_LIST,
};

/// Tells open pages that a copy has changed.
pub fn tell(app: &App, id: BackupId) {
    let audience = Audience { code: Some(perm::BACKUP_LIST.code()), operator: None };
    app.events.publish(TOPIC, "backup", &serde_json::json!({ "id": id }), audience);
}

/// Their access table.
pub fn router() -> DomainRouter {
    list::router()
        .view(perm::BACKUP_GET, routes!(api::backup_get))
        .act(perm::BACKUP_REVEAL, routes!(api::backup_reveal))
        .step_up()
}
