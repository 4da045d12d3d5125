//! Apps of copies that did not come with them.

use sea_orm::entity::prelude::*;

use crate::SagaId;

/// An app that something which brings the apps of a copy leaves out, as the list of forbidden ones was when it began with its
/// card: whatever is said meanwhile, apps and their data go by the same.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "withheld_app")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub saga_id: SagaId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub package: String,
    /// What the list called it.
    pub name: String,
}

impl ActiveModelBehavior for ActiveModel {}
