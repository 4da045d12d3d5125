//! How long a released phone can be had back, and how long is kept what was done to phones. For how long an expired one is kept is a
//! rule: [`crate::rule`]; how often phones that stay are copied is a storage node's: [`crate::node`].

use base::http::DomainRouter;
use base::settings::calls::Calls;
use base::settings::{Field, SettingsDoc, field, unit};
use kernel::text::text;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::screens::perm;

/// How long a released phone can be had back, and how long is kept what was done to phones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct PhoneLife {
    /// Days for which a released phone can be restored before it is erased.
    pub stay: i64,
    /// Days for which is kept what was done to phones, step by step; put-ons and take-offs are as long as there is the phone.
    pub step_days: i64,
}

impl Default for PhoneLife {
    fn default() -> Self {
        Self { stay: 7, step_days: 90 }
    }
}

impl SettingsDoc for PhoneLife {
    const NAME: &'static str = "phoneLife";

    fn fields() -> Vec<Field<Self>> {
        vec![
            field("stay", text("释放后可恢复", "Restorable after release"))
                .unit(unit::DAYS)
                .within(1..=30, |all| all.stay),
            field("stepDays", text("过程保留", "Steps kept")).unit(unit::DAYS).within(1..=999, |all| all.step_days),
        ]
    }
}

/// The access table of the settings.
pub fn router() -> DomainRouter {
    let calls = Calls {
        path: "/api/phone/v1/settings/life",
        tag: "phone",
        name: "phone_life",
        what: "how long released phones can be restored, and how long steps are kept",
        get: perm::PHONE_RULE_GET,
        update: perm::PHONE_RULE_UPDATE,
        saved: |_| (),
    };
    calls.routes::<PhoneLife>().step_up()
}
