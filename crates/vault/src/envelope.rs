//! Encrypting and decrypting values.
//!
//! ```text
//! version 1 | master key id (4, big endian) | nonce 12 | wrapped value key 32 + tag 16 | nonce 12 | value + tag 16
//! ```

use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::{hkdf, hmac};
use zeroize::Zeroizing;

use crate::key::{KEY_BYTES, KeyError, MasterKeys, Source, random_key};
use crate::secret::Secret;

const VERSION: u8 = 1;
const TAG: usize = 16;
const HEAD: usize = 1 + 4;
const WRAPPED: usize = NONCE_LEN + KEY_BYTES + TAG;

/// Why a sealed value cannot be decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsealable {
    /// It was sealed with a master key that this server does not have.
    #[error("it was sealed with master key {0}, which this server does not have")]
    UnknownKey(i32),
    /// The server's key with this number is not the one that sealed it.
    #[error("it was sealed with another master key {0} than this server has")]
    OtherKey(i32),
    /// It was modified, truncated, moved from another place, or sealed with another key of the same id.
    #[error("it does not open: it was changed or moved, or the master key is another")]
    Tampered,
}

/// Encrypts values and decrypts them again. Clones share the keys.
#[derive(Clone, Debug)]
pub struct Vault {
    keys: Arc<MasterKeys>,
}

impl Vault {
    /// A vault with the keys from `source`.
    ///
    /// # Errors
    /// See [`MasterKeys::open`].
    pub fn open(source: &Source) -> Result<Self, KeyError> {
        Ok(Self { keys: Arc::new(MasterKeys::open(source)?) })
    }

    /// A vault with a temporary key: it cannot decrypt what another has sealed.
    #[must_use]
    pub fn throwaway() -> Self {
        Self { keys: Arc::new(MasterKeys::throwaway()) }
    }

    /// The id of the key used for sealing.
    #[must_use]
    pub fn key_id(&self) -> i32 {
        self.keys.newest().0
    }

    /// Seals `secret` for its place: `purpose` is the kind of value (`operator.totp`), `name` says which one. It can
    /// only be decrypted there.
    #[must_use]
    pub fn seal(&self, purpose: &str, name: &str, secret: &Secret) -> Vec<u8> {
        let (id, master) = self.keys.newest();
        let value_key = random_key();
        let mut sealed = head(id);
        let aad = binding(id, purpose, name);
        sealed.extend(encrypt(derive(master.as_slice(), purpose).as_slice(), &aad, value_key.as_slice()));
        sealed.extend(encrypt(value_key.as_slice(), &aad_of_value(purpose, name), secret.expose()));
        sealed
    }

    /// Decrypts the result of [`Vault::seal`] for the same place.
    ///
    /// # Errors
    /// When it is not that.
    pub fn unseal(&self, purpose: &str, name: &str, sealed: &[u8]) -> Result<Secret, Unsealable> {
        let (value_key, value) = self.open_value_key(purpose, name, sealed)?;
        Ok(Secret(decrypt(value_key.as_slice(), &aad_of_value(purpose, name), value)?))
    }

    /// The same value under the newest master key; `None` if it is already. The value itself is not decrypted for this.
    ///
    /// # Errors
    /// As [`Vault::unseal`].
    pub fn rewrap(&self, purpose: &str, name: &str, sealed: &[u8]) -> Result<Option<Vec<u8>>, Unsealable> {
        let (id, master) = self.keys.newest();
        if key_id_of(sealed)? == id {
            return Ok(None);
        }
        let (value_key, value) = self.open_value_key(purpose, name, sealed)?;
        let mut anew = head(id);
        anew.extend(encrypt(
            derive(master.as_slice(), purpose).as_slice(),
            &binding(id, purpose, name),
            value_key.as_slice(),
        ));
        anew.extend_from_slice(value);
        Ok(Some(anew))
    }

    /// Eight hex digits that distinguish values. They are keyed: nobody can try values against them without the master
    /// key. They change when the master key does.
    #[must_use]
    pub fn fingerprint(&self, purpose: &str, secret: &Secret) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.derive_key(&format!("fingerprint {purpose}")).as_slice());
        hex::encode(&hmac::sign(&key, secret.expose()).as_ref()[..4])
    }

    /// A derived key for `purpose`, the same as long as the master key stays. For signing, not for storage.
    #[must_use]
    pub fn derive_key(&self, purpose: &str) -> Zeroizing<[u8; KEY_BYTES]> {
        derive(self.keys.newest().1.as_slice(), &format!("derived {purpose}"))
    }

    /// Signs `text` for `purpose` with a key that only holders of the master key can derive; returns the master key's
    /// id and the signature (HMAC-SHA256).
    #[must_use]
    pub fn sign(&self, purpose: &str, text: &[u8]) -> (i32, [u8; 32]) {
        let (id, master) = self.newest();
        let mut signature = [0; 32];
        signature.copy_from_slice(hmac::sign(&signing_key(master, purpose), text).as_ref());
        (id, signature)
    }

    /// Verifies a signature of [`Vault::sign`]. Signatures by older master keys stay valid as long as the keys are
    /// kept.
    ///
    /// # Errors
    /// When this vault does not have the key, or the signature is invalid.
    pub fn verify(&self, purpose: &str, text: &[u8], key_id: i32, signature: &[u8]) -> Result<(), Unsealable> {
        let master = self.master(key_id)?;
        hmac::verify(&signing_key(master, purpose), text, signature).map_err(|_| Unsealable::Tampered)
    }

    pub(crate) fn newest(&self) -> (i32, &[u8]) {
        let (id, master) = self.keys.newest();
        (id, master.as_slice())
    }

    pub(crate) fn master(&self, id: i32) -> Result<&[u8], Unsealable> {
        self.keys.get(id).map(|master| master.as_slice()).ok_or(Unsealable::UnknownKey(id))
    }

    fn open_value_key<'a>(
        &self,
        purpose: &str,
        name: &str,
        sealed: &'a [u8],
    ) -> Result<(Zeroizing<Vec<u8>>, &'a [u8]), Unsealable> {
        let id = key_id_of(sealed)?;
        let master = self.keys.get(id).ok_or(Unsealable::UnknownKey(id))?;
        let (wrapped, value) = sealed[HEAD..].split_at_checked(WRAPPED).ok_or(Unsealable::Tampered)?;
        let value_key = decrypt(derive(master.as_slice(), purpose).as_slice(), &binding(id, purpose, name), wrapped)?;
        Ok((value_key, value))
    }
}

/// The id of the master key that sealed a value.
fn key_id_of(sealed: &[u8]) -> Result<i32, Unsealable> {
    match sealed {
        [VERSION, a, b, c, d, ..] => Ok(i32::from_be_bytes([*a, *b, *c, *d])),
        _ => Err(Unsealable::Tampered),
    }
}

fn head(id: i32) -> Vec<u8> {
    let mut head = vec![VERSION];
    head.extend(id.to_be_bytes());
    head
}

/// The data that a wrapped key is bound to. Lengths come first, so that no two places are encoded alike.
fn binding(id: i32, purpose: &str, name: &str) -> Vec<u8> {
    let mut aad = head(id);
    aad.extend(aad_of_value(purpose, name));
    aad
}

/// The data that a value is bound to: not the master key's id, which changes without the value.
fn aad_of_value(purpose: &str, name: &str) -> Vec<u8> {
    let mut aad = vec![VERSION];
    for part in [purpose, name] {
        aad.extend((part.len() as u64).to_be_bytes());
        aad.extend(part.as_bytes());
    }
    aad
}

pub(crate) fn derive(master: &[u8], purpose: &str) -> Zeroizing<[u8; KEY_BYTES]> {
    let mut key = Zeroizing::new([0; KEY_BYTES]);
    let info = [b"skyrack vault 1 ".as_slice(), purpose.as_bytes()];
    hkdf::Salt::new(hkdf::HKDF_SHA256, &[])
        .extract(master)
        .expand(&info, hkdf::HKDF_SHA256)
        .and_then(|okm| okm.fill(key.as_mut_slice()))
        .expect("32 bytes are what HKDF-SHA256 gives at once");
    key
}

fn signing_key(master: &[u8], purpose: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, derive(master, &format!("signed {purpose}")).as_slice())
}

fn encrypt(key: &[u8], aad: &[u8], plain: &[u8]) -> Vec<u8> {
    let key = RandomizedNonceKey::new(&AES_256_GCM, key).expect("the key has 32 bytes");
    let mut text = Vec::with_capacity(plain.len() + TAG);
    text.extend_from_slice(plain);
    let nonce =
        key.seal_in_place_append_tag(Aad::from(aad), &mut text).expect("a secret is far shorter than AES-GCM's limit");
    [nonce.as_ref().as_slice(), text.as_slice()].concat()
}

fn decrypt(key: &[u8], aad: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
    let key = RandomizedNonceKey::new(&AES_256_GCM, key).map_err(|_| Unsealable::Tampered)?;
    let (nonce, text) = sealed.split_at_checked(NONCE_LEN).ok_or(Unsealable::Tampered)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| Unsealable::Tampered)?;
    let mut text = Zeroizing::new(text.to_vec());
    let length = key.open_in_place(nonce, Aad::from(aad), &mut text).map_err(|_| Unsealable::Tampered)?.len();
    text.truncate(length);
    Ok(text)
}
