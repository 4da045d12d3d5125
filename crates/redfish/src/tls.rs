//! Certificates of BMCs: self-signed, so identified by their SHA-256 and not by an issuer.

use std::sync::Arc;

pub use outbound::Fingerprint;
use outbound::{Seen, tls};
use parking_lot::Mutex;

use crate::client::{Client, Limits};
use crate::error::Error;
use crate::sign_in::Login;

/// How the BMC is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It shows the certificate with this fingerprint.
    Pinned(Fingerprint),
    /// No TLS: `http://` addresses only, for emulators.
    NoTls,
}

impl Trust {
    /// The certificate with this fingerprint, as it is written down.
    ///
    /// # Errors
    /// It is none.
    pub fn pinned(fingerprint: &str) -> Result<Self, Error> {
        fingerprint.parse().map(Self::Pinned).map_err(|bad: outbound::BadFingerprint| Error::protocol(bad.to_string()))
    }
}

/// The certificate's fingerprint, for enrolment: to be compared, or trusted on first use. Sends nothing secret.
///
/// # Errors
/// There is no TLS server.
pub async fn fingerprint(url: &str, limits: Limits) -> Result<Fingerprint, Error> {
    let seen = Arc::new(Mutex::new(None));
    let client =
        Client::with_tls(url, Login::none(), Some(config(None, Arc::clone(&seen))?), Arc::clone(&seen), limits)?;
    let answer = client.touch().await;
    let found = *seen.lock();
    match (found, answer) {
        (Some(found), _) => Ok(found),
        (None, Err(error)) => Err(error),
        (None, Ok(())) => Err(Error::protocol("it shows no certificate")),
    }
}

pub(crate) fn config(pin: Option<Fingerprint>, seen: Seen) -> Result<rustls::ClientConfig, Error> {
    tls(pin, seen).map_err(|error| Error::protocol(error.to_string()))
}
