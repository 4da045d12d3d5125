//! The state of cards: the only writer of it, what is known of them in memory, and how it gets there.
//!
//! Operators' acts and agents' reports become [`Change`]s; [`write`] stores them with their events and
//! counters in the caller's transaction, and [`Fleet::committed`] tells memory and open consoles. What
//! changes nothing is written nowhere.

mod apply;
mod change;
mod exposition;
mod intake;
mod live;
mod minute;
mod round;

pub use apply::{RosterCard, apply, roster};
pub use change::{By, Change, Written, write};
pub use exposition::rooms as room_gauges;
pub use intake::{Probe, Refusal, Report, Session, Taken, close_session, open_session, take};
pub use live::{Fleet, LiveView, Metrics, TOPIC};
pub use minute::{CardPoint, PlaceKey, PlacePoint, card_points, end, place_points};
pub use round::{Rounds, round};
