//! An operator's second factor: enrolling, confirming, recovery codes, ending it.

use base::access::rights;
use base::access::session as sessions;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx, OpTx};
use entity::operator;
use entity::operator_notice::NoticeKind;
use entity::session::{self, EndReason};
use entity::{OperatorId, recovery_code};
use kernel::rules::{Check, Violation};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, Condition, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::one_time::{self, Enrolment};
use super::own_password::{self, FRESH_S};
use super::proof::Turn;
use crate::notice::tell_by;

const ALREADY_ON: Text = text(
    "两步验证已启用，请先关闭再重新绑定",
    "Two-step verification is already on; turn it off before setting it up again",
);
const NOT_ON: Text = text("两步验证未启用", "Two-step verification is not turned on");
const NOT_ENROLLED: Text = text("请先获取绑定二维码", "Get the QR code first");
const PASSWORD_NEEDED: Text = text("请输入密码", "Enter your password");
const NO_OPERATOR: Text = text("操作员不存在", "User not found");
const NOT_ONESELF: Text = text(
    "请在“系统用户信息”中关闭自己的两步验证",
    "Turn off your own two-step verification under \"System user info\"",
);

/// The state of the caller's second factor.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondFactor {
    /// Whether it is required at sign-in.
    pub enabled: bool,
    /// Since when.
    pub enabled_at: Option<UtcTime>,
    /// Recovery codes not yet used.
    pub recovery_codes_left: u64,
}

/// The input for starting an enrolment.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnrolInput {
    /// The password, encrypted as in sign-in. Not needed within five minutes of signing in.
    #[serde(default)]
    pub password: Option<String>,
}

/// A code of the authenticator, or a recovery code.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CodeInput {
    /// Six digits; if the second factor is already on, also a recovery code.
    pub code: String,
}

/// The input for turning off one's own second factor.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DisableInput {
    /// The password, encrypted as in sign-in.
    pub password: String,
    /// Six digits, or a recovery code.
    pub code: String,
}

/// Recovery codes, shown once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    /// Each replaces a code of the authenticator once.
    pub recovery_codes: Vec<String>,
}

impl Validate for EnrolInput {
    fn check(&self, _: &mut Check) {}
}

impl Validate for CodeInput {
    fn check(&self, check: &mut Check) {
        required(check, "code", &self.code);
    }
}

impl Validate for DisableInput {
    fn check(&self, check: &mut Check) {
        required(check, "password", &self.password);
        required(check, "code", &self.code);
    }
}

fn required(check: &mut Check, field: &'static str, value: &str) {
    if value.trim().is_empty() {
        check.add(field, Violation::new("required"));
    }
}

/// The state of the caller's second factor.
///
/// # Errors
/// When the read fails.
pub async fn status(ctx: &OpCtx) -> Outcome<SecondFactor> {
    let who = own_password::who(ctx).await?;
    let left = recovery_code::Entity::find()
        .filter(recovery_code::Column::OperatorId.eq(who.id))
        .filter(recovery_code::Column::UsedAt.is_null())
        .count(ctx.read())
        .await?;
    Ok(SecondFactor {
        enabled: who.totp_enabled_at.is_some(),
        enabled_at: who.totp_enabled_at,
        recovery_codes_left: left,
    })
}

/// Generates a seed for the operator's authenticator. It takes effect when it is confirmed.
///
/// # Errors
/// When the second factor is already on, or the password is required or wrong.
pub async fn enrol(ctx: &OpCtx, input: EnrolInput) -> Outcome<Enrolment> {
    let who = own_password::who(ctx).await?;
    match input.password.filter(|password| !password.is_empty()) {
        Some(password) => Turn::of(ctx).await?.password(&who, &password, "password").await?,
        None if ctx.now().seconds_since(ctx.session.signed_in_at) <= FRESH_S => {}
        None => return Err(Fault::conflict(PASSWORD_NEEDED)),
    }
    let (sealed, enrolment) = one_time::enrol(&ctx.app.vault, who.id, &who.username)?;
    let tx = ctx.begin_write().await?;
    let stored = operator::Entity::update_many()
        .col_expr(operator::Column::TotpSecret, Expr::value(sealed))
        .col_expr(operator::Column::TotpLastStep, Expr::value(0_i64))
        .filter(operator::Column::Id.eq(who.id))
        .filter(operator::Column::TotpEnabledAt.is_null())
        .exec(&*tx)
        .await?;
    if stored.rows_affected == 0 {
        return Err(Fault::conflict(ALREADY_ON));
    }
    tx.commit(Audit::of("operator").id(who.id).name(who.username)).await?;
    Ok(enrolment)
}

/// Turns the second factor on with a first code. Other sessions end: they were opened without it.
///
/// # Errors
/// When nothing was enrolled, or the code is wrong.
pub async fn confirm(ctx: &OpCtx, input: &CodeInput) -> Outcome<RecoveryCodes> {
    let who = own_password::who(ctx).await?;
    if who.totp_enabled_at.is_some() {
        return Err(Fault::conflict(ALREADY_ON));
    }
    if who.totp_secret.is_none() {
        return Err(Fault::conflict(NOT_ENROLLED));
    }
    let proof = Turn::of(ctx).await?.first_code(&who, &input.code).await?;
    let tx = ctx.begin_write().await?;
    proof.spend(&*tx).await?;
    let turned_on = operator::Entity::update_many()
        .col_expr(operator::Column::TotpEnabledAt, Expr::value(ctx.now().millis()))
        .filter(operator::Column::Id.eq(who.id))
        .filter(operator::Column::TotpEnabledAt.is_null())
        // Another enrolment in the meantime has another seed, which has not been confirmed.
        .filter(operator::Column::TotpSecret.eq(who.totp_secret))
        .exec(&*tx)
        .await?;
    if turned_on.rows_affected == 0 {
        return Err(Fault::conflict(NOT_ENROLLED));
    }
    let recovery_codes = one_time::renew_recovery_codes(&*tx, who.id).await?;
    end_other_sessions(ctx, &tx).await?;
    tell_by(ctx, &tx, who.id, NoticeKind::SecondFactorOn, "").await?;
    tx.commit(Audit::of("operator").id(who.id).name(who.username)).await?;
    ctx.app.sessions.forget();
    Ok(RecoveryCodes { recovery_codes })
}

/// Replaces the recovery codes.
///
/// # Errors
/// When the second factor is not on, or the code is wrong.
pub async fn renew_recovery_codes(ctx: &OpCtx, input: &CodeInput) -> Outcome<RecoveryCodes> {
    let who = with_second_factor(ctx).await?;
    let proof = Turn::of(ctx).await?.code(&who, &input.code).await?;
    let tx = ctx.begin_write().await?;
    proof.spend(&*tx).await?;
    let recovery_codes = one_time::renew_recovery_codes(&*tx, who.id).await?;
    tell_by(ctx, &tx, who.id, NoticeKind::RecoveryCodesRenewed, "").await?;
    tx.commit(Audit::of("operator").id(who.id).name(who.username)).await?;
    Ok(RecoveryCodes { recovery_codes })
}

/// Turns the second factor off.
///
/// # Errors
/// When it is not on, or password or code is wrong.
pub async fn disable(ctx: &OpCtx, input: &DisableInput) -> Outcome<()> {
    let who = with_second_factor(ctx).await?;
    let turn = Turn::of(ctx).await?;
    turn.password(&who, &input.password, "password").await?;
    let proof = turn.code(&who, &input.code).await?;
    let tx = ctx.begin_write().await?;
    proof.spend(&*tx).await?;
    remove(&tx, who.id).await?;
    end_other_sessions(ctx, &tx).await?;
    tell_by(ctx, &tx, who.id, NoticeKind::SecondFactorOff, "").await?;
    tx.commit(Audit::of("operator").id(who.id).name(who.username)).await?;
    ctx.app.sessions.forget();
    Ok(())
}

/// Turns off another operator's second factor, if they lost their device. Their sessions end.
///
/// # Errors
/// When there is no such operator, they have none, it is the caller, or they have permissions that the caller lacks.
pub async fn reset(ctx: &OpCtx, id: OperatorId) -> Outcome<()> {
    if id == ctx.operator() {
        return Err(Fault::conflict(NOT_ONESELF));
    }
    let tx = ctx.begin_write().await?;
    let who = operator::Entity::find_by_id(id).one(&*tx).await?.or_missing(NO_OPERATOR)?;
    if let Some(group) = who.group_id {
        rights::must_cover(&*tx, ctx, group).await?;
    }
    if who.totp_secret.is_none() {
        return Err(Fault::conflict(NOT_ON));
    }
    remove(&tx, id).await?;
    sessions::end_in(&*tx, ctx.now(), EndReason::Revoked, session::Column::OperatorId.eq(id)).await?;
    tell_by(ctx, &tx, id, NoticeKind::SecondFactorReset, "").await?;
    tx.commit(Audit::of("operator").id(id).name(who.username)).await?;
    ctx.app.sessions.forget();
    Ok(())
}

async fn with_second_factor(ctx: &OpCtx) -> Outcome<operator::Model> {
    let who = own_password::who(ctx).await?;
    if who.totp_enabled_at.is_none() {
        return Err(Fault::conflict(NOT_ON));
    }
    Ok(who)
}

async fn remove(tx: &OpTx, id: OperatorId) -> Outcome<()> {
    operator::Entity::update_many()
        .col_expr(operator::Column::TotpSecret, Expr::value(Option::<Vec<u8>>::None))
        .col_expr(operator::Column::TotpEnabledAt, Expr::value(Option::<i64>::None))
        .filter(operator::Column::Id.eq(id))
        .exec(&**tx)
        .await?;
    one_time::drop_recovery_codes(&**tx, id).await
}

async fn end_other_sessions(ctx: &OpCtx, tx: &OpTx) -> Outcome<()> {
    let others = Condition::all()
        .add(session::Column::OperatorId.eq(ctx.operator()))
        .add(session::Column::Id.ne(ctx.session.id));
    sessions::end_in(&**tx, ctx.now(), EndReason::Revoked, others.into()).await?;
    Ok(())
}
