//! Sign-in settings of operators.

use entity::operator::{AccountType, Model as Operator};
use kernel::rules::{Check, integer_between};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::SettingsDoc;

/// Sign-in settings of operators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SignIn {
    /// A second sign-in of an operator ends the first session.
    pub single_session: bool,
    /// Minutes without a request after which a session ends, 5 to 1440. A change applies to existing sessions too.
    #[schema(minimum = 5, maximum = 1440)]
    pub idle_minutes: i64,
    /// Hours after which a session ends in any case, 1 to 168.
    #[schema(minimum = 1, maximum = 168)]
    pub absolute_hours: i64,
    /// Failures of an account after which a captcha is required, 3 to 10.
    #[schema(minimum = 3, maximum = 10)]
    pub captcha_after: i64,
    /// Days after which a password must be changed, 0 to 365; 0 means never.
    #[schema(minimum = 0, maximum = 365)]
    pub password_max_age_days: i64,
    /// Operators of the type `power` may do nothing that needs a permission before they have a second factor.
    pub second_factor_for_power: bool,
}

impl Default for SignIn {
    fn default() -> Self {
        Self {
            single_session: true,
            idle_minutes: 30,
            absolute_hours: 12,
            captcha_after: 3,
            password_max_age_days: 0,
            second_factor_for_power: false,
        }
    }
}

impl SignIn {
    /// Whether the password of `who` has expired.
    #[must_use]
    pub fn is_password_expired(&self, who: &Operator, now: UtcTime) -> bool {
        self.password_max_age_days > 0
            && now.seconds_since(who.password_set_at) >= self.password_max_age_days * 24 * 3600
    }

    /// Whether `who` must enrol a second factor before anything that needs a permission.
    #[must_use]
    pub fn lacks_second_factor(&self, who: &Operator) -> bool {
        self.second_factor_for_power && who.account_type == AccountType::Power && who.totp_enabled_at.is_none()
    }
}

impl SettingsDoc for SignIn {
    const NAME: &'static str = "signIn";

    fn check(&self, check: &mut Check) {
        let Self {
            single_session: _,
            idle_minutes,
            absolute_hours,
            captcha_after,
            password_max_age_days,
            second_factor_for_power: _,
        } = self;
        check.field("idleMinutes", integer_between(*idle_minutes, 5, 1440));
        check.field("absoluteHours", integer_between(*absolute_hours, 1, 168));
        check.field("captchaAfter", integer_between(*captcha_after, 3, 10));
        check.field("passwordMaxAgeDays", integer_between(*password_max_age_days, 0, 365));
    }
}
