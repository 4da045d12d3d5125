//! Which copy needs which file of a package.

use sea_orm::entity::prelude::*;

use crate::{BackupId, PackageBlobId};

/// A copy needs this file of a package to be restored: it is kept for as long.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "backup_package")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub backup_id: BackupId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub blob_id: PackageBlobId,
}

impl ActiveModelBehavior for ActiveModel {}
