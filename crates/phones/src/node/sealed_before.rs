//! What lies beside repositories and is sealed with an earlier master key.

use entity::{StoreNodeId, package_blob, repo};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, Select,
};

/// The repositories of a node whose file is not sealed with this master key, as far as is known.
pub fn repos(node: StoreNodeId, key: i32) -> Select<repo::Entity> {
    repo::Entity::find()
        .filter(repo::Column::NodeId.eq(node))
        .filter(repo::Column::SealedWith.ne(key))
        .filter(repo::Column::MadeAt.is_not_null())
        .filter(repo::Column::EraseAt.is_null())
}

/// The same of files of packages.
pub fn packages(node: StoreNodeId, key: i32) -> Select<package_blob::Entity> {
    package_blob::Entity::find()
        .filter(package_blob::Column::NodeId.eq(node))
        .filter(package_blob::Column::SealedWith.ne(key))
        .filter(package_blob::Column::Snapshot.ne(""))
}

/// How many files of a node an earlier master key is still needed for.
///
/// # Errors
/// When a read fails.
pub async fn outstanding(db: &impl ConnectionTrait, node: StoreNodeId, key: i32) -> Result<u64, DbErr> {
    Ok(repos(node, key).count(db).await? + packages(node, key).count(db).await?)
}
