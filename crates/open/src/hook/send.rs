//! One event is sent to one application: signed, to an address that may be connected to, with no more patience and no more of the
//! answer than is said here.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use entity::webhook_delivery::{HookFailure, Model};
use kernel::time::UtcTime;
use outbound::{Http, Refused, Rule};
use parking_lot::Mutex;
use reqwest::{Method, Response, Url};
use vault::Secret;

use crate::sign::Parts;

/// An application that has not answered by then has not heard.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a line is kept that nothing is sent on.
const IDLE: Duration = Duration::from_secs(30);
/// Bytes of an answer that are read.
const READ: usize = 4096;
/// Characters of it that are kept.
const KEPT: usize = 1000;
const AGENT: &str = concat!("Skyrack-Webhook/", env!("CARGO_PKG_VERSION"));

/// Whoever is told.
#[derive(Debug)]
pub struct Receiver {
    pub url: Url,
    /// What it knows the secret by.
    pub code: String,
    /// None if it cannot be opened.
    pub secret: Option<Secret>,
    /// Whether the settings let it be told there.
    pub is_encrypted_enough: bool,
}

/// What has become of a try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Of HTTP; none if nobody answered.
    pub status: Option<i16>,
    /// None if the application has it.
    pub failure: Option<HookFailure>,
    /// The beginning of what was answered.
    pub answer: String,
    pub millis: i32,
}

/// What is sent with: made anew when what may be connected to has changed.
#[derive(Debug, Default)]
pub struct Sender(Mutex<Option<Arc<Made>>>);

#[derive(Debug)]
struct Made {
    rule: Rule,
    http: Http,
}

impl Sender {
    fn under(&self, rule: &Rule) -> reqwest::Result<Arc<Made>> {
        let mut made = self.0.lock();
        if let Some(made) = made.as_ref().filter(|made| made.rule == *rule) {
            return Ok(Arc::clone(made));
        }
        let builder = reqwest::Client::builder()
            .user_agent(AGENT)
            .timeout(PATIENCE)
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(1);
        let new = Arc::new(Made { rule: rule.clone(), http: Http::new(rule.clone(), builder)? });
        *made = Some(Arc::clone(&new));
        Ok(new)
    }

    /// Tells an application, under this rule.
    ///
    /// # Errors
    /// The system has no TLS roots.
    pub async fn tell(&self, rule: &Rule, to: &Receiver, row: &Model, now: UtcTime) -> reqwest::Result<Tried> {
        let made = self.under(rule)?;
        let began = Instant::now();
        let (status, failure, answer) = match exchange(&made.http, to, row, now).await {
            Ok(mut response) => {
                let status = response.status();
                let failure = if status.is_success() {
                    None
                } else if status.is_redirection() {
                    Some(HookFailure::Redirect)
                } else {
                    Some(HookFailure::Status)
                };
                (i16::try_from(status.as_u16()).ok(), failure, beginning(&mut response).await)
            }
            Err(failure) => (None, Some(failure), String::new()),
        };
        let millis = i32::try_from(began.elapsed().as_millis()).unwrap_or(i32::MAX);
        Ok(Tried { status, failure, answer, millis })
    }
}

async fn exchange(http: &Http, to: &Receiver, row: &Model, now: UtcTime) -> Result<Response, HookFailure> {
    if !to.is_encrypted_enough {
        return Err(HookFailure::Plain);
    }
    let secret = to.secret.as_ref().ok_or(HookFailure::NoSecret)?;
    let time = now.millis().div_euclid(1000).to_string();
    // Another one for every try; the id stays.
    let nonce = hex::encode(rand::random::<[u8; 16]>());
    let signed = Parts {
        key: &to.code,
        method: "POST",
        path: to.url.path(),
        query: to.url.query().unwrap_or_default(),
        time: &time,
        nonce: &nonce,
        body: row.payload.as_bytes(),
        idempotency_key: &row.event_id,
    };
    let signature = signed.signature(secret.expose());
    let request = http.request(Method::POST, to.url.as_str()).map_err(|_| HookFailure::Refused)?;
    let request = request
        .header("content-type", "application/json")
        .header("x-sky-key", &to.code)
        .header("x-sky-time", &time)
        .header("x-sky-nonce", &nonce)
        .header("x-sky-signature", signature)
        .header("idempotency-key", &row.event_id)
        .body(row.payload.clone());
    request.send().await.map_err(|error| why(&error))
}

/// Why nobody has answered.
fn why(error: &reqwest::Error) -> HookFailure {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(next) = cause {
        let inner = next.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if inner.is_some_and(|inner| inner.is::<Refused>()) {
            return HookFailure::Refused;
        }
        cause = next.source();
    }
    if error.is_timeout() {
        HookFailure::Timeout
    } else if error.is_connect() {
        HookFailure::Unreachable
    } else {
        HookFailure::Broken
    }
}

/// The beginning of an answer, as text of one line or several. Whatever follows is not read.
async fn beginning(response: &mut Response) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < READ {
        // What was answered is known by its status: the rest may break off.
        let Ok(Some(part)) = response.chunk().await else { break };
        let room = READ - bytes.len();
        bytes.extend_from_slice(&part[..part.len().min(room)]);
    }
    let text = String::from_utf8_lossy(&bytes);
    text.chars().filter(|c| *c == '\n' || !c.is_control()).take(KEPT).collect()
}
