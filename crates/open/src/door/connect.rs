//! Customers connect to their phones: an application asks for it, asks again while they wait, and says when they leave.

use axum::extract::FromRequestParts;
use axum::response::{IntoResponse as _, Response};
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::Audit;
use base::http::{Reply, reply};
use base::owned::Owned;
use db::WriteTx;
use entity::client_user::Model as User;
use entity::phone::Model as Phone;
use entity::{OpenAppId, PhoneId, service_address};
use http::request::Parts;
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use phones::connect::{self, By, Connecting, Drawn, Refused, Seen, words};
use sea_orm::ConnectionTrait;
use serde::Serialize;
use utoipa::ToSchema;

use super::acts::{Act, Acted, Acting, Doing, spend};
use super::cursor::number;
use super::gateways;
use super::guard::{Caller, Signed};
use super::phones::NO_PHONE;
use super::refusal::{Reason, Refusal};
use super::users::{NO_USER, in_use};

const NO_GATEWAY: Text =
    text("该机房没有可用的网关，请联系平台运营人员", "The room has no gateway; ask those who run the platform");

kernel::named_enum! {
    /// How far somebody is who connects to a phone.
    pub enum OpenConnectState {
        /// In the queue.
        Queued = "queued" ("排队中", "Queued"),
        /// The phone is being brought, or goes on.
        Preparing = "preparing" ("准备中", "Preparing"),
        /// The phone is there: `gateway` lets in whoever has `ticket`.
        Ready = "ready" ("可连接", "Ready"),
        /// It does not go: `code` says why.
        Failed = "failed" ("失败", "Failed"),
        /// Nobody connects any more.
        Left = "left" ("已离开", "Left"),
    }
}

/// How far somebody is who connects to a phone.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenConnect {
    pub state: OpenConnectState,
    /// The place in the queue, from 1; null if it is in none.
    pub position: Option<i64>,
    /// How many seconds it takes until the phone is there; null if nobody knows.
    pub wait_seconds: Option<i64>,
    /// How far the present step is, in hundredths; null if that is not known.
    pub percent: Option<i64>,
    /// Where the client goes with the ticket; null until it is ready.
    pub gateway: Option<OpenGateway>,
    /// It opens this phone once, until then. Each answer draws another one, and the one before is good no more.
    pub ticket: Option<String>,
    pub until: Option<UtcTime>,
    /// What it waits for in the queue, or why it failed; null if neither is so.
    pub code: Option<String>,
    /// The same for people.
    pub msg: Option<String>,
}

/// A gateway.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenGateway {
    pub name: String,
    pub host: String,
    pub port: i32,
}

impl OpenConnect {
    const fn plain(state: OpenConnectState) -> Self {
        Self {
            state,
            position: None,
            wait_seconds: None,
            percent: None,
            gateway: None,
            ticket: None,
            until: None,
            code: None,
            msg: None,
        }
    }

    fn failed(code: impl Into<String>, msg: impl Into<String>) -> Self {
        Self { code: Some(code.into()), msg: Some(msg.into()), ..Self::plain(OpenConnectState::Failed) }
    }

    fn ready(gateway: service_address::Model, drawn: Drawn) -> Self {
        let service_address::Model { name, host, port, .. } = gateway;
        Self {
            gateway: Some(OpenGateway { name, host, port }),
            ticket: Some(drawn.ticket),
            until: Some(drawn.until),
            ..Self::plain(OpenConnectState::Ready)
        }
    }
}

/// What an application is told; none if it does not connect to the phone. One that is ready gets a ticket.
async fn answer(
    tx: &WriteTx,
    phone: &Phone,
    by: OpenAppId,
    seen: Seen,
    (lang, now): (Lang, UtcTime),
) -> Outcome<Option<OpenConnect>> {
    let Seen::Ready(room) = seen else { return Ok(without_ticket(seen, lang)) };
    let Some(gateway) = gateways::draw(&**tx, room).await? else {
        return Ok(Some(OpenConnect::failed("no_gateway", NO_GATEWAY.get(lang))));
    };
    Ok(connect::draw(tx, phone, by, now).await?.map(|drawn| OpenConnect::ready(gateway, drawn)))
}

/// The same where no ticket is drawn.
fn without_ticket(seen: Seen, lang: Lang) -> Option<OpenConnect> {
    Some(match seen {
        Seen::Nobody => return None,
        Seen::Queued { position, wait, why } => OpenConnect {
            position,
            wait_seconds: wait,
            code: why.map(|why| why.code().to_owned()),
            msg: why.zip(position).map(|(why, position)| connect::queued(why, position, wait).get(lang)),
            ..OpenConnect::plain(OpenConnectState::Queued)
        },
        Seen::Coming { percent } => OpenConnect { percent, ..OpenConnect::plain(OpenConnectState::Preparing) },
        Seen::Ready(_) => OpenConnect::plain(OpenConnectState::Preparing),
        Seen::Failed(code) => {
            let msg = words(&code, lang);
            OpenConnect::failed(code, msg)
        }
        Seen::No(Refused { code, words }) => OpenConnect::failed(code, words.get(lang)),
    })
}

/// The customer of a phone that the caller may see.
pub async fn user_of(db: &impl ConnectionTrait, phone: &Phone) -> Outcome<User> {
    // Whoever may see the phone is told what its customer may do.
    customers::owned(db, Owned::everybodys(), phone.user_id).await?.or_missing(NO_USER)
}

/// The phone that an act names, locked, if the caller may see it.
pub async fn find(doing: &Doing, id: &str) -> Acted<Phone> {
    let found = match number(id) {
        Some(id) => connect::find(&doing.tx, doing.caller.whose(), PhoneId(id)).await?,
        None => None,
    };
    Ok(found.or_missing(NO_PHONE)?)
}

/// Somebody wants to connect.
struct Ask(String);

impl Act for Ask {
    type Answer = OpenConnect;
    const IS_SECRET: bool = true;

    async fn run(self, doing: &mut Doing) -> Acted<OpenConnect> {
        let phone = find(doing, &self.0).await?;
        in_use(&user_of(&*doing.tx, &phone).await?)?;
        if !gateways::is_served(&*doing.tx, phone.room_id).await? {
            // A card is not taken for somebody who could not be let in.
            return Err(Refusal::Conflict("no_gateway", NO_GATEWAY));
        }
        let (app, lang, name) = (doing.caller.app.clone(), doing.caller.lang, doing.who());
        let by = By { app_id: doing.caller.known.app, name: &name };
        let asked = connect::ask(&app, &mut doing.tx, &phone, by).await?;
        let Connecting { seen, taken_from } = asked.map_err(|Refused { code, words }| Refusal::Told(code, words))?;
        if !taken_from.is_empty() {
            // It is in the history of those, too, who are at the phone no more.
            let taken_from = taken_from.iter().map(|app| app.0);
            doing.log(Audit::of("phone").id(phone.id).name(&phone.code).with("openApp", taken_from));
        }
        doing.touched.push(phone.id);
        let told = answer(&doing.tx, &phone, by.app_id, seen, (lang, doing.now)).await?;
        Ok(told.unwrap_or_else(|| OpenConnect::plain(OpenConnectState::Left)))
    }
}

/// Nobody does any more.
struct Leave(String);

impl Act for Leave {
    type Answer = OpenConnect;

    async fn run(self, doing: &mut Doing) -> Acted<OpenConnect> {
        let phone = find(doing, &self.0).await?;
        let (app, by) = (doing.caller.app.clone(), doing.caller.known.app);
        connect::leave(&app, &mut doing.tx, phone.id, by).await?;
        doing.touched.push(phone.id);
        Ok(OpenConnect::plain(OpenConnectState::Left))
    }
}

/// Somebody asks how far it is. Whatever is ready draws a ticket, and is asked for once: with a nonce.
#[derive(Clone, Debug)]
pub struct Looking {
    caller: Caller,
    signed: Option<Signed>,
}

impl<S: Sync> FromRequestParts<S> for Looking {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let caller = Caller::from_request_parts(parts, state).await?;
        Ok(Self { caller, signed: parts.extensions.get::<Signed>().cloned() })
    }
}

impl Looking {
    async fn seen(&self, id: &str) -> Acted<Option<OpenConnect>> {
        let Caller { app, known, lang, .. } = &self.caller;
        let whose = self.caller.whose();
        // Thousands ask this every few seconds.
        let db = app.db.lookups();
        let found = match number(id) {
            Some(id) => connect::owned(db, whose, PhoneId(id)).await?,
            None => None,
        };
        let phone = found.or_missing(NO_PHONE)?;
        let seen = connect::seen(app, db, &phone, known.app).await?;
        if !matches!(seen, Seen::Ready(_)) {
            return Ok(without_ticket(seen, *lang));
        }
        let signed = self.signed.as_ref().ok_or(Refusal::Unsigned(Reason::Nonce))?;
        let (tx, now) = (app.db.begin_write().await?, app.clock.now());
        if !spend(&tx, known.key_id, signed).await? {
            return Err(Refusal::Unsigned(Reason::Nonce));
        }
        let phone = connect::find(&tx, whose, phone.id).await?.or_missing(NO_PHONE)?;
        let seen = connect::seen(app, &*tx, &phone, known.app).await?;
        let told = answer(&tx, &phone, known.app, seen, (*lang, now)).await?;
        tx.commit().await?;
        connect::tell(app, phone.id);
        Ok(told)
    }
}

/// Says how far it is for the customer who connects to a phone: ask every few seconds while they wait. Whoever is not heard of
/// for 30 seconds has left the queue. Null if you do not connect to it.
#[utoipa::path(get, path = "/open/v1/phones/{id}/connect", tag = "phone",
    params(("id" = String, Path, description = "The phone's id"),
        ("X-Sky-Nonce" = String, Header, description = "Another one for every call: a ticket is drawn once")),
    responses((status = 200, body = Reply<Option<OpenConnect>>)))]
pub async fn open_phone_connect_get(looking: Looking, PathId(id): PathId<String>) -> Response {
    match looking.seen(&id).await {
        Ok(told) => reply(told).into_response(),
        Err(refusal) => refusal.answer(&looking.caller.meta),
    }
}

/// Connects a customer to a phone. One that is on a card is ready at once; any other is put on one, in turn. Of two who connect
/// to one phone the later one gets it.
#[utoipa::path(post, path = "/open/v1/phones/{id}/connect", tag = "phone",
    params(("id" = String, Path, description = "The phone's id")),
    responses((status = 200, body = Reply<OpenConnect>)))]
pub async fn open_phone_connect_create(acting: Acting, PathId(id): PathId<String>) -> Response {
    acting.once(Ask(id)).await
}

/// Says that the customer has left, or waits no more. The ticket is good no more; a phone that has a card by now stays there.
#[utoipa::path(delete, path = "/open/v1/phones/{id}/connect", tag = "phone",
    params(("id" = String, Path, description = "The phone's id")),
    responses((status = 200, body = Reply<OpenConnect>)))]
pub async fn open_phone_connect_delete(acting: Acting, PathId(id): PathId<String>) -> Response {
    acting.once(Leave(id)).await
}
