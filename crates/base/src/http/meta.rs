//! Who sends a request, from where, in which language.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, header};
use kernel::lang::Lang;

use super::cookies;
use crate::app::App;
use crate::fault::Fault;

/// Facts about a request that do not depend on its route.
#[derive(Clone, Debug)]
pub struct Meta {
    /// The connection's address or, behind a trusted proxy, the one that it reports.
    pub ip: IpAddr,
    /// Whether the client's connection is encrypted, here or at the trusted proxy.
    pub https: bool,
    /// Connects the answer, the server log and the operation log.
    pub request_id: Arc<str>,
    /// The language of messages.
    pub lang: Lang,
}

impl Meta {
    /// Reads the facts of a request that arrived from `peer`.
    #[must_use]
    pub fn of(app: &App, peer: Option<SocketAddr>, headers: &HeaderMap) -> Self {
        Self {
            ip: client_ip(app, peer, headers),
            https: app.config.tls_cert.is_some() || via_https(app, peer, headers),
            request_id: uuid::Uuid::now_v7().simple().to_string().into(),
            lang: language(headers),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Meta {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Fault> {
        parts
            .extensions
            .get::<Self>()
            .cloned()
            .ok_or_else(|| Fault::Internal(anyhow::anyhow!("the request has no Meta")))
    }
}

/// `X-Forwarded-For` counts only if the connection comes from a proxy that the configuration trusts; then the client's
/// address is the last one that is not a proxy's.
fn client_ip(app: &App, peer: Option<SocketAddr>, headers: &HeaderMap) -> IpAddr {
    let peer = peer.map_or(IpAddr::from([127, 0, 0, 1]), |peer| peer.ip().to_canonical());
    let trusted = &app.config.trusted_proxies;
    if !trusted.contains(&peer) {
        return peer;
    }
    let told: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .flat_map(|value| value.to_str().unwrap_or("?").split(','))
        .map(str::trim)
        .collect();
    for text in told.into_iter().rev() {
        match address(text) {
            Some(ip) if trusted.contains(&ip) => {}
            Some(ip) => return ip,
            // What stands before it is whatever the client has written.
            None => return peer,
        }
    }
    peer
}

/// An address as proxies write it, some of them with the port.
fn address(text: &str) -> Option<IpAddr> {
    let ip = text.parse::<IpAddr>().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()));
    ip.map(|ip| ip.to_canonical())
}

/// What a trusted proxy reports about the client's connection.
fn via_https(app: &App, peer: Option<SocketAddr>, headers: &HeaderMap) -> bool {
    peer.is_some_and(|peer| app.config.trusted_proxies.contains(&peer.ip().to_canonical()))
        && headers.get("x-forwarded-proto").is_some_and(|scheme| scheme.as_bytes().eq_ignore_ascii_case(b"https"))
}

/// `Accept-Language` first, then the `language` cookie, then Chinese. If a browser opens an address on its own (after a
/// redirect from a provider), its `Accept-Language` is not what was chosen in the console; then the cookie comes first.
#[must_use]
pub fn language(headers: &HeaderMap) -> Lang {
    let accepted = headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(',').find_map(|part| tag(part.split(';').next().unwrap_or_default())));
    let chosen = cookies::find(headers, "language").and_then(tag);
    let is_page = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    let (first, second) = if is_page { (chosen, accepted) } else { (accepted, chosen) };
    first.or(second).unwrap_or(Lang::Zh)
}

fn tag(text: &str) -> Option<Lang> {
    let text = text.trim().to_ascii_lowercase();
    match text.split('-').next() {
        Some("zh") => Some(Lang::Zh),
        Some("en") => Some(Lang::En),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName, HeaderValue};
    use kernel::lang::Lang;

    use super::{address, language};

    #[test]
    fn an_address_is_understood_as_proxies_write_it() {
        for (text, ip) in [
            ("203.0.113.9", Some("203.0.113.9")),
            ("203.0.113.9:5123", Some("203.0.113.9")),
            ("[2001:db8::1]:443", Some("2001:db8::1")),
            ("::ffff:10.1.0.5", Some("10.1.0.5")),
            ("unknown", None),
            ("", None),
            ("203.0.113.9 x", None),
        ] {
            assert_eq!(address(text).map(|ip| ip.to_string()).as_deref(), ip, "{text}");
        }
    }

    #[test]
    fn the_language_is_the_one_that_was_chosen() {
        let of = |pairs: &[(&'static str, &'static str)]| {
            let headers = pairs
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
                .collect::<HeaderMap>();
            language(&headers)
        };
        let (accepts, cookie) = (("accept-language", "en-US,en;q=0.9"), ("cookie", "a=b; language=zh"));
        assert_eq!(of(&[]), Lang::Zh);
        assert_eq!(of(&[("accept-language", "fr, en;q=0.5")]), Lang::En);
        assert_eq!(of(&[("cookie", "language=en")]), Lang::En);
        assert_eq!(of(&[accepts, cookie]), Lang::En);
        assert_eq!(of(&[accepts, cookie, ("sec-fetch-mode", "cors")]), Lang::En);
        assert_eq!(of(&[accepts, cookie, ("sec-fetch-mode", "navigate")]), Lang::Zh);
        assert_eq!(of(&[accepts, ("sec-fetch-mode", "navigate")]), Lang::En);
    }
}
