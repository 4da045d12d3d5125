//! An operator's own password.

use entity::operator::{self, MustChange};
use entity::session;
use entity::session::EndReason;
use kernel::rules::{Check, Violation};
use kernel::text::{Text, text};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::new_password;
use super::proof::Turn;
use crate::access::session as sessions;
use crate::fault::{Fault, Outcome};
use crate::http::Validate;
use crate::http::ops::{Audit, OpCtx};
use crate::settings::SignIn;

/// A session this young may change the password without the old one.
pub(super) const FRESH_S: i64 = 300;
const OLD_NEEDED: Text = text("请输入原密码", "Enter your old password");

/// What a client sends to change its own password. All three are encrypted as in sign-in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnPasswordInput {
    /// The new password.
    pub password: String,
    /// The same once more; some clients send the same ciphertext.
    pub confirm_password: String,
    /// The old password; old clients do not send it.
    #[serde(default)]
    pub old_password: Option<String>,
}

impl Validate for OwnPasswordInput {
    fn check(&self, check: &mut Check) {
        for (field, value) in [("password", &self.password), ("confirmPassword", &self.confirm_password)] {
            if value.is_empty() {
                check.add(field, Violation::new("required"));
            }
        }
    }
}

/// Whether the password must be changed now.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasswordNeed {
    /// It must.
    pub need_update: bool,
    /// `firstSignIn`, `reset` or `expired`; `enrolSecondFactor` where the password may stay, but the
    /// settings want a second factor of this operator; or nothing.
    pub reason: Option<&'static str>,
}

/// Whether the asking operator must change the password now.
///
/// # Errors
/// When the read fails.
pub async fn need(ctx: &OpCtx) -> Outcome<PasswordNeed> {
    let who = who(ctx).await?;
    let policy = ctx.app.settings.get::<SignIn>(&ctx.app).await?;
    let reason = match who.must_change {
        MustChange::No => policy.is_password_expired(&who, ctx.now()).then_some("expired"),
        MustChange::FirstSignIn => Some("firstSignIn"),
        MustChange::Reset => Some("reset"),
    };
    let must_enrol = policy.lacks_second_factor(&who).then_some("enrolSecondFactor");
    Ok(PasswordNeed { need_update: reason.is_some(), reason: reason.or(must_enrol) })
}

/// Changes the asking operator's password and ends every session of his.
///
/// # Errors
/// When the two differ, the old one is wrong, or is missing where it is needed.
pub async fn change(ctx: &OpCtx, input: OwnPasswordInput) -> Outcome<()> {
    let OwnPasswordInput { password, confirm_password, old_password } = input;
    let now = ctx.now();
    let who = who(ctx).await?;
    let keys = &ctx.app.auth.keys;
    let hasher = &ctx.app.auth.hasher;

    match old_password.filter(|old| !old.is_empty()) {
        Some(old) => Turn::of(ctx).await?.password(&who, &old, "oldPassword").await?,
        None if ctx.session.must_change || now.seconds_since(ctx.session.signed_in_at) <= FRESH_S => {}
        None => return Err(Fault::conflict(OLD_NEEDED)),
    }
    let new = keys
        .decrypted(&password, now)
        .ok_or_else(|| Fault::field("password", Violation::new("password.unreadable")))?;
    let same = confirm_password == password || keys.decrypted(&confirm_password, now).is_some_and(|again| again == new);
    if !same {
        return Err(Fault::field("confirmPassword", Violation::new("password.mismatch")));
    }
    new_password::refuse_common(&new)?;
    new_password::refuse_used(&ctx.app, &who, &new).await?;
    let hash = hasher.hash(new).await?;

    let tx = ctx.begin_write().await?;
    operator::Entity::update_many()
        .col_expr(operator::Column::PasswordHash, Expr::value(hash))
        .col_expr(operator::Column::PasswordSetAt, Expr::value(now.millis()))
        .col_expr(operator::Column::MustChange, Expr::value(MustChange::No.code()))
        .col_expr(operator::Column::UpdatedAt, Expr::value(now.millis()))
        .filter(operator::Column::Id.eq(who.id))
        .exec(&*tx)
        .await?;
    new_password::remember(&*tx, &who, now).await?;
    keys.save_spent(&*tx, now).await?;
    sessions::end_in(&*tx, now, EndReason::PasswordChanged, session::Column::OperatorId.eq(who.id)).await?;
    tx.commit(Audit::of("operator").id(who.id).name(who.username)).await?;
    ctx.app.sessions.forget();
    Ok(())
}

/// The asking operator.
pub(super) async fn who(ctx: &OpCtx) -> Outcome<operator::Model> {
    operator::Entity::find_by_id(ctx.operator())
        .one(ctx.read())
        .await?
        .ok_or_else(|| crate::fault::SessionFault::Closed.into())
}
