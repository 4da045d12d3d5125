//! The room agent: it runs in a room, dials out to the console, looks at the room's cards by ADB and does the tasks
//! that the console sends. `docs/agent-protocol.md` tells what both sides say.
//!
//! Who does what: [`link`](crate) holds the connection, `looks` looks at cards, `work` does tasks and `journal` keeps
//! what must not be done twice. Everything else serves these four.

mod act;
mod cards;
mod command;
mod files;
mod identity;
mod journal;
mod link;
mod look;
mod looks;
mod recover;
mod shells;
mod sweep;
mod talk;
mod tls;
mod work;

pub use command::{Flags, agent};
pub use identity::Identity;
pub use link::{Agent, Settings};
pub use tls::config as trust;
