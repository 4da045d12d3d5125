//! The API document: generated from the handlers, served as JSON and as a readable page.

use axum::response::{IntoResponse as _, Response};
use http::header;
use utoipa::Modify;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{Components, InfoBuilder, OpenApi};

const DESCRIPTION: &str = "Every JSON answer wears an envelope: `{status, msg, data, success}`. `status` 0 is success. \
    Other body statuses: 3 trial is up; 4000 invalid input, see `errors`; 4001 sign-in refused; 4003 a permission code is \
    missing; 4004 not found; 4009 conflict; 4010 the password must be changed first; 4013 too large; 4015 wrong type; \
    4029 too many requests; 5000 internal; 5003 a dependency is down; 6013 signed in elsewhere; 6014 session expired; \
    6403 account closed. Messages are in the language of `Accept-Language`, else of the `language` cookie, else Chinese.";

/// What all domains share in the document.
#[derive(Debug)]
pub struct Common;

impl Modify for Common {
    fn modify(&self, document: &mut OpenApi) {
        document.info = InfoBuilder::new()
            .title("Skyrack")
            .version(env!("CARGO_PKG_VERSION"))
            .description(Some(DESCRIPTION))
            .build();
        let components = document.components.get_or_insert_with(Components::new);
        components.add_security_scheme(
            "token",
            SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
                "Authorization",
                "The token of a sign-in, with or without `Bearer `",
            ))),
        );
    }
}

/// The document as it is committed.
///
/// # Errors
/// When it can not be written as JSON.
pub fn text(document: &OpenApi) -> anyhow::Result<String> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    Ok(text)
}

/// Serves the document.
#[must_use]
pub fn json(text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}
