//! Reading uploaded workbooks.

use std::fs::File;
use std::io::{BufReader, Seek as _};
use std::ops::ControlFlow;

use calamine::{DataRef, Reader as _, Xlsx};
use kernel::rules::{FileKind, Violation, byte_size};

use super::read::{COLUMNS, Problem, RowNumber, Unread};

/// Bytes to which a workbook may unpack, in total and in its table of strings: a small file must not fill the memory.
const UNPACKED: u64 = 1 << 30;
const STRINGS: u64 = 128 << 20;

/// Passes every row of the first worksheet to `each`, until that stops.
pub(super) fn read_xlsx(
    file: &File,
    each: &mut impl FnMut(RowNumber, Vec<String>) -> ControlFlow<()>,
) -> Result<(), Problem> {
    let broken = |error: &dyn std::fmt::Display| {
        tracing::debug!(%error, "an uploaded workbook cannot be read");
        Problem::File(Unread::Broken)
    };
    refuse_bomb(file)?;
    let mut book: Xlsx<_> = Xlsx::new(BufReader::new(file)).map_err(|error| broken(&error))?;
    let first = book.sheet_names().first().cloned().ok_or(Problem::File(Unread::NotASheet))?;
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

/// A few kilobytes can unpack to gigabytes, or to one endless cell. The declared sizes are checked first, then
/// everything is unpacked once and counted.
fn refuse_bomb(mut file: &File) -> Result<(), Problem> {
    let broken = || Problem::File(Unread::Broken);
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|_| broken())?;
    let mut all = 0_u64;
    for at in 0..archive.len() {
        let entry = archive.by_index_raw(at).map_err(|_| broken())?;
        let size = entry.size();
        all = all.saturating_add(size);
        if all > UNPACKED || (size > STRINGS && entry.name().is_ok_and(|name| name.ends_with("sharedStrings.xml"))) {
            let most = if all > UNPACKED { UNPACKED } else { STRINGS };
            return Err(Problem::Refused(Violation::new("archive.tooLarge").with("max", byte_size(most))));
        }
    }
    file.rewind()?;
    match inspect::inspect(file, FileKind::Sheet) {
        Ok(_) => Ok(()),
        Err(inspect::Fault::Refused(violation)) if names_its_limit(violation.code) => Err(Problem::Refused(violation)),
        Err(inspect::Fault::Refused(_)) => Err(broken()),
        Err(inspect::Fault::Io(error)) => Err(error.into()),
    }
}

/// Whether a rule says more than that the workbook is damaged.
fn names_its_limit(rule: &str) -> bool {
    rule.starts_with("archive.") || rule.starts_with("sheet.")
}

fn cell_text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        // 2^53: above it a double skips whole numbers anyway.
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
