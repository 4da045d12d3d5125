//! The RSA key by which cards recognize a room.
//!
//! A card that asks for authentication sends 20 random bytes. They are signed as if they were a SHA-1 digest
//! (PKCS#1 v1.5, RSA-2048); a card that does not know the key is then shown the public half in Android's own
//! encoding, for somebody to approve (AOSP `adb/protocol.txt`; `libcrypto_utils/android_pubkey.cpp`).
//!
//! aws-lc-rs generates the key and supports SHA-1 only for verification, so the one exponentiation is done here, with
//! crypto-bigint's constant-time Montgomery arithmetic, and every signature is verified before it is used.

use aws_lc_rs::encoding::AsDer as _;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::KeyPair as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{Odd, U2048};
use zeroize::{Zeroize as _, Zeroizing};

use crate::error::Error;

/// Bytes of the modulus, and so of a signature.
const BYTES: usize = 256;
/// Bytes of a token.
const TOKEN: usize = 20;
/// What PKCS#1 puts before a SHA-1 digest (RFC 8017, 9.2).
const SHA1_INFO: [u8; 15] = [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04, 0x14];

/// A room's key pair. It is never printed, and is wiped when it is dropped.
pub struct RoomKey {
    pkcs8: Zeroizing<Vec<u8>>,
    private_exponent: U2048,
    public: PublicKey,
}

impl std::fmt::Debug for RoomKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RoomKey({})", self.public.fingerprint())
    }
}

impl Drop for RoomKey {
    fn drop(&mut self) {
        self.private_exponent.zeroize();
    }
}

impl RoomKey {
    /// Generates a new key of 2,048 bits. Takes about 0.1 s of CPU time.
    ///
    /// # Errors
    /// The library failed, which it does not.
    pub fn generate() -> Result<Self, Error> {
        let pair = KeyPair::generate(KeySize::Rsa2048).map_err(|_| bad("the key could not be generated"))?;
        let der = pair.as_der().map_err(|_| bad("the key could not be encoded"))?;
        Self::from_pkcs8(der.as_ref())
    }

    /// Reads a key from PKCS#8 DER, as [`RoomKey::to_pkcs8`] gives it.
    ///
    /// # Errors
    /// The bytes are not an RSA key of 2,048 bits with exponent 65537, or are inconsistent.
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, Error> {
        let pair = KeyPair::from_pkcs8(der).map_err(|_| bad("the room's ADB key is not an RSA key in PKCS#8"))?;
        if pair.public_modulus_len() != BYTES {
            return Err(bad("the room's ADB key must have 2048 bits"));
        }
        // aws-lc-rs has verified the key; its three numbers are read here.
        let (modulus, public, private) = parts(der).ok_or_else(|| bad("the room's ADB key is not readable"))?;
        if public != [1, 0, 1] {
            return Err(bad("the room's ADB key must have the exponent 65537"));
        }
        let public = PublicKey::new(number(modulus)?)?;
        debug_assert!(pair.public_key().as_ref().windows(BYTES).any(|part| part == public.modulus_bytes()));
        Ok(Self { pkcs8: Zeroizing::new(der.to_vec()), private_exponent: number(private)?, public })
    }

    /// The key as PKCS#8 DER, to be stored by the caller.
    #[must_use]
    pub fn to_pkcs8(&self) -> Zeroizing<Vec<u8>> {
        self.pkcs8.clone()
    }

    /// The public half.
    #[must_use]
    pub const fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Signs a card's token. Takes some milliseconds of CPU time.
    ///
    /// # Errors
    /// The token does not have 20 bytes.
    pub fn sign(&self, token: &[u8]) -> Result<Vec<u8>, Error> {
        let message = padded(token)?;
        let signed = FixedMontyForm::new(&message, &self.public.params).pow(&self.private_exponent).retrieve();
        // A fault while signing would reveal the key.
        if self.public.open(&signed) != message {
            return Err(bad("signing failed"));
        }
        Ok(signed.to_be_bytes().as_ref().to_vec())
    }
}

/// The public key, as a card stores it.
#[derive(Clone)]
pub struct PublicKey {
    modulus: U2048,
    params: FixedMontyParams<{ U2048::LIMBS }>,
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.modulus == other.modulus
    }
}

impl Eq for PublicKey {}

impl std::fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PublicKey({})", self.fingerprint())
    }
}

impl PublicKey {
    fn new(modulus: U2048) -> Result<Self, Error> {
        let odd = Option::<Odd<U2048>>::from(Odd::new(modulus)).ok_or_else(|| bad("a modulus must be odd"))?;
        Ok(Self { modulus, params: FixedMontyParams::new_vartime(odd) })
    }

    /// Reads the line for a card: base64 of Android's encoding, a space, a name.
    ///
    /// # Errors
    /// It is not a key of 2,048 bits.
    pub fn from_line(line: &str) -> Result<Self, Error> {
        let text = line.trim_matches(|c: char| c == '\0' || c.is_whitespace());
        let text = text.split_whitespace().next().unwrap_or_default();
        let raw = STANDARD.decode(text).map_err(|_| bad("a public key must be base64"))?;
        if raw.len() != 4 + 4 + BYTES + BYTES + 4 || raw[..4] != 64u32.to_le_bytes() {
            return Err(bad("a public key must have 2048 bits"));
        }
        let mut modulus = raw[8..8 + BYTES].to_vec();
        modulus.reverse();
        Self::new(number(&modulus)?)
    }

    /// The line that a card stores in `/data/misc/adb/adb_keys`; `name` identifies the client.
    ///
    /// The encoding is: words in the modulus, -1/n mod 2^32, the modulus, (2^2048)^2 mod n, the exponent; all
    /// little-endian (AOSP `android_pubkey_encode`).
    #[must_use]
    pub fn line(&self, name: &str) -> String {
        let little = |value: &U2048| {
            let mut bytes = value.to_be_bytes().as_ref().to_vec();
            bytes.reverse();
            bytes
        };
        let modulus = little(&self.modulus);
        let low = u32::from_le_bytes([modulus[0], modulus[1], modulus[2], modulus[3]]);
        let squared = FixedMontyForm::new(&U2048::from_u32(2), &self.params).pow(&U2048::from_u32(4096)).retrieve();
        let mut raw = Vec::with_capacity(4 + 4 + BYTES + BYTES + 4);
        raw.extend_from_slice(&64u32.to_le_bytes());
        raw.extend_from_slice(&inverse(low).wrapping_neg().to_le_bytes());
        raw.extend_from_slice(&modulus);
        raw.extend_from_slice(&little(&squared));
        raw.extend_from_slice(&65537u32.to_le_bytes());
        let name: String = name.chars().filter(|c| !c.is_control() && !c.is_whitespace()).collect();
        format!("{} {name}", STANDARD.encode(raw))
    }

    /// Whether `signature` is this key's for `token`.
    #[must_use]
    pub fn verifies(&self, token: &[u8], signature: &[u8]) -> bool {
        let (Ok(message), Ok(signature)) = (padded(token), number(signature)) else { return false };
        self.open(&signature) == message
    }

    /// Sixteen hex digits that identify a key.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &self.modulus_bytes());
        hex::encode(&digest.as_ref()[..8])
    }

    fn modulus_bytes(&self) -> Vec<u8> {
        self.modulus.to_be_bytes().as_ref().to_vec()
    }

    fn open(&self, signature: &U2048) -> U2048 {
        FixedMontyForm::new(signature, &self.params).pow_vartime(&U2048::from_u32(65537)).retrieve()
    }
}

fn bad(what: &str) -> Error {
    Error::BadArgument { what: what.into() }
}

/// A big-endian number of at most 256 bytes.
fn number(bytes: &[u8]) -> Result<U2048, Error> {
    let start = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let digits = &bytes[start..];
    if digits.len() > BYTES {
        return Err(bad("a number of more than 2048 bits"));
    }
    let mut whole = Zeroizing::new([0u8; BYTES]);
    whole[BYTES - digits.len()..].copy_from_slice(digits);
    Ok(U2048::from_be_slice(&*whole))
}

/// `00 01 ff .. ff 00`, the mark of SHA-1, the token (RFC 8017, 9.2).
fn padded(token: &[u8]) -> Result<U2048, Error> {
    if token.len() != TOKEN {
        return Err(Error::protocol(format!("a token of {} bytes", token.len())));
    }
    let mut message = [0xff; BYTES];
    message[0] = 0;
    message[1] = 1;
    let info = BYTES - TOKEN - SHA1_INFO.len();
    message[info - 1] = 0;
    message[info..BYTES - TOKEN].copy_from_slice(&SHA1_INFO);
    message[BYTES - TOKEN..].copy_from_slice(token);
    Ok(U2048::from_be_slice(&message))
}

/// 1/n mod 2^32 of an odd number, by Newton's method: each iteration doubles the number of correct bits.
fn inverse(odd: u32) -> u32 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x))))
}

/// Modulus, public and private exponent of an RSA key in PKCS#8 (RFC 5958, RFC 8017 A.1.2).
fn parts(pkcs8: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (info, _) = element(pkcs8, 0x30)?;
    let (_version, rest) = element(info, 0x02)?;
    let (_algorithm, rest) = element(rest, 0x30)?;
    let (key, _) = element(rest, 0x04)?;
    let (numbers, _) = element(key, 0x30)?;
    let (_version, rest) = element(numbers, 0x02)?;
    let (modulus, rest) = element(rest, 0x02)?;
    let (public, rest) = element(rest, 0x02)?;
    let (private, _) = element(rest, 0x02)?;
    Some((modulus, public, private))
}

/// The content of a DER element with this tag, and the rest.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (&[found, first], rest) = der.split_first_chunk::<2>()?;
    if found != tag {
        return None;
    }
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let digits = usize::from(first & 0x7f);
        if digits == 0 || digits > 3 {
            return None;
        }
        let (digits, rest) = rest.split_at_checked(digits)?;
        (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
    };
    rest.split_at_checked(length)
}
