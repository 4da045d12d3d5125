//! The end of a shell, with its record complete.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::ShellId;

/// Belongs to an operation log entry that holds the record's hash. Rows are never changed.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "shell_end")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub shell_id: ShellId,
    pub at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
