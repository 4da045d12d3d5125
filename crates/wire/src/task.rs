//! Tasks: what is to be done at one card, and what became of it.

use serde::{Deserialize, Serialize};

/// One try of one task. A try is executed at most once, whatever dies in between; what is tried again has a higher
/// number, and a result of an older try is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    /// The task.
    pub task: i64,
    /// The try, from 1.
    pub attempt: u32,
}

/// A task as its agent gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Which try of which task.
    #[serde(flatten)]
    pub key: Key,
    /// The card, by its id in the console.
    pub card: i64,
    /// Where its ADB listens, as `address:port`.
    pub address: String,
    /// The serial that must be there; none where the books have none. With another one nothing is done.
    pub serial: Option<String>,
    /// Its host, for the limit on tasks at one host; none for a card in no host.
    pub host: Option<i64>,
    /// Seconds from its arrival within which it has to end.
    pub seconds: u32,
    /// What to do.
    pub act: Act,
}

/// What can be done at a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Act {
    /// Restart Android, and see that it came up again.
    Reboot,
    /// Change the power by the BMC, and see that it changed.
    Power {
        /// Which change.
        order: PowerOrder,
        /// The BMC and the slot.
        bmc: BmcAccess,
    },
    /// Run a shell script; it succeeded when it exits with 0.
    Shell {
        /// The script, as an operator wrote it.
        script: String,
    },
    /// Install a package, over an older one too.
    Install {
        /// The package.
        file: FileRef,
        /// The name of the package, where the console could read it: how it is seen that it is there.
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
    /// Send a file.
    Pull {
        /// Which, absolute.
        path: String,
    },
    /// Send the end of the system's log as a file.
    PullLog,
    /// Send the screen as a PNG.
    Screenshot,
    /// Limit the network; without figures the limit is lifted.
    SpeedLimit {
        /// Kilobits a second.
        kbit: Option<u32>,
    },
    /// Set a system property.
    SetProperty {
        /// Its name.
        name: String,
        /// Its value, at most 91 bytes.
        value: String,
    },
    /// Give the card back as it came: Android's factory reset.
    FactoryReset,
    /// Remove what users left (`/sdcard`, `/data/local/tmp`) and keep the system's settings and packages.
    Wipe,
}

/// A change of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PowerOrder {
    /// On; nothing is sent to a card that is on.
    On,
    /// Off; nothing is sent to a card that is off.
    Off,
    /// Off and on again, each seen.
    Cycle,
}

/// A BMC and a slot of it. The password is in no log and in no journal.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BmcAccess {
    /// `https://address:port`
    pub url: String,
    /// The account.
    pub username: String,
    /// Its password.
    pub password: String,
    /// The SHA-256 of its certificate, in hex; empty before the first visit, which answers it.
    pub certificate: String,
    /// The slot, as the BMC counts: from 1.
    pub slot: u32,
}

impl std::fmt::Debug for BmcAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BmcAccess").field("url", &self.url).field("slot", &self.slot).finish_non_exhaustive()
    }
}

/// A file that the console keeps for the agent, at `GET /agent/v1/files/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileRef {
    /// Its id.
    pub id: String,
    /// For people.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256, hex.
    pub sha256: String,
}

/// What became of a try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskResult {
    /// Which one.
    #[serde(flatten)]
    pub key: Key,
    /// How it ended.
    pub outcome: Outcome,
    /// What was printed, at most [`crate::MAX_OUTPUT`] characters.
    #[serde(default)]
    pub output: String,
    /// Something of the output was cut.
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
    /// Milliseconds that it took.
    #[serde(default)]
    pub millis: u64,
}

/// How a try ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "camelCase")]
pub enum Outcome {
    /// It was done, and seen to be done.
    Succeeded,
    /// It was not done, or not seen to be done.
    Failed {
        /// A short name that stays the same, for grouping and translating: `adb_refused`, `no_space`, `interrupted`, ...
        code: String,
        /// In words, for people.
        reason: String,
    },
    /// It was called off before it began.
    Cancelled,
}

impl Outcome {
    /// A failure.
    #[must_use]
    pub fn failed(code: &str, reason: impl Into<String>) -> Self {
        Self::Failed { code: code.to_owned(), reason: reason.into() }
    }
}
