//! Signing in and out: the key for encrypting passwords, hashing, limits, sessions, changing one's own password, and a
//! client's own operator.
//!
//! It does not manage operators and groups (`staff`).

mod api;
mod attempt;
mod captcha;
mod captcha_image;
mod device;
pub mod keys;
mod memory;
pub mod new_password;
pub mod one_time;
mod openid;
pub mod own_password;
pub mod password;
mod proof;
mod second_factor;
mod second_factor_api;
pub mod sign_in;
mod sign_in_setting;
mod step_up;
pub mod throttle;
mod weak_password;

use base::access::catalog::title_of;
use base::app::Own;
use base::domain::{Domain, Opening, Table};
use base::http::{DomainRouter, Need};
use base::settings::SignIn;
use base::settings::entry::entry;
use futures::FutureExt as _;
use kernel::text::text;
use utoipa_axum::routes;

use crate::screens::{SCREENS, perm};

pub use memory::{Auth, keep_keys_ahead};

/// What this domain registers.
pub const DOMAIN: Domain = Domain {
    parts: |opening| {
        async move {
            let Opening { config, db, vault, now } = *opening;
            Ok(Own::default().with(Auth::open(config, db.clone(), vault.clone(), now).await?))
        }
        .boxed()
    },
    acts: &[
        ("openid_assign", text("设置操作员的第三方账号", "Link an operator's third-party account")),
        ("openid_callback", text("第三方登录", "Sign in with a third party")),
        ("openid_code", text("第三方登录：动态码", "Sign in with a third party: two-step code")),
        ("openid_link", text("绑定第三方账号", "Link a third-party account")),
        ("openid_link_start", text("开始绑定第三方账号", "Start linking a third-party account")),
        ("openid_unlink", text("解绑第三方账号", "Unlink a third-party account")),
        ("own_password_update", text("修改自己的密码", "Change own password")),
        ("recovery_codes_renew", text("更换恢复码", "Replace recovery codes")),
        ("second_factor_confirm", text("启用两步验证", "Turn on two-step verification")),
        ("second_factor_disable", text("关闭两步验证", "Turn off two-step verification")),
        ("second_factor_enrol", text("设置两步验证", "Set up two-step verification")),
        ("session_create", text("登录", "Log in")),
        ("session_end", text("退出登录", "Log out")),
        ("step_up", text("再次确认身份", "Confirm identity again")),
    ],
    settings: &[entry::<SignIn>(title_of(SCREENS, "signInSetting"))],
    kinds: &[("session", text("会话", "Session"))],
    tables: &[
        Table::kept("operator_old_password", "id"),
        Table::kept("recovery_code", "id"),
        Table::kept("sign_in_throttle", "name"),
        Table::kept("operator_sign_in", "id").append_only(),
        // Belongs to the login keys among the secrets: without it a restored server would accept a replay.
        Table::kept("spent_ciphertext", "digest"),
        Table::left_out("session"),
    ],
    ..Domain::new("auth", router)
};

/// The access table of this domain.
fn router() -> DomainRouter {
    DomainRouter::new()
        .merge(sign_in_setting::router())
        .view(Need::Nothing, routes!(api::login_key_get))
        .view(Need::Nothing, routes!(api::captcha_draw))
        .act(Need::Nothing, routes!(api::session_create))
        .act(Need::AnySession, routes!(api::session_end))
        .act(Need::AnySession, routes!(api::own_password_update))
        .view(Need::AnySession, routes!(api::own_password_check))
        .view(Need::AnySession, routes!(api::user_info_get))
        .view(Need::Session, routes!(second_factor_api::second_factor_get))
        .act(Need::Session, routes!(second_factor_api::second_factor_enrol))
        .act(Need::Session, routes!(second_factor_api::second_factor_confirm))
        .act(Need::Session, routes!(second_factor_api::second_factor_disable))
        .act(Need::Session, routes!(second_factor_api::recovery_codes_renew))
        .act(perm::OPERATOR_RESET_SECOND_FACTOR, routes!(second_factor_api::second_factor_reset))
        .step_up()
        .act(Need::Session, routes!(step_up::step_up))
        .view(Need::Nothing, routes!(openid::api::openid_provider_list))
        .view(Need::Nothing, routes!(openid::api::openid_start))
        .act(Need::Nothing, routes!(openid::api::openid_callback))
        .act(Need::Nothing, routes!(openid::api::openid_code))
        .view(Need::Session, routes!(openid::api::openid_link_get))
        .act(Need::Session, routes!(openid::api::openid_link_start))
        .act(Need::Session, routes!(openid::api::openid_unlink))
        .step_up()
        .act(perm::OPERATOR_LINK_IDENTITY, routes!(openid::api::openid_assign))
        .step_up()
}
