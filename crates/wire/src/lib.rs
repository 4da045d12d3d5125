//! The messages between the console and a room agent: types only. `docs/agent-protocol.md` has the rules.
//!
//! Messages are JSON in text frames of a WebSocket that the agent opens. Fields that one side does not know are
//! ignored, so that either side may be newer; what changes a meaning raises [`PROTOCOL`], and two that have no number in
//! common say no more to each other than [`upgrade`] has.

mod bmc;
mod bounded;
mod brought;
pub mod copy;
mod enrol;
mod folder;
pub mod leave_out;
mod mark;
mod message;
mod packaged;
pub mod profile;
mod reason;
pub mod store;
mod stream;
mod task;
pub mod upgrade;

pub use bmc::{BmcFound, BmcLook, BmcSensor, BmcSlot, Health, SensorKind};
pub use copy::{CopyLook, Progress};
pub use enrol::{EnrolReply, EnrolRequest};
pub use folder::{EntryKind, FolderEntry, FolderLook};
pub use mark::{Carried, Mark};
pub use message::{Agent, Console, Farewell, Held, Limits, Metrics, Power, Probe, Range, Report, RosterCard, Sighting};
pub use profile::ProfileSummary;
pub use reason::{Reason, Told};
pub use store::{NodeRates, Rates, SealedKey, StoreAim, StoreAt, StoreNode, StoreSeen, StoreStep, StoreTrouble};
pub use stream::{read_stream_frame, stream_frame};
pub use task::{Act, BmcAccess, Book, Effect, FileRef, Key, Outcome, PowerOrder, Task, TaskResult};

/// The number of the protocol that an agent of this version speaks.
pub const PROTOCOL: u32 = 9;

/// The numbers that a console of this version speaks. Agents with another one get [`upgrade`] alone.
///
/// - 1: operations on cards.
/// - 2: what is done to phones as well ([`Book::Phone`]): a room whose agent speaks 1 gets nothing of it. An act that an
///   agent does not know ends as [`Reason::UnknownAct`]; at 1 it would have ended the connection.
/// - 3: storage nodes and what a copy of a phone would hold are looked at ([`Console::StoreLook`],
///   [`Console::CopyLook`]); an older agent is not asked.
/// - 4: copies of phones are made ([`Act::Copy`]), without the packages of apps: such an agent is not asked for them any
///   more.
/// - 5: packages are saved before ([`Act::Packages`]), and installed on other phones ([`Act::Apps`]).
/// - 6: copies come on cards ([`Act::Restore`]), and phones go off them ([`Act::Still`]).
/// - 7: phones come back to cards that they had left ([`Act::Start`] with a start).
/// - 8: what runs on a card that was lost, and whose phone has gone on elsewhere, is stopped ([`Act::Halt`]); phones are
///   copied while they go on ([`copy::CopyOrder::live`]).
/// - 9: what an erased phone has left at a storage node is removed ([`Act::Erase`]).
pub const SPOKEN: &[u32] = &[1, BOOKS, STORES, 4, COPIES, RESTORES, RETURNS, HALTS, PROTOCOL];

/// The first protocol that has [`Book::Phone`].
pub const BOOKS: u32 = 2;

/// The first protocol that has [`Console::StoreLook`] and [`Console::CopyLook`].
pub const STORES: u32 = 3;

/// The first protocol that has [`Act::Packages`], [`Act::Copy`] and [`Act::Apps`], and what belongs to them.
pub const COPIES: u32 = 5;

/// The first protocol that has [`Act::Restore`] and [`Act::Still`], and what belongs to them.
pub const RESTORES: u32 = 6;

/// The first protocol in which [`Act::Start`] looks whether the card has restarted.
pub const RETURNS: u32 = 7;

/// The first protocol that has [`Act::Halt`].
pub const HALTS: u32 = 8;

/// The first protocol in which [`Act::Copy`] copies a phone that goes on.
pub const LIVE: u32 = 8;

/// The first protocol that has [`Act::Erase`].
pub const ERASES: u32 = 9;

/// The largest frame that either side accepts, in bytes.
pub const MAX_FRAME: usize = 1 << 20;

/// The largest number of reports, results or tasks in one frame.
pub const MAX_BATCH: usize = 2_000;

/// The largest number of characters of a task's output that are sent with its result; more is cut at the end and
/// marked.
pub const MAX_OUTPUT: usize = 16 * 1024;
