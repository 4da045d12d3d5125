//! Certificates of BMCs: made by themselves, so known by their SHA-256 and not by who signed them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use parking_lot::Mutex;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};

use crate::client::{Client, Limits, Login};
use crate::error::Error;

/// SHA-256 of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for Fingerprint {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let bytes = hex::decode(text.replace(':', "")).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| Error::protocol("a fingerprint has 64 hex digits"))
    }
}

/// Why to believe that it is this BMC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It shows the certificate with this fingerprint.
    Pinned(Fingerprint),
    /// No TLS: `http://` addresses only, for emulators.
    NoTls,
}

/// The certificate's fingerprint, for enrolment: somebody compares it, or believes it the first time. Sends nothing that is secret.
///
/// # Errors
/// Nothing speaks TLS there.
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

/// What was shown last.
pub(crate) type Seen = Arc<Mutex<Option<Fingerprint>>>;

pub(crate) fn config(pin: Option<Fingerprint>, seen: Seen) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let verifier = Arc::new(Pinned { pin, seen, provider: Arc::clone(&provider) });
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| Error::protocol(error.to_string()))?;
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

#[derive(Debug)]
struct Pinned {
    pin: Option<Fingerprint>,
    seen: Seen,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let mut found = [0; 32];
        found.copy_from_slice(digest(&SHA256, certificate).as_ref());
        *self.seen.lock() = Some(Fingerprint(found));
        match self.pin {
            Some(pin) if pin.0 != found => {
                Err(rustls::Error::InvalidCertificate(rustls::CertificateError::ApplicationVerificationFailure))
            }
            _ => Ok(ServerCertVerified::assertion()),
        }
    }

    // That it holds the certificate's key is still to be proved.
    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
