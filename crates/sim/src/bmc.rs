//! A host's BMC: Redfish over TLS, with a certificate of its own (DMTF DSP0266).

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::Json;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{delete, get, post};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use parking_lot::Mutex;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use crate::card::Card;
use crate::fault::Fault;
use crate::room::Settings;

/// Supermicro's limit; other manufacturers have lower ones.
const SESSIONS: usize = 16;

/// One BMC.
#[derive(Debug)]
pub struct Bmc {
    /// The index of its host.
    pub host: usize,
    /// Its address.
    pub address: SocketAddr,
    /// The cards that it powers; slot 1 is the first.
    pub cards: Vec<Arc<Card>>,
    /// Its counters.
    pub seen: Seen,
    login: (String, String),
    delay: Duration,
    seed: u64,
    identity: OnceLock<Identity>,
    sessions: Mutex<BTreeMap<u64, String>>,
    last: AtomicU64,
}

/// Counters of one BMC.
#[derive(Debug, Default)]
pub struct Seen {
    /// Sessions that were opened.
    pub opened: AtomicU64,
    /// Sign-ins with a wrong name or password.
    pub refused: AtomicU64,
    /// Power commands.
    pub orders: AtomicU64,
    /// The largest number of concurrent sessions.
    pub most: AtomicU64,
}

struct Identity {
    acceptor: TlsAcceptor,
    fingerprint: String,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Identity({})", self.fingerprint)
    }
}

impl Bmc {
    pub(crate) fn new(host: usize, address: SocketAddr, cards: Vec<Arc<Card>>, settings: &Settings) -> Self {
        Self {
            host,
            address,
            cards,
            seen: Seen::default(),
            login: settings.bmc_login.clone(),
            delay: settings.power_delay,
            seed: settings.seed,
            identity: OnceLock::new(),
            sessions: Mutex::default(),
            last: AtomicU64::new(0),
        }
    }

    /// Its address for a browser.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://{}", self.address)
    }

    /// SHA-256 of its certificate in hex.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.identity().fingerprint
    }

    /// Sessions that are open now.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.sessions.lock().len()
    }

    /// Ends all sessions, as a restart of the BMC does.
    pub fn forget_sessions(&self) {
        self.sessions.lock().clear();
    }

    /// Generated on first use: a room of ten thousand cards starts at once.
    fn identity(&self) -> &Identity {
        self.identity.get_or_init(|| {
            let names = vec![format!("bmc-{}.room.invalid", self.host)];
            let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
            let certificate: CertificateDer<'static> = made.cert.der().clone();
            let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
            let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &certificate);
            let fingerprint = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
            let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
            let config = rustls::ServerConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .expect("TLS 1.2 and 1.3")
                .with_no_client_auth()
                .with_single_cert(vec![certificate], key)
                .expect("our own certificate");
            Identity { acceptor: TlsAcceptor::from(Arc::new(config)), fingerprint }
        })
    }

    fn slot(&self, slot: &str) -> Option<&Arc<Card>> {
        self.cards.get(slot.parse::<usize>().ok()?.checked_sub(1)?)
    }
}

/// Serves one connection to its end.
pub async fn serve(bmc: Arc<Bmc>, stream: TcpStream) {
    let acceptor = bmc.identity().acceptor.clone();
    let Ok(Ok(stream)) = tokio::time::timeout(Duration::from_secs(10), acceptor.accept(stream)).await else { return };
    let service = TowerToHyperService::new(router(bmc));
    let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

fn router(bmc: Arc<Bmc>) -> Router {
    let inside = Router::new()
        .route("/redfish/v1/SessionService/Sessions/{id}", delete(sign_out))
        .route("/redfish/v1/Systems", get(systems))
        .route("/redfish/v1/Systems/{slot}", get(system))
        .route("/redfish/v1/Systems/{slot}/Actions/ComputerSystem.Reset", post(reset))
        .route("/redfish/v1/Chassis", get(chassis_all))
        .route("/redfish/v1/Chassis/1", get(chassis))
        .route("/redfish/v1/Chassis/1/Thermal", get(thermal))
        .route("/redfish/v1/Chassis/1/Power", get(power))
        .route("/redfish/v1/Managers", get(managers))
        .route("/redfish/v1/Managers/1", get(manager))
        .layer(middleware::from_fn_with_state(Arc::clone(&bmc), guard));
    Router::new()
        .route("/redfish/v1", get(root))
        .route("/redfish/v1/", get(root))
        .route("/redfish/v1/SessionService/Sessions", post(sign_in))
        .merge(inside)
        .fallback(async || error(StatusCode::NOT_FOUND, "ResourceMissingAtURI", "There is nothing at this address."))
        .with_state(bmc)
}

/// An error as DSP0266 words it.
fn error(status: StatusCode, code: &str, message: &str) -> Response {
    let id = format!("Base.1.18.{code}");
    let body = json!({ "error": { "code": id, "message": message, "@Message.ExtendedInfo": [{ "MessageId": id, "Message": message }] } });
    (status, Json(body)).into_response()
}

fn links(path: &str, of: impl Iterator<Item = String>) -> Json<Value> {
    let members: Vec<Value> = of.map(|id| json!({ "@odata.id": format!("{path}/{id}") })).collect();
    Json(json!({ "@odata.id": path, "Name": "Collection", "Members@odata.count": members.len(), "Members": members }))
}

async fn guard(State(bmc): State<Arc<Bmc>>, headers: HeaderMap, request: Request, next: Next) -> Response {
    let token = headers.get("X-Auth-Token").and_then(|token| token.to_str().ok());
    if !token.is_some_and(|token| bmc.sessions.lock().values().any(|known| known == token)) {
        return error(StatusCode::UNAUTHORIZED, "NoValidSession", "There is no valid session.");
    }
    next.run(request).await
}

async fn root(State(bmc): State<Arc<Bmc>>) -> Json<Value> {
    Json(json!({
        "@odata.id": "/redfish/v1/", "@odata.type": "#ServiceRoot.v1_15_0.ServiceRoot", "Id": "RootService",
        "Name": "Simulated BMC", "RedfishVersion": "1.18.0", "UUID": format!("00000000-0000-4000-8000-{:012x}", bmc.host),
        "Vendor": "Skyrack", "Product": "Simulated host",
        "Systems": { "@odata.id": "/redfish/v1/Systems" }, "Chassis": { "@odata.id": "/redfish/v1/Chassis" },
        "Managers": { "@odata.id": "/redfish/v1/Managers" },
        "Links": { "Sessions": { "@odata.id": "/redfish/v1/SessionService/Sessions" } },
    }))
}

async fn sign_in(State(bmc): State<Arc<Bmc>>, body: Option<Json<Value>>) -> Response {
    let given =
        |key: &str| body.as_ref().and_then(|body| body.get(key)?.as_str().map(str::to_owned)).unwrap_or_default();
    if (given("UserName"), given("Password")) != bmc.login {
        bmc.seen.refused.fetch_add(1, Ordering::Relaxed);
        return error(StatusCode::UNAUTHORIZED, "ResourceAtUriUnauthorized", "The name or the password is wrong.");
    }
    let id = bmc.last.fetch_add(1, Ordering::Relaxed) + 1;
    let token = format!("{:016x}", crate::chance::number(bmc.seed, bmc.host as u64, 0x5e55 + id));
    {
        let mut sessions = bmc.sessions.lock();
        if sessions.len() >= SESSIONS {
            return error(StatusCode::SERVICE_UNAVAILABLE, "SessionLimitExceeded", "There are too many sessions.");
        }
        sessions.insert(id, token.clone());
        bmc.seen.most.fetch_max(sessions.len() as u64, Ordering::Relaxed);
    }
    bmc.seen.opened.fetch_add(1, Ordering::Relaxed);
    let path = format!("/redfish/v1/SessionService/Sessions/{id}");
    let body = Json(json!({ "@odata.id": path, "Id": id.to_string(), "Name": "Session", "UserName": bmc.login.0 }));
    (StatusCode::CREATED, [("X-Auth-Token", token), (header::LOCATION.as_str(), path)], body).into_response()
}

async fn sign_out(State(bmc): State<Arc<Bmc>>, Path(id): Path<u64>) -> Response {
    if bmc.sessions.lock().remove(&id).is_some() {
        StatusCode::NO_CONTENT.into_response()
    } else {
        error(StatusCode::NOT_FOUND, "ResourceNotFound", "There is no such session.")
    }
}

async fn systems(State(bmc): State<Arc<Bmc>>) -> Json<Value> {
    links("/redfish/v1/Systems", (1..=bmc.cards.len()).map(|slot| slot.to_string()))
}

const RESETS: &[&str] = &["On", "ForceOff", "ForceRestart", "GracefulShutdown"];

fn power_state(card: &Card) -> Value {
    if card.faults.has(Fault::PowerUnknown) {
        return Value::Null;
    }
    let powering = card.state().powering;
    powering.unwrap_or(if card.is_on() { "On" } else { "Off" }).into()
}

async fn system(State(bmc): State<Arc<Bmc>>, Path(slot): Path<String>) -> Response {
    let Some(card) = bmc.slot(&slot) else {
        return error(StatusCode::NOT_FOUND, "ResourceNotFound", "There is no such slot.");
    };
    let path = format!("/redfish/v1/Systems/{slot}");
    let (_, model, _) = card.board();
    let health = if card.faults.has(Fault::Hot) { "Critical" } else { "OK" };
    Json(json!({
        "@odata.id": path, "@odata.type": "#ComputerSystem.v1_20_0.ComputerSystem", "Id": slot, "Name": format!("Slot {slot}"),
        "SystemType": "Physical", "Manufacturer": "Skyrack", "Model": model, "SerialNumber": card.serial(),
        "PowerState": power_state(card), "Status": { "State": "Enabled", "Health": health },
        "Actions": { "#ComputerSystem.Reset": {
            "target": format!("{path}/Actions/ComputerSystem.Reset"), "ResetType@Redfish.AllowableValues": RESETS } },
    }))
    .into_response()
}

async fn reset(State(bmc): State<Arc<Bmc>>, Path(slot): Path<String>, body: Option<Json<Value>>) -> Response {
    let Some(card) = bmc.slot(&slot) else {
        return error(StatusCode::NOT_FOUND, "ResourceNotFound", "There is no such slot.");
    };
    let kind = body.as_ref().and_then(|body| body.get("ResetType")?.as_str()).unwrap_or_default().to_owned();
    if !RESETS.contains(&kind.as_str()) {
        return error(StatusCode::BAD_REQUEST, "ActionParameterValueNotInList", "There is no such ResetType.");
    }
    bmc.seen.orders.fetch_add(1, Ordering::Relaxed);
    card.count(&format!("order:{kind}"));
    let forgets = card.faults.has(Fault::LostReset) && {
        let mut state = card.state();
        state.lost = !state.lost;
        state.lost
    };
    // A command during a shutdown is accepted and lost, as with real BMCs.
    let busy = card.state().powering.is_some();
    if !(forgets || busy || card.faults.has(Fault::PowerStuck)) {
        begin(card, &kind, bmc.delay);
    }
    StatusCode::NO_CONTENT.into_response()
}

/// Executes a command after the BMC's delay.
fn begin(card: &Arc<Card>, kind: &str, delay: Duration) {
    let on = card.is_on();
    let (powering, delay) = match (kind, on) {
        ("On", false) => ("PoweringOn", delay),
        ("ForceOff", true) => ("PoweringOff", delay / 2),
        ("GracefulShutdown", true) => ("PoweringOff", delay * 2),
        ("ForceRestart", _) => ("PoweringOn", delay),
        _ => return,
    };
    card.state().powering = Some(powering);
    card.count(match powering {
        "PoweringOff" => "power_off",
        _ if on => "power_cycle",
        _ => "power_on",
    });
    if kind == "ForceRestart" {
        card.power(false);
    }
    let card = Arc::clone(card);
    tokio::spawn(async move {
        tokio::time::sleep(delay).await;
        card.state().powering = None;
        card.power(powering == "PoweringOn");
    });
}

async fn chassis_all() -> Json<Value> {
    links("/redfish/v1/Chassis", std::iter::once("1".to_owned()))
}

async fn chassis(State(bmc): State<Arc<Bmc>>) -> Json<Value> {
    Json(json!({
        "@odata.id": "/redfish/v1/Chassis/1", "Id": "1", "Name": format!("Host {}", bmc.host), "ChassisType": "Blade",
        "Status": { "State": "Enabled", "Health": "OK" }, "Thermal": { "@odata.id": "/redfish/v1/Chassis/1/Thermal" },
        "Power": { "@odata.id": "/redfish/v1/Chassis/1/Power" },
    }))
}

async fn thermal(State(bmc): State<Arc<Bmc>>) -> Json<Value> {
    let temperatures: Vec<Value> = bmc
        .cards
        .iter()
        .enumerate()
        .map(|(slot, card)| {
            let degrees = card.temperature() / 1000;
            let (state, health) =
                (if card.is_on() { "Enabled" } else { "Absent" }, if degrees >= 90 { "Critical" } else { "OK" });
            let reading = if card.is_on() { json!(degrees) } else { Value::Null };
            json!({ "MemberId": slot.to_string(), "Name": format!("Slot {}", slot + 1), "ReadingCelsius": reading,
            "UpperThresholdCritical": 90, "Status": { "State": state, "Health": health } })
        })
        .collect();
    let fans: Vec<Value> = (1..=2).map(|fan| {
        json!({ "MemberId": fan.to_string(), "Name": format!("Fan {fan}"), "Reading": 4200 + 10 * fan, "ReadingUnits": "RPM",
            "Status": { "State": "Enabled", "Health": "OK" } })
    }).collect();
    Json(
        json!({ "@odata.id": "/redfish/v1/Chassis/1/Thermal", "Id": "Thermal", "Temperatures": temperatures, "Fans": fans }),
    )
}

async fn power(State(bmc): State<Arc<Bmc>>) -> Json<Value> {
    let watts: u64 = bmc.cards.iter().filter(|card| card.is_on()).map(|card| card.number(9, 4, 12)).sum();
    Json(json!({ "@odata.id": "/redfish/v1/Chassis/1/Power", "Id": "Power",
        "PowerControl": [{ "MemberId": "0", "Name": "Host", "PowerConsumedWatts": watts }] }))
}

async fn managers() -> Json<Value> {
    links("/redfish/v1/Managers", std::iter::once("1".to_owned()))
}

async fn manager(State(bmc): State<Arc<Bmc>>) -> Json<Value> {
    Json(json!({ "@odata.id": "/redfish/v1/Managers/1", "Id": "1", "Name": format!("BMC of host {}", bmc.host),
        "ManagerType": "BMC", "FirmwareVersion": "1.0-simulated", "Status": { "State": "Enabled", "Health": "OK" } }))
}
