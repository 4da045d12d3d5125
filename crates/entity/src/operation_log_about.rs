//! Which objects an entry about several is about. Written by db::journal only.

use sea_orm::entity::prelude::*;

/// An object of an entry about several. Written by db::journal only.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operation_log_about")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_kind: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub log_id: i64,
}

impl ActiveModelBehavior for ActiveModel {}
