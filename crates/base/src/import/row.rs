//! A row of an uploaded file.

use std::str::FromStr;
use std::sync::Arc;

use kernel::rules::{Check, FieldError, Invalid};

/// The columns of a file.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Those that it has, in its order.
    pub file: Vec<&'static str>,
    /// Headings of what an export prints and no import takes.
    pub left: Vec<String>,
    /// Those that the import takes.
    pub known: Vec<&'static str>,
}

/// A row of the file: its texts, by the keys of their columns. An empty cell says nothing.
#[derive(Debug)]
pub struct Row {
    /// Its number in the file, as the spreadsheet shows it.
    pub number: u32,
    columns: Arc<Columns>,
    cells: Vec<String>,
    problems: Vec<FieldError>,
}

impl Row {
    /// `cells` are as many as the file has columns, in their order.
    pub(super) const fn new(number: u32, columns: Arc<Columns>, cells: Vec<String>) -> Self {
        Self { number, columns, cells, problems: Vec::new() }
    }

    /// What stands in a column, if anything does.
    ///
    /// # Panics
    /// In tests: when the import has no such column.
    #[must_use]
    pub fn given(&self, key: &str) -> Option<&str> {
        debug_assert!(self.columns.known.contains(&key), "the import has no column {key}");
        let at = self.columns.file.iter().position(|column| *column == key)?;
        self.cells.get(at).map(String::as_str).filter(|cell| !cell.is_empty())
    }

    /// What stands in a column; empty if nothing does.
    #[must_use]
    pub fn text(&self, key: &str) -> String {
        self.given(key).unwrap_or_default().to_owned()
    }

    /// A value whose column has a rule; none if the cell is empty.
    #[must_use]
    pub fn parsed<T: FromStr>(&self, key: &str) -> Option<T> {
        self.given(key)?.parse().ok()
    }

    /// All cells, in the order of the file's columns.
    #[must_use]
    pub fn cells(&self) -> &[String] {
        &self.cells
    }

    /// What is wrong with it.
    #[must_use]
    pub fn problems(&self) -> &[FieldError] {
        &self.problems
    }

    /// Takes over what a check has found; says whether that is nothing.
    pub(super) fn settle(&mut self, check: Check) -> bool {
        if let Err(Invalid(found)) = check.finish() {
            self.problems.extend(found);
        }
        self.problems.is_empty()
    }
}
