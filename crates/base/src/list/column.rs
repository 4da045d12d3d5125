//! The columns of a list: what each is called, how wide it is in a file, and what stands in it.

use kernel::text::{Text, text};
use kernel::time::UtcTime;

use crate::sheet::Cells;

/// A column of a list with rows `R` that is sorted by an `S`.
#[derive(Debug)]
pub struct Column<R: 'static, S> {
    /// The field of the row's JSON that it shows, `a.b` for one within another. The document has its label there, and
    /// it is the name of its sort key. Empty where a file alone has the column.
    pub key: &'static str,
    /// What it is called.
    pub label: Text,
    /// Its width in a file, in characters.
    pub width: u8,
    /// What it is sorted by, if it can be.
    pub sort: Option<S>,
    value: Value<R>,
}

/// What stands in a cell.
#[derive(Debug)]
enum Value<R: 'static> {
    Text(fn(&R) -> &str),
    Words(fn(&R) -> String),
    Label(fn(&R) -> Text),
    Number(fn(&R) -> Option<i64>),
    Time(fn(&R) -> Option<UtcTime>),
    Flag(fn(&R) -> bool),
}

/// Begins a column of the screen: the field that it shows, its label and its width in a file.
#[must_use]
pub const fn column<S>(key: &'static str, label: Text, width: u8) -> Heading<S> {
    Heading { key, label, width, sort: None }
}

/// When a record was made: the field, and what it is called.
pub const CREATED_AT: (&str, Text) = ("createdAt", text("创建时间", "Created at"));

/// Begins the column of when a record was made.
#[must_use]
pub const fn created_at<S>() -> Heading<S> {
    column(CREATED_AT.0, CREATED_AT.1, 20)
}

/// Begins the column of when a record was changed last.
#[must_use]
pub const fn updated_at<S>() -> Heading<S> {
    column("updatedAt", text("更新时间", "Updated at"), 20)
}

/// Begins a column that files alone have.
#[must_use]
pub const fn file_column<S>(label: Text, width: u8) -> Heading<S> {
    column("", label, width)
}

/// A column without what stands in it.
#[derive(Clone, Copy, Debug)]
pub struct Heading<S> {
    key: &'static str,
    label: Text,
    width: u8,
    sort: Option<S>,
}

impl<S> Heading<S> {
    /// The list can be sorted by it.
    #[must_use]
    pub fn sorted_by(self, sort: S) -> Self {
        Self { sort: Some(sort), ..self }
    }

    /// A text. One that a spreadsheet would take for a formula stays a text.
    pub fn text<R>(self, of: fn(&R) -> &str) -> Column<R, S> {
        self.with(Value::Text(of))
    }

    /// A text that is put together.
    pub fn words<R>(self, of: fn(&R) -> String) -> Column<R, S> {
        self.with(Value::Words(of))
    }

    /// The label of a value, in the caller's language.
    pub fn label<R>(self, of: fn(&R) -> Text) -> Column<R, S> {
        self.with(Value::Label(of))
    }

    /// A whole number, or nothing.
    pub fn number<R>(self, of: fn(&R) -> Option<i64>) -> Column<R, S> {
        self.with(Value::Number(of))
    }

    /// A moment, or nothing.
    pub fn time<R>(self, of: fn(&R) -> Option<UtcTime>) -> Column<R, S> {
        self.with(Value::Time(of))
    }

    /// Yes or no.
    pub fn flag<R>(self, of: fn(&R) -> bool) -> Column<R, S> {
        self.with(Value::Flag(of))
    }

    fn with<R>(self, value: Value<R>) -> Column<R, S> {
        let Self { key, label, width, sort } = self;
        Column { key, label, width, sort, value }
    }
}

impl<R, S> Column<R, S> {
    /// Writes the cell of `row`.
    pub fn write(&self, row: &R, to: &mut dyn Cells) {
        match self.value {
            Value::Text(of) => to.text(of(row)),
            Value::Words(of) => to.text(&of(row)),
            Value::Label(of) => to.text(of(row).get(to.lang())),
            Value::Number(of) => match of(row) {
                Some(number) => to.number(number),
                None => to.text(""),
            },
            Value::Time(of) => to.time(of(row)),
            Value::Flag(of) => to.flag(of(row)),
        }
    }
}
