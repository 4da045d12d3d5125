//! Password hashing: argon2id over the md5 hex that clients send, a few at a time.
//!
//! A *pepper* goes into every hash: a secret of the server that lies in the vault. Who has the database alone can not
//! try passwords against it, nor sign in by an md5 that he finds elsewhere. Hashes without it, which are those of the
//! command line and of older versions, are made anew at the next sign-in.

use std::sync::Arc;

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use db::Db;
use kernel::time::UtcTime;
use tokio::sync::Semaphore;
use vault::{Secret, Vault, store};

use crate::fault::{Fault, Outcome};

/// Memory of one hash in KiB, passes and lanes (RELIABILITY, appendix E).
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
/// The pepper's name in the vault.
pub const PEPPER: &str = "sign_in.pepper";
/// A stored hash begins so when the pepper is in it.
pub const PEPPERED: &str = "pepper1:";
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
    pepper: Option<Arc<Secret>>,
}

impl Hasher {
    /// A pool of cores − 1 hashers with the pepper, which is made at the first start.
    ///
    /// # Errors
    /// When the pepper can not be read or kept, or argon2 refuses its parameters.
    pub async fn open(db: &Db, vault: &Vault, now: UtcTime) -> anyhow::Result<Self> {
        if let Some(pepper) = store::get(db.read(), vault, PEPPER).await? {
            return Self::with(Some(pepper));
        }
        let pepper = Secret::new(rand::random::<[u8; 32]>().to_vec());
        let tx = db.begin_write().await?;
        store::put(&tx, vault, PEPPER, &pepper, "", now).await?;
        tx.commit().await?;
        Self::with(Some(pepper))
    }

    /// Without the pepper: for the command line, which has no business with the vault.
    ///
    /// # Errors
    /// When argon2 refuses its parameters.
    pub fn plain() -> anyhow::Result<Self> {
        Self::with(None)
    }

    fn with(pepper: Option<Secret>) -> anyhow::Result<Self> {
        let pepper = pepper.map(Arc::new);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            turns: Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))),
            queue: Arc::new(Semaphore::new(QUEUE)),
            dummy: hash(&hex::encode(rand::random::<[u8; 16]>()), pepper.as_deref())?,
            pepper,
        })
    }

    /// The hash to store for a password's md5 hex.
    ///
    /// # Errors
    /// When too many wait already.
    pub async fn hash(&self, md5_hex: String) -> Outcome<String> {
        let pepper = self.pepper.clone();
        self.run(move || hash(&md5_hex, pepper.as_deref())).await?.map_err(Fault::internal)
    }

    /// Whether `md5_hex` belongs to `stored`; with no hash the same work is done and the answer is no.
    ///
    /// # Errors
    /// When too many wait already.
    pub async fn verify(&self, md5_hex: String, stored: Option<&str>) -> Outcome<bool> {
        let known = stored.is_some();
        let against = stored.unwrap_or(&self.dummy).to_owned();
        let pepper = self.pepper.clone();
        let matches = self.run(move || matches(&md5_hex, &against, pepper.as_deref())).await?;
        Ok(matches.map_err(Fault::internal)? && known)
    }

    /// Whether a stored hash lacks the pepper that this server has.
    #[must_use]
    pub fn is_outdated(&self, stored: &str) -> bool {
        self.pepper.is_some() && !stored.starts_with(PEPPERED)
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

fn engine(pepper: Option<&Secret>) -> anyhow::Result<Argon2<'_>> {
    let fault = |error| anyhow::anyhow!("argon2: {error}");
    let params = Params::new(MEMORY_KIB, PASSES, 1, None).map_err(fault)?;
    match pepper {
        Some(pepper) => {
            Argon2::new_with_secret(pepper.expose(), Algorithm::Argon2id, Version::V0x13, params).map_err(fault)
        }
        None => Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params)),
    }
}

fn hash(md5_hex: &str, pepper: Option<&Secret>) -> anyhow::Result<String> {
    let hash = engine(pepper)?.hash_password(md5_hex.as_bytes()).map_err(|error| anyhow::anyhow!("argon2: {error}"))?;
    Ok(if pepper.is_some() { format!("{PEPPERED}{hash}") } else { hash.to_string() })
}

fn matches(md5_hex: &str, stored: &str, pepper: Option<&Secret>) -> anyhow::Result<bool> {
    let (hash, pepper) = match stored.strip_prefix(PEPPERED) {
        Some(hash) => (hash, pepper),
        None => (stored, None),
    };
    Ok(engine(pepper)?.verify_password(md5_hex.as_bytes(), hash).is_ok())
}

/// The lower-case md5 hex of a password, as clients send it. For the command line and for tests.
#[must_use]
pub fn md5_hex(password: &str) -> String {
    use md5::Digest as _;
    hex::encode(md5::Md5::digest(password.as_bytes()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that can not go on should panic")]

    use super::*;

    #[tokio::test]
    async fn a_hash_is_worth_nothing_without_the_pepper_that_is_in_it() {
        let with = |byte: u8| Hasher::with(Some(Secret::new(vec![byte; 32]))).unwrap();
        let (ours, other, plain) = (with(1), with(2), Hasher::plain().unwrap());
        let md5 = || md5_hex("Rack_2026");
        let stored = ours.hash(md5()).await.unwrap();
        assert!(ours.verify(md5(), Some(&stored)).await.unwrap());
        assert!(!ours.verify(md5_hex("Rack_2027"), Some(&stored)).await.unwrap());
        assert!(!other.verify(md5(), Some(&stored)).await.unwrap());
        assert!(!plain.verify(md5(), Some(&stored)).await.unwrap());
        assert!(
            !plain.verify(md5(), stored.strip_prefix(PEPPERED)).await.unwrap(),
            "taking the mark away helps nobody"
        );

        let old = plain.hash(md5()).await.unwrap();
        assert!(ours.verify(md5(), Some(&old)).await.unwrap(), "what is older is still good");
        assert!(ours.is_outdated(&old) && !ours.is_outdated(&stored) && !plain.is_outdated(&old));
        assert!(!ours.verify(md5(), None).await.unwrap());
    }
}
