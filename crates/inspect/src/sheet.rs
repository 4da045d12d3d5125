//! Tables to import. XLSX is judged as a zip; here is what remains.

use std::io::Read;

use kernel::rules::FileKind;

use crate::{Fault, unlike};

/// How a table is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetFormat {
    /// Office Open XML.
    Xlsx,
    /// Separated values, as text of any encoding; the importer finds out which.
    Csv,
}

/// A text has no control characters but tabs and line breaks. UTF-16 is not taken: its zeros are refused.
pub(crate) fn check_csv(source: impl Read) -> Result<(), Fault> {
    let bytes = crate::whole(source, FileKind::Sheet)?;
    let is_foreign = |byte: &u8| *byte == 0x7F || (*byte < 0x20 && !matches!(byte, b'\t' | b'\r' | b'\n'));
    if bytes.iter().any(is_foreign) { Err(unlike(FileKind::Sheet).into()) } else { Ok(()) }
}
