//! Errors, with reasons for programs and texts for people.

use std::time::Duration;

use wire::Reason;

use crate::link::LinkError;
use crate::package::InstallFailure;

/// Why a card did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The port is closed: ADB is off, or the card is down.
    #[error("the card refused the connection: the ADB port is closed")]
    Refused,
    /// The network is unreachable.
    #[error("the card cannot be reached: {why}")]
    Unreachable {
        /// The system's message.
        why: String,
    },
    /// The address is not allowed.
    #[error("{why}")]
    AddressRefused {
        /// Which address, and why not.
        why: String,
    },
    /// No answer in time.
    #[error("no answer within {:.1} s ({step})", after.as_secs_f64())]
    Timeout {
        /// The step that timed out.
        step: &'static str,
        /// The timeout.
        after: Duration,
    },
    /// The card does not know our key, and nobody approved it.
    #[error("the card does not accept this room's ADB key")]
    AuthRefused,
    /// The card requires a key, and we have none.
    #[error("the card requires an ADB key, and this room has none")]
    AuthNeeded,
    /// The card does not support this.
    #[error("the card does not support this: {what}")]
    Unsupported {
        /// What is not supported.
        what: &'static str,
    },
    /// The card's data is not ADB, or violates the protocol.
    #[error("the card does not follow the protocol: {what}")]
    Protocol {
        /// What is wrong.
        what: String,
    },
    /// The connection or the stream ended before the work was done.
    #[error("the connection to the card was lost")]
    Closed,
    /// The card has no such service, or refused it.
    #[error("the card refused the service {service}")]
    ServiceRefused {
        /// Its name without arguments.
        service: String,
    },
    /// The card failed; this is its own message.
    #[error("the card reports: {reason}")]
    DeviceFail {
        /// At most 1,000 characters of its message.
        reason: String,
    },
    /// The card's storage is full.
    #[error("not enough storage on the card: {reason}")]
    NoSpace {
        /// At most 1,000 characters of its message.
        reason: String,
    },
    /// The package manager refused.
    #[error("the card refused the package: {0}")]
    Install(InstallFailure),
    /// An answer above its limit.
    #[error("the answer is larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The request cannot be sent.
    #[error("this cannot be sent to a card: {what}")]
    BadArgument {
        /// What is wrong with it.
        what: String,
    },
    /// The local file could not be read or written.
    #[error("local file: {why}")]
    Local {
        /// The system's message.
        why: String,
    },
}

impl Error {
    /// What the console is told and translates.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Refused => Reason::AdbRefused,
            Self::Unreachable { .. } => Reason::AdbUnreachable,
            Self::AddressRefused { .. } => Reason::AddressRefused,
            Self::Timeout { .. } => Reason::AdbTimeout,
            Self::AuthRefused => Reason::AdbAuthRefused,
            Self::AuthNeeded => Reason::AdbAuthNeeded,
            Self::Unsupported { .. } => Reason::AdbUnsupported,
            Self::Protocol { .. } => Reason::AdbProtocol,
            Self::Closed => Reason::AdbClosed,
            Self::ServiceRefused { .. } => Reason::AdbServiceRefused,
            Self::DeviceFail { .. } => Reason::DeviceFail,
            Self::NoSpace { .. } | Self::Install(InstallFailure::InsufficientStorage) => Reason::NoSpace,
            Self::Install(_) => Reason::InstallFailed,
            Self::TooLarge { .. } => Reason::TooLarge,
            Self::BadArgument { .. } => Reason::BadArgument,
            Self::Local { .. } => Reason::LocalFile,
        }
    }

    /// Whether the connection can no longer be used, so that the next attempt needs a new one.
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

    /// The card's own message, truncated; a full storage is recognized.
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

/// Waits for one step, with a timeout.
pub(crate) async fn within<T>(
    step: &'static str,
    after: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    tokio::time::timeout(after, work).await.unwrap_or(Err(Error::Timeout { step, after }))
}
