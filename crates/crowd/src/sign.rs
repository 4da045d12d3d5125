//! How calls are signed: written from `docs/open-api.md`, as any application has to do it.

use aws_lc_rs::{digest, hmac};

/// What a call is signed over, besides the key.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// Without `?`; empty if there is none.
    pub query: &'a str,
    /// Seconds since 1970.
    pub time: &'a str,
    pub nonce: &'a str,
    pub body: &'a [u8],
    /// Empty if there is none.
    pub idempotency_key: &'a str,
}

/// A key of the Open API. Its secret is in it, and does not come out.
#[derive(Debug)]
pub struct Signer {
    code: String,
    secret: hmac::Key,
}

impl Signer {
    pub fn new(code: &str, secret: &str) -> Self {
        Self { code: code.to_owned(), secret: hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()) }
    }

    /// What the key is called.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The signature of a call.
    pub fn sign(&self, said: Said<'_>) -> String {
        let Said { method, path, query, time, nonce, body, idempotency_key } = said;
        let mut parts: Vec<&str> = query.split('&').collect();
        parts.sort_by_key(|part| part.split_once('=').map_or(*part, |(name, _)| name));
        let (query, body) = (parts.join("&"), hex::encode(digest::digest(&digest::SHA256, body)));
        let text = [self.code.as_str(), method, path, &query, time, nonce, &body, idempotency_key].join("\n");
        hex::encode(hmac::sign(&self.secret, text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Said, Signer};

    #[test]
    fn a_call_is_signed_as_the_page_says() {
        let page = include_str!("../../../docs/open-api.md");
        let said = Said {
            method: "GET",
            path: "/open/v1/users",
            query: "phone=13800000001&limit=2",
            time: "1795000000",
            nonce: "",
            body: b"",
            idempotency_key: "",
        };
        let signer = Signer::new("SKY0123456789ABCDEF0123", "5ecret");
        let signature = signer.sign(said);
        assert!(page.contains(&format!("the signature is\n`{signature}`")), "{signature}");
        assert_eq!(signature, signer.sign(Said { query: "limit=2&phone=13800000001", ..said }), "in any order");
        for other in [
            Said { method: "POST", ..said },
            Said { nonce: "0123456789abcdef", ..said },
            Said { body: b"{}", ..said },
            Said { idempotency_key: "1", ..said },
        ] {
            assert_ne!(signature, signer.sign(other), "{other:?}");
        }
        assert!(!format!("{signer:?}").contains("5ecret"));
    }
}
