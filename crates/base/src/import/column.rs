//! The columns that an import takes, and the rules of their cells.

use kernel::rules::{Check, Verdict, Violation};
use kernel::text::Text;

use crate::list::List;
use crate::sheet;

/// A column that is taken.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name that forms and errors use.
    pub key: &'static str,
    /// Its heading, as the list gives it to exports.
    pub label: Text,
    width: u8,
    others: &'static [&'static str],
    pub(super) is_in_template: bool,
    is_required: bool,
    pub(super) is_unique: bool,
    rule: fn(&str) -> Verdict,
}

/// The column `key` of the list `L`: its label and its width.
///
/// # Panics
/// When the list has no such column.
#[must_use]
pub fn of<L: List>(key: &'static str) -> Column {
    let found = L::columns().into_iter().find(|column| column.key == key);
    let found = found.unwrap_or_else(|| panic!("{} has no column {key}", L::KIND));
    let (label, width) = (found.label, found.width);
    let (is_in_template, is_required, is_unique) = (true, false, false);
    Column { key, label, width, others: &[], is_in_template, is_required, is_unique, rule: |_| Ok(()) }
}

/// A column that the list does not have: what is filled in there is not what the list shows.
#[must_use]
pub const fn own(key: &'static str, label: Text, width: u8) -> Column {
    let (is_in_template, is_required, is_unique) = (true, false, false);
    Column { key, label, width, others: &[], is_in_template, is_required, is_unique, rule: |_| Ok(()) }
}

impl Column {
    /// Other headings that people use for it, such as one that it had before.
    #[must_use]
    pub const fn also(self, others: &'static [&'static str]) -> Self {
        Self { others, ..self }
    }

    /// It is taken out of a file that has it, such as an export; whoever fills in the template does without.
    #[must_use]
    pub const fn beyond_template(self) -> Self {
        Self { is_in_template: false, ..self }
    }

    /// The file must have it, and every row a value in it.
    #[must_use]
    pub const fn required(self) -> Self {
        Self { is_required: true, ..self }
    }

    /// No two rows of a file may have the same value in it.
    #[must_use]
    pub const fn unique(self) -> Self {
        Self { is_unique: true, ..self }
    }

    /// What is wrong with a value; cells without one are not asked.
    #[must_use]
    pub const fn rule(self, rule: fn(&str) -> Verdict) -> Self {
        Self { rule, ..self }
    }

    /// Whether a heading of a file means this column.
    pub(super) fn is_under(&self, heading: &str) -> bool {
        is_heading(heading, self.key, self.label) || self.others.iter().any(|other| heading.eq_ignore_ascii_case(other))
    }

    pub(super) fn check(&self, cell: &str, check: &mut Check) {
        if !cell.is_empty() {
            check.field(self.key, (self.rule)(cell));
        }
    }

    /// The required columns among `columns` that `has` does not have.
    pub(super) fn missing<'a>(
        columns: &'a [Self],
        has: impl Fn(&'static str) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Self> {
        columns.iter().filter(move |column| column.is_required && !has(column.key))
    }

    pub(super) const fn heading(&self) -> sheet::Column {
        sheet::column(self.label, self.width)
    }
}

/// Whether a heading of a file means the column `key`: in either language, or by its name.
pub(super) fn is_heading(heading: &str, key: &str, Text { zh, en }: Text) -> bool {
    heading == zh || heading.eq_ignore_ascii_case(en) || (!key.is_empty() && heading.eq_ignore_ascii_case(key))
}

/// A yes or a no, as people write it.
///
/// # Errors
/// When it is neither.
pub fn flag(value: &str) -> Verdict<bool> {
    match value.trim().to_lowercase().as_str() {
        "是" | "yes" | "y" | "true" | "1" => Ok(true),
        "否" | "no" | "n" | "false" | "0" => Ok(false),
        _ => Err(Violation::not_a_choice("是, 否, yes, no, 1, 0")),
    }
}
