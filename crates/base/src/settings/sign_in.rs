//! Sign-in settings of operators.

use entity::operator::{AccountType, Model as Operator};
use kernel::text::text;
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Field, SettingsDoc, field, unit};

/// Sign-in settings of operators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SignIn {
    /// A second sign-in of an operator ends the first session.
    pub single_session: bool,
    /// Minutes without a request after which a session ends. A change applies to existing sessions too.
    pub idle_minutes: i64,
    /// Hours after which a session ends in any case.
    pub absolute_hours: i64,
    /// Failures of an account after which a captcha is required.
    pub captcha_after: i64,
    /// Days after which a password must be changed; 0 means never.
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

    fn fields() -> Vec<Field<Self>> {
        vec![
            field("singleSession", text("同一账号只允许一处登录", "One session per operator")).of_its_type(),
            field("idleMinutes", text("无操作自动退出", "Sign out when idle for"))
                .unit(unit::MINUTES)
                .within(5..=1440, |all| all.idle_minutes),
            field("absoluteHours", text("最长登录时长", "Maximum session length"))
                .unit(unit::HOURS)
                .within(1..=168, |all| all.absolute_hours),
            field("captchaAfter", text("连续失败多少次后要求验证码", "Failed attempts before a captcha"))
                .within(3..=10, |all| all.captcha_after),
            field("passwordMaxAgeDays", text("密码有效期", "Passwords expire after"))
                .unit(unit::DAYS)
                .within(0..=365, |all| all.password_max_age_days),
            field(
                "secondFactorForPower",
                text("超级用户必须使用两步验证", "Power users must use two-step verification"),
            )
            .of_its_type(),
        ]
    }
}
