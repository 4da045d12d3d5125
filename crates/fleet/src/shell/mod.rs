//! A shell on a card, in the browser: who may have one, and its input, byte by byte.
//!
//! A browser cannot send a token with a WebSocket, so it asks for a ticket first: that call is guarded and logged
//! like any other, and the ticket opens one shell within half a minute.

mod late;
mod phone;
mod read;
mod record;
mod socket;
mod ticket;

use utoipa_axum::routes;

pub use late::{LateEnds, RETRY, count as late_ends, round as write_late_ends};
pub use read::ShellChunks;
pub use record::{changed as changed_record, close_open as close_records};
pub use socket::connect;
pub use ticket::Tickets;

use base::http::DomainRouter;

use crate::screens::perm;

pub fn router() -> DomainRouter {
    DomainRouter::new()
        .act(perm::DEVICE_SHELL, routes!(ticket::card_shell))
        // A record is a part of the operation log.
        .view(base::perm::OPERATION_LOG_LIST, routes!(read::shell_record_list))
        .act(base::perm::OPERATION_LOG_EXPORT, routes!(read::shell_record_export))
}
