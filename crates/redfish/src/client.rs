//! The client: one request at a time, authenticated.

use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Method, StatusCode, Url};
use rustls::ClientConfig;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::answer::{Answer, link, local_path, text};
use crate::device::{Abilities, Bmc, Health, Order, Power, Sensor, SensorKind, Slot, SlotId};
use crate::error::Error;
use crate::sign_in::{Login, Proof, Session, State};
use outbound::Seen;

use crate::tls::{self, Trust};

pub(crate) const ROOT: &str = "/redfish/v1/";
/// The largest answer that is read, in bytes.
const ANSWER: usize = 1024 * 1024;
/// The largest number of members read from a collection.
const MEMBERS: usize = 256;

/// Timeouts.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until TCP and TLS are connected.
    pub connect: Duration,
    /// A whole request.
    pub request: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), request: Duration::from_secs(20) }
    }
}

/// A BMC's client.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    pub(crate) login: Login,
    seen: Seen,
    limits: Limits,
    state: Mutex<State>,
}

impl Client {
    /// A client for the BMC at `url`, for example `https://10.1.2.3`. Nothing is sent yet.
    ///
    /// # Errors
    /// The address is invalid, or does not fit `trust`.
    pub fn new(url: &str, login: Login, trust: Trust, limits: Limits) -> Result<Self, Error> {
        let seen = Seen::default();
        let tls = match trust {
            Trust::Pinned(pin) => Some(tls::config(Some(pin), Seen::clone(&seen))?),
            Trust::NoTls => None,
        };
        Self::with_tls(url, login, tls, seen, limits)
    }

    pub(crate) fn with_tls(
        url: &str,
        login: Login,
        tls: Option<ClientConfig>,
        seen: Seen,
        limits: Limits,
    ) -> Result<Self, Error> {
        let base = Url::parse(url).map_err(|_| Error::protocol(format!("\"{url}\" is no address")))?;
        let wanted = if tls.is_some() { "https" } else { "http" };
        if base.scheme() != wanted {
            return Err(Error::protocol(format!("the address must start with {wanted}://")));
        }
        let mut builder = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(limits.connect)
            .timeout(limits.request)
            .pool_max_idle_per_host(1);
        if let Some(tls) = tls {
            builder = builder.tls_backend_preconfigured(tls);
        }
        let http = builder.build().map_err(|error| Error::protocol(error.to_string()))?;
        Ok(Self { http, base, login, seen, limits, state: Mutex::default() })
    }

    /// Reads the root, which needs no session.
    pub(crate) async fn touch(&self) -> Result<(), Error> {
        self.send(Method::GET, ROOT, None, &Proof::Nothing).await.map(|_| ())
    }

    async fn get(&self, path: &str) -> Result<Value, Error> {
        self.call(Method::GET, path, None).await
    }

    /// Sends an authenticated request; a session that the BMC has forgotten is reopened, once.
    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, Error> {
        // Held for the whole request: one at a time.
        let mut state = self.state.lock().await;
        let mut again = true;
        loop {
            let proof = self.proof(&mut state).await?;
            let answer = self.send(method.clone(), path, body.as_ref(), &proof).await?;
            if answer.status != StatusCode::UNAUTHORIZED {
                return answer.judge();
            }
            if matches!(proof, Proof::Basic) {
                let refusal = if answer.rules_out_basic() { Error::NoScheme } else { Error::AuthRefused };
                return Err(state.refuse(refusal));
            }
            state.session = Session::None;
            if !again {
                return Err(state.refuse(Error::SessionRefused));
            }
            again = false;
        }
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        proof: &Proof,
    ) -> Result<Answer, Error> {
        let url = self.base.join(path).map_err(|_| Error::protocol("an invalid path"))?;
        let mut request = self.http.request(method, url).header("OData-Version", "4.0");
        if let Some(body) = body {
            request = request.json(body);
        }
        let mut response = self.prove(request, proof).send().await.map_err(|error| self.unreachable(&error))?;
        let mut answer = Answer::of(&response);
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            if bytes.len() + chunk.len() > ANSWER {
                return Err(Error::protocol("an answer of more than 1 MiB"));
            }
            bytes.extend_from_slice(&chunk);
        }
        answer.body = match serde_json::from_slice(&bytes) {
            Ok(body) => body,
            Err(_) if bytes.is_empty() || !answer.status.is_success() => Value::Null,
            Err(_) => return Err(Error::protocol("an answer that is not JSON")),
        };
        Ok(answer)
    }

    fn unreachable(&self, error: &reqwest::Error) -> Error {
        let mut why = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(inner) = source {
            why = inner.to_string();
            source = inner.source();
        }
        if why.contains("ApplicationVerificationFailure") {
            let found = self.seen.lock().map(|found| found.to_string()).unwrap_or_default();
            return Error::CertificateChanged { found };
        }
        if error.is_timeout() {
            return Error::Timeout { after: self.limits.request };
        }
        Error::Unreachable { why }
    }

    /// Paths of the members of a collection.
    async fn members(&self, path: &str) -> Result<Vec<String>, Error> {
        let collection = self.get(path).await?;
        let members = collection.get("Members").and_then(Value::as_array);
        let members = members.ok_or_else(|| Error::protocol(format!("{path} is not a collection")))?;
        Ok(members.iter().take(MEMBERS).filter_map(link).collect())
    }
}

fn read_slot(id: SlotId, system: &Value) -> Slot {
    let reset = system.pointer("/Actions/#ComputerSystem.Reset");
    let allowed = reset.and_then(|reset| reset.get("ResetType@Redfish.AllowableValues")).and_then(Value::as_array);
    Slot {
        name: text(system, "/Name").unwrap_or_else(|| id.0.clone()),
        serial: text(system, "/SerialNumber"),
        power: Power::parse(system.get("PowerState").and_then(Value::as_str)),
        health: Health::parse(system.pointer("/Status/Health").and_then(Value::as_str)),
        orders: allowed.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned)).collect(),
        target: reset.and_then(|reset| reset.get("target")?.as_str()).and_then(local_path),
        id,
    }
}

fn read_sensors(of: &Value, list: &str, kind: SensorKind, reading: &[&str]) -> Vec<Sensor> {
    let entries = of.get(list).and_then(Value::as_array).into_iter().flatten();
    entries
        .map(|entry| Sensor {
            kind,
            name: text(entry, "/Name").or_else(|| text(entry, "/FanName")).unwrap_or_default(),
            reading: reading.iter().find_map(|key| entry.get(*key)?.as_f64()),
            critical: entry.get("UpperThresholdCritical").and_then(Value::as_f64),
            health: Health::parse(entry.pointer("/Status/Health").and_then(Value::as_str)),
        })
        .collect()
}

#[async_trait]
impl Bmc for Client {
    async fn abilities(&self) -> Result<Abilities, Error> {
        let root = self.get(ROOT).await?;
        let sessions = matches!(self.state.lock().await.session, Session::Open { .. });
        let has = |key: &str| root.get(key).is_some_and(|value| link(value).is_some());
        Ok(Abilities { sessions, power: has("Systems"), sensors: has("Chassis") })
    }

    async fn slots(&self) -> Result<Vec<Slot>, Error> {
        let mut slots = Vec::new();
        for path in self.members("/redfish/v1/Systems").await? {
            slots.push(self.slot(&SlotId(path)).await?);
        }
        Ok(slots)
    }

    async fn slot(&self, id: &SlotId) -> Result<Slot, Error> {
        let path = local_path(&id.0).ok_or_else(|| Error::protocol("a slot's id is a path of the BMC"))?;
        Ok(read_slot(id.clone(), &self.get(&path).await?))
    }

    async fn order(&self, slot: &Slot, order: Order) -> Result<(), Error> {
        if !slot.orders.is_empty() && !slot.orders.iter().any(|allowed| allowed == order.name()) {
            return Err(Error::Unsupported { what: format!("{} is not among its commands", order.name()) });
        }
        let usual = || format!("{}/Actions/ComputerSystem.Reset", slot.id.0.trim_end_matches('/'));
        let target = slot.target.clone().unwrap_or_else(usual);
        self.call(Method::POST, &target, Some(json!({ "ResetType": order.name() }))).await.map(|_| ())
    }

    async fn sensors(&self) -> Result<Vec<Sensor>, Error> {
        let mut sensors = Vec::new();
        for chassis in self.members("/redfish/v1/Chassis").await? {
            let chassis = self.get(&chassis).await?;
            for (key, list) in [("Thermal", "Temperatures"), ("Thermal", "Fans"), ("Power", "PowerControl")] {
                let Some(path) = chassis.get(key).and_then(link) else { continue };
                let of = match self.get(&path).await {
                    Ok(of) => of,
                    // A chassis that lists sensors which it does not have is common; the others still count.
                    Err(Error::Failed { .. } | Error::Forbidden { .. }) => continue,
                    Err(error) => return Err(error),
                };
                let (kind, reading): (_, &[&str]) = match list {
                    "Temperatures" => (SensorKind::Temperature, &["ReadingCelsius"]),
                    "Fans" => (SensorKind::Fan, &["Reading"]),
                    _ => (SensorKind::Power, &["PowerConsumedWatts"]),
                };
                sensors.extend(read_sensors(&of, list, kind, reading));
            }
        }
        Ok(sensors)
    }

    async fn close(&self) {
        let mut state = self.state.lock().await;
        if let Session::Open { token, path: Some(path) } = std::mem::take(&mut state.session) {
            let _ = self.send(Method::DELETE, &path, None, &Proof::Token(token)).await;
        }
    }
}

impl Drop for Client {
    /// A session that was not closed is ended in the background, if there is a runtime.
    fn drop(&mut self) {
        let Session::Open { token, path: Some(path) } = std::mem::take(&mut self.state.get_mut().session) else {
            return;
        };
        if let (Ok(runtime), Ok(url)) = (tokio::runtime::Handle::try_current(), self.base.join(&path)) {
            let request = self.http.delete(url).header("X-Auth-Token", token.as_str());
            runtime.spawn(async move {
                let _ = request.send().await;
            });
        }
    }
}
