//! Tables to import. XLSX is checked as a zip; this is the rest.

use std::io::Read;

use kernel::rules::FileKind;
use serde::{Deserialize, Serialize};

use crate::{Fault, unlike};

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SheetFormat {
    /// Office Open XML.
    Xlsx,
    /// Separated values, as text of any encoding; the importer detects which.
    Csv,
}

/// A text has no control characters except tabs and line breaks. UTF-16 is not accepted: its zeros are refused.
pub(crate) fn check_csv(source: impl Read) -> Result<(), Fault> {
    let bytes = crate::whole(source, FileKind::Sheet)?;
    let is_foreign = |byte: &u8| *byte == 0x7F || (*byte < 0x20 && !matches!(byte, b'\t' | b'\r' | b'\n'));
    if bytes.iter().any(is_foreign) { Err(unlike(FileKind::Sheet).into()) } else { Ok(()) }
}
