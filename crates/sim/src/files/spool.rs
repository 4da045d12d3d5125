//! Where the content of larger files is: one sparse file a card, without a name, in blocks that are freed when they
//! are no longer needed.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use parking_lot::Mutex;
use rustix::fs::{FallocateFlags, fallocate};

/// Bytes of one block. The host's file system keeps only the pages of it that were written.
pub const BLOCK: u64 = 64 * 1024;

/// The blocks of one card.
#[derive(Debug, Default)]
pub struct Spool {
    folder: Option<PathBuf>,
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    file: Option<File>,
    /// Blocks that were ever given out.
    given: u32,
    free: Vec<u32>,
}

impl Spool {
    /// Keeps its file in this folder; without one, where temporary files are.
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, inside: Mutex::default() }
    }

    /// A block of zeros.
    ///
    /// # Errors
    /// The host lets no file be made.
    pub fn allocate(&self) -> io::Result<u32> {
        let mut inside = self.inside.lock();
        if inside.file.is_none() {
            inside.file = Some(match &self.folder {
                Some(folder) => tempfile::tempfile_in(folder)?,
                None => tempfile::tempfile()?,
            });
        }
        if let Some(block) = inside.free.pop() {
            return Ok(block);
        }
        let block = inside.given;
        inside.given = block.checked_add(1).ok_or(io::ErrorKind::StorageFull)?;
        Ok(block)
    }

    /// Gives blocks back, and their space to the host.
    pub fn release(&self, blocks: impl Iterator<Item = u32>) {
        let mut inside = self.inside.lock();
        let Inside { file, given, free } = &mut *inside;
        for block in blocks {
            let zeroed = file.as_ref().is_some_and(|file| punch(file, block));
            // One that cannot be emptied is not given out again.
            free.extend(zeroed.then_some(block));
        }
        if free.len() == *given as usize {
            *inside = Inside::default();
        }
    }

    /// Reads within one block.
    ///
    /// # Errors
    /// The host's disk.
    pub fn read(&self, block: u32, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let inside = self.inside.lock();
        let Some(file) = &inside.file else { return Err(io::ErrorKind::NotFound.into()) };
        let (mut at, mut done) = (u64::from(block) * BLOCK + offset, 0);
        while done < into.len() {
            match file.read_at(&mut into[done..], at)? {
                // The end of the file: what was never written is zero.
                0 => {
                    into[done..].fill(0);
                    break;
                }
                read => (at, done) = (at + read as u64, done + read),
            }
        }
        Ok(())
    }

    /// Writes within one block.
    ///
    /// # Errors
    /// The host's disk.
    pub fn write(&self, block: u32, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let inside = self.inside.lock();
        let Some(file) = &inside.file else { return Err(io::ErrorKind::NotFound.into()) };
        file.write_all_at(bytes, u64::from(block) * BLOCK + offset)
    }
}

/// Makes a block zero again without space on the disk.
fn punch(file: &File, block: u32) -> bool {
    let at = u64::from(block) * BLOCK;
    fallocate(file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, at, BLOCK).is_ok()
}
