//! Password hashing: argon2id over the md5 hex that clients send, a few at a time.

use std::sync::Arc;

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::fault::{Fault, Outcome};

/// Memory of one hash in KiB, passes and lanes (RELIABILITY, appendix E).
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
/// Callers that may wait for a hasher; the next one is told to come back.
const QUEUE: usize = 50;

/// Runs argon2, at most one core's worth less than there are, so that lists stay quick in a storm of
/// sign-ins.
#[derive(Debug)]
pub struct Hasher {
    turns: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    /// What an unknown user's password is compared with.
    dummy: String,
}

impl Hasher {
    /// A pool of cores − 1 hashers.
    ///
    /// # Errors
    /// When argon2 refuses its parameters.
    pub fn new() -> anyhow::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            turns: Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))),
            queue: Arc::new(Semaphore::new(QUEUE)),
            dummy: hash(&hex::encode(rand::random::<[u8; 16]>()))?,
        })
    }

    /// The hash to store for a password's md5 hex.
    ///
    /// # Errors
    /// When too many wait already.
    pub async fn hash(&self, md5_hex: String) -> Outcome<String> {
        self.run(move || hash(&md5_hex)).await?.map_err(Fault::internal)
    }

    /// Whether `md5_hex` belongs to `stored`; with no hash the same work is done and the answer is no.
    ///
    /// # Errors
    /// When too many wait already.
    pub async fn verify(&self, md5_hex: String, stored: Option<&str>) -> Outcome<bool> {
        let known = stored.is_some();
        let against = stored.unwrap_or(&self.dummy).to_owned();
        let matches = self
            .run(move || engine().map(|engine| engine.verify_password(md5_hex.as_bytes(), against.as_str()).is_ok()))
            .await?;
        Ok(matches.map_err(Fault::internal)? && known)
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Outcome<T> {
        let Ok(place) = self.queue.clone().try_acquire_owned() else {
            return Err(Fault::TooMany { retry_after_s: 2 });
        };
        let turn = self.turns.clone().acquire_owned().await.map_err(Fault::internal)?;
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop((place, turn));
            result
        })
        .await
        .map_err(Fault::internal)
    }
}

fn engine() -> anyhow::Result<Argon2<'static>> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).map_err(|error| anyhow::anyhow!("argon2: {error}"))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

fn hash(md5_hex: &str) -> anyhow::Result<String> {
    engine()?
        .hash_password(md5_hex.as_bytes())
        .map(|hash| hash.to_string())
        .map_err(|error| anyhow::anyhow!("argon2: {error}"))
}

/// The lower-case md5 hex of a password, as clients send it. For the command line and for tests.
#[must_use]
pub fn md5_hex(password: &str) -> String {
    use md5::Digest as _;
    hex::encode(md5::Md5::digest(password.as_bytes()))
}
