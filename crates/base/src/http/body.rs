//! Reading input. A value that cannot be read is reported as a field with a message, never as a 5xx.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use http::header;
use http::request::Parts;
use kernel::rules::{Check, Violation};
use kernel::text::text;
use serde::de::DeserializeOwned;

use crate::fault::Fault;

/// Input that knows its rules.
pub trait Validate {
    /// Records everything that is wrong with the input.
    fn check(&self, check: &mut Check);
}

/// A JSON body that was read and is valid.
#[derive(Debug)]
pub struct Valid<T>(pub T);

impl<S, T> FromRequest<S> for Valid<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Validate,
{
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let input: T = json(request, state).await?;
        let mut check = Check::new();
        input.check(&mut check);
        check.finish()?;
        Ok(Self(input))
    }
}

/// Reads a JSON body. Whether it is valid is not asked yet.
///
/// # Errors
/// It is no JSON, or not of this form.
pub(super) async fn json<S: Send + Sync, T: DeserializeOwned>(request: Request, state: &S) -> Result<T, Fault> {
    let kind =
        request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("application/json");
    if !kind.to_ascii_lowercase().starts_with("application/json") {
        return Err(Fault::WrongType(text("请以 application/json 提交", "Send the body as application/json").into()));
    }
    let bytes = Bytes::from_request(request, state).await.map_err(|_| Fault::TooLarge)?;
    // Old clients send no body at all if there is nothing to send.
    let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    refuse_nul(bytes)?;
    read(&mut serde_json::Deserializer::from_slice(bytes)).map_err(|fault| find_field::<T>(bytes).unwrap_or(fault))
}

/// Refuses U+0000 in any text: PostgreSQL cannot store it, and nobody types it.
fn refuse_nul(bytes: &[u8]) -> Result<(), Fault> {
    fn holder(value: &serde_json::Value, path: &str) -> Option<String> {
        use serde_json::Value::{Array, Bool, Null, Number, Object, String};
        match value {
            String(text) => text.contains('\0').then(|| path.to_owned()),
            Array(items) => items.iter().enumerate().find_map(|(at, item)| holder(item, &format!("{path}[{at}]"))),
            Object(fields) => fields.iter().find_map(|(name, field)| {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                if name.contains('\0') { Some("body".to_owned()) } else { holder(field, &path) }
            }),
            Null | Bool(_) | Number(_) => None,
        }
    }
    // The escape is the only way to write it in JSON; for most bodies this check is enough.
    if !bytes.windows(6).any(|six| six == b"\\u0000") {
        return Ok(());
    }
    let found = serde_json::from_slice(bytes).ok().and_then(|value| holder(&value, ""));
    found.map_or(Ok(()), |field| Err(Fault::field(field, Violation::new("text.control"))))
}

/// Query parameters that were read and are valid. An empty parameter counts as omitted.
#[derive(Debug)]
pub struct Params<T>(pub T);

impl<S, T> FromRequestParts<S> for Params<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Fault> {
        let query = parts.uri.query().unwrap_or_default();
        if let Some((field, _)) = url::form_urlencoded::parse(query.as_bytes())
            .find(|(key, value)| key.contains('\0') || value.contains('\0'))
        {
            return Err(Fault::field(field.replace('\0', ""), Violation::new("text.control")));
        }
        let given = url::form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| !value.is_empty());
        let text = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(given).finish();
        let pairs = url::form_urlencoded::parse(text.as_bytes());
        read(serde_urlencoded::Deserializer::new(pairs)).map(Self)
    }
}

/// Reads a value and, on failure, names the field.
fn read<'de, T, D>(from: D) -> Result<T, Fault>
where
    T: serde::Deserialize<'de>,
    D: serde::Deserializer<'de>,
{
    serde_path_to_error::deserialize(from).map_err(|error| {
        let path = error.path().to_string();
        let reason = error.into_inner().to_string();
        if let Some(field) = quoted(&reason, "missing field `") {
            let field = if path == "." { field.to_owned() } else { format!("{path}.{field}") };
            return Fault::field(field, Violation::new("required"));
        }
        if let Some(field) = quoted(&reason, "unknown field `") {
            // Where the value was buffered first, its own name is not part of the path.
            let is_named = path == "." || path.rsplit('.').next() == Some(field);
            let path = path.trim_start_matches('.');
            let field = match is_named {
                true if path.is_empty() => field.to_owned(),
                true => path.to_owned(),
                false => format!("{path}.{field}"),
            };
            return Fault::field(field, Violation::new("field.unknown"));
        }
        let field = if path == "." { "body".to_owned() } else { path };
        Fault::field(field, Violation::wrong_type())
    })
}

/// The field that makes an object unreadable: the one without which it can be read, or fails differently.
///
/// serde cannot name it if a part of the input is flattened. This runs for refused input only.
fn find_field<T: DeserializeOwned>(bytes: &[u8]) -> Option<Fault> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(bytes).ok()?;
    let reason = |object: &serde_json::Map<String, serde_json::Value>| {
        T::deserialize(object).err().map(|error| error.to_string())
    };
    let whole = reason(&object)?;
    if whole.contains("missing field `") || whole.contains("unknown field `") {
        return None;
    }
    let field = object.keys().find(|key| {
        let mut without = object.clone();
        without.remove(*key);
        reason(&without).is_none_or(|left| left != whole)
    })?;
    Some(Fault::field(field.clone(), Violation::wrong_type()))
}

fn quoted<'a>(reason: &'a str, before: &str) -> Option<&'a str> {
    reason.split_once(before)?.1.split('`').next()
}

/// A path parameter that was read; an unreadable one means that nothing was found.
#[derive(Debug)]
pub struct PathId<T>(pub T);

impl<S, T> FromRequestParts<S> for PathId<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
{
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        axum::extract::Path::<T>::from_request_parts(parts, state)
            .await
            .map(|path| Self(path.0))
            .map_err(|_| Fault::field("id", Violation::wrong_type()))
    }
}
