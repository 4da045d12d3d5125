//! Certificates that are identified by their SHA-256 and not by an issuer: BMCs and storage nodes sign their own.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use parking_lot::Mutex;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};

/// SHA-256 of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

/// A text that is no fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint has 64 hex digits")]
pub struct BadFingerprint;

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl FromStr for Fingerprint {
    type Err = BadFingerprint;
    fn from_str(text: &str) -> Result<Self, BadFingerprint> {
        let bytes = hex::decode(text.replace(':', "")).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or(BadFingerprint)
    }
}

/// The certificate seen last.
pub type Seen = Arc<Mutex<Option<Fingerprint>>>;

/// TLS with whoever shows the pinned certificate; without a pin with anybody, to learn the fingerprint: then nothing secret
/// may be sent.
///
/// # Errors
/// When the library has no ciphers.
pub fn tls(pin: Option<Fingerprint>, seen: Seen) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let verifier = Arc::new(Pinned { pin, seen, provider: Arc::clone(&provider) });
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
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

    // That the server has the certificate's key must still be verified.
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
