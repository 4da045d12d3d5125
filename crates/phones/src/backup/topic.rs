//! What open pages hear of copies.

use base::app::App;
use base::http::events::Audience;
use base::topic::Topic;
use entity::BackupId;

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
