//! `/open/v1`: a door of its own beside the operators' calls, with its own credentials, limits, log and document.
//!
//! No operator's token opens it, and no key of an application opens the console. A handler has a [`Caller`], and asks for
//! anything with [`Caller::whose`]. One that changes something has an [`acts::Acting`], by which it is done once.

mod acts;
mod care;
mod closing;
mod connect;
mod cursor;
mod gateways;
mod guard;
mod own;
mod phones;
mod profile;
mod refusal;
mod restore;
mod signs;
mod spent;
mod streams;
mod tickets;
mod users;

use std::sync::OnceLock;

use axum::Router;
use axum::middleware::from_fn;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use base::http::openapi;
use entity::open_app::OpenScope;
use http::{HeaderValue, header};
use utoipa::PartialSchema as _;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn, PathItem};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityScheme};
use utoipa::openapi::{
    Components, Content, InfoBuilder, ObjectBuilder, OpenApi, Ref, RefOr, Required, ResponseBuilder,
    SecurityRequirement, Type,
};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use base::fault::{Fault, Outcome};
use guard::{REPEATED, Rule, guard};
pub use profile::Changes;
use refusal::OpenFailure;
pub use spent::{PruneActs, prune as prune_acts};

/// The page for those who write a client, with the client that the tests run.
pub const GUIDE: &str = include_str!("../../../../docs/open-api.md");
const DESCRIPTION: &str = "What the company's own applications, its agents and its partners call. How calls are signed is on \
    the page beside this document (`/open/docs`). Every answer is `{status, msg, data, success}`; a failure has `code` besides.";
/// The name of a failed answer, as a schema and as a response.
const FAILURE: &str = "OpenFailure";
/// The headers of a signed call. Each is a security scheme of its own: all are needed.
const HEADERS: [(&str, &str, &str); 3] = [
    ("key", "X-Sky-Key", "The key"),
    ("time", "X-Sky-Time", "Seconds since 1970"),
    ("signature", "X-Sky-Signature", "HMAC-SHA256 in lower-case hexadecimal; see the page"),
];

/// Its calls, each with the scope that it needs.
fn calls() -> OpenApiRouter {
    let calls: [(Option<OpenScope>, UtoipaMethodRouter); 25] = [
        (None, routes!(own::open_app_self)),
        (Some(OpenScope::User), routes!(users::open_user_list)),
        (Some(OpenScope::User), routes!(users::open_user_get)),
        (Some(OpenScope::User), routes!(profile::open_user_create)),
        (Some(OpenScope::User), routes!(profile::open_user_update)),
        (Some(OpenScope::User), routes!(signs::open_user_sign_in)),
        (Some(OpenScope::User), routes!(signs::open_user_sign_out)),
        (Some(OpenScope::User), routes!(signs::open_sign_events)),
        (Some(OpenScope::User), routes!(closing::open_user_closing_get)),
        (Some(OpenScope::User), routes!(closing::open_user_closing_create)),
        (Some(OpenScope::User), routes!(closing::open_user_closing_delete)),
        (Some(OpenScope::Phone), routes!(phones::open_user_phone_list)),
        (Some(OpenScope::Phone), routes!(phones::open_phone_list)),
        (Some(OpenScope::Phone), routes!(phones::open_phone_get)),
        (Some(OpenScope::Phone), routes!(connect::open_phone_connect_get)),
        (Some(OpenScope::Phone), routes!(connect::open_phone_connect_create)),
        (Some(OpenScope::Phone), routes!(connect::open_phone_connect_delete)),
        (Some(OpenScope::Phone), routes!(care::open_phone_renew)),
        (Some(OpenScope::Phone), routes!(care::open_phone_restart)),
        (Some(OpenScope::Phone), routes!(care::open_phone_backup_list)),
        (Some(OpenScope::Phone), routes!(restore::open_phone_restore)),
        (Some(OpenScope::Phone), routes!(restore::open_phone_accept_copy)),
        (Some(OpenScope::Gateway), routes!(tickets::open_ticket_redeem)),
        (Some(OpenScope::Gateway), routes!(streams::open_stream_heartbeat)),
        (Some(OpenScope::Gateway), routes!(streams::open_stream_end)),
    ];
    calls.into_iter().fold(OpenApiRouter::default(), |all, (scope, call)| all.routes(guarded(scope, call)))
}

/// A call behind the guard. Each path has one method.
fn guarded(scope: Option<OpenScope>, mut call: UtoipaMethodRouter) -> UtoipaMethodRouter {
    let mut rule = Rule { scope, action: "", path: "" };
    for (path, item) in &mut call.1.paths {
        // Leaked once per call at startup: the log then needs no copy per call.
        rule.path = path.clone().leak();
        for operation in operations(item) {
            rule.action = operation.operation_id.clone().unwrap_or_default().leak();
            let needs = HEADERS
                .iter()
                .fold(SecurityRequirement::default(), |all, (name, ..)| all.add(*name, scope.map(OpenScope::name)));
            operation.security = Some(vec![needs]);
        }
        for operation in changing(item) {
            let once = "The same for what is to be done once, another one for anything else";
            let nonce = header_of("X-Sky-Nonce", 16, "Another one for every call");
            let key = (rule.action != REPEATED).then(|| header_of("Idempotency-Key", 1, once));
            let headers = std::iter::once(nonce).chain(key);
            operation.parameters.get_or_insert_default().extend(headers.map(RefOr::T));
        }
    }
    call.layer(from_fn(move |request, next| guard(rule, request, next)))
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete].into_iter().flatten()
}

/// Those that change something.
fn changing(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.post, &mut item.put, &mut item.patch, &mut item.delete].into_iter().flatten()
}

/// A header of at most 64 visible characters.
fn header_of(name: &str, least: usize, what: &str) -> Parameter {
    let text = ObjectBuilder::new().schema_type(Type::String).min_length(Some(least)).max_length(Some(64));
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::True)
        .description(Some(what))
        .schema(Some(text))
        .build()
}

/// The door itself, with its page and its document for whoever writes a client.
pub fn router() -> Router {
    let (calls, _) = calls().split_for_parts();
    calls.route("/open/docs", get(page)).route("/open/openapi.json", get(published))
}

/// Text that every browser shows, and every tool reads.
async fn page() -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"))], GUIDE).into_response()
}

async fn published() -> Outcome<Response> {
    static MADE: OnceLock<String> = OnceLock::new();
    let text = match MADE.get() {
        Some(made) => made,
        None => {
            let made = openapi::text(&document()).map_err(Fault::internal)?;
            MADE.get_or_init(|| made)
        }
    };
    Ok(openapi::json(text))
}

/// Its document, which is no part of the operators'.
#[must_use]
pub fn document() -> OpenApi {
    let (_, mut document) = calls().split_for_parts();
    document.info = InfoBuilder::new()
        .title("Skyrack Open API")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(DESCRIPTION))
        .build();
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            let refused = || RefOr::Ref(Ref::from_response_name(FAILURE));
            operation.responses.responses.entry("default".to_owned()).or_insert_with(refused);
        }
    }
    let components = document.components.get_or_insert_with(Components::new);
    components.schemas.insert(FAILURE.to_owned(), OpenFailure::schema());
    components.schemas.insert("FieldMessage".to_owned(), kernel::rules::FieldMessage::schema());
    let refused = ResponseBuilder::new()
        .description("What was wrong, in the caller's language, and its code")
        .content("application/json", Content::new(Some(Ref::from_schema_name(FAILURE))))
        .build();
    components.responses.insert(FAILURE.to_owned(), RefOr::T(refused));
    for (name, header, what) in HEADERS {
        let scheme = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(header, what)));
        components.add_security_scheme(name, scheme);
    }
    document
}
