//! The result of an action.

use wire::Outcome;

/// The result of an action.
#[derive(Debug)]
pub struct Done {
    /// How it ended.
    pub outcome: Outcome,
    /// The output.
    pub output: String,
    /// It was truncated.
    pub truncated: bool,
    /// The exit code.
    pub exit: Option<u8>,
    /// A file for the console.
    pub file: Option<Vec<u8>>,
    /// A certificate that was seen for the first time.
    pub certificate: Option<String>,
}

impl Done {
    /// A result with this outcome and nothing else.
    #[must_use]
    pub const fn so(outcome: Outcome) -> Self {
        Self { outcome, output: String::new(), truncated: false, exit: None, file: None, certificate: None }
    }
}
