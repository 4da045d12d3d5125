//! Tasks: what is to be done on one card, and its result.

use serde::{Deserialize, Serialize};

use crate::copy::{CopyOrder, RepoAt, RestoreOrder, VerifyOrder};
use crate::mark::Mark;
use crate::reason::{Reason, Told};
use crate::store::StoreNode;

/// What a task is one of: the numbers of each book begin at 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Book {
    /// The tasks of operations.
    #[default]
    Operation,
    /// The steps of what is done to phones.
    Phone,
}

impl Book {
    /// Whether it is the one that need not be named.
    #[must_use]
    pub const fn is_operation(&self) -> bool {
        matches!(self, Self::Operation)
    }
}

/// One attempt of one task. It is executed at most once, whatever crashes in between; a retry has a higher number, and
/// the result of an older attempt is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// Where the task is written down.
    #[serde(default, skip_serializing_if = "Book::is_operation")]
    pub book: Book,
    /// The task.
    pub task: i64,
    /// The attempt, from 1.
    pub attempt: u32,
}

impl Key {
    /// An attempt of a task of an operation.
    #[must_use]
    pub const fn operation(task: i64, attempt: u32) -> Self {
        Self { book: Book::Operation, task, attempt }
    }

    /// An attempt of a step of what is done to a phone.
    #[must_use]
    pub const fn phone(task: i64, attempt: u32) -> Self {
        Self { book: Book::Phone, task, attempt }
    }
}

/// A task as its agent receives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Which attempt of which task.
    #[serde(flatten)]
    pub key: Key,
    /// The card, by its id in the console.
    pub card: i64,
    /// The address of its ADB, as `address:port`.
    pub address: String,
    /// The serial that must be there; none if none is recorded. With another one nothing is done.
    pub serial: Option<String>,
    /// Whose the card is: for acts of [`Book::Phone`], which change nothing on a card that is marked otherwise. For
    /// [`Act::FactoryReset`] and [`Act::Wipe`] it is the phone that may be on the card; with another one, or with any where
    /// none is named, nothing is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// What marks the card may also be no mark at all, which root can read and nobody can explain: for
    /// [`Act::FactoryReset`], by two operators. An agent that does not know this spares such a card.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub damaged: bool,
    /// What the card has to be marked with to count as clean ([`crate::Carried::Clean`]); none if it never was proved so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clean: Option<String>,
    /// What a copy may leave out on the image of this card, besides [`crate::leave_out`]: paths below `/data`, for acts that
    /// look what a copy would hold. An older agent does not know them, and finds that the phone cannot be copied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leave_out: Vec<String>,
    /// Its host, for the limit per host; none for a card without one.
    pub host: Option<i64>,
    /// Timeout in seconds, from its arrival.
    pub seconds: u32,
    /// What to do.
    pub act: Act,
}

impl Task {
    /// A task that expects nothing of its card: no serial, no mark, nothing that a copy may leave out. It is of a card without
    /// a host, has a minute, and still needs an address.
    #[must_use]
    pub fn new(key: Key, card: i64, act: Act) -> Self {
        Self {
            key,
            card,
            address: String::new(),
            serial: None,
            mark: None,
            damaged: false,
            clean: None,
            leave_out: Vec::new(),
            host: None,
            seconds: 60,
            act,
        }
    }
}

/// The actions on a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Act {
    /// Restart Android, and verify that it has booted again.
    Reboot,
    /// Change the power through the BMC, and verify that it changed.
    Power {
        /// Which change.
        order: PowerOrder,
        /// The BMC and the slot.
        bmc: BmcAccess,
    },
    /// Run a shell script; it succeeds if it exits with 0.
    Shell {
        /// The script, as an operator wrote it.
        script: String,
    },
    /// Install a package, also over an older version.
    Install {
        /// The package.
        file: FileRef,
        /// The name of the package, if the console could read it: used to verify the installation.
        package: Option<String>,
    },
    /// Remove a package with its data.
    Uninstall {
        /// Its name.
        package: String,
    },
    /// Write a file.
    Push {
        /// The file.
        file: FileRef,
        /// Where to, absolute.
        path: String,
    },
    /// Fetch a file.
    Pull {
        /// Which, absolute.
        path: String,
    },
    /// Fetch the end of the system log as a file.
    PullLog,
    /// Take a screenshot as PNG.
    Screenshot,
    /// Limit the network; without figures the limit is lifted.
    SpeedLimit {
        /// Kilobits per second.
        kbit: Option<u32>,
    },
    /// Set a system property.
    SetProperty {
        /// Its name.
        name: String,
        /// Its value, at most 91 bytes.
        value: String,
    },
    /// Restore the factory state: Android's factory reset.
    FactoryReset,
    /// Remove user data (`/sdcard`, `/data/local/tmp`) and keep the system's settings and packages.
    Wipe,
    /// See whether the card can take a phone: it is the recorded one, runs this image, has this much space, and is
    /// marked as nobody's or as the phone's.
    Check {
        /// The fingerprint of the image that it must run; any if none is given.
        fingerprint: Option<String>,
        /// Bytes that must be free for data.
        space: u64,
    },
    /// Mark the card as the phone's. One that is marked as another's stays as it is.
    Claim,
    /// Take the phone's mark off a card on which nothing else of it is.
    Unclaim,
    /// Restart Android, and wait until it has booted again.
    Boot,
    /// See whether Android is up and whole.
    Health {
        /// What a copy holds has come on the card since it was claimed: it has to be there as it was left. An older agent does
        /// not look.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        restored: bool,
        /// A phone comes on the card: its launcher has to run. An older agent does not look, unless something was `restored`.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        launcher: bool,
    },
    /// Make a card on which nobody was known as the clean one of its image: it restarts once, and the result is a file.
    Profile,
    /// Wipe a card that is marked as the phone's: it becomes what the clean card of its image is, and restarts.
    Clear {
        /// The clean card.
        profile: FileRef,
        /// The start of the card (its boot id) during which the phone was stopped for its last copy: after another one its
        /// apps have run, and what they wrote is in no copy. A wipe that has begun goes on whatever happened. Since protocol
        /// 6; none where nothing of a phone is lost.
        #[serde(default)]
        boot_id: Option<String>,
    },
    /// See that a wiped card is like the clean one after its restart. The result's output is its boot id.
    Prove {
        /// The clean card.
        profile: FileRef,
    },
    /// Mark a wiped card as clean, if it has not restarted since the proof.
    MarkClean {
        /// The boot id that the proof told.
        boot_id: String,
        /// What follows `clean ` in the mark: hex.
        seal: String,
    },
    /// See that the storage node is there and that a copy would hold everything, tell what is installed
    /// ([`crate::copy::Paper`]), and save the packages that the node lacks; the phone goes on meanwhile. The result's output
    /// stands for what is installed. Since protocol 5.
    Packages {
        /// Where the copy will lie.
        node: Box<StoreNode>,
    },
    /// See the same again, and that nothing else is installed than what was told, and stop the phone's framework. The
    /// result's output is the card's boot id. Since protocol 4, as the three that follow.
    Stop {
        /// Where the copy will lie.
        node: Box<StoreNode>,
        /// What [`Act::Packages`] printed.
        #[serde(default)]
        installed: String,
    },
    /// Copy a phone whose framework is stopped, or one that goes on. The result's output is a [`CopyMade`], after a [`crate::copy::Paper`].
    ///
    /// [`CopyMade`]: crate::copy::CopyMade
    Copy(Box<CopyOrder>),
    /// Start the framework of a phone, and see that Android is up and whole.
    Start {
        /// The start of the card (its boot id) during which the phone was stopped, if it comes back to a card that it had
        /// left: after another one its apps have run, and what is there is not what its copy holds. Since protocol 7.
        #[serde(default)]
        boot_id: Option<String>,
    },
    /// Stop the framework of a card that was lost, and whose phone has gone on elsewhere: it must not run twice. What is on
    /// the card stays. Since protocol 8.
    Halt,
    /// Read a copy back.
    Verify(Box<VerifyOrder>),
    /// Remove a repository from its node: first what opens it, then all the rest. What is not there is removed already. Since
    /// protocol 9.
    Erase(Box<RepoAt>),
    /// Install on a phone that goes on the packages of a copy that it lacks or has in an older version, with what they had
    /// been granted. The result's output is an [`AppsBrought`], also where some of them failed. Since protocol 5.
    ///
    /// [`AppsBrought`]: crate::copy::AppsBrought
    Apps {
        /// Where the packages lie.
        node: Box<StoreNode>,
    },
    /// Put the data of a copy on a card on which its packages are installed: the phone's framework is stopped, and stays
    /// so. Since protocol 6.
    Restore(Box<RestoreOrder>),
    /// See that the card is still what was copied: it has not restarted, the phone is stopped, and nothing of it has changed.
    /// Since protocol 6.
    Still {
        /// The start of the card during which the phone was copied.
        boot_id: String,
        /// What stands for everything of the phone, as [`CopyMade::still`] told it.
        ///
        /// [`CopyMade::still`]: crate::copy::CopyMade::still
        listing: String,
    },
    /// Something that this version does not know.
    #[serde(other)]
    Unknown,
}

impl Act {
    /// Whether it changes nothing on the card, however it ends.
    #[must_use]
    pub const fn only_reads(&self) -> bool {
        matches!(
            self,
            Self::Pull { .. }
                | Self::PullLog
                | Self::Screenshot
                | Self::Check { .. }
                | Self::Health { .. }
                | Self::Packages { .. }
                | Self::Copy(_)
                | Self::Verify(_)
                | Self::Erase(_)
                | Self::Still { .. }
                | Self::Unknown
        )
    }

    /// Whether it ends by itself when it comes no further for [`Task::seconds`], however long it takes in all.
    #[must_use]
    pub const fn is_paced(&self) -> bool {
        matches!(
            self,
            Self::Packages { .. }
                | Self::Copy(_)
                | Self::Verify(_)
                | Self::Erase(_)
                | Self::Apps { .. }
                | Self::Restore(_)
                | Self::Clear { .. }
        )
    }

    /// Whether it takes place at a storage node alone: its card is not asked.
    #[must_use]
    pub const fn is_of_store(&self) -> bool {
        matches!(self, Self::Verify(_) | Self::Erase(_))
    }
}

/// A change of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PowerOrder {
    /// On; nothing is sent to a card that is on.
    On,
    /// Off; nothing is sent to a card that is off.
    Off,
    /// Off and on again, each verified.
    Cycle,
}

/// How to reach a slot of a BMC. The password is never written to a log or a journal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BmcAccess {
    /// `https://address:port`
    pub url: String,
    /// The account.
    pub username: String,
    /// Its password.
    pub password: String,
    /// The SHA-256 of its certificate, in hex; empty before the first connection, which reports it.
    pub certificate: String,
    /// The slot, as the BMC counts: from 1.
    pub slot: u32,
}

impl std::fmt::Debug for BmcAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BmcAccess").field("url", &self.url).field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// A file that the console provides to the agent, at `GET /agent/v1/files/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileRef {
    /// Its id.
    pub id: String,
    /// For display.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256, hex.
    pub sha256: String,
}

/// The result of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskResult {
    /// Which attempt.
    #[serde(flatten)]
    pub key: Key,
    /// How it ended.
    pub outcome: Outcome,
    /// The output, at most [`crate::MAX_OUTPUT`] characters.
    #[serde(default)]
    pub output: String,
    /// The output was truncated.
    #[serde(default)]
    pub truncated: bool,
    /// The exit code of a command that ran to its end.
    #[serde(default)]
    pub exit: Option<u8>,
    /// Whether a file was sent to `PUT /agent/v1/tasks/{task}/{attempt}/file` before.
    #[serde(default)]
    pub has_file: bool,
    /// The SHA-256 of a BMC's certificate that was seen for the first time.
    #[serde(default)]
    pub certificate: Option<String>,
    /// Duration in milliseconds.
    #[serde(default)]
    pub millis: u64,
}

/// The effect of a failed attempt on its card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Effect {
    /// None: it never started, or only read.
    NeverBegan,
    /// It started, and the effect is known: it ran to its end, or was verified afterwards.
    Proved,
    /// It started, and nobody knows how far it got.
    #[default]
    Unknown,
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "camelCase")]
pub enum Outcome {
    /// It was done, and seen to be done.
    Succeeded,
    /// It was not done, or nobody saw that it was.
    Failed {
        /// For grouping and translating.
        code: Told,
        /// For people, in English.
        reason: String,
        /// The effect on the card; an older agent does not report it.
        #[serde(default)]
        effect: Effect,
    },
    /// It was cancelled before it started.
    Cancelled,
}

impl Outcome {
    /// A failure with unknown effect.
    #[must_use]
    pub fn failed(code: Reason, reason: impl Into<String>) -> Self {
        Self::Failed { code: code.into(), reason: reason.into(), effect: Effect::Unknown }
    }

    /// The same with a known effect.
    #[must_use]
    pub fn with(self, known: Effect) -> Self {
        match self {
            Self::Failed { code, reason, effect: _ } => Self::Failed { code, reason, effect: known },
            Self::Succeeded | Self::Cancelled => self,
        }
    }
}
