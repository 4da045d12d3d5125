//! The file that says what a clean card of an image looks like ([`wire::profile`]).

use std::io::Read;

use wire::ProfileSummary;

use crate::{Fault, damaged};

/// The largest such file in bytes: as large as any that an agent may send of a card.
const MOST: u64 = 32 << 20;

/// Reads what the console has to know of such a file.
///
/// # Errors
/// [`Fault::Refused`] when it is something else, or too large.
pub fn profile(source: impl Read) -> Result<ProfileSummary, Fault> {
    let mut bytes = Vec::new();
    source.take(MOST + 1).read_to_end(&mut bytes)?;
    kernel::rules::file_size(bytes.len() as u64, MOST)?;
    ProfileSummary::read(&bytes).ok_or_else(|| damaged().into())
}
