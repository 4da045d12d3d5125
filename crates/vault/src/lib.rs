//! Secrets of the deployment: sealed at rest, readable only with a key that is not in the database.
//!
//! Each value is sealed with a key of its own (AES-256-GCM), and that key with one that is derived
//! from the master key for the value's purpose (HKDF-SHA256). Purpose and name are bound to the
//! ciphertext: moved to another row, it does not open. A new master key takes over by wrapping the
//! small value keys anew ([`Vault::rewrap`]); the old one stays readable until that is done.
//!
//! What is stored is never shown again: people see a [`SecretView`], a fingerprint and a date.
//!
//! The crate does not keep the master key from somebody who can read this process's memory or its
//! data directory; it does keep a stolen database, backup or replica useless.

mod envelope;
mod key;
mod secret;
pub mod store;

pub use envelope::{Unsealable, Vault};
pub use key::{KeyError, MasterKeys, Source};
pub use secret::{Secret, SecretView};
