//! Streams: a gateway that has redeemed a ticket shows a phone to somebody, says every ten seconds that it still does, and is
//! told which streams to end.
//!
//! What is said so is written nowhere: who was heard of is kept in memory ([`Streams`]), and that there is a stream at all stands in
//! the row of whoever connects. So a restart of the console throws nobody out, and a gateway that is silent ends nothing.

mod beat;
mod end;
pub mod id;
pub mod live;
mod warned;

pub use beat::{Order, Told, beat};
pub use end::{Ended, end};
pub use live::Streams;
pub use warned::Warned;
