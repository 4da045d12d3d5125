//! `POST /api/fleet/v1/cards/{id}/shell`.

use std::sync::Arc;
use std::time::Duration;

use base::access::session::new_token;
use base::fault::{Fault, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, reply};
use entity::{CardId, OperatorId, RoomId, SessionId};
use kernel::text::{Text, text};
use moka::sync::Cache;
use serde::Serialize;
use utoipa::ToSchema;

use crate::card::service;
use crate::state::Fleet;

/// Lifetime of a ticket.
const GOOD: Duration = Duration::from_secs(30);

const NO_AGENT: Text = text(
    "该机房的代理未连接，无法打开终端；请先在设备地址中检查机房代理",
    "No agent of this room is connected, so a shell cannot be opened; check the room agents first",
);

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

async fn issue(ctx: &OpCtx, id: CardId) -> Outcome<ShellTicket> {
    let row = service::standing(ctx.read(), id).await?;
    if ctx.app.part::<Fleet>().agents_in(row.room_id) == 0 {
        return Err(Fault::conflict(NO_AGENT));
    }
    let address = row.adb_address();
    ctx.record(Audit::of("card").id(id).name(&address)).await?;
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
    };
    ctx.app.part::<Tickets>().0.insert(ticket.clone(), Arc::new(made));
    Ok(ShellTicket { ticket })
}

/// Issues a ticket for a shell on a card. Input of the shell is recorded byte by byte.
#[utoipa::path(post, path = "/api/fleet/v1/cards/{id}/shell", tag = "fleet",
    params(("id" = i64, Path, description = "The card's id")), responses((status = 200, body = Reply<ShellTicket>)))]
pub async fn card_shell(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<ShellTicket> {
    reply(issue(&ctx, CardId(id)).await?)
}
