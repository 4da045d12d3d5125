//! The sign-in settings, which belong to no domain.

use base::http::DomainRouter;
use base::settings::SignIn;
use base::settings::calls::Calls;

use crate::screens::perm;

/// Their access table.
#[must_use]
pub fn router() -> DomainRouter {
    let calls = Calls {
        path: "/api/platform/v1/settings/sign-in",
        tag: "platform",
        name: "sign_in_setting",
        what: "the sign-in settings",
        get: perm::SIGN_IN_SETTING_GET,
        update: perm::SIGN_IN_SETTING_UPDATE,
        // Sessions are cached with the times that apply to them.
        saved: |app| app.sessions.forget(),
    };
    calls.routes::<SignIn>().step_up()
}
