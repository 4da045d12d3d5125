//! Writing workbooks with constant memory: rows are written to a temporary file as they arrive.

use std::io::{BufWriter, Seek as _};
use std::path::{Path, PathBuf};

use kernel::lang::Lang;
use kernel::time::UtcTime;
use rust_xlsxwriter::{Format, Workbook, Worksheet, XlsxError};
use tokio::sync::Semaphore;

use super::times::serial_day;
use super::{Cells, Steps, Style, Table};
use crate::fault::{Fault, Outcome};

/// Workbooks that are written at a time: each uses one core meanwhile.
static TURNS: Semaphore = Semaphore::const_new(2);
/// Maximum number of characters of a cell.
const CELL_CHARS: usize = 32_767;
/// Maximum number of rows of a worksheet, including the heading.
const SHEET_ROWS: u32 = 1_048_576;

struct Row<'a> {
    sheet: &'a mut Worksheet,
    times: &'a Format,
    style: Style,
    row: u32,
    column: u16,
    outcome: Result<(), XlsxError>,
}

impl Row<'_> {
    fn put(&mut self, write: impl FnOnce(&mut Worksheet, u32, u16) -> Result<(), XlsxError>) {
        if self.outcome.is_ok() {
            self.outcome = write(self.sheet, self.row, self.column);
        }
        self.column += 1;
    }
}

impl Cells for Row<'_> {
    fn text(&mut self, text: &str) {
        if text.is_empty() {
            self.column += 1;
            return;
        }
        // A cell that is written as text is never read as a formula.
        let text = if text.len() > CELL_CHARS { text.chars().take(CELL_CHARS).collect() } else { text.to_owned() };
        self.put(|sheet, row, column| sheet.write_string(row, column, text).map(drop));
    }

    fn number(&mut self, number: i64) {
        self.put(|sheet, row, column| sheet.write_number(row, column, number as f64).map(drop));
    }

    fn time(&mut self, time: Option<UtcTime>) {
        let (times, zone) = (self.times, self.style.zone);
        match time {
            Some(time) => {
                self.put(|sheet, row, column| {
                    sheet.write_number_with_format(row, column, serial_day(time, zone), times).map(drop)
                });
            }
            None => self.column += 1,
        }
    }

    fn lang(&self) -> Lang {
        self.style.lang
    }
}

/// Writes the workbook to an unnamed file in `folder`, which is deleted when it is closed.
pub async fn write<R: Send + 'static>(
    table: Table<R>,
    style: Style,
    rows: Steps<R>,
    folder: PathBuf,
    written: impl Fn(u64) + Send + 'static,
) -> Outcome<std::fs::File> {
    let turn = TURNS.acquire().await.map_err(Fault::internal)?;
    let work = move || work(&table, style, rows, &folder, written);
    let file = tokio::task::spawn_blocking(work).await.map_err(Fault::internal)?;
    drop(turn);
    file
}

fn work<R>(
    table: &Table<R>,
    style: Style,
    mut rows: Steps<R>,
    folder: &Path,
    written: impl Fn(u64),
) -> Outcome<std::fs::File> {
    let mut workbook = Workbook::new();
    // The rows wait there as well, and a temporary folder may be memory.
    workbook.set_tempdir(folder).map_err(Fault::internal)?;
    let heading = Format::new().set_bold();
    let times = Format::new().set_num_format("yyyy-mm-dd hh:mm:ss");
    let sheet = workbook.add_worksheet_with_constant_memory().map_err(Fault::internal)?;
    begin(sheet, table, style, &heading).map_err(Fault::internal)?;
    let mut row = 1;
    while let Some(step) = rows.blocking_next() {
        for item in step? {
            if row == SHEET_ROWS {
                return Err(Fault::internal(anyhow::anyhow!("a worksheet holds no more than {SHEET_ROWS} rows")));
            }
            let mut cells = Row { sheet, times: &times, style, row, column: 0, outcome: Ok(()) };
            (table.row)(&item, &mut cells);
            cells.outcome.map_err(Fault::internal)?;
            row += 1;
        }
        written(u64::from(row - 1));
    }
    let mut file = BufWriter::with_capacity(256 * 1024, tempfile::tempfile_in(folder)?);
    workbook.save_to_writer(&mut file).map_err(Fault::internal)?;
    let mut file = file.into_inner().map_err(|error| Fault::internal(error.into_error()))?;
    file.rewind()?;
    Ok(file)
}

fn begin<R>(sheet: &mut Worksheet, table: &Table<R>, style: Style, heading: &Format) -> Result<(), XlsxError> {
    sheet.set_name(table.name.get(style.lang))?;
    sheet.set_freeze_panes(1, 0)?;
    for (at, column) in (0..).zip(&table.columns) {
        sheet.set_column_width(at, column.width)?;
        sheet.write_string_with_format(0, at, column.title.get(style.lang), heading)?;
    }
    Ok(())
}
