//! Tells open dashboards that their numbers may have changed.

use std::time::Duration;

use crate::access::catalog::perm;
use crate::app::App;
use crate::http::Need;
use crate::http::events::Audience;

/// The topic of the events.
pub const TOPIC: &str = "general";
/// Numbers are read anew this often at most, however much happens.
const PAUSE: Duration = Duration::from_secs(2);

/// Publishes `dashboard` after writes, until it is aborted. It carries no numbers: each console reads what
/// its operator may see, and a hint that nobody hears costs nothing.
pub async fn tell_of_changes(app: App) {
    let Need::Code(code) = perm::DASHBOARD_VIEW else { return };
    let mut commits = app.db.commits();
    while commits.changed().await.is_ok() {
        let audience = Audience { code: Some(code), operator: None };
        app.events.publish(TOPIC, "dashboard", &serde_json::json!({}), audience);
        tokio::time::sleep(PAUSE).await;
    }
}
