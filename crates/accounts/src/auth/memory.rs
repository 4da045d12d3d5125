//! In-memory state of sign-in.

use std::time::Duration;

use base::app::App;
use base::config::Config;
use base::pace::Pace;
use db::Db;
use kernel::time::UtcTime;
use vault::Vault;

use super::{captcha, keys, openid, password, throttle};

/// Failed sign-ins per minute, of all accounts together, above which unknown devices must solve a captcha.
const STORM_PER_MINUTE: u32 = 100;

/// In-memory state of sign-in.
#[derive(Debug)]
pub struct Auth {
    /// The keys that clients encrypt passwords with.
    pub keys: keys::KeyRing,
    /// The only place where argon2 runs.
    pub hasher: password::Hasher,
    /// Open captchas.
    pub captchas: captcha::Captchas,
    /// The providers for signing in.
    pub(super) openid: openid::OpenId,
    /// Failed sign-ins of all accounts together.
    pub(super) failures: Pace<()>,
    /// Attempts of one account, one after the other.
    pub(super) turns: throttle::Turns,
}

impl Auth {
    /// Reads the stored keys and creates the pool of hashers.
    ///
    /// # Errors
    /// When the keys cannot be read.
    pub async fn open(config: &Config, db: Db, vault: Vault, now: UtcTime) -> anyhow::Result<Self> {
        Ok(Self {
            hasher: password::Hasher::open(&db, &vault, now).await?,
            keys: keys::KeyRing::open(db, vault, now).await?,
            captchas: captcha::Captchas::default(),
            openid: openid::OpenId::new(&config.oidc, &config.outbound()),
            failures: Pace::per_minute(STORM_PER_MINUTE),
            turns: throttle::Turns::default(),
        })
    }
}

/// Generates keys in advance while the server runs, so that neither a start nor a sign-in waits for one.
pub async fn keep_keys_ahead(app: App) {
    loop {
        if let Err(error) = app.part::<Auth>().keys.make_ahead(app.clock.now()).await {
            tracing::warn!(error = format!("{error:#}"), "could not generate the next sign-in key");
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}
