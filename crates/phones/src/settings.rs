//! How long a phone is kept once its time is up, and how long people wait for one.

use base::http::DomainRouter;
use base::settings::calls::Calls;
use base::settings::{Field, SettingsDoc, field, unit};
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::screens::perm;

/// In what a queue is counted.
const PHONES: Text = text("部", "phones");

/// How long a phone is kept once its time is up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct PhoneLife {
    /// Days for which an expired phone can be renewed before it is released.
    pub release_grace: i64,
    /// Days for which a released phone can be restored before it is erased.
    pub stay: i64,
}

impl Default for PhoneLife {
    fn default() -> Self {
        Self { release_grace: 7, stay: 7 }
    }
}

impl SettingsDoc for PhoneLife {
    const NAME: &'static str = "phoneLife";

    fn fields() -> Vec<Field<Self>> {
        vec![
            field("releaseGrace", text("到期保留", "Kept after expiry"))
                .unit(unit::DAYS)
                .within(1..=30, |all| all.release_grace),
            field("stay", text("释放后可恢复", "Restorable after release"))
                .unit(unit::DAYS)
                .within(1..=30, |all| all.stay),
        ]
    }
}

/// How many wait for phones, and how long their places are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct PhoneQueue {
    /// Phones of one board that wait for a card of a room, at most; whoever comes then is told so.
    pub queue_max: i64,
    /// Minutes for which the place of somebody is kept whose client is not heard of any more.
    pub reconnect_grace: i64,
}

impl Default for PhoneQueue {
    fn default() -> Self {
        Self { queue_max: 1000, reconnect_grace: 5 }
    }
}

impl SettingsDoc for PhoneQueue {
    const NAME: &'static str = "phoneQueue";

    fn fields() -> Vec<Field<Self>> {
        vec![
            field("queueMax", text("排队上限", "Queue at most")).unit(PHONES).within(1..=10_000, |all| all.queue_max),
            field("reconnectGrace", text("断线保留", "Place kept"))
                .unit(unit::MINUTES)
                .within(1..=30, |all| all.reconnect_grace),
        ]
    }
}

/// The access table of the settings.
pub fn router() -> DomainRouter {
    let calls = Calls {
        path: "/api/phone/v1/settings/life",
        tag: "phone",
        name: "phone_life",
        what: "how long phones are kept once their time is up",
        get: perm::PHONE_RULE_GET,
        update: perm::PHONE_RULE_UPDATE,
        saved: |_| (),
    };
    let queue = Calls {
        path: "/api/phone/v1/settings/queue",
        tag: "phone",
        name: "phone_queue",
        what: "how many wait for phones, and how long their places are kept",
        get: perm::PHONE_RULE_GET,
        update: perm::PHONE_RULE_UPDATE,
        saved: |_| (),
    };
    calls.routes::<PhoneLife>().step_up().merge(queue.routes::<PhoneQueue>())
}
