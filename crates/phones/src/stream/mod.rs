//! Streams: a gateway that has redeemed a ticket shows a phone to somebody, says every ten seconds that it still does, and is
//! told which streams to end.
//!
//! What is said so is written nowhere: who was heard of is kept in memory ([`Streams`]), and that there is a stream at all stands in
//! the row of whoever connects. So a restart of the console throws nobody out, and a gateway that is silent ends nothing.
//!
//! A gateway that says nothing of too many of its streams is silent (`silence.rs`): then rules take nobody off (`watch.rs`).

mod beat;
mod bounds;
mod end;
pub mod id;
pub mod live;
mod silence;
pub(crate) mod warned;
pub(crate) mod watch;

pub use beat::{Order, Told, beat};
pub use bounds::{Bounds, bounds};
pub use end::{Ended, end};
pub use live::Streams;
pub use silence::Gateway;
pub use warned::{AskedOff, Warned};
pub use watch::{GatewaySilence, Silences, SilentGateway, gateway_gauges, look, silence_changes, silent_gateways};
