//! A lock on a file.
//!
//! It is `flock`, which belongs to the open file: the kernel releases it when the process ends, however it ends, so that
//! nothing has to be cleaned up after a kill.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// An open file that this process alone has locked.
#[derive(Debug)]
pub struct Lock {
    pub file: File,
    path: PathBuf,
    /// Whether it was created for the lock.
    is_new: bool,
}

impl Lock {
    /// Locks the file at `path`, which is created if it is not there. `Ok(Err(_))`: somebody else has locked that file.
    ///
    /// # Errors
    /// When it cannot be opened for writing, or the file system has no locks.
    pub fn take(path: &Path) -> io::Result<Result<Self, File>> {
        loop {
            let (file, is_new) = open(path)?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => {}
                Err(Errno::WOULDBLOCK) => return Ok(Err(file)),
                Err(error) => return Err(error.into()),
            }
            let lock = Self { file, path: path.to_owned(), is_new };
            // Between the two its former holder may have removed or replaced it, as a restore does.
            if lock.is_in_place()? {
                return Ok(Ok(lock));
            }
        }
    }

    /// Removes the file if it was created for the lock and is still the one that is locked.
    pub fn remove_new(&self) {
        if self.is_new && self.is_in_place().unwrap_or(false) {
            _ = fs::remove_file(&self.path);
        }
    }

    fn is_in_place(&self) -> io::Result<bool> {
        let ours = self.file.metadata()?;
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            found => found.map(|found| (found.dev(), found.ino()) == (ours.dev(), ours.ino())),
        }
    }
}

fn open(path: &Path) -> io::Result<(File, bool)> {
    let options = || OpenOptions::new().read(true).write(true).clone();
    match options().create_new(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok((options().create(true).truncate(false).open(path)?, false))
        }
        made => Ok((made?, true)),
    }
}
