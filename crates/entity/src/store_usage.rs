//! How full a storage node was.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::StoreNodeId;

/// How full a storage node was at the end of an hour that somebody looked in.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "store_usage")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub node_id: StoreNodeId,
    /// The begin of the hour.
    #[sea_orm(primary_key, auto_increment = false)]
    pub at: UtcTime,
    pub used_bytes: i64,
}

impl ActiveModelBehavior for ActiveModel {}
