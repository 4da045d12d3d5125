//! Common parts of zips and tars: names that stay inside, sizes within limits.

use std::collections::HashSet;
use std::io::{self, Read};

use kernel::rules::{Violation, byte_size};
use serde::{Deserialize, Serialize};

use crate::Fault;

/// The largest number of entries of an archive.
pub const MAX_ENTRIES: u64 = 50_000;

/// The largest unpacked size of an archive in bytes.
pub const MAX_UNPACKED: u64 = 32 << 30;

/// The largest ratio of unpacked to packed size. Deflate itself ends at about 1030.
pub const MAX_RATIO: u64 = 100;

/// Below this unpacked size the ratio is not checked: a small file of zeros is not a bomb.
const RATIO_FLOOR: u64 = 64 << 20;

/// Whether a rule was broken that honest archives keep, whatever is in them: somebody who opens this one is in danger.
#[must_use]
pub fn is_dangerous(why: &Violation) -> bool {
    ["archive.path", "archive.special", "archive.tooManyEntries", "archive.tooLarge", "archive.ratio"]
        .contains(&why.code)
}

/// The content of an archive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unpacked {
    /// Files, without folders.
    pub files: u64,
    /// Their size in bytes, as counted, not as declared.
    pub bytes: u64,
}

/// Refuses a name that leads out of the target folder, on any system, or that is displayed as something else.
pub(crate) fn check_path(path: &str) -> Result<(), Violation> {
    let is_odd =
        |c: char| c.is_control() || matches!(c, '\\' | ':' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let leaves = path.starts_with('/') || path.split('/').any(|part| part == "..");
    if path.is_empty() || path.len() > 1024 || leaves || path.contains(is_odd) {
        return Err(Violation::new("archive.path").with("name", shown(path)));
    }
    Ok(())
}

/// The entry is a link, a device or the like.
pub(crate) fn special(path: &str) -> Violation {
    Violation::new("archive.special").with("name", shown(path))
}

pub(crate) fn too_many_entries() -> Violation {
    Violation::new("archive.tooManyEntries").with("max", MAX_ENTRIES)
}

/// A name for a message: short, nothing invisible.
fn shown(path: &str) -> String {
    path.chars().take(80).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Names seen so far, compared case-insensitively.
#[derive(Default)]
pub(crate) struct Names(HashSet<String>);

impl Names {
    /// Refuses a name that another entry has: two readers might choose different entries for the file.
    pub(crate) fn add(&mut self, path: &str) -> Result<(), Violation> {
        let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        if self.0.insert(parts.join("/")) {
            return Ok(());
        }
        Err(Violation::new("archive.path").with("name", shown(path)))
    }
}

/// Counts unpacked bytes, and stops when there are too many.
pub(crate) struct Meter {
    packed: u64,
    unpacked: u64,
}

impl Meter {
    /// A meter for an archive of `packed` bytes.
    pub(crate) const fn new(packed: u64) -> Self {
        Self { packed, unpacked: 0 }
    }

    pub(crate) const fn unpacked(&self) -> u64 {
        self.unpacked
    }

    fn count(&mut self, bytes: u64) -> Result<(), Violation> {
        self.unpacked = self.unpacked.saturating_add(bytes);
        if self.unpacked > MAX_UNPACKED {
            return Err(Violation::new("archive.tooLarge").with("max", byte_size(MAX_UNPACKED)));
        }
        if self.unpacked > RATIO_FLOOR && self.unpacked / MAX_RATIO > self.packed {
            return Err(Violation::new("archive.ratio").with("max", MAX_RATIO));
        }
        Ok(())
    }

    /// A reader that counts into this meter.
    pub(crate) const fn watch<R: Read>(&mut self, inner: R) -> Watched<'_, R> {
        Watched { inner, meter: self }
    }
}

/// A reader whose bytes are counted. It fails with the [`Violation`] inside the I/O error.
pub(crate) struct Watched<'a, R> {
    inner: R,
    meter: &'a mut Meter,
}

impl<R> Watched<'_, R> {
    pub(crate) fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.meter.count(read as u64).map_err(io::Error::other)?;
        Ok(read)
    }
}

/// Reads to the end without storing anything, and returns the size.
pub(crate) fn drain(mut source: impl Read) -> Result<u64, Fault> {
    Ok(io::copy(&mut source, &mut io::sink())?)
}
