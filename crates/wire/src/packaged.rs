//! Packages of apps, as a copy knows them.

use serde::{Deserialize, Serialize};

use crate::copy::{Amount, MAX_NAME, PACK};

/// The most files of a package: its base and its splits.
pub const MAX_APKS: usize = 200;

/// The most permissions of a package: Android knows about 40 that are granted while an app runs.
pub const MAX_GRANTS: usize = 200;

/// The most certificates of those who signed a package.
pub const MAX_SIGNERS: usize = 16;

/// The most operations (`appops`) of a package: Android knows about 120.
pub const MAX_OPS: usize = 300;

/// A package, and its data.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PackageData {
    /// Its name.
    #[serde(deserialize_with = "crate::bounded::text::<_, MAX_NAME>")]
    pub name: String,
    /// `versionCode`; 0 if the card does not say.
    #[serde(default)]
    pub version_code: i64,
    /// What people call that version; empty if the card does not say, or was not asked.
    #[serde(default, deserialize_with = "crate::bounded::text::<_, MAX_NAME>")]
    pub version_name: String,
    /// The user that it runs as on that card; 0 if the card does not say.
    #[serde(default)]
    pub uid: u32,
    /// It is not the image's.
    #[serde(default)]
    pub is_own: bool,
    /// Its data, private and external.
    #[serde(default)]
    pub amount: Amount,
    /// Where its base lay on that card: another place after each installation. Empty if it was not told.
    #[serde(default, deserialize_with = "crate::bounded::text::<_, MAX_NAME>")]
    pub path: String,
    /// Its files, if it is not the image's: the base, and splits.
    #[serde(default, deserialize_with = "crate::bounded::list::<_, _, MAX_APKS>")]
    pub apks: Vec<ApkFile>,
    /// The permissions that its owner has granted it while it ran, if it is not the image's.
    #[serde(default, deserialize_with = "crate::bounded::texts::<_, MAX_GRANTS, MAX_NAME>")]
    pub grants: Vec<String>,
    /// Who signed it, if it is not the image's: the SHA-256 of each certificate, in hex. Empty if the card does not say, or
    /// was not asked.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::bounded::texts::<_, MAX_SIGNERS, PACK>"
    )]
    pub signers: Vec<String>,
    /// The operations of Android (`appops`) that were set for it, with their modes, if it is not the image's:
    /// `CAMERA: ignore`.
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "crate::bounded::texts::<_, MAX_OPS, MAX_NAME>"
    )]
    pub ops: Vec<String>,
    /// It has keys in Android's keystore, which are bound to the board and in no copy, if it is not the image's; none if the
    /// card does not say, or was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_keys: Option<bool>,
}

/// A file of a package: the base, or a split.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApkFile {
    /// Its name in the folder of the package, such as `base.apk`.
    #[serde(deserialize_with = "crate::bounded::text::<_, MAX_NAME>")]
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// When its content was changed: seconds since 1970.
    pub modified: i64,
    /// The SHA-256 of its content, in hex.
    #[serde(deserialize_with = "crate::bounded::text::<_, PACK>")]
    pub sha256: String,
}

/// A file of a package that was saved and read back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedPackage {
    /// The SHA-256 of the file, in hex.
    #[serde(deserialize_with = "crate::bounded::text::<_, PACK>")]
    pub sha256: String,
    /// The folder of its repository, as the keys named it.
    #[serde(deserialize_with = "crate::bounded::text::<_, MAX_NAME>")]
    pub folder: String,
    /// Its id in the repository.
    #[serde(deserialize_with = "crate::bounded::text::<_, PACK>")]
    pub snapshot: String,
    /// Bytes that the store has grown by.
    pub added: u64,
}
