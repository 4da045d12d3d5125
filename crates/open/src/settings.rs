//! When the second door is shut, how long its log is kept, and where applications may be told.

use base::http::DomainRouter;
use base::settings::calls::Calls;
use base::settings::{Field, SettingsDoc, field, unit};
use kernel::rules::{Check, Violation, at_most, max_chars};
use kernel::text::{Text, text};
use outbound::Net;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::nets::listed;
use crate::screens::perm;

/// In what the length of the log is counted.
const MILLIONS: Text = text("百万条", "million calls");
/// In what the length of what applications were told is counted.
const MILLION: Text = text("百万条", "million");
/// Private networks that are named, at most.
const NETS: usize = 20;

/// When the Open API is shut, how long its logs are kept, and where applications may be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct OpenDoor {
    /// Whether other machines may call over HTTP without TLS.
    pub plain_http: bool,
    /// Days for which a call stands in the log.
    pub keep_days: i64,
    /// The most calls that the log holds, in millions; the oldest go first.
    pub keep_millions: i64,
    /// Days for which it is known what an application was told.
    pub delivery_days: i64,
    /// The most of what applications were told that is kept, in millions; the oldest goes first.
    pub delivery_millions: i64,
    /// Private IPv4 networks in which applications may be told, with spaces, commas or line breaks between them, 20 at most.
    pub hook_nets: String,
}

impl Default for OpenDoor {
    fn default() -> Self {
        Self {
            plain_http: false,
            keep_days: 14,
            keep_millions: 5,
            delivery_days: 14,
            delivery_millions: 5,
            hook_nets: String::new(),
        }
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
            field("deliveryDays", text("推送记录保留", "Deliveries kept"))
                .unit(unit::DAYS)
                .within(2..=90, |all| all.delivery_days),
            field("deliveryMillions", text("推送记录最多", "Deliveries at most"))
                .unit(MILLION)
                .within(1..=100, |all| all.delivery_millions),
            field("hookNets", text("可推送的内网", "Private networks for webhooks")).of_its_type(),
        ]
    }

    fn check(&self, check: &mut Check) {
        let nets = &self.hook_nets;
        check.field("hookNets", max_chars(nets, 1024).and_then(|()| at_most(listed(nets).count(), NETS)));
        if let Some(bad) = listed(nets).find(|net| !net.parse::<Net>().is_ok_and(|net| net.is_ip4())) {
            check.add("hookNets", Violation::new("net.bad").with("net", bad));
        }
    }
}

/// The access table of the settings.
pub fn router() -> DomainRouter {
    let calls = Calls {
        path: "/api/platform/v1/settings/open-door",
        tag: "openApp",
        name: "open_door",
        what: "when the Open API is shut, how long its logs are kept, and where applications may be told",
        get: perm::OPEN_DOOR_GET,
        update: perm::OPEN_DOOR_UPDATE,
        saved: |_| (),
    };
    calls.routes::<OpenDoor>().step_up()
}
