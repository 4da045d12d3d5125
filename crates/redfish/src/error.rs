//! Errors, with reasons for programs and texts for people.

use std::time::Duration;

use wire::Reason;

/// Why a BMC did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing answers there.
    #[error("the BMC cannot be reached: {why}")]
    Unreachable {
        /// The network error.
        why: String,
    },
    /// The address is not allowed.
    #[error("{why}")]
    AddressRefused {
        /// Which address, and why not.
        why: String,
    },
    /// No answer in time.
    #[error("the BMC did not answer within {:.0} s", after.as_secs_f64())]
    Timeout {
        /// How long the client waited.
        after: Duration,
    },
    /// Its certificate is not the one that was pinned.
    #[error("the BMC's certificate ({found}) differs from that at enrolment")]
    CertificateChanged {
        /// SHA-256 of the certificate that it showed, in hex.
        found: String,
    },
    /// Username or password is wrong. Nothing is retried for a minute, so that the account is not locked.
    #[error("the BMC does not accept the username and password")]
    AuthRefused,
    /// The account lacks the privilege.
    #[error("the BMC account lacks the privilege for this: {message}")]
    Forbidden {
        /// At most 500 characters of its message.
        message: String,
    },
    /// It refused the session that it had just created. Nothing is retried for a minute.
    #[error("the BMC refuses the session that it has just created")]
    SessionRefused,
    /// It accepts neither a session nor HTTP Basic.
    #[error("the BMC has no session service and does not accept HTTP Basic either")]
    NoScheme,
    /// It has no free session.
    #[error("the BMC has no session available")]
    NoSession,
    /// It does not support the request.
    #[error("the BMC does not support this: {what}")]
    Unsupported {
        /// What is not supported.
        what: String,
    },
    /// It reports a failure, in its own words.
    #[error("the BMC reports ({status}): {message}")]
    Failed {
        /// The HTTP status.
        status: u16,
        /// At most 500 characters of its message.
        message: String,
    },
    /// Its answer does not follow Redfish.
    #[error("the BMC does not follow the protocol: {what}")]
    Protocol {
        /// What is wrong.
        what: String,
    },
    /// It does not know whether the slot is on, so nothing is done.
    #[error("the BMC does not know whether the slot is on, so it gets no power command")]
    PowerUnknown,
    /// Another card than expected is in the slot, so nothing is done.
    #[error("the card in the slot is {found}, and not {expected}")]
    WrongCard {
        /// The expected serial.
        expected: String,
        /// The serial reported by the BMC.
        found: String,
    },
    /// It accepted the commands, and the power did not change.
    #[error("the power did not change within {:.0} s, though the command was sent {sent} times", after.as_secs_f64())]
    PowerStuck {
        /// How often it was sent.
        sent: u32,
        /// How long the client waited.
        after: Duration,
    },
}

impl Error {
    /// What the console is told and translates.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Unreachable { .. } => Reason::BmcUnreachable,
            Self::AddressRefused { .. } => Reason::AddressRefused,
            Self::Timeout { .. } => Reason::BmcTimeout,
            Self::CertificateChanged { .. } => Reason::BmcCertificateChanged,
            Self::AuthRefused => Reason::BmcAuthRefused,
            Self::Forbidden { .. } => Reason::BmcForbidden,
            Self::SessionRefused => Reason::BmcSessionRefused,
            Self::NoScheme => Reason::BmcNoScheme,
            Self::NoSession => Reason::BmcNoSession,
            Self::Unsupported { .. } => Reason::BmcUnsupported,
            Self::Failed { .. } => Reason::BmcFailed,
            Self::Protocol { .. } => Reason::BmcProtocol,
            Self::PowerUnknown => Reason::PowerUnknown,
            Self::WrongCard { .. } => Reason::WrongCard,
            Self::PowerStuck { .. } => Reason::PowerStuck,
        }
    }

    pub(crate) fn protocol(what: impl Into<String>) -> Self {
        Self::Protocol { what: what.into() }
    }
}
