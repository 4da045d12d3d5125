//! Keys of objects.

use std::fmt;
use std::str::FromStr;

use object_store::path::Path;

/// The key of an object: `<folder>/<UUIDv7>`. Nothing that a person typed is ever part of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectKey(String);

/// A text that is not one of our keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the key of an object")]
pub struct NotAKey;

impl ObjectKey {
    pub(crate) fn new(folder: &'static str) -> Self {
        let key = format!("{folder}/{}", uuid::Uuid::now_v7());
        debug_assert!(Self::from_str(&key).is_ok(), "{folder} is no folder's name");
        Self(key)
    }

    /// The text stored in the database.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn path(&self) -> Path {
        Path::from(self.0.as_str())
    }
}

impl FromStr for ObjectKey {
    type Err = NotAKey;

    fn from_str(text: &str) -> Result<Self, NotAKey> {
        let (folder, name) = text.split_once('/').ok_or(NotAKey)?;
        let is_folder = !folder.is_empty() && folder.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let is_name = name.len() == 36 && uuid::Uuid::try_parse(name).is_ok();
        if is_folder && is_name { Ok(Self(text.to_owned())) } else { Err(NotAKey) }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
