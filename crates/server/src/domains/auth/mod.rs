//! Signing in and out: the key that passwords are encrypted with, hashing, limits, sessions, own
//! password, and what a client asks about its own operator.
//!
//! What it is not: managing operators and groups (`staff`).

mod api;
mod attempt;
mod captcha;
mod captcha_image;
mod device;
pub mod keys;
pub mod new_password;
pub mod one_time;
mod openid;
pub mod own_password;
mod pace;
pub mod password;
mod proof;
mod second_factor;
mod second_factor_api;
pub mod sign_in;
pub mod throttle;
mod weak_password;

use std::time::Duration;

use db::Db;
use kernel::time::UtcTime;
use utoipa_axum::routes;
use vault::Vault;

use crate::access::catalog::perm;
use crate::app::App;
use crate::config::Config;
use crate::http::{DomainRouter, Need};

/// What sign-in keeps in memory.
#[derive(Debug)]
pub struct Auth {
    /// The keys that clients encrypt passwords with.
    pub keys: keys::KeyRing,
    /// The only place where argon2 runs.
    pub hasher: password::Hasher,
    /// Captchas that wait for an answer.
    pub captchas: captcha::Captchas,
    /// The providers that one may sign in with.
    openid: openid::OpenId,
    /// Failed sign-ins of all accounts together.
    failures: pace::Pace<()>,
    /// Attempts of one account, one after the other.
    turns: throttle::Turns,
}

impl Auth {
    /// Reads the keys that are kept and makes the pool of hashers.
    ///
    /// # Errors
    /// When the keys can not be read.
    pub async fn open(config: &Config, db: Db, vault: Vault, now: UtcTime) -> anyhow::Result<Self> {
        Ok(Self {
            hasher: password::Hasher::open(&db, &vault, now).await?,
            keys: keys::KeyRing::open(db, vault, now).await?,
            captchas: captcha::Captchas::default(),
            openid: openid::OpenId::new(&config.oidc),
            failures: pace::Pace::per_minute(sign_in::STORM_PER_MINUTE),
            turns: throttle::Turns::default(),
        })
    }
}

/// Makes keys ahead for as long as the server runs, so that neither a start nor a sign-in waits for one.
pub async fn keep_keys_ahead(app: App) {
    loop {
        if let Err(error) = app.auth.keys.make_ahead(app.clock.now()).await {
            tracing::warn!(error = format!("{error:#}"), "could not make a key ahead");
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

/// The access table of this domain.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new()
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
        .view(Need::Nothing, routes!(openid::api::openid_provider_list))
        .view(Need::Nothing, routes!(openid::api::openid_start))
        .act(Need::Nothing, routes!(openid::api::openid_callback))
        .view(Need::Session, routes!(openid::api::openid_link_get))
        .act(Need::Session, routes!(openid::api::openid_link_start))
        .act(Need::Session, routes!(openid::api::openid_unlink))
        .act(perm::OPERATOR_RESET_PASSWORD, routes!(openid::api::openid_assign))
}
