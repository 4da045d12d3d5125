//! The API document: generated from the handlers, served as JSON and as a readable page.

use axum::response::{IntoResponse as _, Response};
use http::header;
use utoipa::Modify;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{Components, Content, InfoBuilder, OpenApi, Ref, RefOr, ResponseBuilder};

use super::shared_schemas;

const DESCRIPTION: &str = "Every JSON answer is wrapped in an envelope: `{status, msg, data, success}`. \
    `status` 0 is success. Other body statuses: 3 the trial has expired; 4000 invalid input, see `errors`; \
    4001 sign-in refused; 4003 a permission code is missing; 4004 not found; 4008 the body was sent too slowly; \
    4009 conflict; 4010 the password must be changed first; 4011 confirm your identity again \
    (`POST /api/user/v1/me/step-up`); 4013 too large; 4015 wrong type; \
    4029 too many requests; 5000 internal; 5003 a dependency is down; 6013 signed in elsewhere; 6014 session expired; \
    6403 account closed. Messages are in the language of `Accept-Language`, else of the `language` cookie, else Chinese.";

/// The name of a failed answer, as a schema and as a response.
const FAILURE: &str = "Failure";

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
        document.paths.paths.values_mut().for_each(describe_failures);
        let components = document.components.get_or_insert_with(Components::new);
        components.schemas.insert(FAILURE.to_owned(), <super::envelope::Failure as utoipa::PartialSchema>::schema());
        components
            .schemas
            .insert("FieldMessage".to_owned(), <kernel::rules::FieldMessage as utoipa::PartialSchema>::schema());
        let refused = ResponseBuilder::new()
            .description("What was wrong, in the caller's language")
            .content("application/json", failure())
            .build();
        components.responses.insert(FAILURE.to_owned(), RefOr::T(refused));
        shared_schemas::refer(components);
        components.add_security_scheme(
            "token",
            SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
                "Authorization",
                "The token of a sign-in, with or without `Bearer `",
            ))),
        );
    }
}

/// Every endpoint may answer a failure in the envelope, with any status; a file endpoint also with HTTP 200.
fn describe_failures(item: &mut utoipa::openapi::PathItem) {
    let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
    for operation in operations.into_iter().flatten() {
        let responses = &mut operation.responses.responses;
        for response in responses.values_mut() {
            if let RefOr::T(response) = response
                && !response.content.is_empty()
            {
                response.content.entry("application/json".to_owned()).or_insert_with(|| RefOr::T(failure()));
            }
        }
        let refused = || RefOr::Ref(Ref::from_response_name(FAILURE));
        responses.entry("default".to_owned()).or_insert_with(refused);
    }
}

fn failure() -> Content {
    Content::new(Some(Ref::from_schema_name(FAILURE)))
}

/// The document as it is committed.
///
/// # Errors
/// When it cannot be written as JSON.
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
