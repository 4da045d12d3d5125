//! What a new password must not be, and the memory of old ones.

use entity::{OperatorId, operator, operator_old_password};
use kernel::rules::Violation;
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};

use super::weak_password;
use crate::app::App;
use crate::fault::{Fault, Outcome};

/// Old passwords that are remembered, besides the present one.
const REMEMBERED: u64 = 5;

/// Refuses a password that everybody tries first.
///
/// # Errors
/// `password.common` at `password`.
pub fn refuse_common(md5_hex: &str) -> Outcome<()> {
    if weak_password::is_weak(md5_hex) {
        return Err(Fault::field("password", Violation::new("password.common")));
    }
    Ok(())
}

/// Refuses the present password and those before it.
///
/// # Errors
/// `password.unchanged` or `password.reused` at `password`.
pub async fn refuse_used(app: &App, who: &operator::Model, md5_hex: &str) -> Outcome<()> {
    let hasher = &app.auth.hasher;
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

/// Remembers the present password in the transaction that replaces it.
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
