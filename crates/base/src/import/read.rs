//! Reads an uploaded file batch by batch: in a process of its own, each row checked by itself and against the rows
//! before it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use kernel::rules::{Check, Violation};
use kernel::text::Text;
use tokio::sync::mpsc;

use super::bad::REASON;
use super::column::{Column, is_heading};
use super::row::{Columns, Row};
use super::{Import, Unique};
use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::inspection::FirstSeen;
use crate::list::List as _;

/// Bytes after which a batch ends early: of long rows not many are held at a time.
const BATCH_BYTES: usize = 1 << 20;
/// Unknown headings that are named, and characters of each.
const HEADINGS: usize = 10;
const HEADING: usize = 40;

/// Some rows of the file.
#[derive(Debug)]
pub(super) struct Batch {
    pub columns: Arc<Columns>,
    pub rows: Vec<Row>,
}

/// Reads the file, [`Import::BATCH`] rows at a time. The last message is an error if it lacks a column, or has one that
/// nobody knows.
///
/// # Errors
/// When it is no table, dangerous to read or too long, or there is nothing to read it with.
pub(super) async fn read<I: Import>(app: &App, file: &Path) -> Outcome<mpsc::Receiver<Outcome<Batch>>> {
    let table = app.inspection.table(file).await?;
    let (to, from) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        let known = I::columns();
        let unique = I::UNIQUE.len() + known.iter().filter(|column| column.is_unique).count();
        let values = usize::try_from(table.rows()).unwrap_or(usize::MAX).saturating_mul(unique);
        let mut reader = Reader {
            known,
            printed: I::List::columns().into_iter().map(|column| (column.key, column.label)).collect(),
            check: I::check,
            unique: I::UNIQUE,
            most: I::BATCH,
            places: Vec::new(),
            columns: Arc::default(),
            rows: Vec::new(),
            bytes: 0,
            seen: FirstSeen::of(values),
        };
        let mut fault = None;
        let read = table.each(|number, cells| match reader.take(number, cells) {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(batch)) => match to.blocking_send(Ok(batch)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            },
            Err(found) => {
                fault = Some(found);
                ControlFlow::Break(())
            }
        });
        let last = match (fault, read) {
            (Some(fault), _) => Err(fault),
            (None, Err(problem)) => Err(problem.into()),
            (None, Ok(())) => reader.finish(),
        };
        // Whoever does not listen any more does not need it.
        _ = to.blocking_send(last);
    });
    Ok(from)
}

struct Reader {
    known: Vec<Column>,
    /// What the export of the list prints: those that are not taken are told of and left out.
    printed: Vec<(&'static str, Text)>,
    check: fn(&Row, &mut Check),
    unique: &'static [Unique],
    most: usize,
    /// Where each column stands; empty until the heading was read.
    places: Vec<(usize, Column)>,
    columns: Arc<Columns>,
    rows: Vec<Row>,
    /// Bytes of the cells in `rows`.
    bytes: usize,
    /// Where a value that must not occur twice was seen first.
    seen: FirstSeen,
}

impl Reader {
    fn take(&mut self, number: u32, cells: Vec<String>) -> Outcome<Option<Batch>> {
        if self.places.is_empty() {
            self.read_heading(&cells)?;
            return Ok(None);
        }
        self.bytes += cells.iter().map(String::len).sum::<usize>();
        let row = self.row(number, cells);
        self.rows.push(row);
        Ok((self.rows.len() == self.most || self.bytes > BATCH_BYTES).then(|| self.batch()))
    }

    fn finish(mut self) -> Outcome<Batch> {
        if self.places.is_empty() {
            return Err(Fault::field("file", Violation::new("file.empty")));
        }
        Ok(self.batch())
    }

    fn batch(&mut self) -> Batch {
        self.bytes = 0;
        Batch { columns: self.columns.clone(), rows: std::mem::take(&mut self.rows) }
    }

    fn read_heading(&mut self, cells: &[String]) -> Outcome<()> {
        let refused = |why: Violation, column| Fault::field("file", why.with("column", column));
        let (mut left, mut unknown) = (Vec::new(), Vec::new());
        for (at, heading) in cells.iter().map(|cell| cell.trim()).enumerate().filter(|(_, heading)| !heading.is_empty())
        {
            if let Some(column) = self.known.iter().find(|column| column.is_under(heading)) {
                if self.places.iter().any(|(_, placed)| placed.key == column.key) {
                    return Err(refused(Violation::new("sheet.columnTwice"), heading.to_owned()));
                }
                self.places.push((at, *column));
            } else if self.is_printed(heading) {
                left.push(heading.to_owned());
            } else {
                unknown.push(heading.chars().take(HEADING).collect::<String>());
            }
        }
        let file: Vec<&str> = self.places.iter().map(|(_, column)| column.key).collect();
        if let Some(missing) = Column::missing(&self.known, |key| file.contains(&key)).next() {
            let Text { zh, en } = missing.label;
            return Err(refused(Violation::new("sheet.columnMissing"), format!("{zh} / {en}")));
        }
        if !unknown.is_empty() {
            unknown.truncate(HEADINGS);
            return Err(refused(Violation::new("sheet.columnUnknown"), unknown.join(", ")));
        }
        self.columns = Arc::new(Columns { file, left, known: self.known.iter().map(|column| column.key).collect() });
        Ok(())
    }

    /// Whether an export of the list has the heading, or a file of bad rows.
    fn is_printed(&self, heading: &str) -> bool {
        self.printed.iter().chain([&("", REASON)]).any(|(key, label)| is_heading(heading, key, *label))
    }

    fn row(&mut self, number: u32, mut cells: Vec<String>) -> Row {
        let cells = self.places.iter().map(|(at, _)| cells.get_mut(*at).map(std::mem::take).unwrap_or_default());
        let mut row = Row::new(number, self.columns.clone(), cells.collect());
        let mut check = Check::new();
        for ((_, column), cell) in self.places.iter().zip(row.cells()) {
            column.check(cell, &mut check);
        }
        for column in Column::missing(&self.known, |key| row.given(key).is_some()) {
            check.add(column.key, Violation::new("required"));
        }
        (self.check)(&row, &mut check);
        let columns = self.known.iter().filter(|column| column.is_unique);
        let one = columns.filter_map(|column| Some((column.key, row.given(column.key)?.to_owned())));
        let several = self.unique.iter().filter_map(|(field, value)| Some((*field, value(&row)?)));
        for (field, value) in one.chain(several) {
            let first = self.seen.note(&(field, value), number);
            if first != number {
                check.add(field, Violation::new("sheet.sameAs").with("row", first));
            }
        }
        row.settle(check);
        row
    }
}
