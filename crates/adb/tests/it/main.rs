//! The client against simulated cards, sound and broken.

#![expect(clippy::unwrap_used, reason = "a test that can not go on should panic")]

mod argv;
mod faults;
mod files;
mod handshake;
mod packages;
mod shells;
mod support;
mod wire;
