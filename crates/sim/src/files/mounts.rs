//! File systems that are mounted over folders of a card, until it restarts.

use std::collections::BTreeMap;

use super::{FileError, Files, join};

/// Something that is mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// What.
    pub source: Box<str>,
    /// The kind of file system.
    pub kind: Box<str>,
}

impl Files {
    /// Mounts a file system over an empty folder: what is written there from now on goes with it.
    ///
    /// # Errors
    /// There is no folder, or something is in it.
    pub fn mount(&mut self, path: &str, source: &str, kind: &str) -> Result<(), FileError> {
        let found = self.find(path, true)?;
        if !found.inode.is_some_and(|inode| inode.is_folder()) {
            return Err(FileError::NotFolder);
        }
        if !self.children(&found.path).is_empty() {
            return Err(FileError::NotEmpty);
        }
        self.mounts.insert(found.path.into(), Mount { source: source.into(), kind: kind.into() });
        Ok(())
    }

    /// Takes away what is mounted over a folder.
    ///
    /// # Errors
    /// Nothing is.
    pub fn unmount(&mut self, path: &str) -> Result<(), FileError> {
        let found = self.find(path, true)?;
        self.mounts.remove(found.path.as_str()).ok_or(FileError::Invalid)?;
        self.forget_below(&found.path);
        Ok(())
    }

    /// The card restarts: nothing is mounted any more.
    pub fn unmount_all(&mut self) {
        for path in std::mem::take(&mut self.mounts).into_keys() {
            self.forget_below(&path);
        }
    }

    fn forget_below(&mut self, path: &str) {
        for (below, inode) in self.below(&join(path, "")) {
            self.names.remove(below.as_str());
            if let Some(inode) = inode {
                inode.unnamed();
            }
        }
    }

    /// Whether something is mounted over a folder, whose path has no links in it.
    #[must_use]
    pub fn is_mounted(&self, path: &str) -> bool {
        self.mounts.contains_key(path)
    }

    /// What is mounted, by its place.
    #[must_use]
    pub const fn mounts(&self) -> &BTreeMap<Box<str>, Mount> {
        &self.mounts
    }
}
