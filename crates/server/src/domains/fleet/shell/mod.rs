//! A shell on a card, in the browser: who may have one, and what was typed in it.
//!
//! A browser can not send a token with a WebSocket, so it asks for a ticket first: that call is guarded and logged
//! like any other, and the ticket opens one shell within half a minute.

mod socket;
mod ticket;

use utoipa_axum::routes;

pub use socket::connect;
pub use ticket::Tickets;

use crate::access::catalog::perm;
use crate::http::DomainRouter;

pub fn router() -> DomainRouter {
    DomainRouter::new().act(perm::DEVICE_SHELL, routes!(ticket::card_shell))
}
