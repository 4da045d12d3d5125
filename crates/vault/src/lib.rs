//! Secrets of the installation: encrypted at rest, readable only with a key that is not in the database.
//!
//! Each value is encrypted with a key of its own (AES-256-GCM), and that key with one that is derived from the master
//! key for the value's purpose (HKDF-SHA256). Purpose and name are bound to the ciphertext: moved to another row, it
//! cannot be decrypted. A new master key takes over by re-wrapping the small value keys ([`Vault::rewrap`]); the old
//! one stays readable until that is done.
//!
//! Long data, such as a backup, is encrypted as a stream of segments ([`SealWriter`], [`OpenReader`]).
//!
//! Stored values are never shown again: people see a [`SecretView`], a fingerprint and a date.
//!
//! The crate does not protect the master key from somebody who can read this process's memory or its data directory; it
//! does make a stolen database, backup or replica useless.

mod envelope;
mod key;
pub mod password;
mod secret;
pub mod store;
mod stream;

pub use envelope::{Unsealable, Vault};
pub use key::{KeyError, MasterKeys, Source};
pub use secret::{Secret, SecretView};
pub use stream::{OpenReader, SealWriter, StreamHead, StreamKey};
