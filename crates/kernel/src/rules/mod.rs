//! The shared rules: what a value must look like, wherever it comes from.
//!
//! The web has the same rules under the same names (`web/src/rules`). Both sides run every row of `api/rule-cases.json`
//! and speak the messages of `api/rule-messages.json`. The server stays the judge: the web only tells people earlier.
//!
//! An empty text breaks every format rule with the code `required`; a field that may stay blank is checked with
//! [`Check::optional`]. Characters are Unicode scalar values on both sides.

mod check;
pub mod messages;
mod violation;

pub use check::{Check, FieldError, FieldMessage, Invalid};
pub use violation::{Verdict, Violation};
