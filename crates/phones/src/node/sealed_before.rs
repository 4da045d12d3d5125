//! What lies beside repositories and is sealed with an earlier master key.

use entity::{StoreNodeId, package_blob, repo};
use sea_orm::sea_query::Condition;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, Select};

/// Another key, as an index finds it: it has no place for what is not the same, and nearly all have this one.
fn others(column: impl ColumnTrait, key: i32) -> Condition {
    Condition::any().add(column.lt(key)).add(column.gt(key))
}

/// The repositories of a node whose file is not sealed with this master key, as far as is known.
pub fn repos(node: StoreNodeId, key: i32) -> Select<repo::Entity> {
    repo::Entity::find()
        .filter(repo::Column::NodeId.eq(node))
        .filter(others(repo::Column::SealedWith, key))
        .filter(repo::Column::MadeAt.is_not_null())
        .filter(repo::Column::EraseAt.is_null())
}

/// The same of files of packages.
pub fn packages(node: StoreNodeId, key: i32) -> Select<package_blob::Entity> {
    package_blob::Entity::find()
        .filter(package_blob::Column::NodeId.eq(node))
        .filter(others(package_blob::Column::SealedWith, key))
        .filter(package_blob::Column::Snapshot.ne(""))
}

/// How many files of a node an earlier master key is still needed for.
///
/// # Errors
/// When a read fails.
pub async fn outstanding(db: &impl ConnectionTrait, node: StoreNodeId, key: i32) -> Result<u64, DbErr> {
    Ok(repos(node, key).count(db).await? + packages(node, key).count(db).await?)
}
