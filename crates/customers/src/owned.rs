//! Customers as applications of the Open API see them: their own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use base::owned::Owned;
use entity::client_user::{Column, Entity, Model};
use entity::{ClientUserId, OpenAppId};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};

use super::store::VALUES;

/// Which customers are sought; all of them if nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sought {
    /// The whole phone number.
    pub phone: Option<String>,
    /// The whole identification code.
    pub ident_code: Option<String>,
}

/// The customer, if the caller may see them.
///
/// # Errors
/// When the read fails.
pub async fn owned(db: &impl ConnectionTrait, whose: Owned, id: ClientUserId) -> Result<Option<Model>, DbErr> {
    whose.only_of(db.get_database_backend(), Entity::find_by_id(id), Column::AppId).one(db).await
}

/// Those of these customers whom the caller may see.
///
/// # Errors
/// When the read fails.
pub async fn owned_among(
    db: &impl ConnectionTrait,
    whose: Owned,
    ids: BTreeSet<ClientUserId>,
) -> Result<BTreeMap<ClientUserId, Model>, DbErr> {
    let named = Entity::find().filter(Column::Id.is_in(ids));
    let rows = whose.only_of(db.get_database_backend(), named, Column::AppId).all(db).await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// The next `limit` customers after `after` that the caller may see, in the order of registration.
///
/// # Errors
/// When the read fails.
pub async fn owned_list(
    db: &impl ConnectionTrait,
    whose: Owned,
    sought: &Sought,
    after: ClientUserId,
    limit: u64,
) -> Result<Vec<Model>, DbErr> {
    let Sought { phone, ident_code } = sought;
    let select = Entity::find().filter(Column::Id.gt(after));
    let is_named = phone.is_some() || ident_code.is_some();
    let mut select = if is_named {
        whose.only_of(db.get_database_backend(), select, Column::AppId)
    } else {
        whose.only(select, Column::AppId)
    };
    // The indexes leave empty texts out; saying so lets them be used.
    for (column, wanted) in [(Column::Phone, phone), (Column::IdentCode, ident_code)] {
        if let Some(wanted) = wanted {
            select = select.filter(column.eq(wanted.as_str())).filter(column.ne(""));
        }
    }
    select.order_by_asc(Column::Id).limit(limit).all(db).await
}

/// The applications that brought these customers; those whom the company brought are not among them.
///
/// # Errors
/// When the read fails.
pub async fn apps_of(
    db: &impl ConnectionTrait,
    ids: impl IntoIterator<Item = ClientUserId>,
) -> Result<HashMap<ClientUserId, OpenAppId>, DbErr> {
    let ids: Vec<ClientUserId> = ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    let mut found = HashMap::new();
    for ids in ids.chunks(VALUES) {
        let select = Entity::find().select_only().columns([Column::Id, Column::AppId]);
        let rows: Vec<(ClientUserId, OpenAppId)> = select
            .filter(Column::Id.is_in(ids.iter().copied()))
            .filter(Column::AppId.is_not_null())
            .into_tuple()
            .all(db)
            .await?;
        found.extend(rows);
    }
    Ok(found)
}

/// Whether an application has brought any customer.
///
/// # Errors
/// When the read fails.
pub async fn app_has_any(db: &impl ConnectionTrait, app: OpenAppId) -> Result<bool, DbErr> {
    let select = Entity::find().select_only().column(Column::Id).filter(Column::AppId.eq(app)).limit(1);
    Ok(select.into_tuple::<ClientUserId>().one(db).await?.is_some())
}
