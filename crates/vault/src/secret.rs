//! A value that must not be shown.

use std::fmt;

use kernel::time::UtcTime;
use serde::Serialize;
use subtle::ConstantTimeEq as _;
use utoipa::ToSchema;
use zeroize::Zeroizing;

/// A secret in memory. It is wiped when it is dropped, is never printed or serialized, and is compared in constant
/// time.
#[derive(Clone)]
pub struct Secret(pub(crate) Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes over `bytes`.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes. Keep them short-lived, and out of logs and answers.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// The text, if it is one.
    #[must_use]
    pub fn expose_text(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text.into_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Secret {}

/// What people see of a secret: whether it is set, which one, since when and by whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretView {
    /// Whether there is one.
    pub set: bool,
    /// Eight hex digits that distinguish two values without revealing either.
    pub fingerprint: Option<String>,
    /// When it was set.
    pub set_at: Option<UtcTime>,
    /// Who set it.
    pub set_by: Option<String>,
}
