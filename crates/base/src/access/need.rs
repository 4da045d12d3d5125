//! What calls need, and the table of all calls: what the guard enforces and what others may know of it.

use http::Method;

/// Ends the operation id of a call's second path: ids have to be unique.
pub(crate) const BARE: &str = "_v1";

/// What a call needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing: anybody may call it.
    Nothing,
    /// A session.
    Session,
    /// A session, also one that must change its password before anything else.
    AnySession,
    /// A session with this permission code.
    Code(&'static str),
    /// A session with the permission code of one of these cases: the body says which
    /// ([`Decided`](crate::http::decided::Decided)).
    OneOf(&'static [Case]),
}

impl Need {
    /// The permission code; empty, which nobody holds, where it takes none or one of several.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Code(code) => code,
            Self::Nothing | Self::Session | Self::AnySession | Self::OneOf(_) => "",
        }
    }

    /// The permission codes of which it needs one; none where a session is enough, or nothing.
    #[must_use]
    pub fn codes(self) -> Vec<&'static str> {
        match self {
            Self::Nothing | Self::Session | Self::AnySession => Vec::new(),
            Self::Code(code) => vec![code],
            Self::OneOf(cases) => {
                let mut codes: Vec<&str> = cases.iter().map(|case| case.code).collect();
                codes.sort_unstable();
                codes.dedup();
                codes
            }
        }
    }
}

/// What people need for a background job that somebody has asked for: all of it.
#[derive(Clone, Copy, Debug)]
pub struct JobNeeds {
    /// To ask for it, to retry it and, if it makes a file, to download that.
    pub needs: &'static [Need],
    /// It makes a file.
    pub makes_file: bool,
}

/// One of the things that a call may be asked to do, where each needs a permission of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The act that the operation log knows.
    pub action: &'static str,
    /// The permission code.
    pub code: &'static str,
    /// A body that asks for it, for the test of all permissions. It can be read, and need not be valid.
    pub sample: &'static str,
}

/// A row of the access table.
#[derive(Clone, Debug)]
pub struct Route {
    /// GET, POST, PUT, PATCH or DELETE.
    pub method: Method,
    /// The path with its parameters in braces.
    pub path: String,
    /// The operation's id.
    pub operation: &'static str,
    /// What it needs.
    pub need: Need,
    /// Whether it changes anything. An act writes a line to the operation log.
    pub acts: bool,
    /// Whether it takes a fresh proof of who asks.
    pub step_up: bool,
    /// What it needs as well for some of the things that it may be asked about: its handler looks.
    pub also: &'static [Need],
}

impl Route {
    /// Its name without regard to its path: both paths of a call are one act.
    #[must_use]
    pub fn action(&self) -> &'static str {
        self.operation.strip_suffix(BARE).unwrap_or(self.operation)
    }

    /// The acts that the operation log knows, each with what it needs: one, or one for each case.
    #[must_use]
    pub fn actions(&self) -> Vec<(&'static str, Need)> {
        match self.need {
            Need::OneOf(cases) => cases.iter().map(|case| (case.action, Need::Code(case.code))).collect(),
            Need::Nothing | Need::Session | Need::AnySession | Need::Code(_) => vec![(self.action(), self.need)],
        }
    }
}
