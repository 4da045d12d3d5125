//! Devices that an account trusts: those that signed in to it before.
//!
//! A successful sign-in leaves a cookie that names the device and is signed for this account and this
//! password. An attempt that brings it is counted for the device alone, so that an outsider who fails on
//! purpose makes himself wait, and not the owner (RELIABILITY, T01). It proves nothing else: password
//! and second factor are asked for all the same.

use aws_lc_rs::{digest, hmac};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use entity::operator;
use http::{HeaderMap, HeaderValue};
use kernel::time::UtcTime;
use vault::Vault;

use crate::fault::{Fault, Outcome};
use crate::http::meta::{Meta, cookie};

/// A device is trusted this long after its last sign-in.
const TRUSTED_S: i64 = 90 * 24 * 3600;

/// A device's name: random, and the same from sign-in to sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceId([u8; 16]);

impl std::fmt::Display for DeviceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

/// The device that a request comes from, if the account trusts it.
#[must_use]
pub fn recognise(vault: &Vault, who: &operator::Model, headers: &HeaderMap, now: UtcTime) -> Option<DeviceId> {
    let value = URL_SAFE_NO_PAD.decode(cookie(headers, &cookie_name(who))?).ok()?;
    let (id, rest) = value.split_first_chunk::<16>()?;
    let (expires, tag) = rest.split_first_chunk::<8>()?;
    hmac::verify(&key(vault), &signed(who, id, *expires), tag).ok()?;
    (now.millis() < i64::from_be_bytes(*expires)).then_some(DeviceId(*id))
}

/// The cookie that makes the account trust a device, the same as before or a new one.
///
/// # Errors
/// Never: the value is plain ASCII.
pub fn trust(
    vault: &Vault,
    who: &operator::Model,
    device: Option<DeviceId>,
    meta: &Meta,
    now: UtcTime,
) -> Outcome<HeaderValue> {
    let DeviceId(id) = device.unwrap_or_else(|| DeviceId(rand::random()));
    let expires = now.plus_seconds(TRUSTED_S).millis().to_be_bytes();
    let tag = hmac::sign(&key(vault), &signed(who, &id, expires));
    let value = URL_SAFE_NO_PAD.encode([&id[..], &expires[..], tag.as_ref()].concat());
    let secure = if meta.https { "; Secure" } else { "" };
    let cookie =
        format!("{}={value}; Path=/api/user; Max-Age={TRUSTED_S}; HttpOnly; SameSite=Strict{secure}", cookie_name(who));
    HeaderValue::try_from(cookie).map_err(Fault::internal)
}

/// One cookie for each account, since several people may share a browser.
fn cookie_name(who: &operator::Model) -> String {
    let hash = digest::digest(&digest::SHA256, who.username.as_bytes());
    format!("skyrack_device_{}", hex::encode(&hash.as_ref()[..6]))
}

fn key(vault: &Vault) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, vault.derive_key("trusted device").as_slice())
}

/// A new password, or another account of the same name, makes every device a stranger again.
fn signed(who: &operator::Model, id: &[u8; 16], expires: [u8; 8]) -> Vec<u8> {
    [&id[..], &expires[..], &who.id.0.to_be_bytes()[..], &who.password_set_at.millis().to_be_bytes()[..]].concat()
}
