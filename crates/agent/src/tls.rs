//! Which certificates the agent trusts for the console.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// The system's certificates, and those of `ca`.
///
/// # Errors
/// The file cannot be read, or has no certificate.
pub fn config(ca: Option<&Path>) -> anyhow::Result<ClientConfig> {
    let mut roots = RootCertStore::empty();
    // A system without certificates is not an error: the console may be reached without TLS, or has a private CA.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = ca {
        let shown = path.display();
        let all = CertificateDer::pem_file_iter(path).with_context(|| format!("--ca: cannot read {shown}"))?;
        for certificate in all {
            let certificate = certificate.with_context(|| format!("--ca: {shown} is not PEM"))?;
            roots.add(certificate).with_context(|| format!("--ca: {shown} holds no usable certificate"))?;
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .context("TLS")?
        .with_root_certificates(roots)
        .with_no_client_auth())
}
