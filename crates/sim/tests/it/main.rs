//! Simulated cards as a shell and the file service of ADB see them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod apps;
mod flash;
mod locked;
mod mounts;
mod packages;
mod rights;
mod support;
mod unreadable;
mod users;
mod writes;
