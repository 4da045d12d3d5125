//! The menu table and what groups were allotted from it.

use std::collections::HashSet;

use db::{is_duplicate, list};
use entity::menu::{ActiveModel, Column, Entity, Model};
use entity::{GroupId, MenuId, group_menu, permission_group};
use kernel::page::{Page, PageQuery};
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _, Select,
};

use crate::fault::Fault;

/// Rows written by one statement; far below both engines' limit of parameters.
const STEP: usize = 500;

fn in_order() -> Select<Entity> {
    Entity::find().order_by_asc(Column::Kind).order_by_asc(Column::Sort).order_by_asc(Column::Id)
}

/// Every entry: sections, screens and buttons, each level in its order.
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

/// The entries right below `parent`; the sections where it is none.
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

/// Whether anything lies below `id`.
///
/// # Errors
/// When the read fails.
pub async fn has_children(db: &impl ConnectionTrait, id: MenuId) -> Result<bool, DbErr> {
    Ok(Entity::find().filter(Column::ParentId.eq(id)).count(db).await? > 0)
}

/// Inserts an entry; the built-in group, which holds everything, gets it too.
///
/// # Errors
/// When the code is taken, or a write fails.
pub async fn insert(tx: &impl ConnectionTrait, row: ActiveModel) -> Result<Model, Fault> {
    let row = Entity::insert(row).exec_with_returning(tx).await.map_err(code_taken)?;
    let everything =
        permission_group::Entity::find().filter(permission_group::Column::IsBuiltin.eq(true)).one(tx).await?;
    if let Some(group) = everything {
        allot(tx, group.id, [row.id]).await?;
    }
    Ok(row)
}

/// Writes an entry's own fields.
///
/// # Errors
/// When the code is taken, or the write fails.
pub async fn update(tx: &impl ConnectionTrait, row: ActiveModel) -> Result<Model, Fault> {
    Entity::update(row).exec(tx).await.map_err(code_taken)
}

/// Deletes an entry, also from what groups were allotted.
///
/// # Errors
/// When the write fails.
pub async fn remove(tx: &impl ConnectionTrait, id: MenuId) -> Result<(), DbErr> {
    Entity::delete_by_id(id).exec(tx).await?;
    Ok(())
}

fn code_taken(error: DbErr) -> Fault {
    if is_duplicate(&error, "menu", "code") { Fault::taken("code") } else { error.into() }
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

/// Adds to what `group` was allotted.
///
/// # Errors
/// When the write fails.
pub async fn allot(
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

/// Takes from what `group` was allotted.
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
