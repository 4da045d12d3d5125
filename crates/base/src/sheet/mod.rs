//! Spreadsheets: lists written as XLSX or CSV while they are read, and files of either kind read back.

mod csv_file;
mod read;
mod xlsx_file;

use std::path::Path;

use axum::body::Body;
use axum::response::Response;
use chrono::{Datelike as _, Offset as _, TimeZone as _, Timelike as _};
use chrono_tz::Tz;
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::Deserialize;
use tokio_util::io::ReaderStream;
use utoipa::ToSchema;

pub use read::{Problem, RowNumber, Unread, read};

use crate::fault::{Fault, Outcome};
use crate::http::file;
use crate::steps;

/// Bytes read from a finished file at a time.
const PIECE: usize = 64 * 1024;

/// The kind of file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// A workbook.
    #[default]
    Xlsx,
    /// Comma-separated text, UTF-8 with a byte order mark, as Excel requires.
    Csv,
}

impl Format {
    /// The file extension.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Csv => "csv",
        }
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its heading.
    pub title: Text,
    /// Its width in characters.
    pub width: u8,
}

/// A column.
#[must_use]
pub const fn column(title: Text, width: u8) -> Column {
    Column { title, width }
}

/// Receives a row's cells, from left to right.
pub trait Cells {
    /// A text. One that a spreadsheet would interpret as a formula stays a text.
    fn text(&mut self, text: &str);
    /// A whole number.
    fn number(&mut self, number: i64);
    /// A time, or an empty cell.
    fn time(&mut self, time: Option<UtcTime>);
    /// The language of texts chosen here.
    fn lang(&self) -> Lang;
    /// Yes or no.
    fn flag(&mut self, is_set: bool) {
        let word = if is_set { text("是", "Yes") } else { text("否", "No") };
        self.text(word.get(self.lang()));
    }
}

/// Fills a row, cell by cell.
pub type Fill<R> = Box<dyn Fn(&R, &mut dyn Cells) + Send + Sync>;

/// A table: its columns, and how a row fills them.
pub struct Table<R> {
    /// The file's name without its extension, also the worksheet's name.
    pub name: Text,
    /// The columns.
    pub columns: Vec<Column>,
    /// How a row fills them.
    pub row: Fill<R>,
}

/// How texts and times are written.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The language of headings and choices.
    pub lang: Lang,
    /// The zone of times.
    pub zone: Tz,
}

/// Rows that arrive in steps.
pub type Steps<R> = steps::Steps<Vec<R>>;

/// Reads a list step by step, ahead of the writer: `next` gets the key of the last row (none at first) and returns the
/// rows after it with the last one's key, or no key at the end.
///
/// Reading ends when the receiver is dropped: a caller that disconnects costs nothing more.
pub fn steps<R, K, F, Fut>(next: F) -> Steps<R>
where
    R: Send + 'static,
    K: Copy + Send + 'static,
    F: Fn(Option<K>) -> Fut + Send + 'static,
    Fut: Future<Output = Outcome<(Vec<R>, Option<K>)>> + Send,
{
    let (to, from) = steps::steps(broken_off);
    tokio::spawn(async move {
        let mut after = None;
        loop {
            let (rows, last) = match next(after).await {
                Ok(step) => step,
                Err(fault) => return to.end(Err(fault)).await,
            };
            if to.give(rows).await.is_err() {
                return;
            }
            if last.is_none() {
                return to.end(Ok(())).await;
            }
            after = last;
        }
    });
    from
}

/// The list was not read to its end: a file that lacks rows must not look whole.
pub(crate) fn broken_off() -> Fault {
    Fault::internal(anyhow::anyhow!("the reader of a list ended before the list did"))
}

/// The name of a file.
#[must_use]
pub fn file_name(name: Text, format: Format, lang: Lang) -> String {
    format!("{}.{}", name.get(lang), format.extension())
}

impl<R: Send + 'static> Table<R> {
    /// The rows as a file answer: CSV is sent while it is read, a workbook once it is complete in `folder`.
    ///
    /// # Errors
    /// When a read fails before the answer starts, or the workbook cannot be written.
    pub async fn answer(self, format: Format, style: Style, rows: Steps<R>, folder: &Path) -> Outcome<Response> {
        match format {
            Format::Csv => {
                let name = file_name(self.name, format, style.lang);
                let body = Body::from_stream(csv_file::stream(self, style, rows));
                Ok(file::attachment(&name, file::content_type(&name), None, body))
            }
            Format::Xlsx => self.answer_written(format, style, rows, folder).await,
        }
    }

    /// The same, and whatever it is, it is sent once it is complete in `folder`: the rows are not kept waiting by
    /// whoever reads the answer.
    ///
    /// # Errors
    /// When a read or a write fails.
    pub async fn answer_written(
        self,
        format: Format,
        style: Style,
        rows: Steps<R>,
        folder: &Path,
    ) -> Outcome<Response> {
        let name = file_name(self.name, format, style.lang);
        let file = tokio::fs::File::from_std(self.to_file(format, style, rows, folder, |_| ()).await?);
        let size = file.metadata().await?.len();
        let body = Body::from_stream(ReaderStream::with_capacity(file, PIECE));
        Ok(file::attachment(&name, file::content_type(&name), Some(size), body))
    }

    /// The rows as a file on the disk of `folder`. The file has no name and is deleted when it is closed. `written`
    /// receives the number of rows so far.
    ///
    /// # Errors
    /// When a read or a write fails.
    pub async fn to_file(
        self,
        format: Format,
        style: Style,
        rows: Steps<R>,
        folder: &Path,
        written: impl Fn(u64) + Send + Sync + 'static,
    ) -> Outcome<std::fs::File> {
        let folder = folder.to_owned();
        match format {
            Format::Xlsx => xlsx_file::write(self, style, rows, folder, written).await,
            Format::Csv => csv_file::write(self, style, rows, folder, written).await,
        }
    }
}

/// `YYYY-MM-DD HH:mm:ss` in `zone`, appended to `to`. Exports write it a million times, so it is plain arithmetic
/// instead of a format string.
fn push_time(to: &mut Vec<u8>, time: UtcTime, zone: Tz) {
    let local = zone.from_utc_datetime(&time.to_chrono().naive_utc());
    let mut two = |number: u32| to.extend([b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]);
    let year = local.year().unsigned_abs();
    two(year / 100);
    two(year % 100);
    for (before, number) in [
        (b'-', local.month()),
        (b'-', local.day()),
        (b' ', local.hour()),
        (b':', local.minute()),
        (b':', local.second()),
    ] {
        to.push(before);
        to.extend([b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]);
    }
}

/// The time as spreadsheets count it: days since 1899-12-30 in `zone`.
fn serial_day(time: UtcTime, zone: Tz) -> f64 {
    let offset = zone.offset_from_utc_datetime(&time.to_chrono().naive_utc()).fix().local_minus_utc();
    // Whole seconds: a spreadsheet shows no more, and sums of fractions would not round back.
    let seconds = time.millis().div_euclid(1000) + i64::from(offset);
    seconds as f64 / 86_400.0 + 25_569.0
}

/// For passing a fault through a stream of bytes.
fn as_error(fault: Fault) -> anyhow::Error {
    if let Fault::Internal(error) | Fault::Unavailable(error) = fault {
        return error;
    }
    anyhow::anyhow!("{fault:?}")
}

#[cfg(test)]
mod tests;
