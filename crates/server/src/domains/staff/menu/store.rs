//! The menu table and what groups were allotted from it.

use std::collections::HashSet;

use entity::menu::{Column, Entity, Model};
use entity::{GroupId, MenuId, group_menu};
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

/// Every entry: sections, screens and buttons, each level in its order.
///
/// # Errors
/// When the read fails.
pub async fn all(db: &impl ConnectionTrait) -> Result<Vec<Model>, DbErr> {
    Entity::find().order_by_asc(Column::Kind).order_by_asc(Column::Sort).order_by_asc(Column::Id).all(db).await
}

/// What `group` was allotted.
///
/// # Errors
/// When the read fails.
pub async fn allotted(db: &impl ConnectionTrait, group: GroupId) -> Result<HashSet<MenuId>, DbErr> {
    let ids: Vec<MenuId> = group_menu::Entity::find()
        .select_only()
        .column(group_menu::Column::MenuId)
        .filter(group_menu::Column::GroupId.eq(group))
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids.into_iter().collect())
}
