//! An operation log entry. Written by db::journal only.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OperatorId;

/// An operation log entry. Written by db::journal only.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operation_log")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    pub at: UtcTime,
    pub operator_id: Option<OperatorId>,
    pub operator_name: String,
    pub ip: String,
    pub action: String,
    pub object_kind: String,
    pub object_id: String,
    pub object_name: String,
    pub before: Option<String>,
    pub after: Option<String>,
    pub status: i32,
    pub message: String,
    pub request_id: String,
    pub prev_hash: Vec<u8>,
    pub hash: Vec<u8>,
}

impl ActiveModelBehavior for ActiveModel {}
