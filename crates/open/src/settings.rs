//! When the second door is shut, and how long its log is kept.

use base::http::DomainRouter;
use base::settings::calls::Calls;
use base::settings::{Field, SettingsDoc, field, unit};
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::screens::perm;

/// In what the length of the log is counted.
const MILLIONS: Text = text("百万条", "million calls");

/// When the Open API is shut, and how long its log is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct OpenDoor {
    /// Whether other machines may call over HTTP without TLS.
    pub plain_http: bool,
    /// Days for which a call stands in the log.
    pub keep_days: i64,
    /// The most calls that the log holds, in millions; the oldest go first.
    pub keep_millions: i64,
}

impl Default for OpenDoor {
    fn default() -> Self {
        Self { plain_http: false, keep_days: 14, keep_millions: 5 }
    }
}

impl SettingsDoc for OpenDoor {
    const NAME: &'static str = "openDoor";

    fn fields() -> Vec<Field<Self>> {
        vec![
            field("plainHttp", text("允许未加密调用", "Calls without TLS")).of_its_type(),
            field("keepDays", text("调用日志保留", "Call log kept"))
                .unit(unit::DAYS)
                .within(1..=90, |all| all.keep_days),
            field("keepMillions", text("调用日志最多", "Call log at most"))
                .unit(MILLIONS)
                .within(1..=100, |all| all.keep_millions),
        ]
    }
}

/// The access table of the settings.
pub fn router() -> DomainRouter {
    let calls = Calls {
        path: "/api/platform/v1/settings/open-door",
        tag: "openApp",
        name: "open_door",
        what: "when the Open API is shut, and how long its log is kept",
        get: perm::OPEN_DOOR_GET,
        update: perm::OPEN_DOOR_UPDATE,
        saved: |_| (),
    };
    calls.routes::<OpenDoor>().step_up()
}
