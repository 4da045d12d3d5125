//! Where applications may be told: never at this machine, its link or, unless a setting names them, private networks. It is asked
//! when an address is saved and again for each connection, with the address that is connected to.

use base::app::App;
use base::fault::{Fault, Outcome};
use kernel::rules::{Verdict, Violation, max_chars};
use outbound::{Net, Rule};
use reqwest::Url;

use crate::nets::listed;
use crate::settings::OpenDoor;

/// Characters of an address.
pub const LONGEST: usize = 512;

/// An address that is well-formed.
///
/// # Errors
/// What is wrong with it.
pub fn parsed(text: &str) -> Verdict<Url> {
    max_chars(text, LONGEST)?;
    let url = Url::parse(text).ok().filter(|url| {
        let is_web = matches!(url.scheme(), "https" | "http") && url.has_host();
        is_web && url.username().is_empty() && url.password().is_none() && url.fragment().is_none()
    });
    url.ok_or_else(|| Violation::new("url.format"))
}

/// What is connected to.
#[must_use]
pub fn rule(app: &App, settings: &OpenDoor) -> Rule {
    let named = listed(&settings.hook_nets).filter_map(|net| net.parse::<Net>().ok());
    app.config.outbound().knowing_itself().public().excepting(named)
}

/// Whether somebody may be told there without encryption.
#[must_use]
pub fn is_encrypted_enough(url: &Url, settings: &OpenDoor) -> bool {
    url.scheme() == "https" || settings.plain_http
}

/// Refuses an address at which nobody would be told.
///
/// # Errors
/// Why not, at the field `url`; or a read fails.
pub async fn check(app: &App, text: &str) -> Outcome<()> {
    let refused = |violation| Err(Fault::field("url", violation));
    let url = match parsed(text) {
        Ok(url) => url,
        Err(violation) => return refused(violation),
    };
    let settings = app.settings.get::<OpenDoor>(app).await?;
    if !is_encrypted_enough(&url, &settings) {
        return refused(Violation::new("url.plain"));
    }
    if rule(app, &settings).check_url(&url).is_ok() {
        return Ok(());
    }
    let is_inside = app.config.outbound().knowing_itself().check_url(&url).is_ok();
    refused(if is_inside { Violation::new("address.inside") } else { Violation::new("address.refused") })
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, parsed};

    #[test]
    fn an_address_names_a_host_and_no_person() {
        let long = format!("https://example.com/{}", "x".repeat(LONGEST));
        for (text, is_one) in [
            ("https://hooks.example.com/skyrack?team=7", true),
            ("http://10.0.0.7:8080/", true),
            ("https://[2606:4700::1111]/x", true),
            ("", false),
            ("hooks.example.com/skyrack", false),
            ("ftp://example.com/", false),
            ("file:///etc/passwd", false),
            ("https://user@example.com/", false),
            ("https://:password@example.com/", false),
            ("https://example.com/#part", false),
            ("https://", false),
            (long.as_str(), false),
        ] {
            assert_eq!(parsed(text).is_ok(), is_one, "{text}");
        }
    }
}
