//! Hashes of passwords: argon2id, with a secret of the server in them. They are made in this crate because argon2's loop
//! is generic: it becomes code of whoever calls it, and others are built for size (`Cargo.toml`).

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Error, Params, Version};
use aws_lc_rs::rand;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::Secret;

/// Memory of one hash in KiB, passes and lanes (RELIABILITY, appendix E).
const MEMORY_KIB: u32 = 19 * 1024;
const PASSES: u32 = 2;
/// The prefix of a stored hash with the pepper.
pub const PEPPERED: &str = "pepper1:";

/// argon2 refused its parameters.
#[derive(Debug, thiserror::Error)]
#[error("argon2: {0}")]
pub struct PasswordError(String);

fn engine(pepper: Option<&Secret>) -> Result<Argon2<'_>, Error> {
    let params = Params::new(MEMORY_KIB, PASSES, 1, None)?;
    match pepper {
        Some(pepper) => Argon2::new_with_secret(pepper.expose(), Algorithm::Argon2id, Version::V0x13, params),
        None => Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params)),
    }
}

fn fault(error: impl std::fmt::Display) -> PasswordError {
    PasswordError(error.to_string())
}

/// The hash to store of what a client sends, with the pepper if there is one.
///
/// # Errors
/// When argon2 refuses its parameters.
pub fn hash(sent: &str, pepper: Option<&Secret>) -> Result<String, PasswordError> {
    let hash = engine(pepper).map_err(fault)?.hash_password(sent.as_bytes()).map_err(fault)?;
    Ok(if pepper.is_some() { format!("{PEPPERED}{hash}") } else { hash.to_string() })
}

/// What no password matches, and what costs as much to compare with as a real hash: random bytes in the place of one. A
/// real one would take 19 MiB at every start, which the allocator keeps.
///
/// # Panics
/// When the system has no random bytes.
#[must_use]
pub fn unmatched(peppered: bool) -> String {
    let (mut salt, mut output) = ([0; 16], [0; 32]);
    rand::fill(&mut salt).and_then(|()| rand::fill(&mut output)).expect("the system's random source works");
    let [salt, output] = [&salt[..], &output].map(|bytes| STANDARD_NO_PAD.encode(bytes));
    let mark = if peppered { PEPPERED } else { "" };
    format!("{mark}$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p=1${salt}${output}")
}

/// Whether what a client sends is what `stored` was made of.
///
/// # Errors
/// When argon2 refuses its parameters.
pub fn matches(sent: &str, stored: &str, pepper: Option<&Secret>) -> Result<bool, PasswordError> {
    let (hash, pepper) = match stored.strip_prefix(PEPPERED) {
        Some(hash) => (hash, pepper),
        None => (stored, None),
    };
    Ok(engine(pepper).map_err(fault)?.verify_password(sent.as_bytes(), hash).is_ok())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use super::*;

    /// A form that cannot be read would be refused at once, and tell who exists.
    #[test]
    fn what_matches_nothing_has_the_form_of_a_hash() {
        let pepper = Secret::new(vec![7; 32]);
        for pepper in [None, Some(&pepper)] {
            let real = hash("sent", pepper).unwrap();
            let fake = unmatched(pepper.is_some());
            let form = |hash: &str| {
                let parts: Vec<&str> = hash.split('$').collect();
                (parts[..4].join("$"), parts[4].len(), parts[5].len(), parts.len())
            };
            assert_eq!(form(&real), form(&fake));
            assert!(
                engine(pepper)
                    .unwrap()
                    .verify_password(b"sent", fake.trim_start_matches(PEPPERED))
                    .is_err_and(|error| matches!(error, argon2::password_hash::Error::PasswordInvalid))
            );
        }
    }
}
