//! An earlier version of a settings document.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

/// An earlier version of a settings document.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "setting_history")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub name: String,
    pub version: i32,
    /// JSON.
    pub document: String,
    pub at: UtcTime,
    pub by_name: String,
}

impl ActiveModelBehavior for ActiveModel {}
