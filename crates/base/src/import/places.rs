//! Which columns a file has, and where each stands: what its first row says.

use std::sync::Arc;

use kernel::rules::Violation;
use kernel::text::Text;

use super::bad::REASON;
use super::column::{Column, is_heading};
use super::row::Columns;
use crate::fault::{Fault, Outcome};

/// Unknown headings that are named, and characters of each.
const HEADINGS: usize = 10;
const HEADING: usize = 40;

/// Where the columns of a file stand.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Each column that is taken; none until the heading was read.
    pub placed: Vec<(usize, Column)>,
    pub columns: Arc<Columns>,
}

impl Places {
    /// Reads a heading: the columns of an import are `known`; those that the export of its list prints besides are told
    /// of and left out.
    ///
    /// # Errors
    /// When a column is missing, stands there twice, or is one that nobody knows.
    pub fn read(known: &[Column], printed: &[(&'static str, Text)], cells: &[String]) -> Outcome<Self> {
        let refused = |why: Violation, column| Fault::field("file", why.with("column", column));
        let (mut placed, mut left, mut unknown) = (Vec::<(usize, Column)>::new(), Vec::new(), Vec::new());
        for (at, heading) in cells.iter().map(|cell| cell.trim()).enumerate().filter(|(_, heading)| !heading.is_empty())
        {
            if let Some(column) = known.iter().find(|column| column.is_under(heading)) {
                if placed.iter().any(|(_, placed)| placed.key == column.key) {
                    return Err(refused(Violation::new("sheet.columnTwice"), heading.to_owned()));
                }
                placed.push((at, *column));
            } else if is_printed(printed, heading) {
                left.push(heading.to_owned());
            } else {
                unknown.push(heading.chars().take(HEADING).collect::<String>());
            }
        }
        let file: Vec<&str> = placed.iter().map(|(_, column)| column.key).collect();
        if let Some(missing) = Column::missing(known, |key| file.contains(&key)).next() {
            let Text { zh, en } = missing.label;
            return Err(refused(Violation::new("sheet.columnMissing"), format!("{zh} / {en}")));
        }
        if !unknown.is_empty() {
            unknown.truncate(HEADINGS);
            return Err(refused(Violation::new("sheet.columnUnknown"), unknown.join(", ")));
        }
        let columns = Arc::new(Columns { file, left, known: known.iter().map(|column| column.key).collect() });
        Ok(Self { placed, columns })
    }
}

/// Whether an export of the list has the heading, or a file of bad rows.
fn is_printed(printed: &[(&'static str, Text)], heading: &str) -> bool {
    printed.iter().chain([&("", REASON)]).any(|(key, label)| is_heading(heading, key, *label))
}
