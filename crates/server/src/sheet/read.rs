//! Reading spreadsheets that people send: XLSX, and CSV in UTF-8, UTF-16 or GBK.
//!
//! What a file is, its first bytes say; its name does not count. Reading blocks: call it on a thread
//! for such work.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _};
use std::ops::ControlFlow;
use std::path::Path;

use calamine::{DataRef, Reader as _, Xlsx};
use encoding_rs::{Encoding, GB18030, UTF_8};
use kernel::text::{Text, text};

use crate::fault::Fault;

/// A row's number, as the spreadsheet shows it, from 1.
pub type RowNumber = u32;

const NOT_A_SHEET: Text = text("请上传 XLSX 或 CSV 文件", "Upload an XLSX or CSV file");
const OLD_XLS: Text = text(
    "不支持旧版 XLS 文件，请另存为 XLSX 后再上传",
    "Old XLS files are not read; save the file as XLSX and upload it again",
);
const BROKEN: Text = text("文件已损坏或已加密，无法读取", "The file is damaged or encrypted and can not be read");
/// Bytes that a workbook may unpack to, in all and in its table of strings: a small file must not fill the memory.
const UNPACKED: u64 = 1 << 30;
const STRINGS: u64 = 256 << 20;
/// Columns that are looked at.
const COLUMNS: usize = 64;

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// It is no spreadsheet, or a broken one; people read the sentence.
    #[error("{}", .0.en)]
    File(Text),
    /// It could not be read from the disk.
    #[error(transparent)]
    Disk(#[from] std::io::Error),
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::File(text) => Self::WrongType(text.into()),
            Problem::Disk(error) => error.into(),
        }
    }
}

/// Hands every row of the first worksheet to `each`, blank ones left out, until `each` breaks off.
///
/// Cells are trimmed texts; a number without a fraction is written without one, so that a phone number
/// that Excel took for a number comes out whole.
///
/// # Errors
/// When the file is none of the kinds, or damaged.
pub fn read(path: &Path, mut each: impl FnMut(RowNumber, Vec<String>) -> ControlFlow<()>) -> Result<(), Problem> {
    let mut file = File::open(path)?;
    let mut magic = Vec::new();
    file.by_ref().take(8).read_to_end(&mut magic)?;
    file.rewind()?;
    let mut each = |row: RowNumber, cells: Vec<String>| {
        if cells.iter().all(String::is_empty) { ControlFlow::Continue(()) } else { each(row, cells) }
    };
    if magic.starts_with(b"PK\x03\x04") {
        read_xlsx(file, &mut each)
    } else if magic.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
        Err(Problem::File(OLD_XLS))
    } else {
        read_csv(file, &mut each)
    }
}

fn read_xlsx(file: File, each: &mut impl FnMut(RowNumber, Vec<String>) -> ControlFlow<()>) -> Result<(), Problem> {
    let broken = |error: &dyn std::fmt::Display| {
        tracing::debug!(%error, "an uploaded workbook can not be read");
        Problem::File(BROKEN)
    };
    refuse_bomb(&file)?;
    let mut book: Xlsx<_> = Xlsx::new(BufReader::new(file)).map_err(|error| broken(&error))?;
    let first = book.sheet_names().first().cloned().ok_or(Problem::File(NOT_A_SHEET))?;
    let mut cells = book.worksheet_cells_reader(&first).map_err(|error| broken(&error))?;
    let (mut at, mut row) = (0, Vec::new());
    while let Some(cell) = cells.next_cell().map_err(|error| broken(&error))? {
        let (line, column) = cell.get_position();
        if line != at {
            if each(at + 1, std::mem::take(&mut row)).is_break() {
                return Ok(());
            }
            at = line;
        }
        let column = usize::try_from(column).unwrap_or(usize::MAX);
        if column < COLUMNS {
            if row.len() <= column {
                row.resize(column + 1, String::new());
            }
            row[column] = cell_text(cell.get_value());
        }
    }
    _ = each(at + 1, row);
    Ok(())
}

/// A few kilobytes can unpack to gigabytes; the directory says how much.
fn refuse_bomb(file: &File) -> Result<(), Problem> {
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|_| Problem::File(BROKEN))?;
    let mut all = 0_u64;
    for at in 0..archive.len() {
        let entry = archive.by_index_raw(at).map_err(|_| Problem::File(BROKEN))?;
        let size = entry.size();
        all = all.saturating_add(size);
        if all > UNPACKED || (size > STRINGS && entry.name().is_ok_and(|name| name.ends_with("sharedStrings.xml"))) {
            return Err(Problem::File(BROKEN));
        }
    }
    Ok(())
}

fn cell_text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        // 2^53: beyond it a double skips whole numbers anyway.
        DataRef::Float(number) if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 => {
            format!("{number:.0}")
        }
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.trim_end().to_owned(),
        DataRef::SharedString(text) => text.trim_end().to_owned(),
        DataRef::Bool(yes) => yes.to_string(),
        DataRef::DateTime(time) => time.to_string(),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

fn read_csv(mut file: File, each: &mut impl FnMut(RowNumber, Vec<String>) -> ControlFlow<()>) -> Result<(), Problem> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let (encoding, marked) = Encoding::for_bom(&bytes)
        .or_else(|| std::str::from_utf8(&bytes).is_ok().then_some((UTF_8, 0)))
        .unwrap_or((GB18030, 0));
    let (text, had_errors) = encoding.decode_without_bom_handling(&bytes[marked..]);
    // No text holds a NUL, and what is not even GBK is something else altogether.
    if had_errors || text.contains('\0') {
        return Err(Problem::File(NOT_A_SHEET));
    }
    let mut rest = text.as_ref();
    let mark = delimiter(rest);
    let mut row = 0;
    while !rest.is_empty() {
        row += 1;
        let cells;
        (cells, rest) = next_record(rest, mark);
        let cells = cells.iter().take(COLUMNS).map(|cell| unguarded(cell.trim_end()).to_owned()).collect();
        if each(row, cells).is_break() {
            return Ok(());
        }
    }
    Ok(())
}

/// The cells of the first record of `text` (RFC 4180) and what comes after it. A blank line is a record too, so
/// that rows are numbered as spreadsheets number them.
fn next_record(text: &str, mark: u8) -> (Vec<String>, &str) {
    let bytes = text.as_bytes();
    let (mut cells, mut cell, mut at) = (Vec::new(), String::new(), 0);
    loop {
        if cell.is_empty() && bytes.get(at) == Some(&b'"') {
            // A quoted part: up to the quote that is not doubled, or to the end of a file that lacks it.
            at += 1;
            loop {
                let end = text[at..].find('"').map_or(text.len(), |found| at + found);
                cell.push_str(&text[at..end]);
                at = (end + 1).min(text.len());
                if bytes.get(at) != Some(&b'"') {
                    break;
                }
                cell.push('"');
                at += 1;
            }
        }
        let end = bytes[at..]
            .iter()
            .position(|b| *b == mark || matches!(b, b'\r' | b'\n'))
            .map_or(text.len(), |found| at + found);
        cell.push_str(&text[at..end]);
        cells.push(std::mem::take(&mut cell));
        match bytes.get(end) {
            Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => return (cells, &text[end + 2..]),
            Some(b'\r' | b'\n') => return (cells, &text[end + 1..]),
            Some(_) => at = end + 1,
            None => return (cells, ""),
        }
    }
}

/// What separates the cells of the first line: a comma, or what some Excels write instead.
fn delimiter(text: &str) -> u8 {
    let head = text.lines().next().unwrap_or_default();
    let count = |mark: char| head.matches(mark).count();
    [(b'\t', count('\t')), (b';', count(';')), (b',', count(','))]
        .into_iter()
        .max_by_key(|(_, n)| *n)
        .map_or(b',', |(mark, _)| mark)
}

/// Takes away the apostrophe that our own exports put before what looks like a formula.
fn unguarded(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(rest) if kernel::rules::spreadsheet_text(rest) != rest => rest,
        Some(_) | None => cell,
    }
}
