//! An upload that goes on after a broken line.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OperatorId;

/// An upload that goes on after a broken line.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "upload")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// What the file is for, such as `operationFile`.
    pub kind: String,
    pub file_name: String,
    /// Bytes of the whole file.
    pub size: i64,
    /// When its sender changed it last.
    pub modified_at: UtcTime,
    pub created_by: OperatorId,
    pub created_at: UtcTime,
    /// JSON: what was made of it, once it was taken.
    pub answer: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
