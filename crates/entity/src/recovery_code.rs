//! A single-use code for an operator who lost the second factor.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OperatorId;

/// A single-use code for an operator who lost the second factor.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "recovery_code")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub operator_id: OperatorId,
    /// SHA-256 of the code.
    pub code_hash: Vec<u8>,
    pub used_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}
