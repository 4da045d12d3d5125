//! Rules for a new password, and the history of old ones.

use base::app::App;
use base::fault::{Fault, Outcome};
use entity::{OperatorId, operator, operator_old_password};
use kernel::rules::Violation;
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};

use super::weak_password;
use crate::auth::memory::Auth;

/// Old passwords that are remembered, in addition to the current one.
const REMEMBERED: u64 = 5;

/// Refuses common passwords, also those derived from the account's own name.
///
/// # Errors
/// `password.common` or `password.userName` at `password`.
pub fn refuse_common(md5_hex: &str, username: &str) -> Outcome<()> {
    if weak_password::is_of_name(md5_hex, username) {
        return Err(Fault::field("password", Violation::new("password.userName")));
    }
    if weak_password::is_weak(md5_hex) {
        return Err(Fault::field("password", Violation::new("password.common")));
    }
    Ok(())
}

/// Refuses the current password and those before it.
///
/// # Errors
/// `password.unchanged` or `password.reused` at `password`.
pub async fn refuse_used(app: &App, who: &operator::Model, md5_hex: &str) -> Outcome<()> {
    let hasher = &app.part::<Auth>().hasher;
    if hasher.verify(md5_hex.to_owned(), Some(&who.password_hash)).await? {
        return Err(Fault::field("password", Violation::new("password.unchanged")));
    }
    for old in remembered(app.db.read(), who.id).await? {
        if hasher.verify(md5_hex.to_owned(), Some(&old.password_hash)).await? {
            return Err(Fault::field("password", Violation::new("password.reused")));
        }
    }
    Ok(())
}

/// Remembers the current password in the transaction that replaces it.
///
/// # Errors
/// When the write fails.
pub async fn remember(tx: &impl ConnectionTrait, who: &operator::Model, now: UtcTime) -> Outcome<()> {
    let row = operator_old_password::ActiveModel {
        operator_id: Set(who.id),
        password_hash: Set(who.password_hash.clone()),
        replaced_at: Set(now),
        ..Default::default()
    };
    operator_old_password::Entity::insert(row).exec_without_returning(tx).await?;
    let kept: Vec<i64> = remembered(tx, who.id).await?.into_iter().map(|row| row.id).collect();
    operator_old_password::Entity::delete_many()
        .filter(operator_old_password::Column::OperatorId.eq(who.id))
        .filter(operator_old_password::Column::Id.is_not_in(kept))
        .exec(tx)
        .await?;
    Ok(())
}

async fn remembered(db: &impl ConnectionTrait, who: OperatorId) -> Outcome<Vec<operator_old_password::Model>> {
    let newest = operator_old_password::Entity::find()
        .filter(operator_old_password::Column::OperatorId.eq(who))
        .order_by_desc(operator_old_password::Column::Id)
        .limit(REMEMBERED);
    Ok(newest.all(db).await?)
}
