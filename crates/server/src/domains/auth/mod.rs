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
mod one_time;
pub mod own_password;
mod pace;
pub mod password;
mod proof;
mod second_factor;
mod second_factor_api;
pub mod sign_in;
pub mod throttle;

use kernel::clock::Clock;
use utoipa_axum::routes;

use crate::access::catalog::perm;
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
    /// Failed sign-ins of all accounts together.
    failures: pace::Pace<()>,
    /// Attempts of one account, one after the other.
    turns: throttle::Turns,
}

impl Auth {
    /// Makes the first key and the pool of hashers.
    ///
    /// # Errors
    /// When a key can not be made.
    pub async fn new(clock: &Clock) -> anyhow::Result<Self> {
        Ok(Self {
            keys: keys::KeyRing::new(clock).await?,
            hasher: password::Hasher::new()?,
            captchas: captcha::Captchas::default(),
            failures: pace::Pace::per_minute(sign_in::STORM_PER_MINUTE),
            turns: throttle::Turns::default(),
        })
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
}
