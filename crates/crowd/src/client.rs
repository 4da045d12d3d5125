//! Calls of the Open API: signed, no more of them than allowed, and sent again where the page says so.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, ensure};
use parking_lot::Mutex;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Method, Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until};
use url::Url;

use crate::sign::{Said, Signer};
use crate::tally::Tally;

/// How often a call is sent that nobody could serve.
const TRIES: usize = 3;
/// Whoever is to wait longer than this before sending it again does without.
const PATIENCE: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(5);
const ANSWER: Duration = Duration::from_secs(30);
/// Whoever is not told how long to wait waits so long.
const PAUSE: Duration = Duration::from_secs(1);
/// Of a hundred calls that are allowed so many are made: others may use the same application.
const SHARE: u32 = 80;
/// Calls a second until it is known how many are allowed.
const FIRST: u32 = 5;

/// Why a call was not served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{msg} ({code})")]
pub struct Refused {
    /// 0 if there was no answer.
    pub http: u16,
    pub code: String,
    pub msg: String,
}

impl Refused {
    fn new(http: StatusCode, code: String, msg: String) -> Self {
        Self { http: http.as_u16(), code, msg }
    }

    fn unanswered(error: &reqwest::Error) -> Self {
        Self { http: 0, code: "no_answer".to_owned(), msg: error.to_string() }
    }

    /// It may be served if it is sent again.
    pub const fn is_passing(&self) -> bool {
        matches!(self.http, 0 | 408 | 429 | 500..)
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    method: Method,
    path: &'a str,
    query: String,
    body: Vec<u8>,
    /// Empty where nothing is changed.
    idempotency_key: String,
}

impl<'a> Call<'a> {
    pub fn get(path: &'a str) -> Self {
        Self { method: Method::GET, path, query: String::new(), body: Vec::new(), idempotency_key: String::new() }
    }

    /// Something is changed, once.
    pub fn act(method: Method, path: &'a str) -> Self {
        Self { method, idempotency_key: unused(), ..Self::get(path) }
    }

    /// Something is told that changes nothing.
    pub fn tell(path: &'a str) -> Self {
        Self { method: Method::POST, ..Self::get(path) }
    }

    pub fn query(self, query: String) -> Self {
        Self { query, ..self }
    }

    pub fn body(self, body: &Value) -> Self {
        Self { body: body.to_string().into_bytes(), ..self }
    }
}

/// What nobody has used before: a nonce, or a key of an act.
fn unused() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Lets calls through evenly, so that no second has more of them than another.
#[derive(Debug)]
struct Pace(Mutex<(Instant, Duration)>);

impl Pace {
    fn new(per_second: u32) -> Self {
        Self(Mutex::new((Instant::now(), Self::gap(per_second))))
    }

    fn gap(per_second: u32) -> Duration {
        Duration::from_secs(1) / per_second.max(1)
    }

    fn set(&self, per_second: u32) {
        self.0.lock().1 = Self::gap(per_second);
    }

    /// When it is the turn of a call that comes now.
    fn turn(&self, now: Instant) -> Instant {
        let mut next = self.0.lock();
        let at = next.0.max(now);
        next.0 = at + next.1;
        at
    }
}

/// An application that calls.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    /// Without a path.
    url: String,
    signer: Signer,
    pace: Pace,
    tally: Arc<Tally>,
}

/// The answer of a call that was served.
#[derive(Deserialize)]
struct Told<T> {
    data: T,
}

/// That of one that was not; without a code where the door was not reached.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Failure {
    code: String,
    reason: Option<String>,
    msg: String,
}

impl Client {
    /// A client of a console with a key.
    ///
    /// # Errors
    /// The address is none of a console, or the system has no TLS roots.
    pub fn new(console: &Url, signer: Signer, tally: Arc<Tally>) -> anyhow::Result<Self> {
        let is_console = matches!(console.scheme(), "http" | "https") && console.path() == "/";
        ensure!(is_console, "{console} is not the address of a console, such as https://console.example.com");
        let http = reqwest::Client::builder()
            // A proxy or a redirect would be told what is signed for the console.
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
            .build()
            .context("the HTTP client")?;
        let url = console.as_str().trim_end_matches('/').to_owned();
        Ok(Self { http, url, signer, pace: Pace::new(FIRST), tally })
    }

    /// So many calls a second are allowed.
    pub fn allow(&self, per_second: u32) {
        self.pace.set(per_second.saturating_mul(SHARE) / 100);
    }

    /// What is answered. Who is told to wait waits and asks again, as does who is not answered: it is done once all the same.
    ///
    /// # Errors
    /// It is refused, or nobody serves it.
    pub async fn call<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<T, Refused> {
        let mut tries = 1;
        loop {
            let (refused, wait) = match self.once(&call).await {
                Ok(data) => return Ok(data),
                Err(why) => why,
            };
            self.tally.refuses(&refused.code);
            if !refused.is_passing() || tries == TRIES || wait > PATIENCE {
                return Err(refused);
            }
            tries += 1;
            sleep(wait).await;
        }
    }

    /// The same, asked once: or why it is not served, and how long to wait before it is sent again.
    async fn once<T: DeserializeOwned>(&self, call: &Call<'_>) -> Result<T, (Refused, Duration)> {
        let unanswered = |error: reqwest::Error| (Refused::unanswered(&error), PAUSE);
        let answer = self.send(call).await.map_err(unanswered)?;
        let http = answer.status();
        let told = answer.headers().get(RETRY_AFTER).and_then(|wait| wait.to_str().ok()?.parse::<u64>().ok());
        let wait = told.map_or(PAUSE, Duration::from_secs);
        let text = answer.bytes().await.map_err(unanswered)?;
        if http == StatusCode::OK {
            let bad = |error: serde_json::Error| Refused::new(http, "bad_answer".to_owned(), error.to_string());
            return serde_json::from_slice::<Told<T>>(&text).map(|told| told.data).map_err(|error| (bad(error), wait));
        }
        let Failure { code, reason, msg } = serde_json::from_slice(&text).unwrap_or_default();
        // Which rule a signature broke says more than that it did. Some have no code, as the page says.
        let code = reason.unwrap_or(code);
        let code = if code.is_empty() { format!("http_{}", http.as_u16()) } else { code };
        Err((Refused::new(http, code, msg), wait))
    }

    /// Sends it, signed anew.
    async fn send(&self, call: &Call<'_>) -> reqwest::Result<Response> {
        sleep_until(self.pace.turn(Instant::now())).await;
        let Call { method, path, query, body, idempotency_key } = call;
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let (time, nonce) = (seconds.to_string(), unused());
        let said = Said { method: method.as_str(), path, query, time: &time, nonce: &nonce, body, idempotency_key };
        let signature = self.signer.sign(said);
        let mark = if query.is_empty() { "" } else { "?" };
        let mut request = self
            .http
            .request(method.clone(), format!("{}{path}{mark}{query}", self.url))
            .header("x-sky-key", self.signer.code())
            .header("x-sky-time", time)
            .header("x-sky-nonce", nonce)
            .header("x-sky-signature", signature)
            .header("accept-language", "en");
        if !idempotency_key.is_empty() {
            request = request.header("idempotency-key", idempotency_key);
        }
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        request.send().await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::time::Instant;

    use super::{Client, Pace, Signer};

    #[test]
    fn calls_are_let_through_evenly() {
        let (pace, now) = (Pace::new(10), Instant::now() + Duration::from_secs(1));
        let turns: Vec<Instant> = (0..21).map(|_| pace.turn(now)).collect();
        assert_eq!(turns[20] - turns[0], Duration::from_secs(2), "twenty gaps");
        pace.set(1000);
        let later = now + Duration::from_secs(60);
        let turns: Vec<Instant> = (0..3).map(|_| pace.turn(later)).collect();
        let millis = |gap| later + Duration::from_millis(gap);
        assert_eq!(turns, [millis(0), millis(1), millis(2)], "nobody saves up, and nobody waits for what is over");
    }

    #[test]
    fn only_a_console_is_called() {
        for (address, is_fine) in [
            ("https://console.example.com", true),
            ("http://127.0.0.1:8080/", true),
            ("https://console.example.com/open/v1", false),
            ("ftp://console.example.com", false),
        ] {
            let made = Client::new(&address.parse().expect("an address"), Signer::new("SKY", "s"), Arc::default());
            assert_eq!(made.is_ok(), is_fine, "{address}");
        }
    }
}
