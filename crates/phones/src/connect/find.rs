//! The phone that an application names, if it may see it.

use base::owned::Owned;
use db::WriteTx;
use entity::PhoneId;
use entity::phone::{Column, Entity, Model};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait as _, QuerySelect as _, Select};

fn select(db: &impl ConnectionTrait, whose: Owned, id: PhoneId) -> Select<Entity> {
    whose.only_of(db.get_database_backend(), Entity::find_by_id(id), Column::AppId)
}

/// The phone, locked.
///
/// # Errors
/// When the read fails.
pub async fn find(tx: &WriteTx, whose: Owned, id: PhoneId) -> Result<Option<Model>, DbErr> {
    select(&**tx, whose, id).lock_exclusive().one(&**tx).await
}

/// The same for whoever only looks.
///
/// # Errors
/// When the read fails.
pub async fn owned(db: &impl ConnectionTrait, whose: Owned, id: PhoneId) -> Result<Option<Model>, DbErr> {
    select(db, whose, id).one(db).await
}
