//! What a table is: its columns, how a row fills them, and how texts and times are written.

use chrono_tz::Tz;
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The kind of file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
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
