//! The Open API, as an application calls it: written from `docs/open-api.md`.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use aws_lc_rs::{digest, hmac};
use serde_json::{Value, json};

use crate::load::{Connection, Request};
use crate::racks::ask;

const APPS: &str = "/api/platform/v1/open-apps";
/// The most that an application may call in a second.
const PER_SECOND: i64 = 5000;

/// Numbers of calls that have to differ from all others.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// A key of an application of the company, which sees every customer and phone.
#[derive(Debug)]
pub struct Key {
    code: String,
    secret: hmac::Key,
}

impl Key {
    /// Makes an application and its key. The console wants that who asks has signed in a short while ago.
    pub async fn make(at: SocketAddr, token: &str, name: &str, scopes: &[&str]) -> anyhow::Result<Self> {
        let form =
            json!({ "name": name, "owner": 1, "ownerName": "", "scopes": scopes, "ips": "", "perSecond": PER_SECOND });
        let app = ask(at, "POST", APPS, token, &form).await?;
        let key = ask(at, "POST", &format!("{APPS}/{}/keys", app["id"]), token, &json!({})).await?;
        let code = key["code"].as_str().context("a key")?;
        let secret = key["secret"].as_str().context("a secret")?;
        Ok(Self { code: code.to_owned(), secret: hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()) })
    }

    /// A call that reads, signed now. The path has no query.
    pub fn read(&self, path: &str) -> Request {
        self.signed("GET", path, "", "")
    }

    /// One that reads and may be made once.
    pub fn look(&self, path: &str) -> Request {
        self.signed("GET", path, &another(), "")
    }

    /// One that changes something and sends nothing.
    pub fn act(&self, path: &str) -> Request {
        let once = another();
        self.signed("POST", path, &once, &once)
    }

    fn signed(&self, method: &str, path: &str, nonce: &str, once: &str) -> Request {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().to_string();
        let nothing = hex::encode(digest::digest(&digest::SHA256, b""));
        let text = [self.code.as_str(), method, path, "", &time, nonce, &nothing, once].join("\n");
        let signature = hex::encode(hmac::sign(&self.secret, text.as_bytes()));
        let mut headers = format!("x-sky-key: {}\r\nx-sky-time: {time}\r\nx-sky-signature: {signature}\r\n", self.code);
        for (name, value) in [("x-sky-nonce", nonce), ("idempotency-key", once)] {
            if !value.is_empty() {
                headers += &format!("{name}: {value}\r\n");
            }
        }
        Request::headed(method, path, &headers, "")
    }
}

/// What no call before has had.
fn another() -> String {
    format!("bench-{:032x}", CALLS.fetch_add(1, Ordering::Relaxed))
}

/// The answer to a call, which must be a success.
pub async fn call(line: &mut Connection, request: &Request) -> anyhow::Result<Value> {
    let answer = line.send(request).await?;
    let mut body: Value = serde_json::from_slice(&answer.body).with_context(|| format!("HTTP {}", answer.status))?;
    ensure!(answer.status == 200 && body["status"] == 0, "HTTP {}: {body}", answer.status);
    Ok(body["data"].take())
}
