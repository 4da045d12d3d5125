//! An error that a browser caught and reported.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

/// An error that a browser caught and reported.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "client_error")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub at: UtcTime,
    pub operator_name: String,
    pub message: String,
    pub component: String,
    pub address: String,
    pub stack: String,
    pub browser: String,
}

impl ActiveModelBehavior for ActiveModel {}
