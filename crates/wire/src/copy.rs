//! What a copy of a phone would hold, as an agent finds it on the phone's card: for a person who wants to know before
//! anything is done.

use serde::{Deserialize, Serialize};

use crate::reason::Told;

/// What a copy would hold, or why that is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CopyLook {
    /// The card was read.
    Seen {
        /// The result.
        coverage: Coverage,
    },
    /// It was not, or not whole.
    Failed {
        /// Why.
        code: Told,
        /// For people, in English.
        reason: String,
    },
}

/// What of a card's data a copy would hold, what it would leave out, and what nobody has decided about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// The data of each app, the largest first.
    pub apps: Vec<AppData>,
    /// Apps that are not among them, since there are too many, and their data.
    pub more_apps: Amount,
    /// What users see as their files.
    pub shared: Amount,
    /// Packages of apps: kept once for all phones.
    pub packages: Amount,
    /// Settings of Android that are kept.
    pub settings: Amount,
    /// What is left out, the largest first.
    pub dropped: Vec<Dropped>,
    /// What is neither kept nor known to be superfluous, the largest first.
    pub uncovered: Vec<Uncovered>,
    /// All of that.
    pub uncovered_in_all: Amount,
    /// Nothing stands against a copy.
    pub is_covered: bool,
    /// How long it took, in milliseconds.
    pub millis: u64,
}

/// A number of files, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Amount {
    /// Files and links.
    pub files: u64,
    /// Bytes of the files.
    pub bytes: u64,
}

impl Amount {
    /// Adds a file or a link.
    pub const fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Adds all of another one.
    pub const fn add_all(&mut self, other: Self) {
        self.files += other.files;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// The data of an app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppData {
    /// The package.
    pub package: String,
    /// Its data, private and external.
    pub amount: Amount,
}

/// Why something is not copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DropReason {
    /// Apps make it again.
    Cache,
    /// Android makes it again.
    System,
    /// It is bound to the board: keys, licences, accounts.
    Bound,
    /// For a reason that this version does not know.
    #[serde(other)]
    Other,
}

/// Something that is not copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dropped {
    /// Below `/data`; of caches what they have in common.
    pub path: String,
    /// Why not.
    pub why: DropReason,
    /// How much.
    pub amount: Amount,
}

/// Something that nobody has decided about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Uncovered {
    /// Below `/data`, at most two folders deep.
    pub path: String,
    /// How much.
    pub amount: Amount,
}
