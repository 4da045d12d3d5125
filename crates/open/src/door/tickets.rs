//! Gateways redeem tickets: each opens one phone, once.

use axum::response::Response;
use base::http::ops::Audit;
use base::http::{Reply, Valid, Validate};
use entity::client_user::ClientUserStatus;
use entity::open_app;
use kernel::rules::{Check, line, max_chars, required};
use kernel::time::UtcTime;
use phones::connect::{Opened, opened, spend};
use phones::stream::id::StreamId;
use phones::stream::{Bounds, Streams, bounds};
use sea_orm::EntityTrait as _;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::acts::{Act, Acted, Acting, Doing};
use super::connect::user_of;
use super::gateways;
use super::refusal::Refusal;

/// A gateway has been given a ticket by a client.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenRedeem {
    /// As the client has it.
    #[schema(min_length = 1, max_length = 128)]
    pub ticket: String,
    /// The gateway's name or id, as it stands in the console's address book.
    #[schema(min_length = 1, max_length = 48)]
    pub gateway: String,
}

impl Validate for OpenRedeem {
    fn check(&self, check: &mut Check) {
        check.field("ticket", required(&self.ticket).and_then(|()| max_chars(&self.ticket, 128)));
        check.field("gateway", line(&self.gateway, 48));
    }
}

/// What a ticket opens.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenRedeemed {
    /// What the gateway calls the stream by that begins now.
    pub stream_id: String,
    pub phone_id: String,
    /// What people call it by, such as `CP-0000001`.
    pub phone_code: String,
    pub user_id: String,
    /// The phone's stay on the card.
    pub placement_id: String,
    pub card_id: String,
    /// The card's address within its room. Cards may share one: only with `cardPort` it names a card.
    pub card_address: String,
    /// The port of the card's ADB at that address.
    pub card_port: i32,
    pub room_id: String,
    /// Nobody may use the phone after that, as far as is known now: it expires, or the rules end the use. Heartbeats tell of
    /// whatever moves it.
    pub until: UtcTime,
    /// Why no longer: `phone_expired`, `longest_session`, `daily_hours` or `night_close`.
    pub until_code: String,
    /// From when on whoever uses the phone is to be told that it ends.
    pub warn_at: UtcTime,
}

impl OpenRedeemed {
    fn of(opened: Opened, stream: StreamId, bounds: Bounds) -> Self {
        let Opened { phone, stay, card, .. } = opened;
        let Bounds { until, code, warn_at } = bounds;
        Self {
            stream_id: stream.to_string(),
            phone_id: phone.id.to_string(),
            phone_code: phone.code,
            user_id: phone.user_id.to_string(),
            placement_id: stay.id.to_string(),
            card_id: card.id.to_string(),
            card_address: card.intranet_ip.to_string(),
            card_port: card.adb_port,
            room_id: card.room_id.to_string(),
            until,
            until_code: code.to_owned(),
            warn_at,
        }
    }
}

/// A stream, as the operation log tells of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LoggedStream<'a> {
    stream_id: String,
    gateway: &'a str,
    /// It has ended the one before.
    takes_over: bool,
}

impl<'a> LoggedStream<'a> {
    fn of(stream: StreamId, gateway: &'a str, takes_over: bool) -> Self {
        Self { stream_id: stream.to_string(), gateway, takes_over }
    }
}

impl Act for OpenRedeem {
    type Answer = OpenRedeemed;
    /// As long as a ticket is good. Later the card may be somebody else's, whoever knows the key.
    const KEPT: i64 = 60;

    async fn run(self, doing: &mut Doing) -> Acted<OpenRedeemed> {
        let whose = doing.caller.whose();
        let found = opened(&doing.tx, whose, &self.ticket, doing.now).await?;
        let Some(found) = found else { return Err(Refusal::Ticket) };
        let gateway = gateways::named(&*doing.tx, &self.gateway, found.card.room_id).await?;
        let Some(gateway) = gateway else { return Err(Refusal::Ticket) };
        // Whoever it was drawn for may have been shut out since.
        let app = open_app::Entity::find_by_id(found.app_id).one(&*doing.tx).await?;
        let user = user_of(&*doing.tx, &found.phone).await?;
        if !app.is_some_and(|app| app.is_enabled) || user.status != ClientUserStatus::Active {
            return Err(Refusal::Ticket);
        }
        let stream = spend(&doing.caller.app, &mut doing.tx, &found, &gateway.name, doing.now).await?;
        let bounds = bounds(&doing.caller.app, &doing.tx, &found.phone, doing.now).await?;
        let audit = Audit::of("phone").id(found.phone.id).name(&found.phone.code);
        let audit = match &found.before {
            Some((before, by)) => audit.before(&LoggedStream::of(*before, by, false)),
            None => audit,
        };
        doing.log(audit.after(&LoggedStream::of(stream, &gateway.name, found.before.is_some())));
        let heard = [(found.phone.id, stream)];
        let (app, phone) = (doing.caller.app.clone(), found.phone.id);
        app.part::<Streams>().hear(heard, app.clock.steady());
        doing.touched.push(phone);
        Ok(OpenRedeemed::of(found, stream, bounds))
    }
}

/// Redeems a ticket: says which phone it opens, where that is and until when. It is good once. Whatever is wrong with it, or with who
/// redeems it, is answered alike.
#[utoipa::path(post, path = "/open/v1/tickets/redeem", tag = "gateway", request_body = OpenRedeem,
    responses((status = 200, body = Reply<OpenRedeemed>)))]
pub async fn open_ticket_redeem(acting: Acting, Valid(redeem): Valid<OpenRedeem>) -> Response {
    acting.once(redeem).await
}
