//! The second half of a session (RELIABILITY, W-07): a cookie beside the token.
//!
//! Scripts read the token, so a script that gets in can send it away. No script reads the cookie. As soon as a client
//! has shown both, its session is *bound*, and the token alone opens nothing. Clients that keep no cookies sign in and
//! work as ever; their sessions stay unbound, and lists of sessions say so.

use entity::OperatorId;
use http::HeaderValue;

use super::session::{TokenHash, hash, new_token};
use crate::fault::{Fault, Outcome};

/// A half that was just made: what is stored of it, and the cookie that carries it.
#[derive(Debug)]
pub struct Half {
    /// SHA-256 of it.
    pub hash: TokenHash,
    /// For the browser.
    pub cookie: HeaderValue,
}

/// Makes a half for a session of an operator that lasts so many seconds at most; `https`: over TLS.
///
/// # Errors
/// Never: the value is plain ASCII.
pub fn make(operator: OperatorId, https: bool, seconds: i64) -> Outcome<Half> {
    let value = new_token();
    let secure = if https { "; Secure" } else { "" };
    let name = cookie_name(operator, https);
    let cookie = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    Ok(Half { hash: hash(&value), cookie: HeaderValue::try_from(cookie).map_err(Fault::internal)? })
}

/// One cookie for each account, since several people may share a browser. With TLS, browsers take it from this very
/// host alone (RFC 6265bis, `__Host-`).
#[must_use]
pub fn cookie_name(operator: OperatorId, https: bool) -> String {
    format!("{}skyrack_session_{operator}", if https { "__Host-" } else { "" })
}
