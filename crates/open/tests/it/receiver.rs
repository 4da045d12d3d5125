//! Somebody who is told by webhooks: he writes down what he hears, and answers as a test has it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::{digest, hmac};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// What was heard.
#[derive(Clone, Debug)]
pub struct Heard {
    pub target: String,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

/// How it is answered; `204` where nothing is said.
#[derive(Clone, Debug)]
pub enum Says {
    Status(u16),
    Redirect(String),
    /// After so many seconds.
    Slow(u64),
    /// `200` with so many bytes.
    Long(usize),
}

#[derive(Clone, Default)]
struct Book {
    heard: Arc<Mutex<Vec<Heard>>>,
    says: Arc<Mutex<VecDeque<Says>>>,
}

pub struct Receiver {
    pub url: String,
    book: Book,
    served: AbortHandle,
}

impl Heard {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    pub fn event(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Whether it is signed with this secret: written from the page, not from the program.
    pub fn is_signed(&self, secret: &str) -> bool {
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let mut parts: Vec<&str> = query.split('&').collect();
        parts.sort_by_key(|part| part.split('=').next().unwrap().to_owned());
        let text = [
            self.header("x-sky-key"),
            "POST",
            path,
            &parts.join("&"),
            self.header("x-sky-time"),
            self.header("x-sky-nonce"),
            &hex::encode(digest::digest(&digest::SHA256, &self.body)),
            self.header("idempotency-key"),
        ]
        .join("\n");
        let own = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()), text.as_bytes());
        hex::encode(own) == self.header("x-sky-signature")
    }
}

impl Receiver {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook?b=2&a=1", listener.local_addr().unwrap());
        let book = Book::default();
        let router = Router::new().fallback(hear).with_state(book.clone());
        let served = tokio::spawn(async move { axum::serve(listener, router).await }).abort_handle();
        Self { url, book, served }
    }

    /// Answers next like that.
    pub fn says(&self, all: impl IntoIterator<Item = Says>) {
        self.book.says.lock().extend(all);
    }

    pub fn heard(&self) -> Vec<Heard> {
        self.book.heard.lock().clone()
    }

    /// `type` of what was heard.
    pub fn types(&self) -> Vec<String> {
        self.heard().iter().map(|heard| heard.event()["type"].as_str().unwrap().to_owned()).collect()
    }

    /// `type phone` of what was heard.
    pub fn told(&self) -> Vec<(String, String)> {
        let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
        let of = |heard: &Heard| (text(&heard.event(), "type"), text(&heard.event()["data"], "phoneId"));
        self.heard().iter().map(of).collect()
    }

    /// Is there no more.
    pub fn goes(&self) {
        self.served.abort();
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.served.abort();
    }
}

async fn hear(State(book): State<Book>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
    let target = parts.uri.path_and_query().unwrap().to_string();
    book.heard.lock().push(Heard { target, headers: parts.headers, body });
    let says = book.says.lock().pop_front();
    // No line is kept: one that has gone is gone.
    let close = [("connection", "close")];
    match says {
        None => (StatusCode::NO_CONTENT, close).into_response(),
        Some(Says::Status(status)) => (StatusCode::from_u16(status).unwrap(), close, "这是应答\u{7}").into_response(),
        Some(Says::Redirect(to)) => (StatusCode::TEMPORARY_REDIRECT, close, [("location", to)]).into_response(),
        Some(Says::Slow(seconds)) => {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            (StatusCode::NO_CONTENT, close).into_response()
        }
        Some(Says::Long(bytes)) => (close, Body::from(vec![b'x'; bytes])).into_response(),
    }
}
