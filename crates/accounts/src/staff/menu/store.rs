//! The menu table and the assignments of groups.

use std::collections::HashSet;

use base::fault::{Fault, unique};
use db::list;
use entity::menu::{ActiveModel, Column, Entity, Model};
use entity::{GroupId, MenuId, group_menu, permission_group};
use kernel::page::{Page, PageQuery};
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, Select,
};

/// Rows written by one statement; far below both engines' limit of parameters.
const STEP: usize = 500;

fn in_order() -> Select<Entity> {
    Entity::find().order_by_asc(Column::Kind).order_by_asc(Column::Sort).order_by_asc(Column::Id)
}

/// Every entry: sections, pages and buttons, each level in its order.
///
/// # Errors
/// When the read fails.
pub async fn all(db: &impl ConnectionTrait) -> Result<Vec<Model>, DbErr> {
    in_order().all(db).await
}

/// One page of all entries.
///
/// # Errors
/// When a read fails.
pub async fn page(db: &impl ConnectionTrait, page: PageQuery) -> Result<Page<Model>, DbErr> {
    list::list_page(db, in_order(), page).await
}

/// The children of `parent`; the sections if there is none.
///
/// # Errors
/// When the read fails.
pub async fn below(db: &impl ConnectionTrait, parent: Option<MenuId>) -> Result<Vec<Model>, DbErr> {
    let which = parent.map_or_else(|| Column::ParentId.is_null(), |parent| Column::ParentId.eq(parent));
    in_order().filter(which).all(db).await
}

/// The entry, if it exists.
///
/// # Errors
/// When the read fails.
pub async fn find(db: &impl ConnectionTrait, id: MenuId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id).one(db).await
}

/// Whether `id` has children.
///
/// # Errors
/// When the read fails.
pub async fn has_children(db: &impl ConnectionTrait, id: MenuId) -> Result<bool, DbErr> {
    Ok(Entity::find().filter(Column::ParentId.eq(id)).count(db).await? > 0)
}

/// Inserts an entry; the built-in group, which has all permissions, gets it too.
///
/// # Errors
/// When the code is taken, or a write fails.
pub async fn insert(tx: &impl ConnectionTrait, row: ActiveModel) -> Result<Model, Fault> {
    let row = Entity::insert(row).exec_with_returning(tx).await.map_err(unique("menu", &[("code", "code")]))?;
    let everything =
        permission_group::Entity::find().filter(permission_group::Column::IsBuiltin.eq(true)).one(tx).await?;
    if let Some(group) = everything {
        assign(tx, group.id, [row.id]).await?;
    }
    Ok(row)
}

/// Writes an entry's own fields.
///
/// # Errors
/// When the code is taken, or the write fails.
pub async fn update(tx: &impl ConnectionTrait, row: ActiveModel) -> Result<Model, Fault> {
    Entity::update(row).exec(tx).await.map_err(unique("menu", &[("code", "code")]))
}

/// Deletes an entry and its assignments.
///
/// # Errors
/// When the write fails.
pub async fn remove(tx: &impl ConnectionTrait, id: MenuId) -> Result<(), DbErr> {
    Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}

/// The assignments of `group`.
///
/// # Errors
/// When the read fails.
pub async fn assigned(db: &impl ConnectionTrait, group: GroupId) -> Result<HashSet<MenuId>, DbErr> {
    let ids: Vec<MenuId> = group_menu::Entity::find()
        .select_only()
        .column(group_menu::Column::MenuId)
        .filter(group_menu::Column::GroupId.eq(group))
        .into_tuple()
        .all(db)
        .await?;
    Ok(ids.into_iter().collect())
}

/// Adds assignments to `group`.
///
/// # Errors
/// When the write fails.
pub async fn assign(
    tx: &impl ConnectionTrait,
    group: GroupId,
    ids: impl IntoIterator<Item = MenuId>,
) -> Result<(), DbErr> {
    let rows: Vec<_> =
        ids.into_iter().map(|id| group_menu::ActiveModel { group_id: Set(group), menu_id: Set(id) }).collect();
    for step in rows.chunks(STEP) {
        group_menu::Entity::insert_many(step.to_vec())
            .on_conflict(OnConflict::new().do_nothing().to_owned())
            .exec_without_returning(tx)
            .await?;
    }
    Ok(())
}

/// Removes assignments from `group`.
///
/// # Errors
/// When the write fails.
pub async fn withdraw(tx: &impl ConnectionTrait, group: GroupId, ids: &[MenuId]) -> Result<(), DbErr> {
    for step in ids.chunks(STEP) {
        group_menu::Entity::delete_many()
            .filter(group_menu::Column::GroupId.eq(group))
            .filter(group_menu::Column::MenuId.is_in(step.iter().copied()))
            .exec(tx)
            .await?;
    }
    Ok(())
}
