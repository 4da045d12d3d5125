//! Copies of phones: what one would hold, as an agent finds it on the phone's card, for a person who wants to know before
//! anything is done; and making one.

use serde::{Deserialize, Serialize};

pub use crate::brought::{AppFailed, AppsBrought, MAX_TOLD};
pub use crate::packaged::{ApkFile, MAX_APKS, MAX_GRANTS, MAX_OPS, MAX_SIGNERS, PackageData, SavedPackage};
use crate::reason::Told;
use crate::store::StoreNode;

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
    /// What is neither kept nor known to be superfluous: places where something unknown is mounted, of which no file is
    /// counted, and then the largest.
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
    /// Operators have allowed it for the card's image.
    Allowed,
    /// For a reason that this version does not know.
    #[serde(other)]
    Other,
}

/// Something that is not copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dropped {
    /// Below `/data`; of caches what they have in common.
    #[serde(deserialize_with = "crate::bounded::text::<_, MAX_NAME>")]
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
    /// Below `/data`, at most two folders deep; a place where something is mounted as it is, and whole where it is not
    /// below `/data`.
    pub path: String,
    /// How much.
    pub amount: Amount,
}

/// A repository on a storage node: what [`crate::Act::Copy`] writes into. Its key is asked for when it is needed
/// ([`CopyKeys`]), and in no journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RepoAt {
    /// The node.
    pub node: StoreNode,
    /// The folder of the repository on it, in one of its partitions.
    pub folder: String,
}

/// A copy that is to be made of a phone whose framework was stopped, or that goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyOrder {
    /// Where to.
    pub repo: RepoAt,
    /// What people call the phone.
    pub phone: String,
    /// Its board.
    pub board: String,
    /// The start of the card (its boot id) during which the framework was stopped; empty for a phone that goes on.
    pub boot_id: String,
    /// The copy before it: what has not changed since is not read.
    #[serde(default)]
    pub parent: Option<String>,
    /// There is no repository yet: it is made. Otherwise there has to be one.
    #[serde(default)]
    pub is_new: bool,
    /// The copy with which the phone has come on this card, if the copy before is that one or was made here since: what the
    /// card has kept of it counts as read. Since protocol 6.
    #[serde(default)]
    pub restored: Option<String>,
    /// An earlier run may have been killed: what it has sent is looked for.
    #[serde(default)]
    pub repair: bool,
    /// Seconds since 1970: the copy's time.
    pub at: i64,
    /// No other copy in this repository has this time: what has it there is of an earlier try, and goes once this one is made.
    #[serde(default)]
    pub alone: bool,
    /// The phone goes on: what changes or vanishes under the copy is named ([`Manifest::changed`]), and does not end it.
    /// Since protocol 8.
    #[serde(default)]
    pub live: bool,
}

/// A copy that is to be read back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyOrder {
    /// Where it lies.
    pub repo: RepoAt,
    /// Its id.
    pub snapshot: String,
    /// All of it is read; otherwise what it has written ([`CopyKeys::packs`]) and a little of what was there before.
    #[serde(default)]
    pub whole: bool,
    /// Bytes that it restores to, for the memory that its index takes.
    #[serde(default)]
    pub bytes: u64,
}

/// A copy that is to come on a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RestoreOrder {
    /// Where it lies.
    pub repo: RepoAt,
    /// Its id.
    pub snapshot: String,
    /// Bytes of its files.
    pub bytes: u64,
}

/// What an agent needs for a try that works with a repository: `GET /agent/v1/tasks/phone/{task}/{attempt}/keys`, while it
/// has the try.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyKeys {
    /// The key of the repository: 64 bytes in hex. None of these three for a try that saves packages alone.
    #[serde(default)]
    pub key: String,
    /// The code with which people open it, for a repository that is to be made.
    #[serde(default)]
    pub recovery: String,
    /// What lies beside it as `skyrack-key`: the key, sealed with the console's master key.
    #[serde(default)]
    pub sealed: String,
    /// What is installed, if this was told; before that, what was when the copy before was made.
    #[serde(default)]
    pub manifest: Option<Manifest>,
    /// The packs that the copy has written, if it was made.
    #[serde(default)]
    pub packs: Vec<String>,
    /// The files of packages that the copy needs, where they lie or are to lie.
    #[serde(default)]
    pub packages: Vec<PackageAt>,
    /// Packages that the copy has and that do not come with it: `manifest` does not name them, and nothing in their folders is
    /// written. An older agent brings what they have left outside of their own folders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<String>,
}

impl CopyKeys {
    /// Whether something can be opened with them.
    #[must_use]
    pub const fn open_something(&self) -> bool {
        !self.key.is_empty() || !self.packages.is_empty()
    }
}

/// A file of a package on a storage node. It is a repository of its own, which holds this one file: so it is there once
/// for all phones, and may be saved for two of them at the same time.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PackageAt {
    /// The SHA-256 of the file, in hex.
    pub sha256: String,
    /// Package and file, for people.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// The folder of its repository on the node.
    pub folder: String,
    /// Its id in the repository; empty until it was saved.
    pub snapshot: String,
    /// The key of the repository: 64 bytes in hex.
    pub key: String,
    /// The code with which people open it.
    pub recovery: String,
    /// What lies beside it as [`SEALED_KEY`].
    pub sealed: String,
}

impl std::fmt::Debug for PackageAt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PackageAt").field("name", &self.name).field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for CopyKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CopyKeys")
            .field("packs", &self.packs.len())
            .field("packages", &self.packages)
            .finish_non_exhaustive()
    }
}

/// Beside each repository, outside its format: its key, sealed with the console's master key.
pub const SEALED_KEY: &str = "skyrack-key";

/// The most packages that a [`Manifest`] names, and the most that it names of what is left out.
pub const MAX_NAMED: usize = 5_000;

/// The most packs that a [`Paper`] names: as many as fit into the largest one.
pub const MAX_PACKS: usize = MAX_PAPER / 64;

/// The longest name or path in a [`Paper`], in bytes.
pub const MAX_NAME: usize = 1_024;

/// The most files that a [`Manifest`] names of those that changed under a copy, and the most characters of each.
pub const MAX_CHANGED: usize = 100;
/// See [`MAX_CHANGED`].
pub const MAX_CHANGED_NAME: usize = 200;

/// The length of a pack's name: a hash in hex.
pub(crate) const PACK: usize = 64;

/// What a copy holds, as JSON: in the copy itself, and in the console's books.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// 1.
    pub version: u32,
    /// What people call the phone.
    #[serde(default, deserialize_with = "crate::bounded::text::<_, MAX_NAME>")]
    pub phone: String,
    /// Its board.
    #[serde(default, deserialize_with = "crate::bounded::text::<_, MAX_NAME>")]
    pub board: String,
    /// The fingerprint of the image that its card ran.
    #[serde(default, deserialize_with = "crate::bounded::text::<_, MAX_NAME>")]
    pub image: String,
    /// Seconds since 1970.
    #[serde(default)]
    pub at: i64,
    /// Everything that is in it, folders too.
    #[serde(default)]
    pub entries: u64,
    /// What was installed, with its data in the copy.
    #[serde(deserialize_with = "crate::bounded::list::<_, _, MAX_NAMED>")]
    pub packages: Vec<PackageData>,
    /// What users see as their files.
    #[serde(default)]
    pub shared: Amount,
    /// Files of packages.
    #[serde(default)]
    pub code: Amount,
    /// Settings of Android.
    #[serde(default)]
    pub settings: Amount,
    /// What is not in it, the largest first.
    #[serde(default, deserialize_with = "crate::bounded::list::<_, _, MAX_NAMED>")]
    pub dropped: Vec<Dropped>,
    /// It was made while the phone went on. Since protocol 8.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_live: bool,
    /// Files below `/data` that changed or vanished under it: they are in it as they were read last, or not at all. The first
    /// [`MAX_CHANGED`] of them; known only once it was made, so the copy itself does not have them.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::bounded::texts::<_, MAX_CHANGED, MAX_NAME>"
    )]
    pub changed: Vec<String>,
    /// How many those are in all.
    #[serde(default)]
    pub changed_in_all: u64,
}

/// What goes to the console before the result: `PUT /agent/v1/tasks/phone/{task}/{attempt}/paper`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Paper {
    /// What was found, or what the copy holds; none where only packages are told of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manifest: Option<Manifest>,
    /// The packs that the copy has written: what is to be read back before it is believed.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::bounded::texts::<_, MAX_PACKS, PACK>"
    )]
    pub packs: Vec<String>,
    /// Files of packages that lie on the node now.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::bounded::list::<_, _, MAX_APKS>"
    )]
    pub saved: Vec<SavedPackage>,
    /// Those, by their SHA-256, that were to be read back and are not what was written.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::bounded::texts::<_, MAX_NAMED, PACK>"
    )]
    pub damaged: Vec<String>,
    /// The folders of those that were to be there already, and are not there as they were saved: they are saved anew.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::bounded::texts::<_, MAX_NAMED, MAX_NAME>"
    )]
    pub missing: Vec<String>,
}

impl Paper {
    /// Whether it says something.
    #[must_use]
    pub const fn says_something(&self) -> bool {
        let names_none = self.saved.is_empty() && self.damaged.is_empty() && self.missing.is_empty();
        self.manifest.is_some() || !names_none
    }
}

/// The largest [`Paper`], in bytes: the packs of a first copy of 200 GB fit.
pub const MAX_PAPER: usize = 4 << 20;

/// A copy that was made: the output of [`crate::Act::Copy`], as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyMade {
    /// Its id in the repository.
    pub snapshot: String,
    /// The id of its root: copies with the same one hold the same.
    pub tree: String,
    /// Files and links in it.
    pub files: u64,
    /// Files whose content was read.
    pub read: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Bytes that the store has grown by.
    pub added: u64,
    /// Whether it was compared with the copy that was asked for.
    pub had_parent: bool,
    /// What stands for everything of the phone that was on the card after it was read: a SHA-256 in hex. Since protocol 6.
    #[serde(default)]
    pub still: String,
}

/// How far a try is that takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Which try.
    #[serde(flatten)]
    pub key: crate::Key,
    /// Bytes that are done.
    pub done: u64,
    /// Of so many.
    pub total: u64,
}
