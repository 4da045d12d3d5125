//! Input of a shell, as it arrived.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::ShellId;

/// Bytes that arrived together. Rows are never changed.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "shell_chunk")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub shell_id: ShellId,
    /// From 1, without a gap.
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    pub at: UtcTime,
    pub bytes: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
