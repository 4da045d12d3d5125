//! Reading uploaded spreadsheets: XLSX, and CSV in UTF-8, UTF-16 or GBK.
//!
//! The kind of a file follows from its first bytes, not from its name. Untrusted files are read in a process of its own
//! (`inspection`), which calls this.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::ops::ControlFlow;

use csv::StringRecord;
use encoding_rs::{Encoding, GB18030, UTF_8};
use kernel::rules::Violation;
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};

use super::from_xlsx::read_xlsx;
use crate::fault::Fault;

/// A row's number, as the spreadsheet shows it, from 1.
pub type RowNumber = u32;

const NOT_A_SHEET: Text = text("请上传 XLSX 或 CSV 文件", "Upload an XLSX or CSV file");
const OLD_XLS: Text = text(
    "不支持旧版 XLS 文件，请另存为 XLSX 后再上传",
    "Old XLS files are not supported; save the file as XLSX and upload it again",
);
const BROKEN: Text = text("文件已损坏或已加密，无法读取", "The file is damaged or encrypted and cannot be read");
/// Columns that are read.
pub(super) const COLUMNS: usize = 64;

/// Why a file is not a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Unread {
    NotASheet,
    OldXls,
    Broken,
}

impl Unread {
    /// The message for people.
    const fn text(self) -> Text {
        match self {
            Self::NotASheet => NOT_A_SHEET,
            Self::OldXls => OLD_XLS,
            Self::Broken => BROKEN,
        }
    }
}

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It is not a spreadsheet, or a damaged one.
    #[error("{}", .0.text().en)]
    File(Unread),
    /// It is malicious.
    #[error("refused: {0}")]
    Refused(Violation),
    /// It could not be read from the disk.
    #[error(transparent)]
    Disk(#[from] std::io::Error),
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::File(why) => Self::WrongType(why.text().into()),
            Problem::Refused(violation) => Self::field("file", violation),
            Problem::Disk(error) => error.into(),
        }
    }
}

/// Passes every row of the first worksheet to `each`, without blank ones, until `each` stops.
///
/// Cells are trimmed texts; a number without a fraction is written without one, so that a phone number that Excel took
/// for a number comes out unchanged.
///
/// # Errors
/// When the file is of no supported kind, damaged or dangerous.
pub fn read(mut file: &File, mut each: impl FnMut(RowNumber, Vec<String>) -> ControlFlow<()>) -> Result<(), Problem> {
    let mut magic = Vec::new();
    file.by_ref().take(8).read_to_end(&mut magic)?;
    file.rewind()?;
    let mut each = |row: RowNumber, cells: Vec<String>| {
        if cells.iter().all(String::is_empty) { ControlFlow::Continue(()) } else { each(row, cells) }
    };
    if magic.starts_with(b"PK\x03\x04") {
        read_xlsx(file, &mut each)
    } else if magic.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
        Err(Problem::File(Unread::OldXls))
    } else {
        read_csv(file, &mut each)
    }
}

fn read_csv(mut file: &File, each: &mut impl FnMut(RowNumber, Vec<String>) -> ControlFlow<()>) -> Result<(), Problem> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let (encoding, marked) = Encoding::for_bom(&bytes)
        .or_else(|| std::str::from_utf8(&bytes).is_ok().then_some((UTF_8, 0)))
        .unwrap_or((GB18030, 0));
    let (text, had_errors) = encoding.decode_without_bom_handling(&bytes[marked..]);
    // No text contains a NUL, and what is not even GBK is not a text.
    if had_errors || text.contains('\0') {
        return Err(Problem::File(Unread::NotASheet));
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(&text))
        .from_reader(text.as_bytes());
    let (mut row, mut record) = (0, StringRecord::new());
    loop {
        let before = reader.position().line();
        if !reader.read_record(&mut record).map_err(|_| Problem::File(Unread::Broken))? {
            return Ok(());
        }
        // Blank lines are passed over; spreadsheets number them too.
        let inside = record.as_slice().bytes().filter(|byte| *byte == b'\n').count() as u64;
        let blank = (reader.position().line() - before).saturating_sub(inside + 1);
        row += RowNumber::try_from(blank + 1).unwrap_or(RowNumber::MAX);
        let cells = record.iter().take(COLUMNS).map(|cell| unguarded(cell.trim_end()).to_owned()).collect();
        if each(row, cells).is_break() {
            return Ok(());
        }
    }
}

/// The separator in the first line: a comma, or what some versions of Excel write instead.
fn delimiter(text: &str) -> u8 {
    let head = text.lines().next().unwrap_or_default();
    let count = |mark: char| head.matches(mark).count();
    [(b'\t', count('\t')), (b';', count(';')), (b',', count(','))]
        .into_iter()
        .max_by_key(|(_, n)| *n)
        .map_or(b',', |(mark, _)| mark)
}

/// Removes the apostrophe that our own exports put before what looks like a formula.
fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if kernel::rules::spreadsheet_text(rest) != rest => rest,
        Some(_) | None => cell,
    }
}
