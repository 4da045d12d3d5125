//! A password that an operator had before.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OperatorId;

/// A password that an operator had before.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operator_old_password")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub operator_id: OperatorId,
    /// As in the operator's row.
    pub password_hash: String,
    pub replaced_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
