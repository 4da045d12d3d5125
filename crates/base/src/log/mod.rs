//! The operation log in words: what acts and objects are called, what a note says, and what an act changed.

pub mod change;
pub mod last;
pub mod note;
pub mod shape;

use std::borrow::Cow;

use kernel::lang::Lang;
use kernel::text::Text;
use serde_json::Value;

/// What an act is called where its call does several: `card_maintain` that sets `maintenance` to 1 returns a card.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The call, as the log keeps it.
    pub act: &'static str,
    /// The field of the object after the act that tells.
    pub field: &'static str,
    /// Its value, as JSON.
    pub value: &'static str,
    /// What the act is called then.
    pub name: Text,
}

/// The act is called `name` when `field` became `value` (as JSON).
#[must_use]
pub const fn turn(act: &'static str, field: &'static str, value: &'static str, name: Text) -> Turn {
    Turn { act, field, value, name }
}

/// What the log knows of a kind of objects.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    kind: &'static str,
    schema: fn() -> Cow<'static, str>,
    fields: &'static [(&'static str, Text)],
    choices: &'static [(&'static str, &'static str)],
    plain: &'static [&'static str],
    silent: &'static [&'static str],
}

/// Objects of this `kind` are described by a schema: what its list labels, and the closed lists that it refers to, are
/// the words of their fields.
#[must_use]
pub const fn shape(kind: &'static str, schema: fn() -> Cow<'static, str>) -> Shape {
    Shape { kind, schema, fields: &[], choices: &[], plain: &[], silent: &[] }
}

impl Shape {
    /// What fields are called that its list does not show. A field that several kinds have is named with one of them.
    #[must_use]
    pub const fn fields(self, fields: &'static [(&'static str, Text)]) -> Self {
        Self { fields, ..self }
    }

    /// The closed lists of fields that its schema does not have.
    #[must_use]
    pub const fn choices(self, choices: &'static [(&'static str, &'static str)]) -> Self {
        Self { choices, ..self }
    }

    /// What the values of several objects were that earlier versions kept without their names.
    #[must_use]
    pub const fn plain(self, plain: &'static [&'static str]) -> Self {
        Self { plain, ..self }
    }

    /// Fields that say nothing about an act.
    #[must_use]
    pub const fn silent(self, silent: &'static [&'static str]) -> Self {
        Self { silent, ..self }
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        self.kind
    }

    /// The name of its schema.
    #[must_use]
    pub fn schema(&self) -> Cow<'static, str> {
        (self.schema)()
    }

    /// What was given by [`Self::fields`].
    #[must_use]
    pub const fn own_fields(&self) -> &'static [(&'static str, Text)] {
        self.fields
    }
}

/// What the log knows of a settings document: each is a kind of object of its own.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Its stored name.
    pub name: &'static str,
    /// What it is called.
    pub title: Text,
    /// Its fields, and what each is called, in both languages.
    pub labels: fn() -> Vec<(&'static str, [String; 2])>,
}

/// Why it was done, as whoever did it wrote it: with what became of the object, or as the whole note, where that is none
/// of the program's own. Empty if nobody said.
#[must_use]
pub fn reason(note: &str, after: Option<&Value>) -> String {
    let typed = || note::words(note, Lang::Zh).is_none().then_some(note);
    change::reason(after).or_else(typed).unwrap_or_default().to_owned()
}
