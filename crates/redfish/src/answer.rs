//! The answers of a BMC.

use reqwest::{Response, StatusCode, Url, header};
use serde_json::Value;
use zeroize::Zeroizing;

use crate::error::Error;

/// An answer, read completely.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
    pub(crate) token: Option<Zeroizing<String>>,
    pub(crate) location: Option<String>,
    /// Authentication schemes that a refusal requires, in lower case.
    demands: Vec<String>,
}

impl Answer {
    /// The parts from the headers; the body is read later.
    pub(crate) fn of(response: &Response) -> Self {
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let demands = response.headers().get_all(header::WWW_AUTHENTICATE).iter();
        Self {
            status: response.status(),
            body: Value::Null,
            token: header("X-Auth-Token").map(Zeroizing::new),
            location: header("Location"),
            demands: demands.filter_map(|value| value.to_str().ok()).map(str::to_ascii_lowercase).collect(),
        }
    }

    /// Whether it explicitly requires HTTP Basic.
    pub(crate) fn demands_basic(&self) -> bool {
        self.demands.iter().any(|demand| demand.split([',', ' ']).any(|word| word == "basic"))
    }

    /// Whether it requires something other than Basic.
    pub(crate) fn rules_out_basic(&self) -> bool {
        !self.demands.is_empty() && !self.demands_basic()
    }

    /// Whether it contains a message with this name, of whichever registry.
    pub(crate) fn names(&self, message: &str) -> bool {
        let messages = self.body.pointer("/error/@Message.ExtendedInfo").and_then(Value::as_array);
        let mut ids = messages.into_iter().flatten().filter_map(|entry| entry.get("MessageId")?.as_str());
        ids.any(|id| id.rsplit('.').next() == Some(message))
    }

    /// Whether it says that no session is available; a busy BMC answers 503 too.
    pub(crate) fn lacks_sessions(&self) -> bool {
        ["SessionLimitExceeded", "CreateLimitReachedForResource", "RAC0218"].iter().any(|name| self.names(name))
    }

    /// The body, if the request succeeded.
    pub(crate) fn judge(self) -> Result<Value, Error> {
        if self.status.is_success() {
            return Ok(self.body);
        }
        let told = self.body.pointer("/error/@Message.ExtendedInfo/0/Message");
        let told = told.or_else(|| self.body.pointer("/error/message")).and_then(Value::as_str);
        let message = told.unwrap_or_else(|| self.status.canonical_reason().unwrap_or_default());
        let message = message.chars().take(500).collect();
        Err(match self.status {
            StatusCode::FORBIDDEN => Error::Forbidden { message },
            status => Error::Failed { status: status.as_u16(), message },
        })
    }
}

/// The path of a link, if it stays on this BMC: a malicious BMC must not send our token elsewhere.
pub(crate) fn local_path(place: &str) -> Option<String> {
    let path = match Url::parse(place) {
        Ok(url) => url.path().to_owned(),
        Err(_) => place.to_owned(),
    };
    path.starts_with("/redfish/v1/").then_some(path)
}

pub(crate) fn link(value: &Value) -> Option<String> {
    local_path(value.get("@odata.id")?.as_str()?)
}

pub(crate) fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer)?.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}
