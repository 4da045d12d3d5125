//! The web console, out of the binary. Files that were compressed at build time are sent as they are.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode, Uri, header};
use rust_embed::{EmbeddedFile, RustEmbed};

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
struct Dist;

/// Answers a path of the console: a file, or the page that the console's router takes over.
#[must_use]
pub fn page(uri: &Uri, headers: &HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_asset = path.starts_with("assets/");
    let name = if Dist::get(path).is_some() && !path.is_empty() { path } else { "index.html" };
    if is_asset && name == "index.html" {
        return StatusCode::NOT_FOUND.into_response();
    }
    let accepts = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let packed = accepts.contains("br").then(|| Dist::get(&format!("{name}.br"))).flatten();
    let encoded = packed.is_some();
    let Some(file) = packed.or_else(|| Dist::get(name)) else {
        return (StatusCode::NOT_FOUND, "The web console was not built into this binary; run `make build`.\n")
            .into_response();
    };
    answer(name, file, headers, encoded, is_asset)
}

fn answer(name: &str, file: EmbeddedFile, headers: &HeaderMap, encoded: bool, is_asset: bool) -> Response {
    let etag = format!("\"{}{}\"", hex::encode(&file.metadata.sha256_hash()[..12]), if encoded { "b" } else { "" });
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == etag.as_bytes());
    // Names of assets carry a hash of their content; the page itself must be asked for each time.
    let cache = if is_asset { "public, max-age=31536000, immutable" } else { "no-cache" };
    let kind = mime(name);
    let mut builder = Response::builder()
        .header(header::CONTENT_TYPE, kind)
        .header(header::CACHE_CONTROL, cache)
        .header(header::VARY, "accept-encoding")
        .header(header::ETAG, &etag);
    if encoded {
        builder = builder.header(header::CONTENT_ENCODING, "br");
    }
    let (status, body) =
        if known { (StatusCode::NOT_MODIFIED, Body::empty()) } else { (StatusCode::OK, Body::from(file.data)) };
    builder.status(status).body(body).unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

fn mime(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
