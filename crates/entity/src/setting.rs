//! A settings document.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

/// A settings document.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "setting")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    /// Incremented with each change; a writer names the version it read.
    pub version: i32,
    /// JSON.
    pub document: String,
    pub updated_at: UtcTime,
    pub updated_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
