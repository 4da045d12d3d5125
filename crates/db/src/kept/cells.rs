//! What cells are packed of, and which of them a filter selects.

use sea_orm::Value;

use super::{BLOCK_SIZE, List, RUN, WHOLE};
use crate::sql;

/// A part of a packed cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    shift: u8,
    bits: u8,
    sql: &'static str,
}

impl Field {
    /// A field of so many bits with `shift` bits to the right of it, and how SQL says its value of a row of the list's table.
    #[must_use]
    pub const fn new(shift: u8, bits: u8, sql: &'static str) -> Self {
        assert!(shift + bits <= 31 && bits > 0, "a cell is a positive number of 32 bits");
        Self { shift, bits, sql }
    }

    const fn mask(self) -> i32 {
        (1 << self.bits) - 1
    }

    /// A cell in which this field has the value, and the others have none. Of a larger value its lowest bits are taken.
    #[must_use]
    pub const fn put(self, value: i64) -> i32 {
        ((value & self.mask() as i64) as i32) << self.shift
    }

    /// Its value in a cell.
    #[must_use]
    pub const fn get(self, cell: i32) -> i32 {
        (cell >> self.shift) & self.mask()
    }

    /// Its value in a cell where that is a code: a field of at most 15 bits.
    #[must_use]
    pub const fn code(self, cell: i32) -> i16 {
        self.get(cell) as i16
    }

    /// Whether it can have this value.
    pub fn holds(self, value: impl Into<i64>) -> bool {
        (0..=self.mask().into()).contains(&value.into())
    }

    /// Cells in which it has this value. One that it cannot have selects nothing.
    pub fn is(self, wanted: impl Into<i64>) -> Part {
        self.one_of([wanted.into()])
    }

    /// Cells in which it has one of these values. Those that it cannot have select nothing.
    pub fn one_of(self, wanted: impl IntoIterator<Item = impl Into<i64>>) -> Part {
        let held = wanted.into_iter().map(Into::into).filter(|value| self.holds(*value));
        Part { field: self, wanted: held.map(|value| value as i32).collect() }
    }
}

/// A part of a packed cell, and which of its values are selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    field: Field,
    wanted: Vec<i32>,
}

impl Part {
    /// Whether it selects this cell.
    #[must_use]
    pub fn has(&self, cell: i32) -> bool {
        self.wanted.contains(&self.field.get(cell))
    }
}

/// Which cells of a list are selected.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a> {
    /// All of them.
    All,
    /// These.
    These(&'a [i32]),
    /// Those whose parts have selected values: for lists with too many cells to enumerate.
    With(&'a [Part]),
}

impl<'a> From<Option<&'a [i32]>> for Cells<'a> {
    fn from(cells: Option<&'a [i32]>) -> Self {
        cells.map_or(Self::All, Self::These)
    }
}

/// What a statement about these cells of a list says after `list = $1`, and all its values.
pub(super) fn scope(list: List, cells: Cells<'_>) -> (String, Vec<Value>) {
    let mut values: Vec<Value> = vec![list.0.into()];
    let mut filter = String::new();
    match cells {
        Cells::All => {}
        Cells::These(cells) => {
            filter = format!(" AND cell IN ({})", sql::placeholders(2, cells.len()));
            values.extend(cells.iter().map(|cell| Value::from(*cell)));
        }
        Cells::With(parts) => {
            for Part { field, wanted } in parts {
                // Nothing is selected: no cell matches, and `IN ()` is invalid SQL on PostgreSQL.
                let list =
                    if wanted.is_empty() { "-1".to_owned() } else { sql::placeholders(values.len() + 1, wanted.len()) };
                filter += &format!(" AND ((cell >> {}) & {}) IN ({list})", field.shift, field.mask());
                values.extend(wanted.iter().map(|value| Value::from(*value)));
            }
        }
    }
    (filter, values)
}

/// A list whose cells are packed of fields: how SQL counts it, for those who fill a database by SQL alone, and for tests.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    /// The counted list.
    pub list: List,
    /// What it is a list of.
    pub table: &'static str,
    /// The column whose words it is counted by, if it is.
    pub word: Option<&'static str>,
    /// Of which its cells are packed.
    pub fields: &'static [Field],
}

impl Packed {
    /// The cell of a row of the table, in SQL.
    #[must_use]
    pub fn cell(&self) -> String {
        let field = |field: &Field| format!("({}) * {}", field.sql, 1 << field.shift);
        if self.fields.is_empty() {
            return "0".to_owned();
        }
        self.fields.iter().map(field).collect::<Vec<_>>().join(" + ")
    }

    /// What counts the list anew from its table.
    #[must_use]
    pub fn counted_anew(&self) -> Vec<String> {
        let (Self { list, table, .. }, cell) = (self, self.cell());
        let Some(word) = self.word else { return counted_anew(*list, table, &cell) };
        let List(list) = list;
        vec![
            format!("DELETE FROM kept_word WHERE list = {list}"),
            format!(
                "INSERT INTO kept_word (list, word, cell, n) SELECT {list}, word, cell, COUNT(*) \
                 FROM (SELECT {word} AS word, {cell} AS cell FROM {table}) AS t WHERE word <> '' GROUP BY word, cell"
            ),
        ]
    }
}

/// What counts a list anew from its table. `cell` is the packed value of a row of `table`.
#[must_use]
pub fn counted_anew(List(list): List, table: &str, cell: &str) -> Vec<String> {
    let block = format!("id / {BLOCK_SIZE}");
    let run = format!("{} - id / {}", WHOLE - 1, BLOCK_SIZE * RUN);
    let clear = format!("DELETE FROM kept_count WHERE list = {list}");
    let counted = [&WHOLE.to_string(), &run, &block].map(|block| {
        format!(
            "INSERT INTO kept_count (list, block, cell, n) SELECT {list}, block, cell, COUNT(*) \
             FROM (SELECT {block} AS block, {cell} AS cell FROM {table}) AS t GROUP BY block, cell"
        )
    });
    std::iter::once(clear).chain(counted).collect()
}
