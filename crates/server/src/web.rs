//! The web console, out of the binary. Files that were compressed at build time are sent as they are.

use std::borrow::Cow;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use base::http::file::content_type;
use base::http::outer;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use rust_embed::RustEmbed;

/// The build. Scripts and styles are in it once, compressed: who cannot read that gets them unpacked.
#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[exclude = "*.js"]
#[exclude = "*.css"]
#[exclude = ".vite/*"]
struct Dist;

/// Answers a path of the console: a file, or the page that the console's router takes over.
#[must_use]
pub fn page(uri: &Uri, headers: &HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_asset = path.starts_with("assets/");
    let accepts = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let accepts = accepts.contains("br");
    let found = Found::of(path, accepts).map(|file| (path, file));
    let Some((name, file)) = found.or_else(|| Some(("index.html", Found::of("index.html", accepts)?))) else {
        return (StatusCode::NOT_FOUND, "The web console was not built into this binary; run `make build`.\n")
            .into_response();
    };
    if is_asset && name == "index.html" {
        return StatusCode::NOT_FOUND.into_response();
    }
    let mut response = answer(name, file, headers, is_asset);
    if name == "index.html"
        && let Some(plain) = Dist::get(name)
        && let Some(policy) = policy(&plain.data)
    {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// A file as it is sent.
struct Found {
    content: Cow<'static, [u8]>,
    /// It is compressed with brotli.
    is_packed: bool,
    etag: String,
}

impl Found {
    fn of(name: &str, accepts: bool) -> Option<Self> {
        let packed = Dist::get(&format!("{name}.br"));
        let (file, is_packed) = match Dist::get(name) {
            Some(plain) if !accepts || packed.is_none() => (plain, false),
            _ => (packed?, true),
        };
        let mut etag = hex::encode(&file.metadata.sha256_hash()[..12]);
        if is_packed && !accepts {
            let mut content = Vec::new();
            brotli::BrotliDecompress(&mut &file.data[..], &mut content).ok()?;
            etag.push('u');
            return Some(Self { content: content.into(), is_packed: false, etag });
        }
        Some(Self { content: file.data, is_packed, etag })
    }
}

/// What the console's page may run: the script it holds begins the first calls before any module is there
/// (`web/src/app/first-load/early.ts`). It is the build's own, so the page says what is allowed.
#[must_use]
pub fn policy(page: &[u8]) -> Option<HeaderValue> {
    let page = str::from_utf8(page).ok()?;
    let scripts: Vec<&str> =
        page.split("<script>").skip(1).filter_map(|rest| Some(rest.split_once("</script>")?.0)).collect();
    outer::policy_with(&scripts)
}

fn answer(name: &str, file: Found, headers: &HeaderMap, is_asset: bool) -> Response {
    let etag = format!("\"{}\"", file.etag);
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == etag.as_bytes());
    // Names of assets carry a hash of their content; the page itself must be asked for each time.
    let cache = if is_asset { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut builder = Response::builder()
        .header(header::CONTENT_TYPE, content_type(name))
        .header(header::CACHE_CONTROL, cache)
        .header(header::VARY, "accept-encoding")
        .header(header::ETAG, &etag);
    if file.is_packed {
        builder = builder.header(header::CONTENT_ENCODING, "br");
    }
    let (status, body) =
        if known { (StatusCode::NOT_MODIFIED, Body::empty()) } else { (StatusCode::OK, Body::from(file.content)) };
    builder.status(status).body(body).unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
