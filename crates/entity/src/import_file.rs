//! A spreadsheet that was checked and waits to be imported.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OperatorId;

/// A spreadsheet that was checked and waits to be imported.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_file")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    /// What the rows are, such as `clientUser`.
    pub kind: String,
    pub file_name: String,
    pub object_key: String,
    pub total_rows: i32,
    pub bad_rows: i32,
    pub created_by: OperatorId,
    pub created_at: UtcTime,
    pub started_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}
