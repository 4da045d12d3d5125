//! Stays of phones on cards: from when to when, how long somebody waited for it, who used it and for how long.
//!
//! They are written when a phone comes and goes ([`book`], called by what binds phones to cards) and when somebody begins or
//! ends to use it (`crate::connect`, `crate::stream`), never in between.

pub mod book;
mod counts;
mod hours;
mod list;
pub mod used;
mod view;

pub use counts::{STAYS, streams, streams_in_rooms};
pub use hours::{HourOfAll, LOOK, course, flow_since, round as hours_round};
pub use list::{PhoneSessions, router};
