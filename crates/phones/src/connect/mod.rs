//! Somebody connects to a phone: waits in the queue until it is on a card, and gets a ticket with which a gateway lets him in.
//!
//! One who waits asks again every few seconds; whoever is not heard of any more leaves the queue ([`round`]). The place is kept
//! for a while, in memory alone ([`waiters`]). What brings the phone is a saga like any other, which is nobody's operation.

mod ask;
mod facts;
mod find;
pub mod over;
mod rank;
mod round;
mod stand;
mod ticket;
mod told;
pub mod view;
mod wait;
mod waiters;

pub use ask::{By, Connecting, ask, leave, seen, tell};
pub use facts::Pools;
pub use find::{find, owned};
pub use round::{LOOK, round};
pub use stand::{Refused, Seen, Stand, out_of_use, stand, words};
pub use ticket::{Drawn, Opened, draw, opened, spend};
pub use told::{LEFT, TAKEN_OVER, UNKNOWN, codes, ended, queued};
pub use waiters::Waiters;
