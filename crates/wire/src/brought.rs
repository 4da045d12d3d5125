//! What becomes of the packages of a copy on a card.

use serde::{Deserialize, Serialize};

/// What has become of the packages of a copy on another card: the output of [`crate::Act::Apps`], as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppsBrought {
    /// Those that were installed; the first [`MAX_TOLD`] of them.
    pub installed: Vec<String>,
    /// How many those are in all.
    pub installed_in_all: u64,
    /// How many were there already, in that version or a newer one.
    pub present: u64,
    /// Those that were not, or not with all that they had been granted; the first [`MAX_TOLD`] of them.
    pub failed: Vec<AppFailed>,
    /// How many those are in all.
    pub failed_in_all: u64,
}

/// A package that was not installed, or not with all that it had been granted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AppFailed {
    /// The package.
    pub name: String,
    /// The package manager's own code, or one of [`crate::Reason`].
    pub code: String,
    /// For people, in English.
    pub reason: String,
}

/// The most packages that [`AppsBrought`] names of each kind.
pub const MAX_TOLD: usize = 20;
