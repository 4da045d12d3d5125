//! Phones as other lists name them.

use std::collections::{BTreeSet, HashMap};

use base::reference::Reference;
use entity::{BackupId, ClientUserId, PhoneId, client_user, phone};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, JoinType, QueryFilter as _, QuerySelect as _,
};

/// A phone beside something that is its own.
#[derive(Clone, Debug)]
pub struct NamedPhone {
    pub phone: Reference,
    pub user: Reference,
    /// The copy that it lives by.
    pub kept_id: Option<BackupId>,
}

impl NamedPhone {
    /// One that is not there any more.
    #[must_use]
    pub const fn unknown(id: PhoneId) -> Self {
        let (phone, user) = (Reference { id: id.0, name: None }, Reference { id: 0, name: None });
        Self { phone, user, kept_id: None }
    }
}

/// These phones with their users' names: of the rows of a page.
///
/// # Errors
/// When the read fails.
pub async fn named(
    db: &impl ConnectionTrait,
    phones: impl IntoIterator<Item = PhoneId>,
) -> Result<HashMap<PhoneId, NamedPhone>, DbErr> {
    let phones: BTreeSet<PhoneId> = phones.into_iter().collect();
    let of = phone::Entity::belongs_to(client_user::Entity).from(phone::Column::UserId).to(client_user::Column::Id);
    let columns = [phone::Column::Id, phone::Column::Code, phone::Column::KeptId, phone::Column::UserId];
    let select = phone::Entity::find().select_only().columns(columns).column(client_user::Column::Name);
    let select = select.join(JoinType::InnerJoin, of.into()).filter(phone::Column::Id.is_in(phones));
    let rows: Vec<(PhoneId, String, Option<BackupId>, ClientUserId, String)> = select.into_tuple().all(db).await?;
    let row = |(id, code, kept_id, user, name): (PhoneId, _, _, ClientUserId, _)| {
        let (phone, user) = (Reference { id: id.0, name: Some(code) }, Reference { id: user.0, name: Some(name) });
        (id, NamedPhone { phone, user, kept_id })
    };
    Ok(rows.into_iter().map(row).collect())
}
