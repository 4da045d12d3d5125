//! Whether a SQLite database has space to go on.

use std::io;
use std::path::Path;

use sea_orm::DbErr;

use crate::trouble::foreign;

/// With less than this many bytes the disk counts as full: a write that is small enough may still fit into what the log
/// had before, and the next one would not.
const LEAST: u64 = 1 << 20;

/// Asks the file system; one that cannot tell has space until a write fails.
pub(crate) fn check(file: &Path) -> Result<(), DbErr> {
    let free = rustix::fs::statvfs(file).ok().map(|found| found.f_bavail.saturating_mul(found.f_frsize));
    match free {
        Some(free) if free < LEAST => Err(foreign(io::Error::from(io::ErrorKind::StorageFull))),
        Some(_) | None => Ok(()),
    }
}
