//! A named set of menu entries to which operators are assigned.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::GroupId;

/// A named set of menu entries to which operators are assigned.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "permission_group")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: GroupId,
    /// 6 to 32 characters, unique.
    pub name: String,
    /// The built-in group, which has all permissions and cannot be deleted.
    pub is_builtin: bool,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
