//! How long a phone is kept once its time is up.

use base::http::DomainRouter;
use base::settings::SettingsDoc;
use base::settings::calls::Calls;
use kernel::rules::{Check, integer_between};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::screens::perm;

/// How long a phone is kept once its time is up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct PhoneLife {
    /// Days for which an expired phone can be renewed before it is released, 1 to 30.
    #[schema(minimum = 1, maximum = 30)]
    pub release_grace: i64,
    /// Days for which a released phone can be restored before it is erased, 1 to 30.
    #[schema(minimum = 1, maximum = 30)]
    pub stay: i64,
}

impl Default for PhoneLife {
    fn default() -> Self {
        Self { release_grace: 7, stay: 7 }
    }
}

impl SettingsDoc for PhoneLife {
    const NAME: &'static str = "phoneLife";

    fn check(&self, check: &mut Check) {
        let Self { release_grace, stay } = self;
        check.field("releaseGrace", integer_between(*release_grace, 1, 30));
        check.field("stay", integer_between(*stay, 1, 30));
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
    calls.routes::<PhoneLife>().step_up()
}
