//! Whether a disk has space to go on.

use std::io;
use std::path::Path;

/// With less than this many bytes a disk counts as full: a write that is small enough may still fit into what was
/// reserved before, and the next one would not.
const LEAST: u64 = 1 << 20;

/// Asks the file system of `path`; one that cannot tell has space until a write fails.
///
/// # Errors
/// When it is full.
pub fn check(path: &Path) -> io::Result<()> {
    let free = rustix::fs::statvfs(path).ok().map(|found| found.f_bavail.saturating_mul(found.f_frsize));
    match free {
        Some(free) if free < LEAST => Err(io::ErrorKind::StorageFull.into()),
        Some(_) | None => Ok(()),
    }
}
