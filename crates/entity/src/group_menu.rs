//! The assignment of a menu entry to a group.

use sea_orm::entity::prelude::*;

use crate::{GroupId, MenuId};

/// The assignment of a menu entry to a group.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "group_menu")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub group_id: GroupId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub menu_id: MenuId,
}

impl ActiveModelBehavior for ActiveModel {}
