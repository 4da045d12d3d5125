//! Confirming one's identity again, before an operation that grants permissions or accepts a secret.

use base::access::session as sessions;
use base::fault::{Fault, Outcome};
use base::http::ops::{Audit, OpCtx, OpTx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done};
use entity::operator;
use kernel::rules::{Check, Violation};
use serde::Deserialize;
use utoipa::ToSchema;

use super::own_password;
use super::proof::Turn;
use crate::auth::memory::Auth;

/// The input for confirming the caller's identity: one of the two.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepUpInput {
    /// The password, encrypted as in sign-in.
    #[serde(default)]
    pub password: String,
    /// Six digits of the authenticator, or a recovery code; for those who have a second factor.
    #[serde(default)]
    pub code: String,
}

impl Validate for StepUpInput {
    fn check(&self, check: &mut Check) {
        if self.password.is_empty() && self.code.trim().is_empty() {
            check.add("password", Violation::new("required"));
        }
    }
}

/// Confirms the caller's identity again. Calls whose `security` names `step-up` need this, or a sign-in, within the
/// last ten minutes.
#[utoipa::path(post, path = "/api/user/v1/me/step-up", tag = "me", request_body = StepUpInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn step_up(ctx: OpCtx, Valid(input): Valid<StepUpInput>) -> ApiResult<()> {
    prove(&ctx, &input).await?;
    done()
}

/// Checks the confirmation under the limits of signing in, and records it in the session.
async fn prove(ctx: &OpCtx, input: &StepUpInput) -> Outcome<()> {
    let who = own_password::who(ctx).await?;
    let turn = Turn::of(ctx).await?;
    let tx = if input.code.trim().is_empty() {
        turn.password(&who, &input.password, "password").await?;
        let tx = ctx.begin_write().await?;
        ctx.app.part::<Auth>().keys.save_spent(&*tx, ctx.now()).await?;
        tx
    } else {
        with_code(ctx, turn, &who, &input.code).await?
    };
    let now = ctx.now();
    sessions::prove_in(&*tx, ctx.session.id, now).await?;
    tx.commit(Audit::of("session").id(ctx.session.id).name(who.username)).await?;
    ctx.app.sessions.prove(ctx.session.id, now, ctx.app.clock.moment());
    Ok(())
}

async fn with_code(ctx: &OpCtx, turn: Turn<'_>, who: &operator::Model, code: &str) -> Outcome<OpTx> {
    if who.totp_enabled_at.is_none() {
        return Err(Fault::field("code", Violation::new("totpWrong")));
    }
    let proof = turn.code(who, code).await?;
    let tx = ctx.begin_write().await?;
    proof.spend(&*tx).await?;
    Ok(tx)
}
