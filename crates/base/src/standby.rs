//! What a standby console answers: that it is running, which one is active, and nothing else. It does not access the
//! database.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use db::lease::Active;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use kernel::lang::Lang;
use kernel::text::{Text, text};
use parking_lot::Mutex;
use serde::Serialize;

use crate::http::meta::language;
use crate::http::{health, outer};

const STARTING: Text = text("控制台正在启动，请稍后再试", "The console is starting; try again in a moment");
const STANDBY: Text = text(
    "本控制台处于备用状态，由另一台控制台提供服务，请稍后再试",
    "This console is on standby while another one is active; try again in a moment",
);
const NO_DATABASE: Text =
    text("数据库暂时无法访问，请稍后再试", "The database cannot be reached right now; try again in a moment");
const UNPROVED: Text = text(
    "控制台正在确认自身状态，操作结果未知，请稍后查看",
    "The console had to stop while processing this, so the result is unknown; check in a moment",
);

/// Why this console is not active.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// It is starting up.
    #[default]
    Starting,
    /// Another one is active; which, unless that one is just starting.
    Standby(Option<Active>),
    /// The database does not answer.
    NoDatabase,
}

/// The state of a standby console, for those who ask.
#[derive(Clone, Debug, Default)]
pub struct News(Arc<Mutex<Standing>>);

impl News {
    /// Sets the state; returns whether it changed.
    pub fn tell(&self, standing: Standing) -> bool {
        let mut known = self.0.lock();
        let is_new = *known != standing;
        *known = standing;
        is_new
    }
}

/// The answer of `/readyz`; except for its own fields it is a refusal like any other.
#[derive(Serialize)]
struct Readiness {
    state: &'static str,
    active: Option<Who>,
    #[serde(flatten)]
    refusal: Refusal,
}

#[derive(Serialize)]
struct Who {
    name: String,
    address: String,
    since: String,
}

#[derive(Serialize)]
struct Refusal {
    status: i32,
    msg: String,
    data: (),
    success: bool,
}

impl Refusal {
    fn of(words: Text, lang: Lang) -> Self {
        Self { status: 5003, msg: words.get(lang).to_owned(), data: (), success: false }
    }
}

/// Everything that is served on standby.
pub fn router(news: News) -> Router {
    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(readyz))
        .fallback(refuse)
        .with_state(news)
        .layer(axum::middleware::map_response(|mut response: Response| async move {
            outer::secure(&mut response, false);
            response
        }))
}

async fn readyz(State(news): State<News>, headers: HeaderMap) -> Response {
    let standing = news.0.lock().clone();
    let refusal = Refusal::of(words(&standing), language(&headers));
    let (state, active) = match standing {
        Standing::Starting => ("starting", None),
        Standing::Standby(active) => ("standby", active),
        Standing::NoDatabase => ("noDatabase", None),
    };
    let active = active.map(|Active { console, since }| Who {
        name: console.name,
        address: console.address,
        since: since.to_rfc3339(),
    });
    unavailable(&Readiness { state, active, refusal })
}

async fn refuse(State(news): State<News>, request: Request) -> Response {
    let words = words(&news.0.lock());
    unavailable(&Refusal::of(words, language(request.headers())))
}

const fn words(standing: &Standing) -> Text {
    match standing {
        Standing::Starting => STARTING,
        Standing::Standby(_) => STANDBY,
        Standing::NoDatabase => NO_DATABASE,
    }
}

/// A console that does not know whether it is still active does not start this.
#[must_use]
pub fn not_begun(lang: Lang) -> Response {
    unavailable(&Refusal::of(NO_DATABASE, lang))
}

/// A console that does not know whether it was active until the end does not send its answer.
#[must_use]
pub fn unproved(lang: Lang) -> Response {
    unavailable(&Refusal::of(UNPROVED, lang))
}

fn unavailable(body: &impl Serialize) -> Response {
    let body = serde_json::to_vec(body).unwrap_or_default();
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (header::RETRY_AFTER, HeaderValue::from_static("1")),
    ];
    (StatusCode::SERVICE_UNAVAILABLE, headers, body).into_response()
}
