//! Whether the console may be contacted at its configured address.

use std::net::IpAddr;

use anyhow::bail;
use url::{Host, Url};

/// Refuses an address that would carry the credential and the passwords of BMCs over a network unencrypted, unless it
/// is confirmed that something else encrypts.
///
/// # Errors
/// The address is no `https://`, and neither this machine nor allowed.
pub fn admit(console: &Url, is_insecure_meant: bool) -> anyhow::Result<()> {
    match console.scheme() {
        "https" => Ok(()),
        "http" if is_this_machine(console) => Ok(()),
        "http" if is_insecure_meant => {
            tracing::warn!(
                "insecure_http: the connection to {console} is not encrypted; anybody on the network path can read it"
            );
            Ok(())
        }
        "http" => bail!(
            "{console} is another machine, and without TLS everybody on the way reads the agent's credential. Use https:// \
             or, where something else encrypts, say --insecure-http"
        ),
        _ => bail!("{console} is not an http or https URL"),
    }
}

fn is_this_machine(console: &Url) -> bool {
    match console.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::from(ip).to_canonical().is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::admit;

    #[test]
    fn other_machines_are_spoken_to_with_tls_unless_somebody_means_it() {
        let may = |url: &str, meant| admit(&url.parse().expect("an address"), meant).is_ok();
        for here in ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:1", "https://console.example.com"] {
            assert!(may(here, false), "{here}");
        }
        for there in
            ["http://10.0.0.9", "http://console.example.com", "http://localhost.example.com", "http://[2001:db8::1]"]
        {
            assert!(!may(there, false) && may(there, true), "{there}");
        }
        assert!(!may("ftp://127.0.0.1", true));
    }
}
