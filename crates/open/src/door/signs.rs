//! Customers sign in and out: at the back end of their app, which tells of it, late and in any order if it must.

use std::collections::BTreeSet;

use axum::response::Response;
use base::fault::Fault;
use base::http::body::PathId;
use base::http::{Reply, Valid, Validate};
use customers::{Event, owned_among, record_events};
use entity::ClientUserId;
use entity::client_user::{ClientType, LoginMethod, Model};
use entity::client_user_record::RecordKind;
use kernel::rules::{Check, Violation, at_least_one, at_most};
use kernel::text::Text;
use kernel::time::UtcTime;
use phones::connect::out_of_use;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::acts::{Act, Acted, Acting, Doing};
use super::cursor::number;
use super::guard::Caller;
use super::profile::client;
use super::users::{NO_USER, OpenUser, find_within, in_use};
use crate::limits::Limits;

/// How far a sender's clock may be ahead, in seconds.
const AHEAD: i64 = 300;
/// How late an event may be told, in seconds: a year, and a day for those that have one more.
const LATE: i64 = 366 * 86_400;
/// Events in one call: as many as one transaction holds while others wait.
const EVENTS: usize = 200;

/// A customer signs in.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenSignIn {
    /// When it happened; now if it is left out. It may be told late, and in any order.
    #[serde(default)]
    pub at: Option<UtcTime>,
    /// How: 1 code by phone, 2 password, 3 WeChat, 4 QQ, 5 Apple, 6 invited guest.
    pub login_method: LoginMethod,
    /// What their client runs on: 1 Android, 2 iOS, 3 PC, 4 web.
    pub client_type: ClientType,
    /// Up to 32 characters.
    #[serde(default)]
    #[schema(max_length = 32)]
    pub client_version: String,
    /// Up to 64 characters.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub device_name: String,
    /// The customer's address, not yours.
    #[serde(default)]
    pub ip: String,
}

impl Validate for OpenSignIn {
    fn check(&self, check: &mut Check) {
        client(check, &self.client_version, &self.device_name, &self.ip);
    }
}

/// A customer signs out.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenSignOut {
    /// When it happened; now if it is left out. It may be told late, and in any order.
    #[serde(default)]
    pub at: Option<UtcTime>,
    /// Up to 64 characters.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub device_name: String,
    /// The customer's address, not yours.
    #[serde(default)]
    pub ip: String,
}

impl Validate for OpenSignOut {
    fn check(&self, check: &mut Check) {
        client(check, "", &self.device_name, &self.ip);
    }
}

impl OpenSignIn {
    fn event(self, now: UtcTime) -> Event {
        Event {
            kind: RecordKind::SignIn,
            at: self.at.unwrap_or(now),
            ip: self.ip,
            device_name: self.device_name,
            client_version: self.client_version,
            client_type: Some(self.client_type),
            login_method: Some(self.login_method),
        }
    }
}

impl OpenSignOut {
    fn event(self, now: UtcTime) -> Event {
        Event {
            kind: RecordKind::SignOut,
            at: self.at.unwrap_or(now),
            ip: self.ip,
            device_name: self.device_name,
            client_version: String::new(),
            client_type: None,
            login_method: None,
        }
    }
}

/// Refuses a moment that is to come, and one that is over for too long; a clock that is a little ahead is neither.
fn happened(field: &str, at: UtcTime, now: UtcTime) -> Result<(), Fault> {
    let why = if at > now.plus_seconds(AHEAD) {
        Violation::new("time.inFuture")
    } else if at < now.plus_seconds(-LATE) {
        Violation::new("time.longAgo")
    } else {
        return Ok(());
    };
    Err(Fault::field(field, why))
}

/// An event of one customer.
struct Sign<E> {
    id: String,
    event: E,
}

impl Act for Sign<OpenSignIn> {
    type Answer = OpenUser;

    async fn run(self, doing: &mut Doing) -> Acted<OpenUser> {
        let user = find_within(doing, &self.id).await?;
        in_use(&user)?;
        write(doing, user, self.event.event(doing.now)).await
    }
}

impl Act for Sign<OpenSignOut> {
    type Answer = OpenUser;

    async fn run(self, doing: &mut Doing) -> Acted<OpenUser> {
        // Whoever was disabled or has closed the account is signed out by it.
        let user = find_within(doing, &self.id).await?;
        write(doing, user, self.event.event(doing.now)).await
    }
}

async fn write(doing: &mut Doing, user: Model, event: Event) -> Acted<OpenUser> {
    happened("at", event.at, doing.now)?;
    let id = user.id;
    let mut became = record_events(&mut doing.tx, [(id, user)].into(), vec![(id, event)]).await?;
    let user = became.remove(&id).ok_or_else(|| Fault::internal(anyhow::anyhow!("customer {id} went in between")))?;
    Ok(OpenUser::of(user, doing.caller.lang))
}

/// Sign-ins and sign-outs of any customers of yours.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenSigns {
    /// 1 to 200 of them, in any order.
    #[schema(min_items = 1, max_items = 200)]
    pub events: Vec<OpenSignEvent>,
}

/// A sign-in or a sign-out of a customer.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenSignEvent {
    /// The customer's id.
    pub user_id: String,
    /// 2 a sign-in, 3 a sign-out.
    pub kind: RecordKind,
    /// When it happened.
    pub at: UtcTime,
    /// How; needed for a sign-in.
    #[serde(default)]
    pub login_method: Option<LoginMethod>,
    /// What their client runs on; needed for a sign-in.
    #[serde(default)]
    pub client_type: Option<ClientType>,
    /// Up to 32 characters.
    #[serde(default)]
    #[schema(max_length = 32)]
    pub client_version: String,
    /// Up to 64 characters.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub device_name: String,
    /// The customer's address, not yours.
    #[serde(default)]
    pub ip: String,
}

impl Validate for OpenSigns {
    fn check(&self, check: &mut Check) {
        check.field("events", at_least_one(self.events.len()));
        check.field("events", at_most(self.events.len(), EVENTS));
        check.each("events", &self.events, |check, event| {
            match event.kind {
                RecordKind::Register => check.add("kind", Violation::not_a_choice("2, 3")),
                RecordKind::SignIn => {
                    for (field, is_left_out) in
                        [("loginMethod", event.login_method.is_none()), ("clientType", event.client_type.is_none())]
                    {
                        if is_left_out {
                            check.add(field, Violation::new("required"));
                        }
                    }
                }
                RecordKind::SignOut => {}
            }
            client(check, &event.client_version, &event.device_name, &event.ip);
        });
    }
}

/// What became of the events of a call.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenSigned {
    /// How many are written down.
    pub recorded: usize,
    /// Those that are not.
    pub refused: Vec<OpenSignRefused>,
}

/// An event that is not written down.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenSignRefused {
    /// Its place among those that were sent, from 0.
    pub index: usize,
    /// `not_found`, `user_disabled` or `user_closed`.
    pub code: String,
    /// The same for people.
    pub msg: String,
}

impl Act for OpenSigns {
    type Answer = OpenSigned;

    async fn run(self, doing: &mut Doing) -> Acted<OpenSigned> {
        let Caller { app, known, .. } = &doing.caller;
        app.part::<Limits>().charge(known.app, self.events.len().saturating_sub(1));
        for (index, event) in self.events.iter().enumerate() {
            happened(&format!("events[{index}].at"), event.at, doing.now)?;
        }
        let ids: BTreeSet<ClientUserId> =
            self.events.iter().filter_map(|event| number(&event.user_id).map(ClientUserId)).collect();
        let users = owned_among(&*doing.tx, doing.caller.whose(), ids).await?;
        let (mut refused, mut accepted) = (Vec::new(), Vec::new());
        for (index, event) in self.events.into_iter().enumerate() {
            let id = number(&event.user_id).map(ClientUserId);
            let user = id.and_then(|id| users.get(&id));
            match verdict(user, event.kind) {
                Ok(id) => accepted.push((id, event.told())),
                Err((code, why)) => {
                    let msg = why.get(doing.caller.lang).to_owned();
                    refused.push(OpenSignRefused { index, code: code.to_owned(), msg });
                }
            }
        }
        let recorded = accepted.len();
        record_events(&mut doing.tx, users, accepted).await?;
        Ok(OpenSigned { recorded, refused })
    }
}

/// Whose event it is, or why it is not written down.
fn verdict(user: Option<&Model>, kind: RecordKind) -> Result<ClientUserId, (&'static str, Text)> {
    let user = user.ok_or(("not_found", NO_USER))?;
    let why = if kind == RecordKind::SignIn { out_of_use(user.status) } else { None };
    why.map_or(Ok(user.id), Err)
}

impl OpenSignEvent {
    fn told(self) -> Event {
        Event {
            kind: self.kind,
            at: self.at,
            ip: self.ip,
            device_name: self.device_name,
            client_version: self.client_version,
            client_type: self.client_type,
            login_method: self.login_method,
        }
    }
}

/// Tells that a customer has signed in. One that happened before the last one does not move that back.
#[utoipa::path(post, path = "/open/v1/users/{id}/sign-ins", tag = "user", request_body = OpenSignIn,
    params(("id" = String, Path, description = "The customer's id")),
    responses((status = 200, body = Reply<OpenUser>)))]
pub async fn open_user_sign_in(
    acting: Acting,
    PathId(id): PathId<String>,
    Valid(event): Valid<OpenSignIn>,
) -> Response {
    acting.once(Sign { id, event }).await
}

/// Tells that a customer has signed out.
#[utoipa::path(post, path = "/open/v1/users/{id}/sign-outs", tag = "user", request_body = OpenSignOut,
    params(("id" = String, Path, description = "The customer's id")),
    responses((status = 200, body = Reply<OpenUser>)))]
pub async fn open_user_sign_out(
    acting: Acting,
    PathId(id): PathId<String>,
    Valid(event): Valid<OpenSignOut>,
) -> Response {
    acting.once(Sign { id, event }).await
}

/// Tells of many sign-ins and sign-outs at once: it costs one transaction. Each is written down or refused by itself.
#[utoipa::path(post, path = "/open/v1/sign-events", tag = "user", request_body = OpenSigns,
    responses((status = 200, body = Reply<OpenSigned>)))]
pub async fn open_sign_events(acting: Acting, Valid(events): Valid<OpenSigns>) -> Response {
    acting.once(events).await
}
