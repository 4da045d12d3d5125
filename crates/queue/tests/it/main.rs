//! The task engine, on both databases.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod crash;
mod ends;
mod kit;
mod lanes;
mod schedules;
mod speed;
