//! A client for the Android debug bridge of cards over TCP; no `adb` program and no adb server.
//!
//! ```text
//! let card = Card::connect(address, &Options { key: Some(room_key), ..Options::default() }).await?;
//! let output = card.run(&Command::new("pm").args(["list", "packages"]), Duration::from_secs(10)).await?;
//! ```
//!
//! Layers, each usable alone: [`wire`] (messages), [`link`] (a socket that carries them), [`Connection`] and
//! [`Stream`] (many streams in one connection), [`shell`], `sync` and `package` (services), [`Card`] and the
//! trait [`Device`] (what the agent does with a card).
//!
//! Rules that apply everywhere: every wait has a limit ([`Limits`]), every buffer has a limit, a message is sent in one
//! write, dropping a future affects nothing but its own work, and no argument is ever pasted into a command
//! ([`Command`]).

mod card;
mod connection;
mod device;
mod error;
mod feeding;
pub mod key;
pub mod link;
mod package;
mod printing;
mod quote;
pub mod shell;
mod stream;
mod sync;
pub mod wire;

pub use card::Card;
pub use connection::{Banner, Connection, Limits, Options};
pub use device::{Abilities, Device, DiskSpace};
pub use error::Error;
pub use key::{PublicKey, RoomKey};
pub use package::{InstallFailure, InstallOptions, InstallRefused, install_verdict, session_created, session_written};
pub use printing::{Ended, Printing};
pub use quote::{Command, DevicePath, PackageName, PropName, quoted};
pub use shell::{Output, Shell, ShellEvent, WindowSize};
pub use stream::Stream;
pub use sync::{DATA_MAX, FileStat, Folder, FolderEntry};
