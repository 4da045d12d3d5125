//! The room's control API, for tests and for people: effects on the cards, and faults on and off.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::bmc::Bmc;
use crate::card::{Card, Phase};
use crate::fault::{Fault, Plan};
use crate::room::{Room, apply};

#[derive(Clone)]
struct Switchboard {
    cards: Arc<[Arc<Card>]>,
    bmcs: Arc<[Arc<Bmc>]>,
    seed: u64,
    per_host: usize,
}

type Answer = Result<Json<Value>, (StatusCode, String)>;

/// Serves the control API of a room while it is polled.
///
/// # Errors
/// The listener is gone.
pub async fn serve(room: &Room, listener: TcpListener) -> std::io::Result<()> {
    let board = Switchboard {
        cards: Arc::clone(&room.cards),
        bmcs: room.bmcs.clone().into(),
        seed: room.settings().seed,
        per_host: room.settings().cards_per_host,
    };
    let router = Router::new()
        .route("/room", get(whole))
        .route("/cards/{card}", get(one))
        .route("/cards/{card}/faults", post(set_faults))
        .route("/cards/{card}/power", post(set_power))
        .route("/cards/{card}/unlock", post(unlock))
        .route("/cards/{card}/unreadable", post(set_unreadable))
        .route("/cards/{card}/writes", post(write_now))
        .route("/cards/{card}/used", post(set_used))
        .route("/writes", post(set_writes))
        .route("/used", post(set_used_at))
        .route("/hosts/{host}/power", post(set_host_power))
        .route("/effects", get(effects))
        .route("/faults", post(set_plan).delete(clear))
        .with_state(board);
    axum::serve(listener, router).await
}

const fn phase(card: Phase) -> &'static str {
    match card {
        Phase::Off => "off",
        Phase::Starting => "starting",
        Phase::Booting => "booting",
        Phase::Booted => "booted",
    }
}

/// Every card and every BMC with its address.
async fn whole(State(board): State<Switchboard>) -> Json<Value> {
    let cards: Vec<Value> = board.cards.iter().map(|card| {
        let (_, model, name) = card.board();
        json!({ "card": card.index, "serial": card.serial(), "adb": card.address.to_string(), "model": model, "board": name,
            "host": card.index / board.per_host, "slot": card.index % board.per_host + 1 })
    }).collect();
    let bmcs: Vec<Value> = board
        .bmcs
        .iter()
        .map(|bmc| {
            json!({ "host": bmc.host, "url": bmc.url(), "sessions": bmc.sessions(),
            "opened": bmc.seen.opened.load(Ordering::Relaxed), "refused": bmc.seen.refused.load(Ordering::Relaxed),
            "orders": bmc.seen.orders.load(Ordering::Relaxed) })
        })
        .collect();
    Json(json!({ "seed": board.seed, "cards": cards, "bmcs": bmcs }))
}

impl Switchboard {
    fn card(&self, index: usize) -> Result<&Arc<Card>, (StatusCode, String)> {
        self.cards
            .get(index)
            .ok_or_else(|| (StatusCode::NOT_FOUND, format!("there are {} cards, from 0", self.cards.len())))
    }
}

async fn one(State(board): State<Switchboard>, Path(card): Path<usize>) -> Answer {
    let card = board.card(card)?;
    let (state, boots, uptime) = (phase(card.phase().0), card.boots(), card.uptime());
    let (used, written) = (card.used_app(), card.written());
    let inside = card.state();
    let packages = inside.packages.iter().filter(|(_, package)| package.is_installed());
    Ok(Json(json!({
        "card": card.index, "serial": card.serial(), "adb": card.address.to_string(), "phase": state, "boots": boots,
        "uptime": uptime, "faults": card.faults.names(), "effects": inside.effects, "props": inside.props,
        "packages": packages.map(|(name, package)| (name.to_string(), package.version)).collect::<Vec<_>>(),
        "used": used, "written": written,
    })))
}

#[derive(Deserialize)]
struct Wanted {
    what: Option<String>,
}

/// How often an effect happened on each card: one effect by card, or totals of all.
async fn effects(State(board): State<Switchboard>, Query(wanted): Query<Wanted>) -> Json<Value> {
    if let Some(what) = wanted.what {
        let counts: Vec<u64> =
            board.cards.iter().map(|card| card.state().effects.get(what.as_str()).copied().unwrap_or(0)).collect();
        return Json(json!({ "what": what, "sum": counts.iter().sum::<u64>(), "cards": counts }));
    }
    let mut sums = std::collections::BTreeMap::<Box<str>, u64>::new();
    for card in board.cards.iter() {
        for (what, count) in &card.state().effects {
            *sums.entry(what.clone()).or_default() += count;
        }
    }
    Json(json!(sums))
}

#[derive(Deserialize)]
struct PlanBody {
    spec: String,
}

async fn set_plan(State(board): State<Switchboard>, Json(body): Json<PlanBody>) -> Answer {
    let plan: Plan = body.spec.parse().map_err(|why| (StatusCode::BAD_REQUEST, why))?;
    Ok(Json(json!({ "switched": apply(&board.cards, board.seed, &plan) })))
}

async fn clear(State(board): State<Switchboard>) -> StatusCode {
    for card in board.cards.iter() {
        card.faults.clear();
        card.changed.notify_waiters();
    }
    StatusCode::NO_CONTENT
}

#[derive(Deserialize)]
struct FaultsBody {
    faults: Vec<String>,
}

/// Sets exactly these faults.
async fn set_faults(State(board): State<Switchboard>, Path(card): Path<usize>, Json(body): Json<FaultsBody>) -> Answer {
    let card = board.card(card)?;
    let faults: Vec<Fault> = body
        .faults
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()
        .map_err(|why| (StatusCode::BAD_REQUEST, why))?;
    card.faults.clear();
    for fault in faults {
        card.faults.set(fault, true);
    }
    card.changed.notify_waiters();
    Ok(Json(json!({ "faults": card.faults.names() })))
}

#[derive(Deserialize)]
struct PowerBody {
    on: bool,
}

/// The power plug of one card.
async fn set_power(State(board): State<Switchboard>, Path(card): Path<usize>, Json(body): Json<PowerBody>) -> Answer {
    let card = board.card(card)?;
    card.power(body.on);
    Ok(Json(json!({ "phase": phase(card.phase().0) })))
}

#[derive(Deserialize)]
struct UnlockBody {
    #[serde(default)]
    user: u32,
}

/// Somebody opens the screen of a user.
async fn unlock(State(board): State<Switchboard>, Path(card): Path<usize>, Json(body): Json<UnlockBody>) -> Answer {
    let card = board.card(card)?;
    let unlocked = card.unlock_user(body.user);
    let answer = || Json(json!({ "user": body.user, "unlocked": unlocked }));
    unlocked.then(answer).ok_or_else(|| (StatusCode::CONFLICT, format!("no user {} runs", body.user)))
}

#[derive(Deserialize)]
struct UnreadableBody {
    paths: Vec<String>,
}

/// Makes exactly these folders and files unreadable, as a broken disk does.
async fn set_unreadable(
    State(board): State<Switchboard>,
    Path(card): Path<usize>,
    Json(body): Json<UnreadableBody>,
) -> Answer {
    let mut state = board.card(card)?.state();
    state.files.set_unreadable(body.paths);
    Ok(Json(json!({ "unreadable": state.files.unreadable() })))
}

#[derive(Deserialize)]
struct WritesBody {
    ms: Option<u64>,
}

/// How often each app writes while it runs, on all cards; never without a time.
async fn set_writes(State(board): State<Switchboard>, Json(body): Json<WritesBody>) -> Json<Value> {
    for card in board.cards.iter() {
        card.let_apps_write(body.ms.map(Duration::from_millis));
    }
    Json(json!({ "ms": body.ms }))
}

#[derive(Deserialize)]
struct TimesBody {
    times: u32,
}

/// The most times at once: the answer waits for them.
const TIMES: u32 = 100_000;

/// Each app that runs on a card writes so many times at once.
async fn write_now(State(board): State<Switchboard>, Path(card): Path<usize>, Json(body): Json<TimesBody>) -> Answer {
    let card = Arc::clone(board.card(card)?);
    if body.times > TIMES {
        return Err((StatusCode::BAD_REQUEST, format!("{TIMES} times at most")));
    }
    let done = tokio::task::spawn_blocking(move || (card.write_now(body.times), card.written())).await;
    let (apps, written) = done.map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok(Json(json!({ "apps": apps, "written": written })))
}

#[derive(Deserialize)]
struct UsedBody {
    /// Which card it is, where the call does not name it.
    address: Option<IpAddr>,
    used: bool,
}

/// Somebody begins to use a card, or does so no more.
async fn set_used(State(board): State<Switchboard>, Path(card): Path<usize>, Json(body): Json<UsedBody>) -> Answer {
    let card = board.card(card)?;
    card.set_used(body.used);
    Ok(Json(json!({ "used": card.used_app() })))
}

/// The same of the card at an address, as a gateway knows it.
async fn set_used_at(State(board): State<Switchboard>, Json(body): Json<UsedBody>) -> Answer {
    let at = |card: &&Arc<Card>| Some(card.address.ip()) == body.address;
    let mut found = board.cards.iter().filter(at);
    let (Some(card), None) = (found.next(), found.next()) else {
        return Err((StatusCode::NOT_FOUND, "no card has that address for itself".to_owned()));
    };
    card.set_used(body.used);
    Ok(Json(json!({ "used": card.used_app() })))
}

/// The power plug of a host.
async fn set_host_power(
    State(board): State<Switchboard>,
    Path(host): Path<usize>,
    Json(body): Json<PowerBody>,
) -> Answer {
    let cards = board.cards.chunks(board.per_host).nth(host);
    let cards = cards.ok_or_else(|| (StatusCode::NOT_FOUND, "there is no such host".to_owned()))?;
    for card in cards {
        card.power(body.on);
    }
    Ok(Json(json!({ "cards": cards.len() })))
}
