//! Devices that an account trusts: those from which it has signed in before.
//!
//! A successful sign-in sets a cookie that identifies the device and is signed for this account and this password. An
//! attempt with this cookie is counted for the device alone, so that outsiders who fail on purpose only delay
//! themselves, and not the owner (RELIABILITY, T01). It proves nothing else: password and second factor are required
//! anyway.

use aws_lc_rs::{digest, hmac};
use base::fault::Outcome;
use base::http::{Meta, cookies};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::SameSite;
use entity::operator;
use http::{HeaderMap, HeaderValue};
use kernel::time::UtcTime;
use vault::Vault;

/// A device is trusted this long after its last sign-in.
const TRUSTED_S: i64 = 90 * 24 * 3600;

/// A device's id: random, and the same from sign-in to sign-in.
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
    let value = URL_SAFE_NO_PAD.decode(cookies::find(headers, &cookie_name(who))?).ok()?;
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
    cookies::set((cookie_name(who), value), "/api/user", TRUSTED_S, SameSite::Strict, meta.https)
}

/// One cookie for each account, since several people may share a browser.
fn cookie_name(who: &operator::Model) -> String {
    let hash = digest::digest(&digest::SHA256, who.username.as_bytes());
    format!("skyrack_device_{}", hex::encode(&hash.as_ref()[..6]))
}

fn key(vault: &Vault) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, vault.derive_key("trusted device").as_slice())
}

/// A new password, or another account of the same name, makes all devices untrusted again.
fn signed(who: &operator::Model, id: &[u8; 16], expires: [u8; 8]) -> Vec<u8> {
    [&id[..], &expires[..], &who.id.0.to_be_bytes()[..], &who.password_set_at.millis().to_be_bytes()[..]].concat()
}
