//! An operator's own password.

use base::access::session as sessions;
use base::fault::{Fault, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use base::settings::SignIn;
use entity::operator::{self, MustChange};
use entity::operator_notice::NoticeKind;
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
use crate::auth::memory::Auth;
use crate::notice::tell_by;

/// A session younger than this may change the password without the old one.
pub(super) const FRESH_S: i64 = 300;
const OLD_NEEDED: Text = text("请输入原密码", "Enter your old password");

/// The input for changing one's own password. All three are encrypted as in sign-in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnPasswordInput {
    /// The new password.
    pub password: String,
    /// The same again; some clients send the same ciphertext.
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
    /// `firstSignIn`, `reset`, `renamed` or `expired`; `enrolSecondFactor` if the password may stay, but the settings
    /// require a second factor of this operator; or nothing.
    pub reason: Option<&'static str>,
}

/// Whether the caller must change the password now.
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
        MustChange::Renamed => Some("renamed"),
    };
    let must_enrol = ctx.session.lacks_second_factor.then_some("enrolSecondFactor");
    Ok(PasswordNeed { need_update: reason.is_some(), reason: reason.or(must_enrol) })
}

/// Changes the caller's password and ends all their sessions.
///
/// # Errors
/// When the two differ, or the old one is wrong or is required and missing.
pub async fn change(ctx: &OpCtx, input: OwnPasswordInput) -> Outcome<()> {
    let OwnPasswordInput { password, confirm_password, old_password } = input;
    let now = ctx.now();
    let who = who(ctx).await?;
    let keys = &ctx.app.part::<Auth>().keys;
    let hasher = &ctx.app.part::<Auth>().hasher;

    match old_password.filter(|old| !old.is_empty()) {
        Some(old) => Turn::of(ctx).await?.password(&who, &old, "oldPassword").await?,
        None if ctx.session.must_change || now.seconds_since(ctx.session.signed_in_at) <= FRESH_S => {}
        None => return Err(Fault::conflict(OLD_NEEDED)),
    }
    let opened = |ciphertext: &str| keys.decrypted(ciphertext, ctx.operator(), now);
    let new = opened(&password)?.ok_or_else(|| Fault::field("password", Violation::new("password.unreadable")))?;
    let same = confirm_password == password || opened(&confirm_password)?.is_some_and(|again| again == new);
    if !same {
        return Err(Fault::field("confirmPassword", Violation::new("password.mismatch")));
    }
    new_password::refuse_common(&new, &who.username)?;
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
    tell_by(ctx, &tx, who.id, NoticeKind::PasswordChanged, "").await?;
    tx.commit(Audit::of("operator").id(who.id).name(who.username)).await?;
    ctx.app.sessions.forget();
    Ok(())
}

/// The caller.
pub(super) async fn who(ctx: &OpCtx) -> Outcome<operator::Model> {
    operator::Entity::find_by_id(ctx.operator())
        .one(ctx.read())
        .await?
        .ok_or_else(|| base::fault::SessionFault::Closed.into())
}
