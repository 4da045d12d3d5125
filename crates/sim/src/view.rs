//! A card's files as its programs see them: with those that the kernel makes up.

use std::sync::Arc;

use crate::card::Card;
use crate::files::{FileError, Found, Inode, Kind, Meta, Right};
use crate::programs::system;

impl Card {
    /// What is at a path, as the card itself sees it.
    ///
    /// # Errors
    /// Nothing is.
    pub fn find(&self, path: &str, follow: bool) -> Result<Found, FileError> {
        let found = self.state().files.find(path, follow)?;
        Ok(self.filled(found))
    }

    /// What is at a path, as a process of this user sees it.
    ///
    /// # Errors
    /// Nothing is that he may see.
    pub fn find_as(&self, uid: u32, path: &str, follow: bool) -> Result<Found, FileError> {
        let found = self.files_as(uid).find(path, follow)?;
        Ok(self.filled(found))
    }

    /// Puts the content into a file that the kernel makes up.
    fn filled(&self, mut found: Found) -> Found {
        let plain = found.inode.as_ref().is_some_and(|inode| inode.kind() == Kind::File);
        let is_brought = plain && self.state().files.is_brought(&found.path);
        if is_brought && let Some(text) = system::made(self, &found.path) {
            let store = Arc::clone(&self.state().files.store);
            let meta = found.inode.as_ref().map(|inode| inode.meta()).unwrap_or_else(|| Meta::new(0o444));
            found.inode = Some(Arc::new(Inode::made(&store, meta, text.into())));
        }
        found
    }

    /// What is at a path, to be read by the card itself.
    ///
    /// # Errors
    /// Nothing is.
    pub fn open(&self, path: &str) -> Result<Arc<Inode>, FileError> {
        self.find(path, true)?.inode.ok_or(FileError::Missing)
    }

    /// What is at a path, to be read by a process of this user.
    ///
    /// # Errors
    /// Nothing is, or he may not.
    pub fn open_as(&self, uid: u32, path: &str) -> Result<Arc<Inode>, FileError> {
        let found = self.find_as(uid, path, true)?;
        self.files_as(uid).may_read(&found)?;
        found.inode.ok_or(FileError::Missing)
    }

    /// Whether a process of this user has a right to what is at a path.
    pub fn may(&self, uid: u32, path: &str, right: Right) -> bool {
        let files = self.files_as(uid);
        files.find(path, true).is_ok_and(|found| files.allows(&found, right))
    }

    /// Makes a file whose content is computed from a seed, the path and the place in it: it costs no memory and no
    /// space where the simulator runs, whatever its size.
    ///
    /// # Errors
    /// It cannot be made, or the card is full.
    pub fn plant(&self, path: &str, seed: u64, size: u64) -> Result<(), FileError> {
        let file = {
            let mut state = self.state();
            state.files.make_folders_above(path)?;
            state.files.open(path, Meta::new(0o644))?
        };
        let place = path.bytes().fold(seed, |all, byte| crate::chance::number(all, u64::from(byte), 29));
        file.compute(place, size)
    }
}
