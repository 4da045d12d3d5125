//! Phones as applications of the Open API see them: their own.

use base::app::App;
use base::fault::Outcome;
use base::owned::Owned;
use entity::phone::{Column, Entity, Life};
use entity::{ClientUserId, OpenAppId, PhoneId};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};

use super::view::{PhoneView, views};

/// A phone that the caller may see.
#[derive(Clone, Debug)]
pub struct OwnedPhone {
    pub view: PhoneView,
    /// A verified copy of all of it is kept.
    pub has_copy: bool,
}

/// The phone, if the caller may see it.
///
/// # Errors
/// When a read fails.
pub async fn owned(app: &App, whose: Owned, id: PhoneId) -> Outcome<Option<OwnedPhone>> {
    let db = app.db.read();
    let select = whose.only_of(db.get_database_backend(), Entity::find_by_id(id), Column::AppId);
    let Some(row) = select.one(db).await? else { return Ok(None) };
    let has_copy = row.kept_id.is_some();
    Ok(views(app, db, vec![row]).await?.pop().map(|view| OwnedPhone { view, has_copy }))
}

/// The next `limit` phones after `after` that the caller may see and that are not erased, in the order in which they were
/// made; those of `user` alone if one is named.
///
/// # Errors
/// When a read fails.
pub async fn owned_list(
    app: &App,
    whose: Owned,
    user: Option<ClientUserId>,
    after: PhoneId,
    limit: u64,
) -> Outcome<Vec<OwnedPhone>> {
    let db = app.db.read();
    let select = Entity::find().filter(Column::Id.gt(after));
    let select = match user {
        Some(user) => whose.only_of(db.get_database_backend(), select.filter(Column::UserId.eq(user)), Column::AppId),
        None => whose.only(select, Column::AppId),
    };
    let rows = select.filter(Column::Life.ne(Life::Erased)).order_by_asc(Column::Id).limit(limit).all(db).await?;
    let have_copies: Vec<bool> = rows.iter().map(|row| row.kept_id.is_some()).collect();
    let seen = views(app, db, rows).await?.into_iter().zip(have_copies);
    Ok(seen.map(|(view, has_copy)| OwnedPhone { view, has_copy }).collect())
}

/// Whether an application has any phone.
///
/// # Errors
/// When the read fails.
pub async fn app_has_any(db: &impl ConnectionTrait, app: OpenAppId) -> Result<bool, DbErr> {
    let select = Entity::find().select_only().column(Column::Id).filter(Column::AppId.eq(app)).limit(1);
    Ok(select.into_tuple::<PhoneId>().one(db).await?.is_some())
}
