//! Writing CSV: RFC 4180 with a byte order mark, row by row.

use std::io::Write as _;
use std::path::PathBuf;

use bytes::Bytes;
use futures::Stream;
use kernel::lang::Lang;
use kernel::rules::spreadsheet_text;
use kernel::time::UtcTime;

use super::times::push_time;
use super::{Cells, Steps, Style, Table, as_error};
use crate::fault::{Fault, Outcome};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of rows that were written and not yet sent.
struct Buffer {
    bytes: Vec<u8>,
    style: Style,
    is_row_empty: bool,
}

impl Buffer {
    const fn new(style: Style) -> Self {
        Self { bytes: Vec::new(), style, is_row_empty: true }
    }

    fn next_cell(&mut self) {
        if !self.is_row_empty {
            self.bytes.push(b',');
        }
        self.is_row_empty = false;
    }

    fn end_row(&mut self) {
        self.bytes.extend(b"\r\n");
        self.is_row_empty = true;
    }

    fn head<R>(&mut self, table: &Table<R>) {
        self.bytes.extend(BYTE_ORDER_MARK);
        for column in &table.columns {
            self.text(column.title.get(self.style.lang));
        }
        self.end_row();
    }

    fn rows<R>(&mut self, table: &Table<R>, rows: &[R]) -> Bytes {
        for row in rows {
            (table.row)(row, self);
            self.end_row();
        }
        let size = self.bytes.len();
        Bytes::from(std::mem::replace(&mut self.bytes, Vec::with_capacity(size + size / 8)))
    }
}

impl Cells for Buffer {
    fn text(&mut self, text: &str) {
        self.next_cell();
        let text = spreadsheet_text(text);
        if text.bytes().any(|b| matches!(b, b',' | b'"' | b'\r' | b'\n')) {
            self.bytes.push(b'"');
            for (at, part) in text.split('"').enumerate() {
                if at > 0 {
                    self.bytes.extend(b"\"\"");
                }
                self.bytes.extend(part.as_bytes());
            }
            self.bytes.push(b'"');
        } else {
            self.bytes.extend(text.as_bytes());
        }
    }

    fn number(&mut self, number: i64) {
        self.next_cell();
        // Writing to memory cannot fail.
        _ = write!(self.bytes, "{number}");
    }

    fn time(&mut self, time: Option<UtcTime>) {
        self.next_cell();
        if let Some(time) = time {
            push_time(&mut self.bytes, time, self.style.zone);
        }
    }

    fn lang(&self) -> Lang {
        self.style.lang
    }
}

/// The file, piece by piece; the headings are sent before the first row is read.
pub fn stream<R: Send + 'static>(
    table: Table<R>,
    style: Style,
    rows: Steps<R>,
) -> impl Stream<Item = Result<Bytes, anyhow::Error>> + Send + 'static {
    let mut buffer = Buffer::new(style);
    buffer.head(&table);
    let head = buffer.rows(&table, &[]);
    let body = futures::stream::unfold((table, buffer, rows), |(table, mut buffer, mut rows)| async move {
        let piece = match rows.next().await? {
            Ok(step) => Ok(buffer.rows(&table, &step)),
            Err(fault) => Err(as_error(fault)),
        };
        Some((piece, (table, buffer, rows)))
    });
    futures::StreamExt::chain(futures::stream::once(async move { Ok(head) }), body)
}

/// The file on the disk of `folder`.
pub async fn write<R: Send + 'static>(
    table: Table<R>,
    style: Style,
    mut rows: Steps<R>,
    folder: PathBuf,
    written: impl Fn(u64) + Send + 'static,
) -> Outcome<std::fs::File> {
    tokio::task::spawn_blocking(move || {
        let mut file = tempfile::tempfile_in(folder)?;
        let mut buffer = Buffer::new(style);
        buffer.head(&table);
        let mut count = 0;
        while let Some(step) = rows.blocking_next() {
            let step = step?;
            file.write_all(&buffer.rows(&table, &step))?;
            count += step.len() as u64;
            written(count);
        }
        file.write_all(&buffer.bytes)?;
        std::io::Seek::rewind(&mut file)?;
        Ok(file)
    })
    .await
    .map_err(Fault::internal)?
}
