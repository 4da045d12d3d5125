//! Reads an uploaded file batch by batch: in a process of its own, each row checked by itself and against the rows
//! before it.

use std::fs::File;
use std::ops::ControlFlow;
use std::sync::Arc;

use kernel::rules::{Check, Violation};
use kernel::text::Text;

use super::column::Column;
use super::places::Places;
use super::row::{Columns, Row};
use super::{Import, Unique};
use crate::fault::{Fault, Outcome};
use crate::inspection::{FirstSeen, Table, Turn, unreadable};
use crate::list::List as _;
use crate::steps::{NotTaken, Steps, steps};

/// Bytes after which a batch ends early: of long rows not many are held at a time.
const BATCH_BYTES: usize = 1 << 20;

/// Some rows of the file.
#[derive(Debug)]
pub(super) struct Batch {
    pub columns: Arc<Columns>,
    pub rows: Vec<Row>,
}

/// Reads the file, [`Import::BATCH`] rows at a time. The last step is an error if it lacks a column, or has one that
/// nobody knows.
///
/// # Errors
/// When it is no table, dangerous to read or too long, or there is nothing to read it with.
pub(super) async fn read<I: Import>(turn: &Turn<'_>, file: &File) -> Outcome<Steps<Batch>> {
    let table = turn.table(file).await?;
    let known = I::columns();
    let unique = I::UNIQUE.len() + known.iter().filter(|column| column.is_unique).count();
    let values = usize::try_from(table.rows()).unwrap_or(usize::MAX).saturating_mul(unique);
    let reader = Reader {
        known,
        printed: I::List::columns().into_iter().map(|column| (column.key, column.label)).collect(),
        check: I::check,
        unique: I::UNIQUE,
        most: I::BATCH,
        places: Places::default(),
        rows: Vec::new(),
        bytes: 0,
        seen: FirstSeen::of(values),
    };
    Ok(reader.read(table))
}

struct Reader {
    known: Vec<Column>,
    /// What the export of the list prints: those that are not taken are told of and left out.
    printed: Vec<(&'static str, Text)>,
    check: fn(&Row, &mut Check),
    unique: &'static [Unique],
    most: usize,
    places: Places,
    rows: Vec<Row>,
    /// Bytes of the cells in `rows`.
    bytes: usize,
    /// Where a value that must not occur twice was seen first.
    seen: FirstSeen,
}

impl Reader {
    /// The batches of `table`. Should a row break this reader, the file is refused: it is not taken to end there.
    fn read(mut self, table: Table) -> Steps<Batch> {
        let (to, from) = steps(|| Fault::field("file", unreadable()));
        tokio::task::spawn_blocking(move || {
            let mut fault = None;
            let read = table.each(|number, cells| match self.take(number, cells) {
                Ok(None) => ControlFlow::Continue(()),
                Ok(Some(batch)) => match to.blocking_give(batch) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(NotTaken) => ControlFlow::Break(()),
                },
                Err(found) => {
                    fault = Some(found);
                    ControlFlow::Break(())
                }
            });
            let last = match (fault, read) {
                (Some(fault), _) => Err(fault),
                (None, Err(problem)) => Err(problem.into()),
                (None, Ok(())) => self.finish(),
            };
            // Whoever does not take the last batch does not need to know that it was the last.
            let end = last.map(|batch| _ = to.blocking_give(batch));
            to.blocking_end(end);
        });
        from
    }

    fn take(&mut self, number: u32, cells: Vec<String>) -> Outcome<Option<Batch>> {
        if self.places.placed.is_empty() {
            self.places = Places::read(&self.known, &self.printed, &cells)?;
            return Ok(None);
        }
        self.bytes += cells.iter().map(String::len).sum::<usize>();
        let row = self.row(number, cells);
        self.rows.push(row);
        Ok((self.rows.len() == self.most || self.bytes > BATCH_BYTES).then(|| self.batch()))
    }

    fn finish(mut self) -> Outcome<Batch> {
        if self.places.placed.is_empty() {
            return Err(Fault::field("file", Violation::new("file.empty")));
        }
        Ok(self.batch())
    }

    fn batch(&mut self) -> Batch {
        self.bytes = 0;
        Batch { columns: self.places.columns.clone(), rows: std::mem::take(&mut self.rows) }
    }

    fn row(&mut self, number: u32, mut cells: Vec<String>) -> Row {
        let cells = self.places.placed.iter().map(|(at, _)| cells.get_mut(*at).map(std::mem::take).unwrap_or_default());
        let mut row = Row::new(number, self.places.columns.clone(), cells.collect());
        let mut check = Check::new();
        for ((_, column), cell) in self.places.placed.iter().zip(row.cells()) {
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use std::io::Write as _;

    use kernel::rules::Check;
    use kernel::text::text;

    use super::{Places, Reader};
    use crate::fault::Fault;
    use crate::import::{Row, column};
    use crate::inspection::{FirstSeen, Table};

    /// A rule with a hole, as a library has one that nobody knows of.
    fn broken(row: &Row, _: &mut Check) {
        assert_ne!(row.given("name"), Some("c"), "a row that nobody thought of");
    }

    /// A table as its inspector hands it over.
    fn table(names: &[&str]) -> Table {
        let mut answer = tempfile::tempfile().unwrap();
        for (at, name) in std::iter::once(&"name").chain(names).enumerate() {
            writeln!(answer, "[{},[\"{name}\"]]", at + 1).unwrap();
        }
        writeln!(answer, "{{\"end\":{{\"rows\":{}}}}}", names.len() + 1).unwrap();
        Table::new(answer).unwrap()
    }

    async fn read(names: &[&str], most: usize) -> (usize, Option<Fault>) {
        let reader = Reader {
            known: vec![column::own("name", text("名称", "Name"), 10)],
            printed: Vec::new(),
            check: broken,
            unique: &[],
            most,
            places: Places::default(),
            rows: Vec::new(),
            bytes: 0,
            seen: FirstSeen::default(),
        };
        let (mut batches, mut rows) = (reader.read(table(names)), 0);
        while let Some(batch) = batches.next().await {
            match batch {
                Ok(batch) => rows += batch.rows.len(),
                Err(fault) => return (rows, Some(fault)),
            }
        }
        (rows, None)
    }

    #[tokio::test]
    async fn a_reader_that_breaks_refuses_the_file_instead_of_ending_it() {
        assert!(matches!(read(&["a", "b", "d"], 1).await, (3, None)));
        for (names, most, before) in [(&["a", "b", "c", "d"][..], 1, 2), (&["a", "b", "c"], 9, 0), (&["c"], 1, 0)] {
            let (rows, fault) = read(names, most).await;
            let Some(Fault::Invalid(errors)) = fault else { panic!("{names:?}: {rows} rows, {fault:?}") };
            assert_eq!((rows, errors[0].field.as_str(), errors[0].violation.code), (before, "file", "file.unreadable"));
        }
    }
}
