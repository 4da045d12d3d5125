//! A program that runs, as all of them see it.

use std::sync::Arc;

use parking_lot::MappedMutexGuard;

use crate::card::Card;
use crate::files::{FileError, Files, Found, Inode, Meta, Right, join};
use crate::shell::common::absolute;
use crate::shell::fd::{Fd, Stop};

/// A program that runs.
#[derive(Clone, Debug)]
pub struct Proc {
    /// The card.
    pub card: Arc<Card>,
    /// Its name and its arguments.
    pub words: Vec<String>,
    /// Input, output, errors.
    pub fds: [Fd; 3],
    /// The folder that it is in.
    pub cwd: String,
    /// Its variables.
    pub env: Vec<(String, String)>,
    /// Rights that its files do not get.
    pub umask: u32,
    /// Whose it is.
    pub uid: u32,
}

/// How a program ends: with an exit code, or because it cannot write.
pub type Outcome = Result<u8, Stop>;

impl Proc {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        let name = self.words.first().map_or("", String::as_str);
        name.rsplit('/').next().unwrap_or(name)
    }

    /// Its arguments.
    #[must_use]
    pub fn args(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Its arguments as texts.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        self.args().iter().map(String::as_str).collect()
    }

    /// Prints.
    ///
    /// # Errors
    /// Nobody reads it, or the card is full.
    pub async fn out(&self, bytes: impl AsRef<[u8]> + Send) -> Result<(), Stop> {
        self.fds[1].write(bytes.as_ref()).await
    }

    /// Complains, with its name before it.
    pub async fn err(&self, text: &str) {
        let _ = self.fds[2].write(format!("{}: {text}\n", self.name()).as_bytes()).await;
    }

    /// Complains of a file.
    pub async fn err_file(&self, path: &str, why: FileError) {
        self.err(&format!("{path}: {}", why.words())).await;
    }

    /// Complains, and ends with 1.
    ///
    /// # Errors
    /// None.
    pub async fn fail(&self, text: &str) -> Outcome {
        self.err(text).await;
        Ok(1)
    }

    /// A path as seen from where it is.
    #[must_use]
    pub fn path(&self, path: &str) -> String {
        absolute(&self.cwd, path)
    }

    /// What is at a path.
    ///
    /// # Errors
    /// Nothing is.
    pub fn find(&self, path: &str, follow: bool) -> Result<Found, FileError> {
        if path.is_empty() {
            return Err(FileError::Missing);
        }
        self.card.find_as(self.uid, &self.path(path), follow)
    }

    /// What is at a path.
    ///
    /// # Errors
    /// Nothing is.
    pub fn inode(&self, path: &str, follow: bool) -> Result<Arc<Inode>, FileError> {
        self.find(path, follow)?.inode.ok_or(FileError::Missing)
    }

    /// Names and things in a folder, with the card's own in `/proc`.
    ///
    /// # Errors
    /// It is none, or cannot be read.
    pub fn children(&self, path: &str) -> Result<Vec<(String, Arc<Inode>)>, FileError> {
        let found = self.find(path, true)?;
        self.files().read_folder(&found)
    }

    /// The card's files as this program may use them.
    pub fn files(&self) -> MappedMutexGuard<'_, Files> {
        self.card.files_as(self.uid)
    }

    /// A file to be read.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn open(&self, path: &str) -> Result<Arc<Inode>, FileError> {
        if path.is_empty() {
            return Err(FileError::Missing);
        }
        self.card.open_as(self.uid, &self.path(path))
    }

    /// Whether it has a right to what is at a path.
    #[must_use]
    pub fn may(&self, path: &str, right: Right) -> bool {
        self.card.may(self.uid, &self.path(path), right)
    }

    /// Rights of something new, as the mask leaves them.
    #[must_use]
    pub fn new_meta(&self, mode: u32) -> Meta {
        Meta { uid: self.uid, gid: self.uid, ..Meta::new(mode & !self.umask) }
    }

    /// The same with other words.
    #[must_use]
    pub fn with(&self, words: Vec<String>) -> Self {
        Self { words, ..self.clone() }
    }

    /// Where something goes that is copied to a path: into it, where that is a folder.
    #[must_use]
    pub fn within_folder(&self, target: &str, source: &str) -> String {
        let is_folder = self.inode(target, true).is_ok_and(|inode| inode.is_folder());
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or(source);
        if is_folder { join(target, name) } else { target.to_owned() }
    }
}
