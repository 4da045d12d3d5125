//! A simulated room: cards with ADB over TCP, BMCs with Redfish over TLS, and their faults.
//!
//! For the demo company, for tests and for benchmarks. Everything random is derived from one seed. An idle card costs a
//! few hundred bytes: Android's own content is generated when it is read, and only what was written, installed or set
//! is stored.
//!
//! ```text
//! let room = Room::start(Settings { cards: 3, faults: "hangs@1".parse()?, ..Settings::default() }).await?;
//! let card = adb::Card::connect(room.cards[0].address, &adb::Options::default()).await?;
//! ```

mod adbd;
mod apps;
mod bmc;
mod card;
mod chance;
mod command;
pub mod control;
mod fault;
mod files;
mod filesync;
mod flash;
pub mod packages;
mod picture;
mod programs;
mod reverse;
mod room;
mod running;
mod services;
mod shell;
mod terminal;
mod users;
mod view;

pub use adbd::Trust;
pub use bmc::{Bmc, Seen};
pub use card::{BOARDS, Card, Phase, serial};
pub use command::{Simulate, simulate};
pub use fault::{Fault, Faults, Plan};
pub use files::{FileError, Files};
pub use flash::Flash;
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
