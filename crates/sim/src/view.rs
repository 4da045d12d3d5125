//! A card's files as its programs see them: with those that the kernel makes up.

use std::sync::Arc;

use crate::card::Card;
use crate::files::Meta;
use crate::files::{FileError, Found, Inode, Kind};
use crate::programs::system;

impl Card {
    /// What is at a path.
    ///
    /// # Errors
    /// Nothing is.
    pub fn find(&self, path: &str, follow: bool) -> Result<Found, FileError> {
        let (mut found, is_brought) = {
            let files = &self.state().files;
            let found = files.find(path, follow)?;
            let is_brought = files.is_brought(&found.path);
            (found, is_brought)
        };
        let plain = found.inode.as_ref().is_some_and(|inode| inode.kind() == Kind::File);
        if plain
            && is_brought
            && let Some(text) = system::made(self, &found.path)
        {
            let store = Arc::clone(&self.state().files.store);
            let meta = found.inode.as_ref().map(|inode| inode.meta()).unwrap_or_else(|| Meta::new(0o444));
            found.inode = Some(Arc::new(Inode::made(&store, meta, text.into())));
        }
        Ok(found)
    }

    /// What is at a path, to be read.
    ///
    /// # Errors
    /// Nothing is.
    pub fn open(&self, path: &str) -> Result<Arc<Inode>, FileError> {
        self.find(path, true)?.inode.ok_or(FileError::Missing)
    }

    /// Removes whatever is at a path, with all below; nothing happens where nothing is.
    pub(crate) fn remove_all(&self, path: &str) {
        let _ = self.state().files.remove_all(path);
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
