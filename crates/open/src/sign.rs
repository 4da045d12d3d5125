//! How calls are signed, and what applications are told by themselves: what the page describes, and nothing about who signs.

use aws_lc_rs::{digest, hmac};

/// What a signature is over.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    pub key: &'a str,
    pub method: &'a str,
    /// As it was sent.
    pub path: &'a str,
    /// As it was sent; empty if there is none.
    pub query: &'a str,
    pub time: &'a str,
    /// Empty if it was left out.
    pub nonce: &'a str,
    pub body: &'a [u8],
    /// Empty if it was left out.
    pub idempotency_key: &'a str,
}

impl Parts<'_> {
    /// The text that is signed.
    fn text(&self) -> String {
        let Self { key, method, path, query, time, nonce, body, idempotency_key } = *self;
        let body = hex::encode(digest::digest(&digest::SHA256, body));
        let query = sorted(query);
        [key, method, path, &query, time, nonce, &body, idempotency_key].join("\n")
    }

    /// What is asked for, in 64 letters: the same whenever the same is sent again.
    pub fn asked(&self) -> String {
        let Self { method, path, query, body, .. } = *self;
        let body = hex::encode(digest::digest(&digest::SHA256, body));
        let text = [method, path, &sorted(query), &body].join("\n");
        hex::encode(digest::digest(&digest::SHA256, text.as_bytes()))
    }

    /// The signature with `secret`, in lower-case hexadecimal.
    pub fn signature(&self, secret: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        hex::encode(hmac::sign(&key, self.text().as_bytes()))
    }

    /// Whether `signature`, in lower-case hexadecimal, was made with `secret`. It takes as long whether it differs in the
    /// first or the last letter.
    pub fn are_signed(&self, secret: &[u8], signature: &str) -> bool {
        if signature.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return false;
        }
        let Ok(tag) = hex::decode(signature) else { return false };
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        hmac::verify(&key, self.text().as_bytes(), &tag).is_ok()
    }
}

/// The parameters in the order of their names, each as it was sent; those of one name stay in their order.
fn sorted(query: &str) -> String {
    if query.is_empty() {
        return String::new();
    }
    let mut parts: Vec<&str> = query.split('&').collect();
    parts.sort_by_key(|part| part.split_once('=').map_or(*part, |(name, _)| name));
    parts.join("&")
}

#[cfg(test)]
mod tests {
    use super::{Parts, sorted};
    use crate::door::GUIDE;

    /// What Python's `hmac` makes of the same, with the secret `5ecret`.
    const SIGNED: &str = "d669144a1ba32e1d40ece9e6009bcb518b4af9cda92cc3c04955aaa3a7da54e5";

    fn parts() -> Parts<'static> {
        Parts {
            key: "SKY0123456789ABCDEF0123",
            method: "GET",
            path: "/open/v1/users",
            query: "phone=13800000001&limit=2",
            time: "1795000000",
            nonce: "",
            body: b"",
            idempotency_key: "",
        }
    }

    // The signature is Python's.
    #[test]
    fn an_event_is_signed_as_the_page_has_it() {
        let mut blocks = GUIDE.split("```json\n").filter_map(|block| block.split("\n```").next());
        let event = blocks.find(|block| block.starts_with("{\"id\"") && block.contains("\"phone.off\"")).expect("one");
        let parts = Parts {
            key: "SKYH0123456789ABCDEF0123",
            method: "POST",
            path: "/skyrack",
            query: "team=7",
            time: "1795000000",
            nonce: "0123456789abcdef0123456789abcdef",
            body: event.as_bytes(),
            idempotency_key: "6f1c0b8e2a7d4c559b3e8d1f0a2b4c6d",
        };
        let signed = parts.signature(b"5ecret");
        assert_eq!(signed, "d92e9df05b05f25d2c6c7d38764b61db1e07a9c0ddb5e9d410d9c18773dc65b2");
        assert!(GUIDE.contains(&signed));
    }

    #[test]
    fn parameters_are_sorted_by_name_and_stay_as_they_were_sent() {
        assert_eq!(sorted("b=2&a=%20x&a=1&c"), "a=%20x&a=1&b=2&c");
        assert_eq!(sorted(""), "");
        assert_eq!(sorted("a=2&a=1"), "a=2&a=1", "the order of equals may mean something");
        assert_eq!(sorted("a-b=1&a=2"), "a=2&a-b=1", "by the name alone, not by the whole");
    }

    #[test]
    fn what_is_asked_for_is_the_same_when_it_is_sent_again_and_differs_when_it_does() {
        let again = Parts { time: "1795000001", nonce: "0123456789abcdef", idempotency_key: "1", ..parts() };
        assert_eq!((parts().asked().len(), parts().asked()), (64, again.asked()));
        assert_eq!(parts().asked(), Parts { query: "limit=2&phone=13800000001", ..parts() }.asked());
        for other in [
            Parts { method: "POST", ..parts() },
            Parts { path: "/open/v1/phones", ..parts() },
            Parts { query: "phone=13800000001&limit=3", ..parts() },
            Parts { body: b"{}", ..parts() },
        ] {
            assert_ne!(parts().asked(), other.asked(), "{other:?}");
        }
    }

    #[test]
    fn a_signature_of_another_program_is_understood_and_any_change_is_not() {
        let signs = |parts: Parts<'_>, secret: &str| parts.are_signed(secret.as_bytes(), SIGNED);
        assert!(signs(parts(), "5ecret"));
        assert_eq!(parts().signature(b"5ecret"), SIGNED);
        assert!(signs(Parts { query: "limit=2&phone=13800000001", ..parts() }, "5ecret"), "in another order");
        assert!(!signs(parts(), "5ecreT"));
        assert!(!signs(Parts { key: "SKY0123456789ABCDEF0124", ..parts() }, "5ecret"));
        assert!(!signs(Parts { method: "POST", ..parts() }, "5ecret"));
        assert!(!signs(Parts { path: "/open/v1/users/", ..parts() }, "5ecret"));
        assert!(!signs(Parts { query: "phone=13800000001&limit=3", ..parts() }, "5ecret"));
        assert!(!signs(Parts { query: "phone=13800000001", ..parts() }, "5ecret"));
        assert!(!signs(Parts { time: "1795000001", ..parts() }, "5ecret"));
        assert!(!signs(Parts { nonce: "0123456789abcdef", ..parts() }, "5ecret"));
        assert!(!signs(Parts { body: b"{}", ..parts() }, "5ecret"));
        assert!(!signs(Parts { idempotency_key: "1", ..parts() }, "5ecret"));
        assert!(!parts().are_signed(b"5ecret", &SIGNED.to_uppercase()), "lower case, as the page says");
        assert!(!parts().are_signed(b"5ecret", &SIGNED[..32]), "not half of it");
        assert!(!parts().are_signed(b"5ecret", ""));
    }
}
