//! The state of cards: its only writer, its copy in memory, and how reports get there.
//!
//! Operators' actions and agents' reports become [`Change`]s; [`write`] stores them with their events and counters in
//! the caller's transaction, and [`Fleet::committed`] publishes them to memory and open consoles. What changes nothing
//! is not written.

mod apply;
mod change;
mod exposition;
mod intake;
mod live;
mod minute;
mod points;
mod round;

pub use apply::{RosterCard, apply, roster};
pub use change::{By, Change, Written, write};
pub use exposition::{label as room_label, rooms as room_gauges};
pub use intake::{Probe, Refusal, Report, Session, Taken, close_session, holds, note_connected, open_session, take};
pub use live::{Fleet, LiveView, Metrics, TOPIC};
pub use minute::{CardPoint, FINE_MINUTES, HOST_STEP, HistoryOf, PlacePoint, end, write_history};
pub use points::{PlaceKey, card_points, fleet_points, place_points};
pub use round::{begin, round, rounds};
