//! `POST /api/fleet/v1/cards/{id}/shell`.

use std::sync::Arc;
use std::time::Duration;

use base::access::session::new_token;
use base::fault::{Fault, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use entity::{CardId, OperatorId, PlacementId, RoomId, SessionId};
use kernel::rules::{Check, line};
use kernel::text::{Text, text};
use moka::sync::Cache;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::phone::{is_under_way, stay_on};
use crate::card::service;
use crate::state::Fleet;

/// Lifetime of a ticket.
const GOOD: Duration = Duration::from_secs(30);

const NO_AGENT: Text = text(
    "该机房的代理未连接，无法打开终端；请先在设备地址中检查机房代理",
    "No agent of this room is connected, so a shell cannot be opened; check the room agents first",
);

const UNDER_WAY: Text = text(
    "正在对这张卡上的云手机执行操作，完成后才能打开终端",
    "Something is being done to the cloud phone on this card; a shell can be opened once it is done",
);

/// A shell that is to be opened.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShellInput {
    /// Reason, up to 256 characters; required where the card has a customer's phone, or something of it.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for ShellInput {
    fn check(&self, check: &mut Check) {
        // Whether one is required depends on the card.
        if !self.reason.is_empty() {
            check.field("reason", line(&self.reason, 256));
        }
    }
}

/// Whom a ticket admits, and to which card.
#[derive(Clone, Debug)]
pub struct Ticket {
    pub session: SessionId,
    pub operator: OperatorId,
    pub username: String,
    pub ip: String,
    pub card: CardId,
    pub room: RoomId,
    /// `address:port`
    pub address: String,
    pub serial: Option<String>,
    /// What stays on the card.
    pub stay: Option<PlacementId>,
    /// Why; may be empty where nothing does.
    pub reason: String,
}

/// Unused tickets.
#[derive(Debug)]
pub struct Tickets(Cache<String, Arc<Ticket>>);

impl Default for Tickets {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(10_000).time_to_live(GOOD).build())
    }
}

impl Tickets {
    /// Takes a ticket: it cannot be used again.
    #[must_use]
    pub fn take(&self, text: &str) -> Option<Arc<Ticket>> {
        self.0.remove(text)
    }
}

/// A single-use ticket for one shell, valid for half a minute.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ShellTicket {
    /// For `GET /api/fleet/v1/shells/{ticket}`, a WebSocket.
    pub ticket: String,
}

async fn issue(ctx: &OpCtx, id: CardId, reason: String) -> Outcome<ShellTicket> {
    let row = service::standing(ctx.read(), id).await?;
    if ctx.app.part::<Fleet>().agents_in(row.room_id) == 0 {
        return Err(Fault::conflict(NO_AGENT));
    }
    let stay = stay_on(ctx.read(), id).await?;
    if let Some((stay, _)) = stay {
        let mut check = Check::new();
        check.field("reason", line(&reason, 256));
        check.finish()?;
        if is_under_way(ctx.read(), stay).await? {
            return Err(Fault::conflict(UNDER_WAY));
        }
    }
    let address = row.adb_address();
    let audit = Audit::of("card").id(id).name(&address).note(&reason);
    // It is in the history of the phone, too.
    ctx.record(audit.with("phone", stay.map(|(_, phone)| phone.0))).await?;
    let ticket = new_token();
    let made = Ticket {
        session: ctx.session.id,
        operator: ctx.operator(),
        username: ctx.session.username.clone(),
        ip: ctx.meta.ip.to_string(),
        card: id,
        room: row.room_id,
        address,
        serial: row.serial,
        stay: stay.map(|(stay, _)| stay),
        reason,
    };
    ctx.app.part::<Tickets>().0.insert(ticket.clone(), Arc::new(made));
    Ok(ShellTicket { ticket })
}

/// Issues a ticket for a shell on a card. Input of the shell is recorded byte by byte. Where a customer's phone is on the card a
/// reason is required, 409 while something is being done to the phone, and the shell ends when something begins to be.
#[utoipa::path(post, path = "/api/fleet/v1/cards/{id}/shell", tag = "fleet", request_body = ShellInput,
    params(("id" = i64, Path, description = "The card's id")), responses((status = 200, body = Reply<ShellTicket>)))]
pub async fn card_shell(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ShellInput>,
) -> ApiResult<ShellTicket> {
    reply(issue(&ctx, CardId(id), input.reason).await?)
}
