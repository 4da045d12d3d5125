//! The RSA keys that clients encrypt passwords with (CONTRACT.md, "Signing in").
//!
//! A key lives for two periods: in the first it is handed out, in the second it is only accepted, so
//! that rotation never breaks a sign-in under way. Each ciphertext is accepted once. Keys are kept,
//! sealed, and so are the digests of what was accepted: a restart neither breaks a sign-in under way
//! nor lets anything be replayed.

use std::collections::HashSet;
use std::sync::Arc;

use aws_lc_rs::digest;
use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa::{KeySize, Pkcs1PrivateDecryptingKey, PrivateDecryptingKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use db::Db;
use db::sql::{statement, value_groups};
use kernel::time::UtcTime;
use parking_lot::{Mutex, RwLock};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Value};
use vault::{Secret, Vault};
use zeroize::Zeroizing;

/// Seconds that a key is handed out; it is accepted for as long again.
const PERIOD_S: i64 = 600;
/// Ciphertexts remembered per key. More than this in one period is an attack, not a company.
const MAX_SPENT: usize = 100_000;
/// Where the keys are kept.
const SECRET: &str = "signIn.keys";
const BY: &str = "system";

type Digest = [u8; 32];

/// The keys that are handed out or still accepted, newest first.
#[derive(Debug)]
pub struct KeyRing {
    db: Db,
    vault: Vault,
    keys: RwLock<Vec<Arc<Key>>>,
    /// Made ahead, so that nobody waits for it.
    spare: Mutex<Option<Made>>,
    making: tokio::sync::Mutex<()>,
    /// Accepted, but not in the database yet.
    unsaved: Mutex<Vec<Digest>>,
    read_at: Mutex<UtcTime>,
}

struct Key {
    private: Pkcs1PrivateDecryptingKey,
    pkcs8: Zeroizing<Vec<u8>>,
    public: String,
    made_at: UtcTime,
    spent: Mutex<HashSet<Digest>>,
}

/// A key pair without a date.
struct Made {
    private: Pkcs1PrivateDecryptingKey,
    pkcs8: Zeroizing<Vec<u8>>,
    public: String,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Key").field("made_at", &self.made_at).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Made(***)")
    }
}

impl KeyRing {
    /// The ring with the keys that are kept.
    ///
    /// # Errors
    /// When they can not be read.
    pub async fn open(db: Db, vault: Vault, now: UtcTime) -> anyhow::Result<Self> {
        let ring = Self {
            db,
            vault,
            keys: RwLock::default(),
            spare: Mutex::default(),
            making: tokio::sync::Mutex::default(),
            unsaved: Mutex::default(),
            read_at: Mutex::new(now),
        };
        ring.read(now).await?;
        Ok(ring)
    }

    /// The public key to encrypt with: base64 of a DER `SubjectPublicKeyInfo`.
    ///
    /// # Errors
    /// When a new key is due and can not be made or kept.
    pub async fn public(&self, now: UtcTime) -> anyhow::Result<String> {
        if let Some(key) = self.fresh(now) {
            return Ok(key.public.clone());
        }
        let _one_at_a_time = self.making.lock().await;
        if let Some(key) = self.fresh(now) {
            return Ok(key.public.clone());
        }
        self.read(now).await?;
        if let Some(key) = self.fresh(now) {
            return Ok(key.public.clone());
        }
        let spare = self.spare.lock().take();
        let made = match spare {
            Some(made) => made,
            None => make().await?,
        };
        let key = Arc::new(made.dated(now));
        {
            let mut keys = self.keys.write();
            keys.retain(|key| is_live(key.made_at, now));
            keys.insert(0, key.clone());
        }
        self.keep(now).await?;
        Ok(key.public.clone())
    }

    /// Makes the next key ahead, if there is none; and the first, so that the first sign-in finds one.
    ///
    /// # Errors
    /// When a key can not be made or kept.
    pub async fn make_ahead(&self, now: UtcTime) -> anyhow::Result<()> {
        if self.spare.lock().is_none() {
            let made = make().await?;
            *self.spare.lock() = Some(made);
        }
        if self.keys.read().is_empty() {
            self.public(now).await?;
        }
        Ok(())
    }

    /// Reads keys that another server on the same database has made, at most once a second.
    ///
    /// # Errors
    /// When they can not be read.
    pub async fn refresh(&self, now: UtcTime) -> anyhow::Result<()> {
        // Only one process ever opens a SQLite file.
        if self.db.backend() == DbBackend::Sqlite || now.seconds_since(*self.read_at.lock()) < 1 {
            return Ok(());
        }
        self.read(now).await
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
    pub fn open_or_random(&self, ciphertext: &str, now: UtcTime) -> String {
        self.decrypted(ciphertext, now).unwrap_or_else(|| hex::encode(rand::random::<[u8; 16]>()))
    }

    /// The md5 hex that `ciphertext` holds, if it holds one: for callers who have signed in already.
    #[must_use]
    pub fn decrypted(&self, ciphertext: &str, now: UtcTime) -> Option<String> {
        let bytes = STANDARD.decode(ciphertext.trim()).ok()?;
        let live: Vec<Arc<Key>> = self.keys.read().iter().filter(|key| is_live(key.made_at, now)).cloned().collect();
        let mut digest = Digest::default();
        digest.copy_from_slice(digest::digest(&digest::SHA256, &bytes).as_ref());
        let mut found = None;
        // Every live key is tried, also after a hit: the time does not say which one it was.
        for key in live {
            let mut plain = vec![0; key.private.min_output_size()];
            let text =
                key.private.decrypt(&bytes, &mut plain).ok().and_then(|text| std::str::from_utf8(text).ok()).filter(
                    |text| text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)),
                );
            if let Some(text) = text
                && key.spend(digest)
            {
                self.unsaved.lock().push(digest);
                found = Some(text.to_owned());
            }
        }
        found
    }

    /// Writes down what was accepted since the last time, in a transaction that is open anyway.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn save_spent(&self, tx: &impl ConnectionTrait, now: UtcTime) -> Result<(), DbErr> {
        let digests = std::mem::take(&mut *self.unsaved.lock());
        for some in digests.chunks(200) {
            let groups = value_groups(some.len(), 2);
            let sql =
                format!("INSERT INTO spent_ciphertext (digest, at) VALUES {groups} ON CONFLICT (digest) DO NOTHING");
            let values = some.iter().flat_map(|digest| [Value::from(digest.to_vec()), now.millis().into()]);
            tx.execute_raw(statement(tx.get_database_backend(), sql, values)).await?;
        }
        if !digests.is_empty() && rand::random::<u8>() < 8 {
            let sql = "DELETE FROM spent_ciphertext WHERE at < $1";
            tx.execute_raw(statement(
                tx.get_database_backend(),
                sql,
                [now.plus_seconds(-2 * PERIOD_S).millis().into()],
            ))
            .await?;
        }
        Ok(())
    }

    async fn read(&self, now: UtcTime) -> anyhow::Result<()> {
        *self.read_at.lock() = now;
        let Some(secret) = vault::store::get(self.db.read(), &self.vault, SECRET).await? else { return Ok(()) };
        let known: HashSet<i64> = self.keys.read().iter().map(|key| key.made_at.millis()).collect();
        let mut opened = Vec::new();
        // A line for each key: when it was made, and the key itself.
        for (made_at, pkcs8) in secret.expose_text().unwrap_or_default().lines().filter_map(|line| line.split_once(' '))
        {
            let made_at: i64 = made_at.parse()?;
            if known.contains(&made_at) || !is_live(UtcTime(made_at), now) {
                continue;
            }
            let pkcs8 = Zeroizing::new(STANDARD.decode(pkcs8)?);
            let key = Made::of(PrivateDecryptingKey::from_pkcs8(&pkcs8)?)?.dated(UtcTime(made_at));
            *key.spent.lock() = self.read_spent(now).await?;
            opened.push(Arc::new(key));
        }
        let mut keys = self.keys.write();
        keys.extend(opened);
        keys.sort_by_key(|key| std::cmp::Reverse(key.made_at));
        Ok(())
    }

    async fn read_spent(&self, now: UtcTime) -> anyhow::Result<HashSet<Digest>> {
        let sql = "SELECT digest FROM spent_ciphertext WHERE at >= $1";
        let since = now.plus_seconds(-2 * PERIOD_S).millis();
        let rows = self.db.read().query_all_raw(statement(self.db.backend(), sql, [since.into()])).await?;
        let digests = rows.iter().map(|row| row.try_get::<Vec<u8>>("", "digest"));
        Ok(digests.collect::<Result<Vec<_>, _>>()?.into_iter().filter_map(|digest| digest.try_into().ok()).collect())
    }

    async fn keep(&self, now: UtcTime) -> anyhow::Result<()> {
        let mut text = String::new();
        for key in self.keys.read().iter() {
            text.push_str(&format!("{} {}\n", key.made_at.millis(), *Zeroizing::new(STANDARD.encode(&*key.pkcs8))));
        }
        let secret = Secret::from(text);
        let tx = self.db.begin_write().await?;
        vault::store::put(&tx, &self.vault, SECRET, &secret, BY, now).await?;
        Ok(tx.commit().await?)
    }
}

/// Whether a key is still accepted.
const fn is_live(made_at: UtcTime, now: UtcTime) -> bool {
    now.seconds_since(made_at) < 2 * PERIOD_S
}

impl Key {
    /// Notes a ciphertext; false if it was seen before.
    fn spend(&self, ciphertext: Digest) -> bool {
        let mut spent = self.spent.lock();
        spent.len() < MAX_SPENT && spent.insert(ciphertext)
    }
}

impl Made {
    fn of(private: PrivateDecryptingKey) -> anyhow::Result<Self> {
        let public = STANDARD.encode(private.public_key().as_der()?.as_ref());
        let der: Pkcs8V1Der<'_> = private.as_der()?;
        let pkcs8 = Zeroizing::new(der.as_ref().to_vec());
        Ok(Self { private: Pkcs1PrivateDecryptingKey::new(private)?, pkcs8, public })
    }

    fn dated(self, made_at: UtcTime) -> Key {
        let Self { private, pkcs8, public } = self;
        Key { private, pkcs8, public, made_at, spent: Mutex::default() }
    }
}

async fn make() -> anyhow::Result<Made> {
    tokio::task::spawn_blocking(|| Made::of(PrivateDecryptingKey::generate(KeySize::Rsa2048)?)).await?
}
