//! Collects what is wrong with an input, field by field, so that a person gets all problems at once.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::lang::Lang;
use crate::time::UtcTime;

use super::{Verdict, Violation};

/// The collector that a request's `validate` fills.
///
/// ```ignore
/// let mut check = Check::new();
/// check.field("username", rules::username(&input.username));
/// check.optional("email", input.email.as_deref(), rules::email);
/// check.finish()?;
/// ```
#[derive(Debug, Default)]
pub struct Check {
    prefix: String,
    errors: Vec<FieldError>,
}

impl Check {
    /// A collector that has found nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a verdict for a field and passes on the value, if there is one.
    ///
    /// Only the first violation of a field is kept: "must not be empty" makes "too short" noise.
    pub fn field<T>(&mut self, field: impl Into<Cow<'static, str>>, verdict: Verdict<T>) -> Option<T> {
        match verdict {
            Ok(value) => Some(value),
            Err(violation) => {
                self.add(field, violation);
                None
            }
        }
    }

    /// Applies a rule to a field that may be omitted or blank.
    pub fn optional<T>(
        &mut self,
        field: impl Into<Cow<'static, str>>,
        value: Option<&str>,
        rule: impl FnOnce(&str) -> Verdict<T>,
    ) -> Option<T> {
        let given = value.filter(|text| !text.is_empty())?;
        self.field(field, rule(given))
    }

    /// The search text of a list: up to 64 characters.
    pub fn key_word(&mut self, text: Option<&str>) {
        self.optional("keyWord", text, |text| super::max_chars(text, 64));
    }

    /// Checks `startTime` and `endTime` of a list: a period that ends before it begins holds nothing.
    pub fn period(&mut self, start: Option<UtcTime>, end: Option<UtcTime>) {
        if let (Some(start), Some(end)) = (start, end) {
            self.field("endTime", super::not_before(start, end));
        }
    }

    /// Records a violation found by other means, for example a name that is taken.
    pub fn add(&mut self, field: impl Into<Cow<'static, str>>, violation: Violation) {
        let field = format!("{}{}", self.prefix, field.into());
        if self.errors.iter().all(|error| error.field != field) {
            self.errors.push(FieldError { field, violation });
        }
    }

    /// Checks a part of the input; its fields are named `part.field`.
    pub fn nested(&mut self, part: &str, inner: impl FnOnce(&mut Self)) {
        let outer_length = self.prefix.len();
        self.prefix.push_str(part);
        self.prefix.push('.');
        inner(self);
        self.prefix.truncate(outer_length);
    }

    /// Checks each item of a list; its fields are named `list[0].field`.
    pub fn each<T>(&mut self, list: &str, items: &[T], mut inner: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            self.nested(&format!("{list}[{index}]"), |check| inner(check, item));
        }
    }

    /// Whether nothing is wrong so far.
    pub fn is_clean(&self) -> bool {
        self.errors.is_empty()
    }

    /// Ends the check: all violations, or none.
    pub fn finish(self) -> Result<(), Invalid> {
        if self.errors.is_empty() { Ok(()) } else { Err(Invalid(self.errors)) }
    }
}

/// A violation at a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The field as the request names it, for example `username` or `parameters[2].key`.
    pub field: String,
    /// What is wrong there.
    pub violation: Violation,
}

impl FieldError {
    /// The error for the answer.
    pub fn render(&self, lang: Lang) -> FieldMessage {
        FieldMessage {
            field: self.field.clone(),
            code: self.violation.code.to_owned(),
            message: self.violation.message(lang),
        }
    }
}

/// One entry of `errors` in the answer to invalid input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FieldMessage {
    /// The field as the request names it.
    pub field: String,
    /// Stable code of the violated rule, for programs.
    pub code: String,
    /// What is wrong and what to do, in the caller's language.
    pub message: String,
}

/// An input that violates rules. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid(pub Vec<FieldError>);

impl Invalid {
    /// An input with a single error.
    pub fn one(field: impl Into<Cow<'static, str>>, violation: Violation) -> Self {
        Self(vec![FieldError { field: field.into().into_owned(), violation }])
    }

    /// All errors for the answer.
    pub fn render(&self, lang: Lang) -> Vec<FieldMessage> {
        self.0.iter().map(|error| error.render(lang)).collect()
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid input:")?;
        for FieldError { field, violation } in &self.0 {
            write!(f, " {field} ({violation})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
