//! Password hashing: argon2id over the md5 hex that clients send, a few at a time.
//!
//! A *pepper* goes into every hash: a secret of the server that is stored in the vault. Somebody who has only the
//! database cannot try passwords against it, nor sign in with an md5 found elsewhere. Hashes without it, from the
//! command line and older versions, are replaced at the next sign-in.

use std::sync::Arc;

use base::fault::{Fault, Outcome};
use db::Db;
use kernel::time::UtcTime;
use tokio::sync::Semaphore;
pub use vault::password::PEPPERED;
use vault::password::{hash, matches, unmatched};
use vault::{Secret, Vault, store};

/// The pepper's name in the vault.
pub const PEPPER: &str = "sign_in.pepper";
/// Callers that may wait for a hasher; the next one is told to try again later.
const QUEUE: usize = 50;

/// Runs argon2, at most on all cores but one, so that lists stay fast during a storm of sign-ins.
#[derive(Debug)]
pub struct Hasher {
    turns: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    /// The hash with which an unknown user's password is compared.
    dummy: String,
    pepper: Option<Arc<Secret>>,
}

impl Hasher {
    /// A pool of cores − 1 hashers with the pepper, which is generated at the first start.
    ///
    /// # Errors
    /// When the pepper cannot be read or stored, or argon2 refuses its parameters.
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

    /// Without the pepper: for the command line, which does not open the vault.
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
            dummy: unmatched(pepper.is_some()),
            pepper,
        })
    }

    /// The hash to store for a password's md5 hex.
    ///
    /// # Errors
    /// When too many are already waiting.
    pub async fn hash(&self, md5_hex: String) -> Outcome<String> {
        let pepper = self.pepper.clone();
        self.run(move || hash(&md5_hex, pepper.as_deref())).await?.map_err(Fault::internal)
    }

    /// Whether `md5_hex` matches `stored`; without a hash the same work is done and the answer is no.
    ///
    /// # Errors
    /// When too many are already waiting.
    pub async fn verify(&self, md5_hex: String, stored: Option<&str>) -> Outcome<bool> {
        let known = stored.is_some();
        let against = stored.unwrap_or(&self.dummy).to_owned();
        let pepper = self.pepper.clone();
        let matches = self.run(move || matches(&md5_hex, &against, pepper.as_deref())).await?;
        Ok(matches.map_err(Fault::internal)? && known)
    }

    /// Whether a stored hash lacks the server's pepper.
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

/// The lower-case md5 hex of a password, as clients send it. For the command line and for tests.
#[must_use]
pub fn md5_hex(password: &str) -> String {
    use md5::Digest as _;
    hex::encode(md5::Md5::digest(password.as_bytes()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

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
