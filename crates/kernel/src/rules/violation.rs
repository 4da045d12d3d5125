//! What a rule answers when a value breaks it.

use std::fmt;

use crate::lang::Lang;

use super::messages;

/// What a rule answers: nothing, or how the value breaks it.
pub type Verdict<T = ()> = Result<T, Violation>;

/// One broken rule: a stable code, and the values that its message names.
///
/// Codes are part of the contract (`errors[].code`). Their texts live in `api/rule-messages.json`, which the web reads too.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// Dotted camelCase, for example `username.format`.
    pub code: &'static str,
    /// Values of the message's `{placeholders}`.
    pub params: Vec<(&'static str, String)>,
}

impl Violation {
    /// A violation whose message names no value.
    pub const fn new(code: &'static str) -> Self {
        Self { code, params: Vec::new() }
    }

    /// Adds a value that the message names.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.params.push((name, value.to_string()));
        self
    }

    /// The value must be unique and another record has it.
    pub const fn taken() -> Self {
        Violation::new("taken")
    }

    /// The value refers to a record that does not exist.
    pub const fn unknown_reference() -> Self {
        Violation::new("reference.unknown")
    }

    /// The value is none of a closed list; `allowed` is the list as people read it.
    pub fn not_a_choice(allowed: &str) -> Self {
        Violation::new("choice.unknown").with("allowed", allowed)
    }

    /// The value has a JSON type that the field does not take.
    pub const fn wrong_type() -> Self {
        Violation::new("type.wrong")
    }

    /// The sentence for people: what is wrong and what to do.
    pub fn message(&self, lang: Lang) -> String {
        messages::render(self.code, &self.params, lang)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code)
    }
}

impl std::error::Error for Violation {}
