//! The client against simulated cards, good and broken ones.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod argv;
mod faults;
mod feeding;
mod files;
mod handshake;
mod packages;
mod shells;
mod support;
mod wire;
