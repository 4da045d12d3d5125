//! What callers are told who are not served, each with a code that stays the same.

use std::borrow::Cow;

use axum::body::{Body, to_bytes};
use axum::response::{IntoResponse, Response};
use base::fault::Fault;
use base::http::answer::{self, Pending};
use base::http::meta::Meta;
use http::{HeaderValue, StatusCode, header};
use kernel::rules::FieldMessage;
use kernel::text::{Message, Text, text};
use sea_orm::DbErr;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

const UNSIGNED: Text = text(
    "签名验证未通过，请按开放接口文档检查密钥、时间和签名",
    "The signature was not accepted; check key, time and signature as the page of the Open API describes",
);
const APP_OFF: Text =
    text("该应用已停用，请联系平台运营人员", "The application is disabled; ask those who run the platform");
const ADDRESS: Text = text(
    "该应用不能从 {ip} 调用，请让平台运营人员把该地址加入 IP 名单",
    "The application may not call from {ip}; have the address added to its list",
);
const SCOPE: Text = text(
    "该应用没有“{scope}”权限，请让平台运营人员开通",
    "The application lacks the scope {scope}; have it added by those who run the platform",
);
const COMPANY: Text = text(
    "续费不经过付款，仅公司自己的应用可以调用",
    "Nothing is paid by this call: only the company's own applications may renew",
);
const TICKET: Text = text(
    "票据无效，请让客户端重新取票",
    "The ticket opens nothing: it is unknown, used or too old, or not for this gateway. Have the client ask for another",
);
const PLAIN: Text = text("请使用 HTTPS 调用", "Call over HTTPS");

/// Why a call is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No live key has this name.
    UnknownKey,
    /// The time is missing, or too far from ours.
    Clock,
    /// It has a length that no nonce has, or signs that none has, or it was there before.
    Nonce,
    /// It was made with another secret, or over something else.
    Signature,
}

impl Reason {
    const fn word(self) -> &'static str {
        match self {
            Self::UnknownKey => "unknown_key",
            Self::Clock => "clock",
            Self::Nonce => "nonce",
            Self::Signature => "signature",
        }
    }
}

/// Why a call is refused by the door itself.
#[derive(Debug)]
pub enum Refusal {
    /// Nobody knows who calls.
    Unsigned(Reason),
    /// The application is switched off.
    AppOff,
    /// It may not call from there.
    Address,
    /// It may not call this.
    Scope(&'static str),
    /// Only the company's own applications may.
    CompanyOnly,
    /// Somebody on the way could read and change it.
    PlainHttp,
    /// It cannot be done as things are: why, for programs and for people.
    Conflict(&'static str, Text),
    /// The same with values in the words.
    Told(&'static str, Message),
    /// A ticket opens nothing, for whatever reason.
    Ticket,
    /// Something else.
    Fault(Fault),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<DbErr> for Refusal {
    fn from(error: DbErr) -> Self {
        Self::Fault(error.into())
    }
}

/// A call that was not served.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenFailure {
    /// Not 0: 4000 invalid input, 4003 not allowed, 4004 not found, 4009 not possible as things are, 4013 too large, 4029 too
    /// many calls, 5000 our fault, 5003 try again later, 6401 not signed as it should be.
    pub status: i32,
    /// What is wrong and what to do, in the caller's language.
    pub msg: String,
    /// Null.
    pub data: (),
    /// False.
    pub success: bool,
    /// What is wrong, for programs. It stays the same.
    pub code: String,
    /// With the code `unauthorized`: which rule failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// For invalid input: what is wrong, field by field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldMessage>,
}

/// The code of a call that was not served, for the log.
#[derive(Clone, Debug)]
pub struct Coded(pub Cow<'static, str>);

impl Refusal {
    /// The answer, in the caller's language.
    pub fn answer(self, meta: &Meta) -> Response {
        let (http, status, code, reason, message): (_, _, _, Option<Reason>, Message) = match self {
            Self::Unsigned(reason) => (StatusCode::UNAUTHORIZED, 6401, "unauthorized", Some(reason), UNSIGNED.into()),
            Self::AppOff => (StatusCode::FORBIDDEN, 4003, "app_off", None, APP_OFF.into()),
            Self::Address => (StatusCode::FORBIDDEN, 4003, "ip_not_allowed", None, ADDRESS.with("ip", meta.ip)),
            Self::Scope(scope) => (StatusCode::FORBIDDEN, 4003, "scope_missing", None, SCOPE.with("scope", scope)),
            Self::CompanyOnly => (StatusCode::FORBIDDEN, 4003, "company_only", None, COMPANY.into()),
            Self::PlainHttp => (StatusCode::FORBIDDEN, 4003, "plain_http", None, PLAIN.into()),
            Self::Conflict(code, why) => (StatusCode::CONFLICT, 4009, code, None, why.into()),
            Self::Told(code, why) => (StatusCode::CONFLICT, 4009, code, None, why),
            Self::Ticket => (StatusCode::NOT_FOUND, 4004, "ticket_unknown", None, TICKET.into()),
            Self::Fault(fault) => return fault.into_response(),
        };
        let failure = OpenFailure {
            status,
            msg: message.get(meta.lang),
            data: (),
            success: false,
            code: code.to_owned(),
            reason: reason.map(|reason| reason.word().to_owned()),
            errors: Vec::new(),
        };
        let body = serde_json::to_vec(&failure).unwrap_or_default();
        let mut response =
            (http, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response();
        // In the log the rule says more than that one failed.
        response.extensions_mut().insert(Coded(reason.map_or(code, Reason::word).into()));
        response
    }
}

/// What a fault of the console is called here.
const fn code_of(fault: &Fault) -> &'static str {
    match fault {
        Fault::Invalid(_) => "invalid",
        Fault::NotFound(_) | Fault::NoRoute => "not_found",
        Fault::Conflict(_) | Fault::Taken(_) => "conflict",
        Fault::TooMany { .. } | Fault::Busy { .. } => "too_many",
        Fault::TooLarge | Fault::FileTooLarge { .. } => "too_large",
        Fault::TooSlow => "too_slow",
        Fault::WrongType(_) => "wrong_type",
        Fault::Unavailable(_) => "unavailable",
        Fault::Internal(_) => "internal",
        Fault::Status { .. } | Fault::Session(_) | Fault::Denied(_) | Fault::OfFile { .. } => "refused",
    }
}

/// Bytes of a refusal, which is a sentence or a few.
const SENTENCES: usize = 256 * 1024;

/// Puts the code into the answer of a call that met a fault of the console; others stay as they are.
pub async fn with_code(mut response: Response, meta: &Meta) -> Response {
    let Some(Pending(fault)) = response.extensions_mut().remove::<Pending>() else { return response };
    let code = code_of(&fault);
    let (mut parts, body) = answer::render(&fault, meta).into_parts();
    let bytes = to_bytes(body, SENTENCES).await.unwrap_or_default();
    let mut told: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if let Some(told) = told.as_object_mut() {
        told.insert("code".to_owned(), code.into());
    }
    // It is longer than it was.
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.extensions.insert(Coded(code.into()));
    Response::from_parts(parts, Body::from(told.to_string()))
}
