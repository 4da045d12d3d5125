//! Cookies, as the browser sends and gets them (RFC 6265).

use cookie::time::Duration;
use cookie::{Cookie, SameSite};
use http::{HeaderMap, HeaderValue, header};

use crate::fault::{Fault, Outcome};

/// The value of a cookie that came with a request; the first one, if there are several of this name.
#[must_use]
pub fn find<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(Cookie::split_parse)
        .filter_map(Result::ok)
        .find_map(|cookie| if cookie.name() == name { cookie.value_raw() } else { None })
}

/// A cookie for requests below `path` alone, for so many seconds, that no script reads; `https`: it never goes over a
/// connection without TLS. No seconds and no value take one away.
///
/// # Errors
/// When name or value are no text of a header: a fault of ours.
pub fn set(
    (name, value): (String, String),
    path: &'static str,
    seconds: i64,
    same_site: SameSite,
    https: bool,
) -> Outcome<HeaderValue> {
    let cookie = Cookie::build((name, value))
        .path(path)
        .max_age(Duration::seconds(seconds))
        .http_only(true)
        .same_site(same_site)
        .secure(https);
    HeaderValue::try_from(cookie.to_string()).map_err(Fault::internal)
}
