//! Storage nodes: where copies of phones lie, whatever they are reached by.
//!
//! All of it blocks: a copy is made on threads of its own. A file appears completely or not at all, and once
//! [`Store::write`] has returned it survives a power cut, as far as the other side keeps its word.

mod folder;
mod ftp;
mod limit;
mod s3;
mod trouble;
mod within;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bytes::Bytes;

pub use folder::Folder;
pub use ftp::{Ftp, FtpSettings, ftps_fingerprint};
pub use limit::{Bucket, Limit, Pace, Urgency};
pub use s3::S3Bucket;
pub use trouble::{Kind, Step, Trouble};
pub use within::Within;

/// A file in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its path below the listed folder, with `/`.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

/// A storage node. Paths are relative to its place, ASCII, with `/` between their parts.
pub trait Store: Send + Sync + 'static {
    /// The files in a folder, in no particular order; with `deep` those in its folders too. A folder that does not exist
    /// is empty, and what is being written is not listed.
    ///
    /// # Errors
    /// When the node cannot be reached or refuses.
    fn list(&self, folder: &str, deep: bool) -> Result<Vec<Listed>, Trouble>;

    /// A whole file.
    ///
    /// # Errors
    /// [`Kind::Missing`] when there is none; when the node cannot be reached or refuses.
    fn read(&self, path: &str) -> Result<Bytes, Trouble>;

    /// `length` bytes of a file from `offset`.
    ///
    /// # Errors
    /// [`Kind::Missing`] when there is no such file, [`Kind::Broken`] when it ends before.
    fn read_part(&self, path: &str, offset: u64, length: usize) -> Result<Bytes, Trouble>;

    /// Writes a file; the folders that it is in are made. Whoever writes a path again writes the same bytes.
    ///
    /// # Errors
    /// When the node cannot be reached, refuses, or is full: then there is no such file.
    fn write(&self, path: &str, parts: &[Bytes]) -> Result<(), Trouble>;

    /// Removes a file; one that does not exist is removed already.
    ///
    /// # Errors
    /// When the node cannot be reached or refuses.
    fn remove(&self, path: &str) -> Result<(), Trouble>;

    /// Removes a folder with what is left in it, also what was being written there; one that does not exist is removed already.
    /// Where folders are but the names of files there is nothing to do; an FTP server keeps empty ones.
    ///
    /// # Errors
    /// When the node cannot be reached or refuses.
    fn remove_folder(&self, _folder: &str) -> Result<(), Trouble> {
        Ok(())
    }

    /// The names of what lies in a folder, whatever it is, `most` of them at most; none if it does not exist.
    ///
    /// # Errors
    /// When the node cannot be reached or refuses.
    fn things_in(&self, folder: &str, most: usize) -> Result<Vec<String>, Trouble> {
        let found = self.list(folder, true)?;
        let first = |found: Listed| found.name.split('/').next().map(str::to_owned);
        let names: BTreeSet<String> = found.into_iter().filter_map(first).collect();
        Ok(names.into_iter().take(most).collect())
    }

    /// How many bytes the files in a folder and in its folders are; none if that takes longer than `patience`.
    ///
    /// # Errors
    /// When the node cannot be reached or refuses.
    fn used_in(&self, folder: &str, patience: Duration) -> Result<Option<u64>, Trouble> {
        let started = Instant::now();
        let bytes = self.list(folder, true)?.iter().map(|found| found.size).sum();
        Ok((started.elapsed() <= patience).then_some(bytes))
    }

    /// How many bytes can still be written; none if the node does not say.
    ///
    /// # Errors
    /// When the node cannot be reached or refuses.
    fn free(&self) -> Result<Option<u64>, Trouble> {
        Ok(None)
    }
}

/// How many bytes `parts` are.
#[must_use]
pub fn size_of(parts: &[Bytes]) -> u64 {
    parts.iter().map(|part| part.len() as u64).sum()
}

/// What a file is called while it is written. It must not look like a file of a repository, and nobody else's is the same.
#[must_use]
pub fn part_name(path: &str) -> String {
    format!("{path}.{:08x}.part", rand::random::<u32>())
}

/// Whether this is the name of a file that is being written, or was when somebody died.
#[must_use]
pub fn is_part(name: &str) -> bool {
    name.ends_with(".part")
}
