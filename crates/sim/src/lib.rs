//! A simulated room: cards that speak ADB on TCP, BMCs that speak Redfish over TLS, and what can be wrong with them.
//!
//! For the demo company, for tests and for benchmarks. Everything that looks random comes from one seed.
//! A card at rest costs some hundred bytes: what Android brings is made up when it is read, and only what was written,
//! installed or set is kept.
//!
//! ```text
//! let room = Room::start(Settings { cards: 3, faults: "hangs@1".parse()?, ..Settings::default() }).await?;
//! let card = adb::Card::connect(room.cards[0].address, &adb::Options::default()).await?;
//! ```

mod adbd;
mod bmc;
mod card;
mod chance;
mod command;
pub mod control;
mod fault;
mod files;
mod filesync;
pub mod packages;
mod picture;
mod programs;
mod room;
mod services;
mod sh;

pub use adbd::Trust;
pub use bmc::{Bmc, Seen};
pub use card::{BOARDS, Card, Phase};
pub use command::{Simulate, simulate};
pub use fault::{Fault, Faults, Plan};
pub use files::Files;
pub use packages::Apk;
pub use room::{Layout, Room, Settings};

/// Lets this process open as many files as the system allows, and returns how many those are: a card with a port
/// of its own needs one, each connection needs one more.
#[must_use]
pub fn raise_file_limit() -> u64 {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}
