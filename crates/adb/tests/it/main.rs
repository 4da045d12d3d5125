//! The client against simulated cards, sound and broken.

mod argv;
mod faults;
mod files;
mod handshake;
mod packages;
mod shells;
mod support;
mod wire;
