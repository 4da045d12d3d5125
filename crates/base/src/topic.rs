//! What a domain tells open pages about, as it hands it over. [`http::listen`](crate::http::listen) makes a call of it.

use crate::access::need::Need;

/// A stream of events. Each event has an audience of its own besides.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// Its name: the call is `/api/<name>/v1/events`, its operation `<name>_events`.
    pub name: &'static str,
    /// What the document says of it: the events with what they carry, and who hears which.
    pub about: &'static str,
    /// What whoever listens needs.
    pub need: Need,
}
