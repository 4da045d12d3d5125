//! The content of a folder of a card, for a person who looks for a file.

use serde::{Deserialize, Serialize};

use crate::reason::Told;

/// The result of listing a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FolderLook {
    /// The card answered.
    Seen {
        /// Sorted by name, folders first.
        entries: Vec<FolderEntry>,
        /// There are more entries.
        is_cut: bool,
    },
    /// It did not answer.
    Failed {
        /// Why; [`Reason::NoSuchFile`](crate::Reason::NoSuchFile) where nothing is at the path.
        code: Told,
        /// For people, in English.
        reason: String,
    },
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FolderEntry {
    /// Its name, without the path.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Bytes.
    pub size: u64,
    /// Its last change, seconds since 1970.
    pub modified: i64,
}

/// What is in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EntryKind {
    /// Another folder.
    Folder,
    /// A link to something else.
    Link,
    /// A file.
    File,
    /// A device, a socket, a pipe.
    Other,
}
