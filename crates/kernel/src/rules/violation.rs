//! The result of a rule that a value violates.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

use crate::lang::Lang;
use crate::text::{Message, text};

use super::messages;

/// The result of a rule: nothing, or how the value violates it.
pub type Verdict<T = ()> = Result<T, Violation>;

/// One violated rule: a stable code, and the values for its message.
///
/// Codes are part of the contract (`errors[].code`). Their texts are in `api/rule-messages.json`, which the web reads
/// too. Serialized, it is passed from one process of this program to another; deserialized, it has a code of the
/// catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// Dotted camelCase, for example `username.format`.
    pub code: &'static str,
    /// Values of the message's `{placeholders}`.
    pub params: Vec<(&'static str, String)>,
}

impl Violation {
    /// A violation whose message has no placeholders.
    pub const fn new(code: &'static str) -> Self {
        Self { code, params: Vec::new() }
    }

    /// Adds a value for the message.
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

    /// The value is not in a closed list; `allowed` is the list for people.
    pub fn not_a_choice(allowed: &str) -> Self {
        Violation::new("choice.unknown").with("allowed", allowed)
    }

    /// The value has a JSON type that the field does not accept.
    pub const fn wrong_type() -> Self {
        Violation::new("type.wrong")
    }

    /// [`Self::message`] in both languages, for what is read later.
    pub fn sentence(&self) -> Message {
        let of = |lang| messages::template(self.code, lang).unwrap_or_else(|| messages::UNKNOWN.get(lang));
        let sentence = Message::from(text(of(Lang::Zh), of(Lang::En)));
        self.params.iter().fold(sentence, |sentence, (name, value)| sentence.with(name, value))
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

/// A violation received from another process.
#[derive(Deserialize)]
struct Told {
    code: String,
    params: Vec<(String, String)>,
}

impl<'de> Deserialize<'de> for Violation {
    /// Values that its message does not use are dropped.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let told = Told::deserialize(from)?;
        let known = messages::codes().find(|code| *code == told.code);
        let code = known.ok_or_else(|| de::Error::custom(format_args!("there is no rule `{}`", told.code)))?;
        let params = told.params.into_iter();
        let params = params.filter_map(|(name, value)| Some((messages::placeholder(code, &name)?, value))).collect();
        Ok(Self { code, params })
    }
}
