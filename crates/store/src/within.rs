//! A folder of a store, as a store.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::{Listed, Store, Trouble};

/// A folder of a store: a phone's repository on a node.
#[derive(Clone)]
pub struct Within {
    store: Arc<dyn Store>,
    folder: String,
}

impl Within {
    /// The folder `folder` of `store`.
    pub fn new(store: Arc<dyn Store>, folder: impl Into<String>) -> Self {
        Self { store, folder: folder.into() }
    }

    fn path(&self, path: &str) -> String {
        format!("{}/{path}", self.folder)
    }
}

impl std::fmt::Debug for Within {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Within").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Store for Within {
    fn list(&self, folder: &str, deep: bool) -> Result<Vec<Listed>, Trouble> {
        self.store.list(&self.path(folder), deep)
    }

    fn read(&self, path: &str) -> Result<Bytes, Trouble> {
        self.store.read(&self.path(path))
    }

    fn read_part(&self, path: &str, offset: u64, length: usize) -> Result<Bytes, Trouble> {
        self.store.read_part(&self.path(path), offset, length)
    }

    fn write(&self, path: &str, parts: &[Bytes]) -> Result<(), Trouble> {
        self.store.write(&self.path(path), parts)
    }

    fn remove(&self, path: &str) -> Result<(), Trouble> {
        self.store.remove(&self.path(path))
    }

    fn remove_folder(&self, folder: &str) -> Result<(), Trouble> {
        self.store.remove_folder(&self.path(folder))
    }

    fn things_in(&self, folder: &str, most: usize) -> Result<Vec<String>, Trouble> {
        self.store.things_in(&self.path(folder), most)
    }

    fn used_in(&self, folder: &str, patience: Duration) -> Result<Option<u64>, Trouble> {
        self.store.used_in(&self.path(folder), patience)
    }

    fn free(&self) -> Result<Option<u64>, Trouble> {
        self.store.free()
    }
}
