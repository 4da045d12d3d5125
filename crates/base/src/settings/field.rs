//! The fields of a settings document, each said once: the check, the limits in the API document, the words of the
//! operation log and the form of the console come from here.

use std::ops::RangeInclusive;

use kernel::rules::{Check, integer_between};
use kernel::text::Text;

/// Units of settings.
pub mod unit {
    use kernel::text::{Text, text};

    /// Seconds.
    pub const SECONDS: Text = text("秒", "s");
    /// Minutes.
    pub const MINUTES: Text = text("分钟", "min");
    /// Hours.
    pub const HOURS: Text = text("小时", "h");
    /// Days.
    pub const DAYS: Text = text("天", "days");
    /// Parts of a hundred.
    pub const PERCENT: Text = text("%", "%");
}

/// A field of the document `D`.
#[derive(Debug)]
pub struct Field<D> {
    pub(super) heading: Heading,
    pub(super) number: Option<Number<D>>,
}

#[derive(Debug)]
pub(super) struct Number<D> {
    pub(super) limits: RangeInclusive<i64>,
    value: fn(&D) -> i64,
}

/// A field without what may stand in it.
#[derive(Clone, Copy, Debug)]
pub struct Heading {
    pub(super) key: &'static str,
    pub(super) label: Text,
    pub(super) unit: Option<Text>,
}

/// Begins a field: its name in JSON, and what it is called.
#[must_use]
pub const fn field(key: &'static str, label: Text) -> Heading {
    Heading { key, label, unit: None }
}

impl Heading {
    /// It is counted in this.
    #[must_use]
    pub const fn unit(self, unit: Text) -> Self {
        Self { unit: Some(unit), ..self }
    }

    /// A whole number within these limits.
    pub fn within<D>(self, limits: RangeInclusive<i64>, value: fn(&D) -> i64) -> Field<D> {
        Field { heading: self, number: Some(Number { limits, value }) }
    }

    /// Its type says all that may stand in it: a flag, or a text that [`super::SettingsDoc::check`] looks at.
    #[must_use]
    pub const fn of_its_type<D>(self) -> Field<D> {
        Field { heading: self, number: None }
    }

    /// What it is called on its own: with its unit.
    pub(super) fn alone(self) -> [String; 2] {
        let Self { label, unit, .. } = self;
        match unit {
            Some(unit) => [format!("{}（{}）", label.zh, unit.zh), format!("{} ({})", label.en, unit.en)],
            None => [label.zh.to_owned(), label.en.to_owned()],
        }
    }
}

impl<D> Field<D> {
    /// Records a number outside of its limits.
    pub(super) fn check(&self, document: &D, check: &mut Check) {
        if let Some(Number { limits, value }) = &self.number {
            check.field(self.heading.key, integer_between(value(document), *limits.start(), *limits.end()));
        }
    }
}
