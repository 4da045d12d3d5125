//! A file of an app's package on a storage node.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{PackageBlobId, StoreNodeId};

/// A file of an app's package: once on a node, for all phones that have it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "package_blob")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: PackageBlobId,
    pub node_id: StoreNodeId,
    /// Of its content, in hex.
    pub sha256: String,
    pub size: i64,
    /// The package in which it was seen first.
    pub package: String,
    /// Its name there, such as `base.apk`.
    pub file: String,
    /// `versionCode` of that package.
    pub version_code: i64,
    /// The folder of its repository on the node; ASCII.
    pub folder: String,
    /// Its id in the repository; empty until it was saved.
    pub snapshot: String,
    /// What the store has grown by.
    pub added_bytes: i64,
    pub created_at: UtcTime,
    pub saved_at: Option<UtcTime>,
    /// When it was found damaged; until it was saved anew, in another folder.
    pub damaged_at: Option<UtcTime>,
    /// The master key with which is sealed what lies beside it, as far as was seen to that; 0 before.
    pub sealed_with: i32,
}

impl Model {
    /// Whether a copy may rely on it.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        !self.snapshot.is_empty() && self.damaged_at.is_none()
    }
}

impl ActiveModelBehavior for ActiveModel {}
