//! What can go wrong, with codes that do not change.

use std::time::Duration;

/// Why a BMC did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing answers there.
    #[error("the BMC can not be reached: {why}")]
    Unreachable {
        /// The network's reason.
        why: String,
    },
    /// No answer in time.
    #[error("the BMC did not answer within {:.0} s", after.as_secs_f64())]
    Timeout {
        /// How long was waited.
        after: Duration,
    },
    /// Its certificate is not the one that was pinned.
    #[error("the BMC's certificate is another one ({found}) than at enrolment")]
    CertificateChanged {
        /// SHA-256 of what it showed, in hex.
        found: String,
    },
    /// Name or password are wrong. Nothing is tried again for a minute, so that the account is not locked.
    #[error("the BMC does not accept the name and password")]
    AuthRefused,
    /// It has as many sessions as it can.
    #[error("the BMC has no session left")]
    NoSession,
    /// It lacks what was asked for.
    #[error("the BMC can not do this: {what}")]
    Unsupported {
        /// What it lacks.
        what: String,
    },
    /// It reports a failure, in its own words.
    #[error("the BMC reports ({status}): {message}")]
    Failed {
        /// The HTTP status.
        status: u16,
        /// At most 500 characters of what it said.
        message: String,
    },
    /// What it sends is not Redfish.
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
        /// The serial that was expected.
        expected: String,
        /// The serial that the BMC tells.
        found: String,
    },
    /// It took the orders, and the power did not change.
    #[error("the power did not change within {:.0} s, though the order was sent {sent} times", after.as_secs_f64())]
    PowerStuck {
        /// How often it was sent.
        sent: u32,
        /// How long was waited.
        after: Duration,
    },
}

impl Error {
    /// A short name that stays the same across versions; the console translates it.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "bmc_unreachable",
            Self::Timeout { .. } => "bmc_timeout",
            Self::CertificateChanged { .. } => "bmc_certificate_changed",
            Self::AuthRefused => "bmc_auth_refused",
            Self::NoSession => "bmc_no_session",
            Self::Unsupported { .. } => "bmc_unsupported",
            Self::Failed { .. } => "bmc_failed",
            Self::Protocol { .. } => "bmc_protocol",
            Self::PowerUnknown => "power_unknown",
            Self::WrongCard { .. } => "wrong_card",
            Self::PowerStuck { .. } => "power_stuck",
        }
    }

    pub(crate) fn protocol(what: impl Into<String>) -> Self {
        Self::Protocol { what: what.into() }
    }
}
