//! Operations on operators.

use base::access::rights;
use base::access::session as sessions;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::ops::{Audit, OpCtx};
use entity::operator::{AccountType, ActiveModel, Model, MustChange};
use entity::operator_notice::NoticeKind;
use entity::session::EndReason;
use entity::{GroupId, OperatorId, permission_group, session};
use kernel::rules::Violation;
use kernel::text::{Text, text};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _};

use super::input::{OperatorCreateInput, OperatorIdsInput, OperatorUpdateInput, PasswordResetInput};
use super::store;
use super::view::OperatorView;
use crate::auth::Auth;
use crate::auth::new_password;
use crate::notice::tell_by;

const NOT_FOUND: Text = text("操作员不存在", "Operator not found");
const ONESELF_DELETED: Text = text("不能删除自己", "You cannot delete yourself");
const ONESELF_DISABLED: Text = text("不能禁用自己", "You cannot disable yourself");
const ONESELF_TYPE: Text = text(
    "不能修改自己的账号类型，请由其他操作员修改",
    "You cannot change your own account type; ask another operator to do it",
);
const ONESELF_RESET: Text = text("请用“修改密码”修改自己的密码", "Use \"Change password\" to change your own password");

/// The operator, or "not found".
///
/// # Errors
/// When there is none.
pub async fn get(ctx: &OpCtx, id: OperatorId) -> Outcome<OperatorView> {
    let row = find(ctx.read(), id).await?;
    Ok(store::view(ctx.read(), row).await?)
}

async fn find(db: &impl ConnectionTrait, id: OperatorId) -> Outcome<Model> {
    store::find(db, id).await?.or_missing(NOT_FOUND)
}

/// The operator, if the caller may manage them.
pub(super) async fn find_managed(db: &impl ConnectionTrait, ctx: &OpCtx, id: OperatorId) -> Outcome<Model> {
    let row = find(db, id).await?;
    if let Some(group) = row.group_id {
        rights::must_cover(db, ctx, group).await?;
    }
    Ok(row)
}

/// The group of an operator, if the caller may assign operators to it.
async fn find_group(db: &impl ConnectionTrait, ctx: &OpCtx, id: GroupId) -> Outcome<permission_group::Model> {
    let group = permission_group::Entity::find_by_id(id)
        .one(db)
        .await?
        .ok_or_else(|| Fault::field("groupId", Violation::unknown_reference()))?;
    rights::must_cover(db, ctx, id).await?;
    Ok(group)
}

/// The hash to store for an encrypted password.
async fn hash_of(ctx: &OpCtx, password: &str, username: &str) -> Outcome<String> {
    let md5_hex = decrypted(ctx, "password", password)?;
    new_password::refuse_common(&md5_hex, username)?;
    ctx.app.part::<Auth>().hasher.hash(md5_hex).await
}

fn decrypted(ctx: &OpCtx, field: &'static str, password: &str) -> Outcome<String> {
    let md5_hex = ctx.app.part::<Auth>().keys.decrypted(password, ctx.operator(), ctx.now())?;
    md5_hex.ok_or_else(|| Fault::field(field, Violation::new("password.unreadable")))
}

/// Creates an operator. The password must be changed at the first sign-in.
///
/// # Errors
/// When the name is taken, the group does not exist, or it has a permission that the caller lacks.
pub async fn create(ctx: &OpCtx, input: OperatorCreateInput) -> Outcome<OperatorView> {
    let OperatorCreateInput { username, password, group_id, account_type, email, phone, remark, enabled } = input;
    find_group(ctx.read(), ctx, group_id).await?;
    let password_hash = hash_of(ctx, &password, &username).await?;
    let now = ctx.now();

    let tx = ctx.begin_write().await?;
    let group = find_group(&*tx, ctx, group_id).await?;
    let row = ActiveModel {
        username: Set(username),
        password_hash: Set(password_hash),
        password_set_at: Set(now),
        must_change: Set(MustChange::FirstSignIn),
        group_id: Set(Some(group_id)),
        account_type: Set(account_type.into()),
        email: Set(email),
        phone: Set(phone),
        remark: Set(remark),
        is_enabled: Set(enabled),
        totp_last_step: Set(0),
        last_sign_in_ip: Set(String::new()),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    };
    let made = OperatorView::new(store::insert(&*tx, row).await?, Some(group.name));
    tx.commit(Audit::of("operator").id(made.id).name(&made.username).after(&made)).await?;
    Ok(made)
}

/// Updates an operator. A new group applies from their next request; disabling them, another account type or another
/// name ends their sessions. After a new name they must choose a password: whether the old one contains that name nobody
/// can tell, since only its hash is known.
///
/// # Errors
/// When there is none, the name is taken, the old or the new group has a permission that the caller lacks, the caller
/// would disable themselves or change their own account type, which decides on the second factor, or nobody would remain
/// who may manage operators.
pub async fn update(ctx: &OpCtx, input: OperatorUpdateInput) -> Outcome<OperatorView> {
    let OperatorUpdateInput { id, username, password, group_id, account_type, email, phone, remark, enabled } = input;
    let password = password.filter(|password| !password.is_empty());
    if password.is_some() {
        may_reset(ctx, id)?;
    }
    find_managed(ctx.read(), ctx, id).await?;
    let password_hash = match password {
        Some(password) => Some(hash_of(ctx, &password, &username).await?),
        None => None,
    };
    let now = ctx.now();

    let tx = ctx.begin_write().await?;
    let before = find_managed(&*tx, ctx, id).await?;
    let group = find_group(&*tx, ctx, group_id).await?;
    if id == ctx.operator() && !enabled {
        return Err(Fault::conflict(ONESELF_DISABLED));
    }
    let account_type = AccountType::from(account_type);
    let has_new_type = before.account_type != account_type;
    if id == ctx.operator() && has_new_type {
        return Err(Fault::conflict(ONESELF_TYPE));
    }
    let is_renamed = before.username != username;
    let mut row = ActiveModel {
        id: Set(id),
        username: Set(username),
        group_id: Set(Some(group_id)),
        account_type: Set(account_type),
        email: Set(email),
        phone: Set(phone),
        remark: Set(remark),
        is_enabled: Set(enabled),
        updated_at: Set(now),
        ..Default::default()
    };
    let was_reset = password_hash.is_some();
    if let Some(hash) = password_hash {
        row.password_hash = Set(hash);
        row.password_set_at = Set(now);
        row.must_change = Set(MustChange::Reset);
    } else if is_renamed && before.must_change == MustChange::No {
        row.must_change = Set(MustChange::Renamed);
    }
    let after = OperatorView::new(store::update(&*tx, row).await?, Some(group.name));
    let mine = session::Column::OperatorId.eq(id);
    if !enabled {
        sessions::end_in(&*tx, now, EndReason::AccountClosed, mine).await?;
    } else if was_reset {
        sessions::end_in(&*tx, now, EndReason::PasswordChanged, mine).await?;
    } else if has_new_type || is_renamed {
        sessions::end_in(&*tx, now, EndReason::Revoked, mine).await?;
    }
    if was_reset {
        tell_by(ctx, &tx, id, NoticeKind::PasswordReset, "").await?;
    }
    rights::must_leave_a_manager(&*tx).await?;
    let before = store::view(&*tx, before).await?;
    let note = if was_reset { "the password was reset" } else { "" };
    tx.commit(Audit::of("operator").id(id).name(&after.username).before(&before).after(&after).note(note)).await?;
    ctx.app.sessions.forget();
    Ok(after)
}

/// Enables or disables an account. Disabling ends its sessions.
///
/// # Errors
/// When there is none, their group has a permission that the caller lacks, it is the caller, or nobody would remain who
/// may manage operators.
pub async fn set_enabled(ctx: &OpCtx, id: OperatorId, enabled: bool, reason: &str) -> Outcome<OperatorView> {
    if id == ctx.operator() && !enabled {
        return Err(Fault::conflict(ONESELF_DISABLED));
    }
    let tx = ctx.begin_write().await?;
    let before = find_managed(&*tx, ctx, id).await?;
    let row = ActiveModel { id: Set(id), is_enabled: Set(enabled), updated_at: Set(ctx.now()), ..Default::default() };
    let after = store::update(&*tx, row).await?;
    if !enabled {
        sessions::end_in(&*tx, ctx.now(), EndReason::AccountClosed, session::Column::OperatorId.eq(id)).await?;
    }
    rights::must_leave_a_manager(&*tx).await?;
    let (before, after) = (store::view(&*tx, before).await?, store::view(&*tx, after).await?);
    tx.commit(Audit::of("operator").id(id).name(&after.username).before(&before).after(&after).note(reason)).await?;
    ctx.app.sessions.forget();
    Ok(after)
}

/// Deletes operators, all of them or none.
///
/// # Errors
/// When one of them does not exist, is the caller, or has a permission that the caller lacks; or when nobody would
/// remain who may manage operators.
pub async fn delete(ctx: &OpCtx, input: OperatorIdsInput) -> Outcome<()> {
    let OperatorIdsInput { mut id_list } = input;
    id_list.sort_unstable();
    id_list.dedup();
    if id_list.contains(&ctx.operator()) {
        return Err(Fault::conflict(ONESELF_DELETED));
    }
    let tx = ctx.begin_write().await?;
    let rows = store::find_all(&*tx, &id_list).await?;
    if rows.len() != id_list.len() {
        return Err(Fault::not_found(NOT_FOUND));
    }
    let mut before = Vec::with_capacity(rows.len());
    for row in rows {
        if let Some(group) = row.group_id {
            rights::must_cover(&*tx, ctx, group).await?;
        }
        before.push(store::view(&*tx, row).await?);
    }
    let theirs = session::Column::OperatorId.is_in(id_list.iter().copied());
    sessions::end_in(&*tx, ctx.now(), EndReason::AccountClosed, theirs).await?;
    store::remove(&*tx, &id_list).await?;
    rights::must_leave_a_manager(&*tx).await?;
    let audit = Audit::each("operator", before.iter().map(|view| (view.id.0, view.username.as_str())))
        .before(&before)
        .note(format!("{} operators", before.len()));
    tx.commit(audit).await?;
    ctx.app.sessions.forget();
    Ok(())
}

/// Whether the caller may reset this password: it needs the permission, and one's own is changed elsewhere, where the
/// old one is required.
fn may_reset(ctx: &OpCtx, id: OperatorId) -> Outcome<()> {
    if !ctx.may("operator:resetPassword") {
        return Err(Fault::Denied("operator:resetPassword"));
    }
    if id == ctx.operator() {
        return Err(Fault::conflict(ONESELF_RESET));
    }
    Ok(())
}

/// Resets an operator's password, which they must change, and signs them out everywhere.
///
/// # Errors
/// When there is none, their group has a permission that the caller lacks, or the two passwords differ.
pub async fn reset_password(ctx: &OpCtx, input: PasswordResetInput) -> Outcome<()> {
    let PasswordResetInput { id, password, confirm_password } = input;
    may_reset(ctx, id)?;
    let who = find_managed(ctx.read(), ctx, id).await?;
    let md5_hex = decrypted(ctx, "password", &password)?;
    if confirm_password != password && decrypted(ctx, "confirmPassword", &confirm_password)? != md5_hex {
        return Err(Fault::field("confirmPassword", Violation::new("password.mismatch")));
    }
    new_password::refuse_common(&md5_hex, &who.username)?;
    let hash = ctx.app.part::<Auth>().hasher.hash(md5_hex).await?;
    let now = ctx.now();

    let tx = ctx.begin_write().await?;
    let who = find_managed(&*tx, ctx, id).await?;
    let row = ActiveModel {
        id: Set(id),
        password_hash: Set(hash),
        password_set_at: Set(now),
        must_change: Set(MustChange::Reset),
        updated_at: Set(now),
        ..Default::default()
    };
    store::update(&*tx, row).await?;
    sessions::end_in(&*tx, now, EndReason::PasswordChanged, session::Column::OperatorId.eq(id)).await?;
    tell_by(ctx, &tx, id, NoticeKind::PasswordReset, "").await?;
    tx.commit(Audit::of("operator").id(id).name(who.username)).await?;
    ctx.app.sessions.forget();
    Ok(())
}
