//! `skyrack backup` and `skyrack restore`: the whole company in one file.
//!
//! The file is a zip of one JSON-lines file a table, the uploaded files, and a manifest with counts and
//! hashes. It is the same for both engines, so that a company that outgrows SQLite moves to PostgreSQL by
//! a backup and a restore. Rows are read in one snapshot while the server runs.
//!
//! Left out: live sessions (everybody signs in again), search documents (made anew), and the master key,
//! without which the secrets in the backup can not be read. Keep it elsewhere.

mod read;
mod tables;
mod write;

use std::path::Path;

use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};

pub use read::restore;
pub use tables::{SKIPPED, TABLES};
pub use write::backup;

/// The form of backup files that this version writes and reads.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";

/// What a backup says about itself.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    format: u32,
    version: String,
    /// The newest schema change that the rows follow.
    schema: String,
    made_at: UtcTime,
    tables: Vec<TableEntry>,
    files: u64,
}

/// One table of a backup.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TableEntry {
    name: String,
    rows: u64,
    /// SHA-256 of the JSON lines, hex.
    sha256: String,
}

impl Manifest {
    /// Rows in all tables.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// Files beside the tables.
    #[must_use]
    pub const fn files(&self) -> u64 {
        self.files
    }
}

fn table_file(table: &str) -> String {
    format!("tables/{table}.jsonl")
}

/// The uploaded files that live in a folder; with S3 the bucket has its own backups.
fn object_folder(data_dir: &Path) -> std::path::PathBuf {
    data_dir.join("objects")
}
