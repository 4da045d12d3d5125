//! `skyrack backup` and `skyrack restore`: everything in one file.
//!
//! It contains a zip with one JSON-lines file per table, the uploaded files, and a manifest that lists each of them
//! with size, rows and hash. It is the same for both engines, so that a company that outgrows SQLite moves to
//! PostgreSQL with a backup and a restore. Rows are read in one snapshot while the server runs.
//!
//! ```text
//! sealed   "SKYRACK BACKUP\n" | header, one line of JSON | the zip, sealed (vault::stream), bound to what is before it | trailer
//! plain    the zip; its comment is the trailer
//! trailer  SHA-256 of everything before it 32 | length of everything before it 8 | "SKYRKEND"
//! ```
//!
//! It is sealed with the master key unless requested otherwise: it contains customers' names and numbers. The trailer
//! reveals every byte that a disk or a copy has changed, before a key is needed; the seal reveals deliberate changes. A
//! restore checks all of it before it writes the first row (`restore`).
//!
//! Not included: active sessions (everybody signs in again), search documents (rebuilt), files in a bucket (it has its
//! own backups), and the master key, without which neither the backup nor the secrets in it can be read. Keep it
//! elsewhere.

mod archive;
mod check;
pub mod cli;
mod restore;
mod rows;
mod tables;
mod trailer;
mod write;

use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};

pub use archive::Archive;
pub use restore::{Restored, Target, restore};
pub use tables::all as tables;
pub use write::backup;

/// The format of backup files that this version writes and reads. Format 1 had neither a trailer nor a list of files.
const FORMAT: u32 = 2;
const MANIFEST: &str = "manifest.json";
/// The magic bytes of a sealed backup.
const MAGIC: &[u8] = b"SKYRACK BACKUP\n";
/// The purpose for which the vault derives the key of a backup.
const PURPOSE: &str = "backup";

/// The manifest of a backup.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    version: String,
    /// The newest migration of the schema.
    schema: String,
    /// When it was made.
    pub made_at: UtcTime,
    tables: Vec<TableEntry>,
    /// Whether files were kept in a bucket, and are therefore not included.
    pub is_bucket: bool,
    files: Vec<FileEntry>,
    /// Files that rows refer to and that were missing when the backup was made.
    pub missing: Vec<String>,
}

/// One table of a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableEntry {
    /// Its name in the database.
    pub name: String,
    /// How many rows it has.
    pub rows: u64,
    /// Bytes of the JSON lines.
    size: u64,
    /// SHA-256 of the JSON lines, hex.
    sha256: String,
}

/// One uploaded file of a backup.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FileEntry {
    /// Its key in the object storage.
    key: String,
    size: u64,
    /// SHA-256 of the content, hex.
    sha256: String,
}

impl Manifest {
    /// The tables, in the order of restoring.
    #[must_use]
    pub fn tables(&self) -> &[TableEntry] {
        &self.tables
    }

    /// Rows in all tables.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Files beside the tables.
    #[must_use]
    pub fn files(&self) -> u64 {
        self.files.len() as u64
    }

    /// The version of Skyrack that made it.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// The unencrypted line at the start of a sealed backup.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Header {
    format: u32,
    version: String,
    made_at: UtcTime,
    /// The id of the master key that sealed it; the key is not included.
    key_id: i32,
    salt: String,
    key_check: String,
}

fn table_file(table: &str) -> String {
    format!("tables/{table}.jsonl")
}

fn object_file(key: &str) -> String {
    format!("objects/{key}")
}
