//! The task engine, on both databases.

#![expect(clippy::unwrap_used, reason = "these are tests")]

mod backlog;
mod crash;
mod ends;
mod kit;
mod lanes;
mod schedules;
