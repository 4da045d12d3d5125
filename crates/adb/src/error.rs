//! What can go wrong, with codes that do not change and texts for people.

use std::time::Duration;

use crate::link::LinkError;
use crate::package::InstallFailure;

/// Why a card did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing listens: ADB is off, or the card is down.
    #[error("the card refused the connection: ADB does not listen there")]
    Refused,
    /// The network does not lead there.
    #[error("the card can not be reached: {why}")]
    Unreachable {
        /// What the system says.
        why: String,
    },
    /// No answer in time.
    #[error("no answer within {:.1} s ({step})", after.as_secs_f64())]
    Timeout {
        /// What was waited for.
        step: &'static str,
        /// How long.
        after: Duration,
    },
    /// The card does not know our key, and nobody approved it.
    #[error("the card does not accept this room's ADB key")]
    AuthRefused,
    /// The card asks for a key, and we were given none.
    #[error("the card asks for an ADB key, and this room has none")]
    AuthNeeded,
    /// The card can not do this.
    #[error("the card can not do this: {what}")]
    Unsupported {
        /// What it lacks.
        what: &'static str,
    },
    /// What the card sends is not ADB, or against its rules.
    #[error("the card does not follow the protocol: {what}")]
    Protocol {
        /// What is wrong.
        what: String,
    },
    /// The connection or the stream ended before the work was done.
    #[error("the connection to the card was lost")]
    Closed,
    /// The card has no such service, or did not let us in.
    #[error("the card refused the service {service}")]
    ServiceRefused {
        /// Its name without arguments.
        service: String,
    },
    /// The card tried and failed; these are its own words.
    #[error("the card reports: {reason}")]
    DeviceFail {
        /// At most 1,000 characters of what it said.
        reason: String,
    },
    /// The card's storage is full.
    #[error("no space is left on the card: {reason}")]
    NoSpace {
        /// At most 1,000 characters of what it said.
        reason: String,
    },
    /// The package manager refused.
    #[error("the card did not take the package: {0}")]
    Install(InstallFailure),
    /// An answer beyond the limit that was set for it.
    #[error("the answer is larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// What we were asked to send can not be sent.
    #[error("this can not be sent to a card: {what}")]
    BadArgument {
        /// What is wrong with it.
        what: String,
    },
    /// The file on our side could not be read or written.
    #[error("the file on this side: {why}")]
    Local {
        /// What the system says.
        why: String,
    },
}

impl Error {
    /// A short name that stays the same across versions; the console translates it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Refused => "adb_refused",
            Self::Unreachable { .. } => "adb_unreachable",
            Self::Timeout { .. } => "adb_timeout",
            Self::AuthRefused => "adb_auth_refused",
            Self::AuthNeeded => "adb_auth_needed",
            Self::Unsupported { .. } => "adb_unsupported",
            Self::Protocol { .. } => "adb_protocol",
            Self::Closed => "adb_closed",
            Self::ServiceRefused { .. } => "adb_service_refused",
            Self::DeviceFail { .. } => "device_fail",
            Self::NoSpace { .. } | Self::Install(InstallFailure::InsufficientStorage) => "no_space",
            Self::Install(_) => "install_failed",
            Self::TooLarge { .. } => "too_large",
            Self::BadArgument { .. } => "bad_argument",
            Self::Local { .. } => "local_file",
        }
    }

    /// Whether the connection is of no use any more, so that the next attempt needs a new one.
    #[must_use]
    pub const fn ends_connection(&self) -> bool {
        matches!(
            self,
            Self::Refused
                | Self::Unreachable { .. }
                | Self::AuthRefused
                | Self::AuthNeeded
                | Self::Protocol { .. }
                | Self::Closed
        )
    }

    pub(crate) fn protocol(what: impl Into<String>) -> Self {
        Self::Protocol { what: what.into() }
    }

    /// The card's own words, cut to what a person reads; a full storage is told apart.
    pub(crate) fn device(reason: &str) -> Self {
        let reason: String = reason.trim().chars().take(1000).collect();
        if reason.contains("No space left") || reason.contains("ENOSPC") {
            Self::NoSpace { reason }
        } else {
            Self::DeviceFail { reason }
        }
    }

    pub(crate) fn local(error: &std::io::Error) -> Self {
        Self::Local { why: error.to_string() }
    }
}

impl From<LinkError> for Error {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Malformed(what) => Self::protocol(what.to_string()),
            LinkError::Closed | LinkError::Io(_) => Self::Closed,
        }
    }
}

/// Waits for one step at most so long.
pub(crate) async fn within<T>(
    step: &'static str,
    after: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::time::timeout(after, work).await.unwrap_or(Err(Error::Timeout { step, after }))
}
