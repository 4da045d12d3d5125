//! The envelope of every JSON answer.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use kernel::rules::FieldMessage;
use serde::Serialize;
use utoipa::ToSchema;

use crate::fault::Fault;

/// A successful answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reply<T> {
    /// 0.
    pub status: i32,
    /// Empty.
    pub msg: &'static str,
    /// The result.
    pub data: T,
    /// True.
    pub success: bool,
}

/// The result of an operation without one: `data` is null.
pub type Nothing = ();

/// A failed answer, for the document; `answer::render` writes it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Failure {
    /// Not 0; see the table in the document's description.
    pub status: i32,
    /// What is wrong and what to do, in the caller's language.
    pub msg: String,
    /// Null.
    pub data: (),
    /// False.
    pub success: bool,
    /// For invalid input: what is wrong, field by field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldMessage>,
}

/// The return type of handlers.
pub type ApiResult<T> = Result<Reply<T>, Fault>;

/// `data` as a successful answer.
///
/// # Errors
/// Never: it is the last expression of a handler.
pub const fn reply<T>(data: T) -> ApiResult<T> {
    Ok(Reply { status: 0, msg: "", data, success: true })
}

/// A successful answer without data.
///
/// # Errors
/// Never: it is the last expression of a handler.
pub const fn done() -> ApiResult<()> {
    reply(())
}

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self) {
            Ok(bytes) => {
                ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response()
            }
            Err(error) => Fault::internal(error).into_response(),
        }
    }
}
