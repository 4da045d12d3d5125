//! A file on its way into the object storage.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

/// A file on its way into the object storage, which no row names yet.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "incoming_object")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_key: String,
    pub begun_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
