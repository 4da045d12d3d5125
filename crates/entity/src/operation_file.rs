//! A file that operations install on cards or push to them.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::OperationFileId;

/// A file.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "operation_file")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: OperationFileId,
    /// Key in the object storage.
    pub object_key: String,
    /// As uploaded, for display.
    pub file_name: String,
    /// Bytes.
    pub size: i64,
    /// In hex.
    pub sha256: String,
    /// It is an Android package, by its content.
    pub is_package: bool,
    /// The package's name; empty if it is not a package or has none.
    pub package_name: String,
    /// Its version, for display.
    pub package_version: String,
    pub created_by: String,
    pub created_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
