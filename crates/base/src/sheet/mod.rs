//! Spreadsheets: lists written as XLSX or CSV while they are read, and files of either kind read back.

mod csv_file;
mod from_xlsx;
mod read;
mod table;
mod times;
mod xlsx_file;

use std::path::Path;

use axum::body::Body;
use axum::response::Response;
use kernel::lang::Lang;
use kernel::text::Text;
use tokio_util::io::ReaderStream;

pub use read::{Problem, RowNumber, Unread, read};
pub use table::{Cells, Column, Fill, Format, Style, Table, column};

use crate::fault::{Fault, Outcome};
use crate::http::file;
use crate::steps;

/// Bytes read from a finished file at a time.
const PIECE: usize = 64 * 1024;

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

/// For passing a fault through a stream of bytes.
fn as_error(fault: Fault) -> anyhow::Error {
    if let Fault::Internal(error) | Fault::Unavailable(error) = fault {
        return error;
    }
    anyhow::anyhow!("{fault:?}")
}

#[cfg(test)]
mod tests;
