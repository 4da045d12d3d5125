//! The room agent: it runs in a room, connects to the console, polls the room's cards by ADB and executes the tasks
//! that the console sends. `docs/agent-protocol.md` describes the protocol.
//!
//! The parts: [`link`](crate) keeps the connection, `looks` polls cards, `work` executes tasks and `journal` records
//! what must not be done twice. Everything else serves these four.

mod act;
mod app_ids;
mod archive;
mod baseline;
mod cards;
mod clean;
mod command;
mod consoles;
mod cover;
mod done;
mod files;
mod gates;
mod guard;
mod identity;
mod journal;
mod leash;
mod limits;
mod link;
mod listing;
mod look;
mod looks;
mod marked;
mod mounts;
mod owners;
mod pairs;
mod pipe;
mod places;
mod recover;
mod refused;
mod room;
mod shells;
mod sink;
mod source;
mod stores;
mod sweep;
mod talk;
mod tls;
mod tools;
mod transport;
mod work;

pub use command::{Flags, agent, simulated_room};
pub use consoles::Consoles;
pub use identity::{Identity, adb_key};
pub use leash::LONGEST as LEASH;
pub use link::{Agent, Settings};
pub use room::ALLOCATOR;
pub use tls::config as trust;
