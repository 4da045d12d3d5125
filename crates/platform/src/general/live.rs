//! Notifies open dashboards that their numbers may have changed.

use std::time::Duration;

use base::app::App;
use base::http::events::Audience;
use base::topic::Topic;

use crate::screens::perm;

/// That the dashboard's numbers may have changed.
pub const TOPIC: Topic = Topic {
    name: "general",
    about: "Streams hints that the dashboard's numbers may have changed: the event `dashboard`, at most every two seconds, \
        and `reset` when some may have been missed.",
    need: perm::DASHBOARD_VIEW,
};
/// Numbers are reloaded at most this often, however much happens.
const PAUSE: Duration = Duration::from_secs(2);

/// Publishes `dashboard` now.
pub fn tell_dashboards(app: &App) {
    let audience = Audience { code: Some(perm::DASHBOARD_VIEW.code()), operator: None };
    app.events.publish(TOPIC, "dashboard", &serde_json::json!({}), audience);
}

/// Publishes `dashboard` after writes, until it is aborted. It carries no numbers: each console reads what its operator
/// may see, and a hint that nobody receives costs nothing.
pub async fn tell_of_changes(app: App) {
    let mut commits = app.db.commits();
    while commits.changed().await.is_ok() {
        tell_dashboards(&app);
        tokio::time::sleep(PAUSE).await;
    }
}
