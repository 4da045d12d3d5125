//! X.509 certificates in PEM or DER, and never a private key with them.

use kernel::rules::{FileKind, Violation};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use x509_parser::certificate::X509Certificate;
use x509_parser::pem::Pem;
use x509_parser::prelude::FromDer;

use crate::{Fault, unlike};

/// The information in a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Its subject.
    pub subject: String,
    /// Its issuer.
    pub issuer: String,
    /// Its serial number, in hexadecimal with colons.
    pub serial: String,
    /// Valid from.
    pub not_before: UtcTime,
    /// Valid until. An expired certificate is not refused: its user decides.
    pub not_after: UtcTime,
    /// The number of certificates in the file.
    pub count: usize,
}

/// Reads a file of certificates.
pub(crate) fn read(bytes: &[u8]) -> Result<Certificate, Fault> {
    if has_key_words(bytes) || begins_like_a_key(bytes) {
        return Err(Violation::new("certificate.privateKey").into());
    }
    let refused = || Fault::from(unlike(FileKind::Certificate));
    let looks_like_pem = bytes.windows(11).any(|part| part == b"-----BEGIN ");
    if !looks_like_pem {
        return described(bytes, 1);
    }
    let blocks: Vec<Pem> = Pem::iter_from_buffer(bytes).collect::<Result<_, _>>().map_err(|_| refused())?;
    let mut first = None;
    for block in &blocks {
        if block.label != "CERTIFICATE" {
            return Err(refused());
        }
        let certificate = described(&block.contents, blocks.len())?;
        first.get_or_insert(certificate);
    }
    first.ok_or_else(refused)
}

fn described(der: &[u8], count: usize) -> Result<Certificate, Fault> {
    if begins_like_a_key(der) {
        return Err(Violation::new("certificate.privateKey").into());
    }
    let refused = || Fault::from(unlike(FileKind::Certificate));
    let (rest, certificate) = X509Certificate::from_der(der).map_err(|_| refused())?;
    // Something after the certificate: a key, for example.
    if !rest.is_empty() {
        return Err(refused());
    }
    let validity = certificate.validity();
    Ok(Certificate {
        subject: certificate.subject().to_string(),
        issuer: certificate.issuer().to_string(),
        serial: certificate.raw_serial_as_string(),
        not_before: UtcTime(validity.not_before.timestamp().saturating_mul(1000)),
        not_after: UtcTime(validity.not_after.timestamp().saturating_mul(1000)),
        count,
    })
}

/// The words of every PEM label of a private key (PKCS#1, PKCS#8, SEC 1, OpenSSH), anywhere.
fn has_key_words(bytes: &[u8]) -> bool {
    bytes.windows(11).any(|part| part.eq_ignore_ascii_case(b"PRIVATE KEY"))
}

/// In DER a key (PKCS#1, PKCS#8, SEC 1) or a key store (PKCS#12) starts with a version number; a certificate does not.
fn begins_like_a_key(der: &[u8]) -> bool {
    const INTEGER: u8 = 0x02;
    let content = match der {
        [0x30, length, ..] if *length < 0x80 => 2,
        [0x30, length, ..] => 2 + usize::from(length & 0x7F),
        _ => return false,
    };
    der.get(content) == Some(&INTEGER)
}
