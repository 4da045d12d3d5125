//! The cookie that binds a session to a browser, beside its token (RELIABILITY, W-07).
//!
//! Scripts read the token, so a script that gets in can send it away. No script reads the cookie. As soon as a client
//! has shown both, its session is *bound*, and the token alone opens nothing. Clients that keep no cookies sign in and
//! work as ever; their sessions stay unbound, and lists of sessions say so.

use cookie::SameSite;
use entity::OperatorId;
use http::HeaderValue;

use super::session::{TokenHash, hash, new_token};
use crate::fault::Outcome;
use crate::http::cookies;

/// A cookie that was just made: what is stored of it, and what the browser gets.
#[derive(Debug)]
pub struct SessionCookie {
    /// SHA-256 of it.
    pub hash: TokenHash,
    /// For the browser.
    pub header: HeaderValue,
}

/// Makes one for a session of an operator that lasts so many seconds at most; `https`: over TLS.
///
/// # Errors
/// Never: the value is plain ASCII.
pub fn make(operator: OperatorId, https: bool, seconds: i64) -> Outcome<SessionCookie> {
    let value = new_token();
    let hash = hash(&value);
    let header = cookies::set((name(operator, https), value), "/", seconds, SameSite::Strict, https)?;
    Ok(SessionCookie { hash, header })
}

/// One cookie for each account, since several people may share a browser. With TLS, browsers take it from this very
/// host alone (RFC 6265bis, `__Host-`).
#[must_use]
pub fn name(operator: OperatorId, https: bool) -> String {
    format!("{}skyrack_session_{operator}", if https { "__Host-" } else { "" })
}
