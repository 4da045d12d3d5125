//! The groups' table, with the number of operators and permissions of each.

use std::collections::HashMap;

use base::fault::{Fault, unique};
use db::sql;
use entity::permission_group::{ActiveModel, Column, Entity, Model};
use entity::{GroupId, operator};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
};
use serde::Serialize;
use utoipa::ToSchema;

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("name", "groupName")];
/// A permission group.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupView {
    pub id: GroupId,
    pub group_name: String,
    /// The group with all permissions. It can only be renamed.
    pub builtin: bool,
    /// Operators in it.
    pub operator_count: i64,
    /// Permission codes that it has.
    pub code_count: i64,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

/// All groups, oldest first.
///
/// # Errors
/// When a read fails.
pub async fn all(db: &impl ConnectionTrait) -> Result<Vec<GroupView>, DbErr> {
    let rows = Entity::find().order_by_asc(Column::Id).all(db).await?;
    views(db, rows).await
}

/// `rows` with their counts.
///
/// # Errors
/// When a read fails.
pub async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<GroupView>, DbErr> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let operators =
        counts(db, &rows, "SELECT group_id AS id, CAST(COUNT(*) AS BIGINT) AS n FROM operator WHERE group_id IN")
            .await?;
    let codes = counts(
        db,
        &rows,
        "SELECT group_menu.group_id AS id, CAST(COUNT(*) AS BIGINT) AS n FROM group_menu \
         JOIN menu ON menu.id = group_menu.menu_id AND menu.kind = 3 WHERE group_menu.group_id IN",
    )
    .await?;
    let view = |row: Model| GroupView {
        operator_count: operators.get(&row.id).copied().unwrap_or(0),
        code_count: codes.get(&row.id).copied().unwrap_or(0),
        id: row.id,
        group_name: row.name,
        builtin: row.is_builtin,
        created_at: row.created_at,
        updated_at: row.updated_at,
    };
    Ok(rows.into_iter().map(view).collect())
}

/// One row with its counts.
///
/// # Errors
/// When a read fails.
pub async fn view(db: &impl ConnectionTrait, row: Model) -> Result<GroupView, Fault> {
    let mut views = views(db, vec![row]).await?;
    views.pop().ok_or_else(|| Fault::Internal(anyhow::anyhow!("a group lost its view")))
}

async fn counts(db: &impl ConnectionTrait, rows: &[Model], select: &str) -> Result<HashMap<GroupId, i64>, DbErr> {
    let text = format!("{select} ({}) GROUP BY 1", sql::placeholders(1, rows.len()));
    let found = db
        .query_all_raw(sql::statement(db.get_database_backend(), text, rows.iter().map(|row| row.id.0.into())))
        .await?;
    found.iter().map(|row| Ok((GroupId(row.try_get("", "id")?), row.try_get("", "n")?))).collect()
}

/// The group, if it exists.
///
/// # Errors
/// When the read fails.
pub async fn find(db: &impl ConnectionTrait, id: GroupId) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id).one(db).await
}

/// Those of `ids` that exist, in id order.
///
/// # Errors
/// When the read fails.
pub async fn find_all(db: &impl ConnectionTrait, ids: &[GroupId]) -> Result<Vec<Model>, DbErr> {
    Entity::find().filter(Column::Id.is_in(ids.iter().copied())).order_by_asc(Column::Id).all(db).await
}

/// The number of operators in these groups.
///
/// # Errors
/// When the read fails.
pub async fn operators_in(db: &impl ConnectionTrait, ids: &[GroupId]) -> Result<u64, DbErr> {
    operator::Entity::find().filter(operator::Column::GroupId.is_in(ids.iter().copied())).count(db).await
}

/// Inserts a group.
///
/// # Errors
/// When the name is taken, or the write fails.
pub async fn insert(tx: &impl ConnectionTrait, row: ActiveModel) -> Result<Model, Fault> {
    Entity::insert(row).exec_with_returning(tx).await.map_err(unique("permission_group", UNIQUE))
}

/// Writes a group's own fields.
///
/// # Errors
/// When the name is taken, or the write fails.
pub async fn update(tx: &impl ConnectionTrait, row: ActiveModel) -> Result<Model, Fault> {
    Entity::update(row).exec(tx).await.map_err(unique("permission_group", UNIQUE))
}

/// Deletes groups, with their assignments.
///
/// # Errors
/// When the write fails.
pub async fn remove(tx: &impl ConnectionTrait, ids: &[GroupId]) -> Result<(), DbErr> {
    Entity::delete_many().filter(Column::Id.is_in(ids.iter().copied())).exec(tx).await?;
    Ok(())
}
