//! Why a storage node did not do what it was asked.

use std::fmt;
use std::io;

/// What it means for whoever waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// There is no such file.
    Missing,
    /// The login, the certificate or the permission is not accepted: trying again helps nobody.
    Refused,
    /// It has no room.
    Full,
    /// It does not answer, or the connection broke: it may answer later.
    Unreachable,
    /// What it has is not what was written.
    Broken,
}

/// During what it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Finding and connecting.
    Connect,
    /// Encrypting the connection.
    Encrypt,
    /// Signing in.
    SignIn,
    /// Listing.
    List,
    /// Writing.
    Write,
    /// Reading back.
    Read,
    /// Giving a written file its name.
    Rename,
    /// Removing.
    Remove,
}

/// Why a storage node did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{step}: {text}")]
pub struct Trouble {
    /// What it means.
    pub kind: Kind,
    /// During what.
    pub step: Step,
    /// The node's or the system's own words.
    pub text: String,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connect",
            Self::Encrypt => "encrypt",
            Self::SignIn => "sign in",
            Self::List => "list",
            Self::Write => "write",
            Self::Read => "read",
            Self::Rename => "rename",
            Self::Remove => "remove",
        })
    }
}

impl Trouble {
    /// A trouble in these words.
    pub fn new(kind: Kind, step: Step, text: impl Into<String>) -> Self {
        Self { kind, step, text: text.into() }
    }

    /// The system's error.
    #[must_use]
    #[expect(clippy::wildcard_enum_match_arm, reason = "all that is left is of a network or a disk that may come back")]
    pub fn of(step: Step, cause: &io::Error) -> Self {
        let kind = match cause.kind() {
            io::ErrorKind::NotFound => Kind::Missing,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::NotADirectory => {
                Kind::Refused
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Kind::Full,
            io::ErrorKind::UnexpectedEof => Kind::Broken,
            _ => Kind::Unreachable,
        };
        Self::new(kind, step, cause.to_string())
    }

    /// The same of a connection, where nothing is missing and nothing is cut off: it broke.
    #[must_use]
    pub(crate) fn unless_missing(self) -> Self {
        let broke = matches!(self.kind, Kind::Missing | Kind::Broken);
        Self { kind: if broke { Kind::Unreachable } else { self.kind }, ..self }
    }
}
