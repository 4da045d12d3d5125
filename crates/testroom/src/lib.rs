//! For tests only: rooms with cards, and what works in them: a real agent over simulated cards.
//!
//! They need the whole program behind a socket, the agent and the simulator. So they are a crate of their own, for which
//! the tests of groups that try calls alone do not wait.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

pub mod hand;
pub mod link;
pub mod operation;
pub mod phone;
pub mod room;
pub mod saga;
pub mod site;
