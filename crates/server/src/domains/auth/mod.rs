//! Signing in and out: the key that passwords are encrypted with, hashing, limits, sessions, own
//! password, and what a client asks about its own operator.
//!
//! What it is not: managing operators and groups (`staff`).

mod api;
mod attempt;
mod captcha;
mod captcha_image;
pub mod keys;
mod pace;
pub mod own_password;
pub mod password;
pub mod sign_in;
pub mod throttle;

use kernel::clock::Clock;
use utoipa_axum::routes;

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
}
