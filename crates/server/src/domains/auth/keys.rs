//! The RSA keys that clients encrypt passwords with (CONTRACT.md, "Signing in").
//!
//! A key lives for two periods: in the first it is handed out, in the second it is only accepted, so
//! that rotation never breaks a sign-in under way. Each ciphertext is accepted once.

use std::collections::HashSet;
use std::sync::Arc;

use aws_lc_rs::digest;
use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rsa::{KeySize, Pkcs1PrivateDecryptingKey, PrivateDecryptingKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::clock::Clock;
use kernel::time::UtcTime;
use parking_lot::RwLock;

/// Seconds that a key is handed out; it is accepted for as long again.
const PERIOD_S: i64 = 600;
/// Ciphertexts remembered per key. More than this in one period is an attack, not a company.
const MAX_SPENT: usize = 100_000;

/// The keys that are handed out or still accepted, newest first.
#[derive(Debug)]
pub struct KeyRing {
    keys: RwLock<Vec<Arc<Key>>>,
    making: tokio::sync::Mutex<()>,
}

struct Key {
    private: Pkcs1PrivateDecryptingKey,
    public: String,
    made_at: UtcTime,
    spent: parking_lot::Mutex<HashSet<[u8; 32]>>,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("made_at", &self.made_at).finish_non_exhaustive()
    }
}

impl KeyRing {
    /// Makes the first key.
    ///
    /// # Errors
    /// When the library refuses.
    pub async fn new(clock: &Clock) -> anyhow::Result<Self> {
        let first = make(clock.now()).await?;
        Ok(Self { keys: RwLock::new(vec![Arc::new(first)]), making: tokio::sync::Mutex::default() })
    }

    /// The public key to encrypt with: base64 of a DER `SubjectPublicKeyInfo`.
    ///
    /// # Errors
    /// When a new key is due and can not be made.
    pub async fn public(&self, clock: &Clock) -> anyhow::Result<String> {
        let now = clock.now();
        if let Some(key) = self.fresh(now) {
            return Ok(key.public.clone());
        }
        let _one_at_a_time = self.making.lock().await;
        if let Some(key) = self.fresh(now) {
            return Ok(key.public.clone());
        }
        let key = Arc::new(make(now).await?);
        let mut keys = self.keys.write();
        keys.retain(|key| now.seconds_since(key.made_at) < 2 * PERIOD_S);
        keys.insert(0, key.clone());
        Ok(key.public.clone())
    }

    fn fresh(&self, now: UtcTime) -> Option<Arc<Key>> {
        let keys = self.keys.read();
        keys.first().filter(|key| now.seconds_since(key.made_at) < PERIOD_S).cloned()
    }

    /// The md5 hex that `ciphertext` (base64) holds, or random hex where it holds none.
    ///
    /// Whatever is wrong with it, the caller goes on to compare the same amount of work against the
    /// same hash: a padding that fails is a wrong password and nothing else (Bleichenbacher, Marvin).
    #[must_use]
    pub fn open(&self, ciphertext: &str, now: UtcTime) -> String {
        self.decrypted(ciphertext, now).unwrap_or_else(|| hex::encode(rand::random::<[u8; 16]>()))
    }

    /// The md5 hex that `ciphertext` holds, if it holds one: for callers who have signed in already.
    #[must_use]
    pub fn decrypted(&self, ciphertext: &str, now: UtcTime) -> Option<String> {
        let bytes = STANDARD.decode(ciphertext.trim()).ok()?;
        let live: Vec<Arc<Key>> =
            self.keys.read().iter().filter(|key| now.seconds_since(key.made_at) < 2 * PERIOD_S).cloned().collect();
        let mut found = None;
        // Every live key is tried, also after a hit: the time does not say which one it was.
        for key in live {
            let mut plain = vec![0; key.private.min_output_size()];
            let text = key
                .private
                .decrypt(&bytes, &mut plain)
                .ok()
                .and_then(|text| std::str::from_utf8(text).ok())
                .filter(|text| text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)));
            if let Some(text) = text
                && key.spend(&bytes)
            {
                found = Some(text.to_owned());
            }
        }
        found
    }
}

impl Key {
    /// Notes a ciphertext; false if it was seen before.
    fn spend(&self, ciphertext: &[u8]) -> bool {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest::digest(&digest::SHA256, ciphertext).as_ref());
        let mut spent = self.spent.lock();
        spent.len() < MAX_SPENT && spent.insert(hash)
    }
}

async fn make(now: UtcTime) -> anyhow::Result<Key> {
    tokio::task::spawn_blocking(move || {
        let private = PrivateDecryptingKey::generate(KeySize::Rsa2048)?;
        let public = STANDARD.encode(private.public_key().as_der()?.as_ref());
        let private = Pkcs1PrivateDecryptingKey::new(private)?;
        Ok::<_, anyhow::Error>(Key { private, public, made_at: now, spent: parking_lot::Mutex::default() })
    })
    .await?
}
