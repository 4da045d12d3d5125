//! The key of a repository, and the code that opens it for people.

use aes256ctr_poly1305aes::Aes256CtrPoly1305Aes;
use aes256ctr_poly1305aes::aead::Aead as _;
use aws_lc_rs::digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rand::RngCore as _;
use rustic_core::Credentials;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::Error;

/// The key of a repository: 32 bytes for AES-256, then `k` and `r` of Poly1305-AES, 16 bytes each.
#[derive(Clone)]
pub struct Key(Zeroizing<[u8; 64]>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// A new one.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = Zeroizing::new([0; 64]);
        rand::rng().fill_bytes(&mut bytes[..]);
        Self(bytes)
    }

    /// The one that [`Key::to_text`] wrote; none if it is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = Zeroizing::new([0; 64]);
        hex::decode_to_slice(text, &mut bytes[..]).ok()?;
        Some(Self(bytes))
    }

    /// In hexadecimal.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        Zeroizing::new(hex::encode(&self.0[..]))
    }

    /// The one that restic has written down like this.
    fn of_json(json: &Value) -> Option<Self> {
        let part = |text: &Value| STANDARD.decode(text.as_str()?).ok().map(Zeroizing::new);
        let [encrypt, k, r] = [part(&json["encrypt"])?, part(&json["mac"]["k"])?, part(&json["mac"]["r"])?];
        let mut bytes = Zeroizing::new([0; 64]);
        for (to, from) in [(0..32, encrypt), (32..48, k), (48..64, r)] {
            let to = bytes.get_mut(to).filter(|to| to.len() == from.len())?;
            to.copy_from_slice(&from);
        }
        Some(Self(bytes))
    }

    /// As restic writes it down.
    fn json(&self) -> Value {
        let [encrypt, k, r] = [&self.0[..32], &self.0[32..48], &self.0[48..]].map(|part| STANDARD.encode(part));
        json!({ "mac": { "k": k, "r": r }, "encrypt": encrypt })
    }

    /// Seals something as the files of a repository are.
    pub(crate) fn seal(&self, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let mut nonce = [0_u8; 16];
        rand::rng().fill_bytes(&mut nonce);
        let sealed = Aes256CtrPoly1305Aes::new((&*self.0).into()).encrypt((&nonce).into(), bytes);
        let sealed = sealed.map_err(|_| Error::Other("it could not be sealed".to_owned()))?;
        Ok([&nonce[..], &sealed].concat())
    }

    /// Opens what is sealed so; none if it was sealed with another key, or is cut off.
    pub(crate) fn open(&self, file: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = file.split_at_checked(16)?;
        let nonce: [u8; 16] = nonce.try_into().ok()?;
        Aes256CtrPoly1305Aes::new((&*self.0).into()).decrypt((&nonce).into(), sealed).ok()
    }

    pub(crate) fn credentials(&self) -> Credentials {
        // The library's own type for a part of it is not exported; this is its documented form.
        #[expect(clippy::expect_used, reason = "the text is made two lines above, from bytes of the right length")]
        Credentials::Masterkey(serde_json::from_value(self.json()).expect("a key of 64 bytes"))
    }
}

/// A random code of 128 bits with which `restic` opens a repository, for the day when our product is not at hand.
#[derive(Clone)]
pub struct RecoveryCode(Zeroizing<String>);

impl std::fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RecoveryCode")
    }
}

impl RecoveryCode {
    /// A new one: 32 hexadecimal digits in groups of four.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = Zeroizing::new([0_u8; 16]);
        rand::rng().fill_bytes(&mut bytes[..]);
        Self(Zeroizing::new(bytes.chunks(2).map(hex::encode).collect::<Vec<_>>().join("-")))
    }

    /// The one that was written down as this text.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// What people type: restic's password.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The key in a key file of restic's, if this code opens it.
    #[must_use]
    pub fn open(&self, file: &[u8]) -> Option<Key> {
        /// Beyond these whoever has written the file wants to keep us busy.
        const MOST_LOG_N: u32 = 20;
        const MOST: u64 = 64;
        let file: Value = serde_json::from_slice(file).ok()?;
        let number = |name: &str| file.get(name)?.as_u64();
        let bytes = |name: &str| STANDARD.decode(file.get(name)?.as_str()?).ok();
        let (n, r, p) = (number("N")?, number("r")?, number("p")?);
        if !n.is_power_of_two() || n.trailing_zeros() > MOST_LOG_N || r > MOST || p > MOST {
            return None;
        }
        let (log_n, r, p) = (u8::try_from(n.trailing_zeros()).ok()?, u32::try_from(r).ok()?, u32::try_from(p).ok()?);
        let params = scrypt::Params::new(log_n, r, p).ok()?;
        let mut derived = Zeroizing::new([0_u8; 64]);
        scrypt::scrypt(self.0.as_bytes(), &bytes("salt")?, &params, &mut derived[..]).ok()?;
        let opened = Zeroizing::new(Key(derived).open(&bytes("data")?)?);
        Key::of_json(&serde_json::from_slice(&opened).ok()?)
    }

    /// A key file of restic's that this code opens, and its name. Its key derivation is cheap on purpose (1 MiB, 5 ms
    /// instead of 128 MiB and half a second on every agent): nobody guesses 128 random bits.
    pub(crate) fn key_file(&self, key: &Key) -> Result<(String, Vec<u8>), Error> {
        const LOG_N: u8 = 10;
        const R: u32 = 8;
        const P: u32 = 1;
        let other = |error: &dyn std::fmt::Display| Error::Other(error.to_string());
        let mut salt = [0_u8; 64];
        rand::rng().fill_bytes(&mut salt);
        let params = scrypt::Params::new(LOG_N, R, P).map_err(|error| other(&error))?;
        let mut derived = Zeroizing::new([0_u8; 64]);
        scrypt::scrypt(self.0.as_bytes(), &salt, &params, &mut derived[..]).map_err(|error| other(&error))?;
        let sealed = Key(derived).seal(key.json().to_string().as_bytes())?;
        let file = json!({
            "hostname": "skyrack",
            "username": "skyrack",
            "created": "2026-01-01T00:00:00Z",
            "kdf": "scrypt",
            "N": 1 << LOG_N,
            "r": R,
            "p": P,
            "data": STANDARD.encode(sealed),
            "salt": STANDARD.encode(salt),
        });
        let file = file.to_string().into_bytes();
        Ok((hex::encode(digest::digest(&digest::SHA256, &file)), file))
    }
}
